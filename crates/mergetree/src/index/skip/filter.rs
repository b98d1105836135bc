//! Conditions asked of the filters of units, or of the tokens that are in them. A filter says of a value that it is not there, never
//! that it is: so only conditions that some value has to be there for can leave a unit out.
//!
//! What a comparison is about is found first (`Subject`): an index's expression itself; an element of the array that it
//! is (`a[1]`, or `m[k]` under an index of `mapValues(m)`), which is the type's default where there is none; or what a
//! map holds under a key (`m['k']` under an index of `mapKeys(m)`), where the key must be there unless the default would
//! pass too. Then the comparison gives sets of terms, one of which must be there whole.

use arrow::array::Array;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};
use gristmill_functions::value_set::set_of;
use gristmill_types::SqlType;

use super::bloom;
use super::chunk::{Chunk, Units};
use super::definition::{SkipIndex, SkipKind};
use super::literals::required;
use super::needed::{Node, Term, all, any, holds};
use super::terms::{Anchored, Terms};
use super::text::TextTokens;
use super::values::{bytes_of, constant_of, hashed_kind, is_default};
use crate::index::analyze::{bytes, elements, is_float};
use crate::index::expression::same;
use crate::index::pattern::after_prefix;

/// Of more values some are in nearly every filter, and asking costs more than it saves.
const SET_VALUES_MAX: usize = 100_000;

#[derive(Debug)]
pub struct FilterCondition {
    root: Node,
    hashes: u32,
}

impl FilterCondition {
    /// `None`: the filters can leave nothing out.
    pub fn new(index: &SkipIndex, columns: &DFSchema, filters: &[Expr]) -> Option<FilterCondition> {
        let hashes = match index.kind {
            SkipKind::Bloom { false_positives } => bloom::hashes_for(false_positives),
            SkipKind::Text(_) => 0,
            _ => index.kind.terms()?.1.hashes,
        };
        let reader = Reader { index, columns };
        let root = reader.conjunction(filters.iter().flat_map(split_conjunction).collect());
        (!matches!(root, Node::Unknown)).then_some(FilterCondition { root, hashes })
    }

    /// By unit, whether a row may pass.
    pub fn check(&self, chunk: &Chunk) -> Vec<bool> {
        match &chunk.data {
            Units::Filters(filters) => {
                let has =
                    |expression: usize, unit: usize, hash| bloom::contains(&filters[expression][unit], self.hashes, hash);
                let passes = |unit| self.root.check(&|expression, hash| has(expression, unit, hash));
                (0..chunk.units).map(passes).collect()
            }
            Units::Tokens(dictionary) => self.root.units(dictionary, chunk.units),
            _ => vec![true; chunk.units],
        }
    }
}

/// What a comparison is about.
enum Subject {
    Itself(usize),
    /// An element, or the default.
    Element(usize),
    /// The value under a key, or the default. The expression is the map's keys.
    Under(usize, ScalarValue),
}

/// What a comparison demands.
enum Demand<'a> {
    /// To equal one of them.
    OneOf(&'a [ScalarValue]),
    /// To hold all texts of an alternative.
    Texts(Vec<Vec<(Vec<u8>, Anchored)>>),
    Like(&'a [u8]),
    /// To hold the text as a token.
    Token(&'a [u8]),
}

struct Reader<'a> {
    index: &'a SkipIndex,
    columns: &'a DFSchema,
}

fn name(expr: &Expr) -> Option<(&str, &[Expr])> {
    match expr {
        Expr::ScalarFunction(call) => Some((call.func.name(), &call.args)),
        Expr::Alias(alias) => name(&alias.expr),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value),
        Expr::Alias(alias) => literal(&alias.expr),
        _ => None,
    }
}

/// The expression and the text that it is compared with.
fn bound(filter: &Expr, operator: Operator) -> Option<(&Expr, Vec<u8>)> {
    match filter {
        Expr::Alias(alias) => bound(&alias.expr, operator),
        Expr::BinaryExpr(binary) if binary.op == operator => Some((&binary.left, bytes(literal(&binary.right)?)?)),
        _ => None,
    }
}

/// What all texts from the one up to the other, which is none of them, begin with.
fn beginning(low: &[u8], high: &[u8]) -> Vec<u8> {
    if after_prefix(low).as_deref() == Some(high) {
        return low.to_vec();
    }
    low.iter().zip(high).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

fn is_number(value: &ScalarValue, wanted: i8) -> bool {
    !value.is_null() && value.cast_to(&arrow::datatypes::DataType::Int8).ok() == Some(ScalarValue::Int8(Some(wanted)))
}

impl Reader<'_> {
    fn conjunction(&self, filters: Vec<&Expr>) -> Node {
        let mut nodes: Vec<Node> = filters.iter().map(|filter| self.node(filter)).collect();
        // `startsWith(s, 'x')` and `s LIKE 'x%'` come as `s >= 'x' AND s < 'y'`.
        if self.parts().is_some() {
            for (expr, low) in filters.iter().filter_map(|filter| bound(filter, Operator::GtEq)) {
                let above = filters.iter().filter_map(|filter| bound(filter, Operator::Lt)).filter(|(of, _)| same(of, expr));
                for (_, high) in above {
                    let start = beginning(&low, &high);
                    nodes.push(self.demanded(expr, &Demand::Texts(vec![vec![(start, Anchored::START)]])));
                }
            }
        }
        all(nodes)
    }

    fn node(&self, filter: &Expr) -> Node {
        match filter {
            Expr::Alias(alias) => self.node(&alias.expr),
            Expr::Literal(ScalarValue::Boolean(Some(false)), _) => Node::Never,
            Expr::BinaryExpr(binary) => match (binary.op, literal(&binary.left), literal(&binary.right)) {
                (Operator::And, ..) => self.conjunction(split_conjunction(filter)),
                (Operator::Or, ..) => any(vec![self.node(&binary.left), self.node(&binary.right)]),
                (operator, None, Some(value)) => self.compared(&binary.left, operator, value),
                (operator @ (Operator::Eq | Operator::NotEq | Operator::IsNotDistinctFrom), Some(value), None) => {
                    self.compared(&binary.right, operator, value)
                }
                _ => Node::Unknown,
            },
            Expr::InList(list) if !list.negated => {
                let values: Option<Vec<ScalarValue>> = list.list.iter().map(|item| literal(item).cloned()).collect();
                match values {
                    // NULL equals nothing.
                    Some(values) => {
                        let values: Vec<ScalarValue> = values.into_iter().filter(|value| !value.is_null()).collect();
                        self.demanded(&list.expr, &Demand::OneOf(&values))
                    }
                    None => Node::Unknown,
                }
            }
            Expr::Like(like) if !like.negated && !like.case_insensitive && like.escape_char.is_none() => {
                match literal(&like.pattern).and_then(bytes) {
                    Some(pattern) => self.demanded(&like.expr, &Demand::Like(&pattern)),
                    None => Node::Unknown,
                }
            }
            Expr::ScalarFunction(call) => self.call(call),
            _ => Node::Unknown,
        }
    }

    fn compared(&self, expr: &Expr, operator: Operator, value: &ScalarValue) -> Node {
        match operator {
            Operator::Eq | Operator::IsNotDistinctFrom => {
                // `hasToken(…) = 1`
                if is_number(value, 1) && name(expr).is_some() && !matches!(self.node(expr), Node::Unknown) {
                    return self.node(expr);
                }
                if let Some(values) = elements(value) {
                    return self.equals_array(expr, &values);
                }
                self.demanded(expr, &Demand::OneOf(std::slice::from_ref(value)))
            }
            // ClickHouse's conditions are numbers: `like(…) != 0`; and what is not the default is under its key.
            Operator::NotEq if is_number(value, 0) && name(expr).is_some_and(|(name, _)| name != "arrayElement") => {
                self.node(expr)
            }
            // `indexOf(a, x) > 0`: it is there.
            Operator::Gt | Operator::GtEq if name(expr).is_some_and(|(name, _)| name == "indexOf") => {
                let least = if operator == Operator::Gt { 0 } else { 1 };
                let count = value.cast_to(&arrow::datatypes::DataType::Int64);
                match count {
                    Ok(ScalarValue::Int64(Some(count))) if count >= least => self.node(expr),
                    _ => Node::Unknown,
                }
            }
            Operator::NotEq if is_default(value) && !value.is_null() => match bytes(value) {
                Some(text) if text.is_empty() => {
                    let says = |subject: &Subject| match subject {
                        Subject::Under(expression, key) => self.key_is_there(*expression, key),
                        _ => Node::Unknown,
                    };
                    all(self.subjects(expr).iter().map(says).collect())
                }
                _ => Node::Unknown,
            },
            _ => Node::Unknown,
        }
    }

    fn call(&self, call: &ScalarFunction) -> Node {
        if let Some((expr, set)) = set_of(call) {
            let values = set.values();
            if values.len() > SET_VALUES_MAX {
                return Node::Unknown;
            }
            let values: Option<Vec<_>> = (0..values.len()).map(|at| ScalarValue::try_from_array(values, at).ok()).collect();
            return values.map_or(Node::Unknown, |values| self.demanded(expr, &Demand::OneOf(&values)));
        }
        if let ("hasAnyTokens" | "hasAllTokens" | "hasPhrase", [text, needles, tokenizer @ ..]) =
            (call.func.name(), &call.args[..])
        {
            return self.has_tokens(call.func.name() != "hasAnyTokens", text, needles, tokenizer);
        }
        let [first, second] = &call.args[..] else { return Node::Unknown };
        let constant = literal(second);
        let text = constant.and_then(bytes);
        let texts = |value: Vec<u8>, anchored| Demand::Texts(vec![vec![(value, anchored)]]);
        match (call.func.name(), constant, text) {
            ("like", _, Some(pattern)) => self.demanded(first, &Demand::Like(&pattern)),
            ("startsWith" | "startsWithUTF8", _, Some(text)) => self.demanded(first, &texts(text, Anchored::START)),
            ("endsWith" | "endsWithUTF8", _, Some(text)) => self.demanded(first, &texts(text, Anchored::END)),
            ("hasToken" | "hasTokenOrNull", _, Some(token)) => self.demanded(first, &Demand::Token(&token)),
            ("hasTokenCaseInsensitive" | "hasTokenCaseInsensitiveOrNull", _, Some(mut token)) => {
                token.make_ascii_lowercase();
                self.of_lower(first, &Demand::Token(&token))
            }
            ("match", _, Some(pattern)) => match required(&pattern) {
                Some(alternatives) => self.demanded(first, &Demand::Texts(alternatives)),
                None => Node::Unknown,
            },
            ("multiSearchAny", Some(value), _) => {
                let needles: Option<Vec<Vec<u8>>> =
                    elements(value).and_then(|values| values.iter().map(bytes).collect::<Option<_>>());
                match needles {
                    Some(needles) => {
                        let alternative = |needle: Vec<u8>| vec![(needle, Anchored::NOWHERE)];
                        self.demanded(first, &Demand::Texts(needles.into_iter().map(alternative).collect()))
                    }
                    None => Node::Unknown,
                }
            }
            // Of a map: among its keys.
            ("has", Some(value), _) => all(vec![
                self.array_holds(first, vec![vec![value.clone()]]),
                self.of_map(first, "mapKeys", &|expression| self.holds(expression, &[vec![value.clone()]])),
            ]),
            ("equals", Some(value), _) => match elements(value) {
                Some(values) => self.equals_array(first, &values),
                None => Node::Unknown,
            },
            // As a condition: it is not 0.
            ("indexOf", Some(value), _) => self.array_holds(first, vec![vec![value.clone()]]),
            // A constant array that has a row's value.
            ("has", None, _) => match literal(first).and_then(elements) {
                Some(values) => self.demanded(second, &Demand::OneOf(&values)),
                None => Node::Unknown,
            },
            ("hasAny", Some(value), _) => match elements(value) {
                Some(values) => self.array_holds(first, values.into_iter().map(|value| vec![value]).collect()),
                None => Node::Unknown,
            },
            ("hasAll", Some(value), _) => match elements(value) {
                Some(values) => self.array_holds(first, vec![values]),
                None => Node::Unknown,
            },
            ("mapContainsKey" | "mapContainsValue", Some(value), _) => {
                let side = if call.func.name() == "mapContainsKey" { "mapKeys" } else { "mapValues" };
                self.of_map(first, side, &|expression| self.holds(expression, &[vec![value.clone()]]))
            }
            ("mapContainsKeyLike" | "mapContainsValueLike", _, Some(pattern)) => {
                let side = if call.func.name() == "mapContainsKeyLike" { "mapKeys" } else { "mapValues" };
                self.of_map(first, side, &|expression| self.demand(expression, &Demand::Like(&pattern)))
            }
            _ => Node::Unknown,
        }
    }

    /// By which terms parts of texts are asked. `None`: the index knows whole values alone.
    fn parts(&self) -> Option<Terms> {
        match &self.index.kind {
            SkipKind::Text(tokens) => tokens.terms(),
            kind => kind.terms().map(|(terms, _)| terms),
        }
    }

    fn term(&self, value: &[u8]) -> Term {
        match &self.index.kind {
            SkipKind::Text(_) => Term::Token(value.into()),
            kind => Term::Hash(bloom::hash(value, kind.terms().map_or(0, |(_, shape)| shape.seed))),
        }
    }

    /// `hasAllTokens(text, needles)`, or any of them, where the call takes texts apart as the index does.
    fn has_tokens(&self, all_of_them: bool, text: &Expr, needles: &Expr, tokenizer: &[Expr]) -> Node {
        let words = TextTokens::words();
        let tokens = match &self.index.kind {
            SkipKind::Text(tokens) => tokens,
            SkipKind::Tokens(_) => &words,
            _ => return Node::Unknown,
        };
        let named: Option<Vec<String>> =
            tokenizer.iter().map(|named| String::from_utf8(bytes(literal(named)?)?).ok()).collect();
        let Some(true) = named.map(|named| tokens.is(named.first().map(String::as_str))) else { return Node::Unknown };
        // An array has tokens as they are.
        let wanted = match literal(needles).map(|needles| (bytes(needles), elements(needles))) {
            Some((Some(text), _)) => Some(tokens.of(&text)),
            Some((_, Some(elements))) => elements.iter().map(bytes).collect(),
            _ => None,
        };
        let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else { return Node::Unknown };
        let has = |expression: usize| {
            let terms = wanted.iter().map(|token| self.term(token));
            let any = if all_of_them { vec![terms.collect()] } else { terms.map(|term| vec![term]).collect() };
            holds(expression, any)
        };
        let arrays = self.index.expressions.iter().enumerate().filter(|(_, expression)| {
            matches!(expression.kind.plain(), SqlType::Array(_)) && same(text, &expression.logical)
        });
        let subjects = self.subjects(text);
        let of_subjects = subjects.iter().map(|subject| match subject {
            Subject::Itself(expression) | Subject::Element(expression) => has(*expression),
            // The default has no token.
            Subject::Under(expression, key) => self.key_is_there(*expression, key),
        });
        all(of_subjects.chain(arrays.map(|(at, _)| has(at))).collect())
    }

    /// What expressions of the index say of a value.
    fn subjects(&self, expr: &Expr) -> Vec<Subject> {
        let mut subjects = Vec::new();
        for (at, expression) in self.index.expressions.iter().enumerate() {
            let is_array = matches!(expression.kind.plain(), SqlType::Array(_));
            if !is_array && self.is_same_value(expr, &expression.logical) {
                subjects.push(Subject::Itself(at));
            }
            let (Some(("arrayElement", [container, key])), true) = (name(expr), is_array) else { continue };
            if same(container, &expression.logical) {
                subjects.push(Subject::Element(at));
            }
            match name(&expression.logical) {
                Some(("mapValues", [map])) if same(container, map) => subjects.push(Subject::Element(at)),
                Some(("mapKeys", [map])) if same(container, map) => {
                    subjects.extend(literal(key).map(|key| Subject::Under(at, key.clone())));
                }
                _ => {}
            }
        }
        subjects
    }

    /// The expression, or the same whole number in a wider type.
    fn is_same_value(&self, expr: &Expr, base: &Expr) -> bool {
        match expr {
            Expr::Cast(cast) => {
                let width = |expr: &Expr| expr.get_type(self.columns).ok().filter(arrow::datatypes::DataType::is_integer);
                let widens = match (width(&cast.expr), width(expr)) {
                    (Some(from), Some(to)) => {
                        to.primitive_width() > from.primitive_width()
                            && (from.is_unsigned_integer() || to.is_signed_integer())
                    }
                    _ => false,
                };
                widens && self.is_same_value(&cast.expr, base)
            }
            _ => same(expr, base),
        }
    }

    /// What expressions that are the text in small letters say.
    fn of_lower(&self, text: &Expr, demand: &Demand<'_>) -> Node {
        let expressions = self.index.expressions.iter().enumerate();
        let found = expressions.filter(|(_, expression)| {
            name(&expression.logical).is_some_and(|(name, args)| name == "lower" && matches!(args, [of] if same(of, text)))
        });
        all(found.map(|(at, _)| self.demand(at, demand)).collect())
    }

    fn demanded(&self, expr: &Expr, demand: &Demand<'_>) -> Node {
        // A default that does not pass needs the value itself.
        let value = match (name(expr), demand) {
            (Some(("ifNull" | "coalesce", [of, default])), Demand::OneOf(values))
                if literal(default).is_some_and(|default| values.iter().all(|value| differ(default, value))) =>
            {
                self.demanded(of, demand)
            }
            _ => Node::Unknown,
        };
        let whole = all(self
            .subjects(expr)
            .iter()
            .map(|subject| match subject {
                Subject::Itself(expression) => self.demand(*expression, demand),
                // The default passes without being there.
                Subject::Element(_) | Subject::Under(..) if may_be_default(demand) => Node::Unknown,
                Subject::Element(expression) => self.demand(*expression, demand),
                Subject::Under(expression, key) => self.key_is_there(*expression, key),
            })
            .collect());
        all(vec![value, whole])
    }

    fn key_is_there(&self, expression: usize, key: &ScalarValue) -> Node {
        self.holds(expression, &[vec![key.clone()]])
    }

    fn demand(&self, expression: usize, demand: &Demand<'_>) -> Node {
        if let Demand::OneOf(values) = demand {
            if values.is_empty() {
                return Node::Never;
            }
            let alternatives: Vec<Vec<ScalarValue>> = values.iter().map(|value| vec![value.clone()]).collect();
            return self.holds(expression, &alternatives);
        }
        let Some(terms) = self.parts() else { return Node::Unknown };
        let mut any: Vec<Vec<Term>> = Vec::new();
        match demand {
            Demand::OneOf(_) => {}
            Demand::Texts(alternatives) => {
                for texts in alternatives {
                    let mut all = Vec::new();
                    for (text, anchored) in texts {
                        terms.each(text, *anchored, |term| all.push(self.term(term)));
                    }
                    any.push(all);
                }
            }
            Demand::Like(pattern) => {
                let mut all = Vec::new();
                terms.of_like(pattern, |term| all.push(self.term(term)));
                any.push(all);
            }
            // As a part of the value for n-grams, as the whole of a token for tokens.
            Demand::Token(token) => {
                let anchored = match terms {
                    Terms::Tokens => Anchored::WHOLE,
                    Terms::Ngrams(_) => Anchored::NOWHERE,
                };
                let mut all = Vec::new();
                terms.each(token, anchored, |term| all.push(self.term(term)));
                any.push(all);
            }
        }
        holds(expression, any)
    }

    /// Of these alternatives, all values of one must be among the expression's.
    fn holds(&self, expression: usize, alternatives: &[Vec<ScalarValue>]) -> Node {
        let kind = hashed_kind(&self.index.expressions[expression].kind);
        let mut any = Vec::with_capacity(alternatives.len());
        for values in alternatives {
            let mut all = Vec::with_capacity(values.len());
            for value in values {
                let Some(bytes) = constant_of(value, kind).and_then(|value| bytes_of(&value)) else { return Node::Unknown };
                match (&self.index.kind, self.parts()) {
                    (SkipKind::Text(tokens), _) => tokens.each(&bytes, |token| all.push(self.term(token))),
                    (_, None) => all.push(self.term(&bytes)),
                    (_, Some(terms)) => terms.each(&bytes, Anchored::WHOLE, |term| all.push(self.term(term))),
                }
            }
            any.push(all);
        }
        holds(expression, any)
    }

    fn array_holds(&self, array: &Expr, alternatives: Vec<Vec<ScalarValue>>) -> Node {
        let expressions = self.index.expressions.iter().enumerate();
        let found = expressions.filter(|(_, expression)| {
            matches!(expression.kind.plain(), SqlType::Array(_)) && same(array, &expression.logical)
        });
        all(found.map(|(at, _)| self.holds(at, &alternatives)).collect())
    }

    /// `a = [1, 2]`: the elements are there.
    fn equals_array(&self, expr: &Expr, values: &[ScalarValue]) -> Node {
        if values.iter().any(ScalarValue::is_null) { Node::Unknown } else { self.array_holds(expr, vec![values.to_vec()]) }
    }

    /// What expressions that are a side of the map say.
    fn of_map(&self, map: &Expr, side: &str, says: &dyn Fn(usize) -> Node) -> Node {
        let expressions = self.index.expressions.iter().enumerate();
        let found = expressions.filter(|(_, expression)| {
            name(&expression.logical).is_some_and(|(name, args)| name == side && matches!(args, [of] if same(of, map)))
        });
        all(found.map(|(at, _)| says(at)).collect())
    }
}

/// Whether two constants are not equal, for certain. (Floats have two zeros, and behind a FixedString stand zeros that do not count.)
fn differ(a: &ScalarValue, b: &ScalarValue) -> bool {
    let data_type = a.data_type();
    let is_plain = !is_float(&data_type) && !matches!(data_type, arrow::datatypes::DataType::FixedSizeBinary(_));
    is_plain && !a.is_null() && !b.is_null() && data_type == b.data_type() && a != b
}

/// Whether the type's default may be what is demanded.
fn may_be_default(demand: &Demand<'_>) -> bool {
    match demand {
        Demand::OneOf(values) => values.iter().any(is_default),
        Demand::Texts(alternatives) => alternatives.iter().any(|texts| texts.iter().all(|(text, _)| text.is_empty())),
        Demand::Like(pattern) => pattern.iter().all(|byte| *byte == b'%'),
        Demand::Token(token) => token.is_empty(),
    }
}
