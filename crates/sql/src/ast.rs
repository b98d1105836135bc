//! Expressions in the one form that the analyser works on. As in ClickHouse, operators are functions: `a + 1` is
//! `plus(a, 1)`, `x IS NULL` is `isNull(x)`, CASE is `multiIf` or `caseWithExpression`. What `Display` gives is the name that ClickHouse gives an
//! unnamed column, with `#` (`{node:#}`): arrays and tuples in their brackets, and no quotes around names. Without it what is given can be
//! parsed again, which definitions are kept by: `(x)` would be no tuple then.

use std::fmt::{self, Display};

use gristmill_types::sql_type::quote_identifier;
use sqlparser::ast::{Query, WindowFrameBound};

use crate::translate;
use crate::user_functions::DEFINED;

#[derive(Clone, Debug)]
pub enum Literal {
    Null,
    Bool(bool),
    /// Whole numbers up to 256 bits as their digits (with sign) where they do not fit.
    Integer(i128),
    BigInteger(String),
    Float(f64),
    /// A number with a point or an exponent, as it is written: Float64, but for a Decimal that looks at its digits.
    Fraction(String),
    Text(Vec<u8>),
}

impl Literal {
    /// The value of a number that is Float64.
    pub fn float(&self) -> Option<f64> {
        match self {
            Literal::Float(value) => Some(*value),
            Literal::Fraction(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// Equal where they stand for the same: NaN is NaN here.
impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Literal::Null, Literal::Null) => true,
            (Literal::Bool(a), Literal::Bool(b)) => a == b,
            (Literal::Integer(a), Literal::Integer(b)) => a == b,
            (Literal::BigInteger(a), Literal::BigInteger(b)) => a == b,
            (Literal::Text(a), Literal::Text(b)) => a == b,
            (a, b) => a.float().zip(b.float()).is_some_and(|(a, b)| a.to_bits() == b.to_bits()),
        }
    }
}

/// `*`, `t.*` or `COLUMNS(…)` with what changes the columns, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Star {
    pub qualifier: Vec<String>,
    /// `None`: all that `*` stands for.
    pub columns: Option<ColumnChoice>,
    pub steps: Vec<StarStep>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ColumnChoice {
    /// `COLUMNS('regular expression')`
    Pattern(String),
    /// `COLUMNS(a, b)`
    Listed(Vec<Node>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum StarStep {
    /// With `strict`, each name must be there.
    Except {
        names: Vec<String>,
        strict: bool,
    },
    ExceptPattern(String),
    Replace {
        items: Vec<(Node, String)>,
        strict: bool,
    },
    /// A function's name with its parameters.
    ApplyFunction {
        name: String,
        parameters: Vec<Node>,
    },
    ApplyLambda {
        parameter: String,
        body: Box<Node>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub name: String,
    /// The first parentheses of `quantile(0.5)(x)`.
    pub parameters: Vec<Node>,
    pub arguments: Vec<Node>,
    pub distinct: bool,
    /// RESPECT NULLS behind it, or IGNORE NULLS.
    pub respects_nulls: Option<bool>,
    pub filter: Option<Box<Node>>,
    pub over: Option<Box<Window>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// A window of the WINDOW clause that this one begins with.
    pub base: Option<String>,
    pub partition_by: Vec<Node>,
    pub order_by: Vec<SortKey>,
    pub frame: Option<sqlparser::ast::WindowFrame>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SortKey {
    pub node: Node,
    pub descending: bool,
    pub nulls_first: bool,
    /// The locale of COLLATE.
    pub collation: Option<String>,
    pub fill: Option<Box<Fill>>,
}

/// `WITH FILL [FROM …] [TO …] [STEP …] [STALENESS …]` of a key of ORDER BY.
#[derive(Clone, PartialEq, Debug)]
pub struct Fill {
    pub from: Option<Node>,
    pub to: Option<Node>,
    pub step: Option<Node>,
    pub staleness: Option<Node>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InSet {
    List(Vec<Node>),
    Query(Box<Query>),
    /// A table, or an expression that gives an array or a tuple.
    Other(Box<Node>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    Literal(Literal),
    /// `a`, `t.a`, `db.t.a`, `tuple.field`
    Name(Vec<String>),
    Star(Box<Star>),
    Call(Call),
    Lambda {
        parameters: Vec<String>,
        body: Box<Node>,
    },
    Subquery(Box<Query>),
    Exists {
        query: Box<Query>,
        negated: bool,
    },
    In {
        left: Box<Node>,
        set: InSet,
        negated: bool,
    },
    Aliased(Box<Node>, String),
}

pub fn call(name: &str, arguments: Vec<Node>) -> Node {
    Node::Call(Call {
        name: name.to_string(),
        parameters: Vec::new(),
        arguments,
        distinct: false,
        respects_nulls: None,
        filter: None,
        over: None,
    })
}

/// A call that stands for its argument, which is written in parentheses: definitions are shown with them.
pub(crate) const PARENTHESES: &str = "__parentheses";

pub fn text(value: &str) -> Node {
    Node::Literal(Literal::Text(value.as_bytes().to_vec()))
}

impl Node {
    /// `*`
    pub fn star() -> Node {
        Node::Star(Box::default())
    }

    /// `tuple()`: a key of nothing.
    pub fn is_empty_tuple(&self) -> bool {
        matches!(self.bare(), Node::Call(call) if call.name == "tuple" && call.arguments.is_empty())
    }

    /// What a call of a function that a user made stands for (see `user_functions`), or an expression in parentheses; `None`: it is
    /// neither.
    pub fn defined(&self) -> Option<&Node> {
        match self {
            Node::Call(call) if call.name == DEFINED => call.arguments.get(1),
            Node::Call(call) if call.name == PARENTHESES => call.arguments.first(),
            _ => None,
        }
    }

    /// Without aliases and parentheses around it.
    pub fn bare(&self) -> &Node {
        match self {
            Node::Aliased(inner, _) => inner.bare(),
            Node::Call(call) if call.name == PARENTHESES => call.arguments.first().map_or(self, Node::bare),
            other => other,
        }
    }

    /// Whether a query stands in the expression.
    pub fn has_subquery(&self) -> bool {
        let mut found = false;
        self.walk(&mut |node| {
            found |= matches!(node, Node::Subquery(_) | Node::Exists { .. } | Node::In { set: InSet::Query(_), .. });
            !found
        });
        found
    }

    /// Whether more nodes of one query stand in the expression.
    pub fn is_larger_than(&self, most: usize) -> bool {
        let mut nodes = 0;
        self.walk(&mut |_| {
            nodes += 1;
            nodes <= most
        });
        nodes > most
    }

    /// Calls `visit` on this node and every node below it that belongs to the same query; a false stops the descent.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Node) -> bool) {
        if !visit(self) {
            return;
        }
        match self {
            Node::Literal(_) | Node::Name(_) | Node::Subquery(_) | Node::Exists { .. } => {}
            Node::Star(star) => {
                for step in &star.steps {
                    if let StarStep::Replace { items, .. } = step {
                        items.iter().for_each(|(node, _)| node.walk(visit));
                    }
                }
            }
            Node::Call(call) if call.name == DEFINED => call.arguments.iter().skip(1).for_each(|node| node.walk(visit)),
            Node::Call(call) => {
                call.parameters.iter().chain(&call.arguments).for_each(|node| node.walk(visit));
                if let Some(filter) = &call.filter {
                    filter.walk(visit);
                }
                if let Some(window) = &call.over {
                    window.partition_by.iter().for_each(|node| node.walk(visit));
                    window.order_by.iter().for_each(|key| key.node.walk(visit));
                }
            }
            Node::Lambda { body, .. } => body.walk(visit),
            Node::In { left, set, .. } => {
                left.walk(visit);
                match set {
                    InSet::List(list) => list.iter().for_each(|node| node.walk(visit)),
                    InSet::Other(node) => node.walk(visit),
                    InSet::Query(_) => {}
                }
            }
            Node::Aliased(inner, _) => inner.walk(visit),
        }
    }
}

impl Node {
    /// The expression with what `change` makes of this node and of every node below it that belongs to the same query, the
    /// inner ones first.
    #[must_use]
    pub fn rebuilt(&self, change: &mut dyn FnMut(Node) -> Node) -> Node {
        let all = |nodes: &[Node], change: &mut dyn FnMut(Node) -> Node| -> Vec<Node> {
            nodes.iter().map(|node| node.rebuilt(change)).collect()
        };
        let inner = match self {
            Node::Call(call) => {
                // The first word of a call of a user's function is its text.
                let kept = usize::from(call.name == DEFINED).min(call.arguments.len());
                let mut arguments = call.arguments[..kept].to_vec();
                arguments.extend(all(&call.arguments[kept..], change));
                let filter = call.filter.as_ref().map(|filter| Box::new(filter.rebuilt(change)));
                Node::Call(Call { arguments, filter, ..call.clone() })
            }
            Node::Lambda { parameters, body } => {
                Node::Lambda { parameters: parameters.clone(), body: Box::new(body.rebuilt(change)) }
            }
            Node::In { left, set, negated } => {
                let set = match set {
                    InSet::List(list) => InSet::List(all(list, change)),
                    InSet::Other(node) => InSet::Other(Box::new(node.rebuilt(change))),
                    InSet::Query(query) => InSet::Query(query.clone()),
                };
                Node::In { left: Box::new(left.rebuilt(change)), set, negated: *negated }
            }
            Node::Aliased(inner, alias) => Node::Aliased(Box::new(inner.rebuilt(change)), alias.clone()),
            other => other.clone(),
        };
        change(inner)
    }
}

fn list(f: &mut fmt::Formatter<'_>, nodes: &[Node]) -> fmt::Result {
    for (i, node) in nodes.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        node.fmt(f)?;
    }
    Ok(())
}

fn name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if f.alternate() { f.write_str(name) } else { f.write_str(&quote_identifier(name)) }
}

/// A Float64 in ClickHouse's text form.
pub(crate) fn shortest(value: f64) -> String {
    let mut text = Vec::new();
    gristmill_types::text::write_f64(value, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

impl Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("NULL"),
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::BigInteger(digits) => f.write_str(digits),
            Literal::Float(_) | Literal::Fraction(_) => {
                let digits = shortest(self.float().unwrap_or(f64::NAN));
                // A point tells it from an integer, where neither a fraction nor an exponent does.
                let is_whole = digits.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                write!(f, "{digits}{}", if is_whole { "." } else { "" })
            }
            Literal::Text(bytes) => f.write_str(&gristmill_types::sql_type::quote(&String::from_utf8_lossy(bytes))),
        }
    }
}

/// What stands behind OVER.
impl Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(base) = &self.base
            && self.partition_by.is_empty()
            && self.order_by.is_empty()
            && self.frame.is_none()
        {
            return f.write_str(base);
        }
        let mut blank = "";
        f.write_str("(")?;
        if let Some(base) = &self.base {
            f.write_str(base)?;
            blank = " ";
        }
        if !self.partition_by.is_empty() {
            write!(f, "{blank}PARTITION BY ")?;
            list(f, &self.partition_by)?;
            blank = " ";
        }
        for (i, key) in self.order_by.iter().enumerate() {
            if i == 0 {
                write!(f, "{blank}ORDER BY ")?
            } else {
                f.write_str(", ")?
            }
            key.node.fmt(f)?;
            f.write_str(if key.descending { " DESC" } else { " ASC" })?;
            f.write_str(if key.nulls_first { " NULLS FIRST" } else { "" })?;
            if let Some(locale) = &key.collation {
                write!(f, " COLLATE {}", locale.to_ascii_lowercase())?;
            }
            blank = " ";
        }
        if let Some(frame) = &self.frame {
            let bound = |f: &mut fmt::Formatter<'_>, bound: &WindowFrameBound| {
                let (far, words) = match bound {
                    WindowFrameBound::Preceding(Some(far)) => (far, "PRECEDING"),
                    WindowFrameBound::Following(Some(far)) => (far, "FOLLOWING"),
                    other => return write!(f, "{other}"),
                };
                match translate::node(far) {
                    Ok(node) => node.fmt(f)?,
                    Err(_) => write!(f, "{far}")?,
                }
                write!(f, " {words}")
            };
            write!(f, "{blank}{} BETWEEN ", frame.units)?;
            bound(f, &frame.start_bound)?;
            f.write_str(" AND ")?;
            bound(f, frame.end_bound.as_ref().unwrap_or(&WindowFrameBound::CurrentRow))?;
        }
        f.write_str(")")
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Literal(literal) => literal.fmt(f),
            Node::Name(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i > 0 { "." } else { "" })?;
                    name(f, part)?;
                }
                Ok(())
            }
            Node::Star(star) => {
                for part in &star.qualifier {
                    write!(f, "{part}.")?;
                }
                f.write_str("*")
            }
            Node::Call(call) if matches!(call.name.as_str(), DEFINED | PARENTHESES) => {
                call.arguments.iter().take(1).try_for_each(|node| node.fmt(f))
            }
            Node::Call(call) => {
                // Literal arrays and tuples are shown as they are written.
                let constant = call.arguments.iter().all(|node| matches!(node, Node::Literal(_)));
                let brackets = match call.name.as_str() {
                    "array" if constant || f.alternate() => Some(("[", "]")),
                    "tuple" if f.alternate() || (constant && call.arguments.len() > 1) => Some(("(", ")")),
                    _ => None,
                };
                if let Some((open, close)) = brackets {
                    f.write_str(open)?;
                    list(f, &call.arguments)?;
                    return f.write_str(close);
                }
                // `count(DISTINCT x) FILTER (WHERE c)` is countDistinctIf(x, c).
                let distinct = if call.distinct { "Distinct" } else { "" };
                let filtered = if call.filter.is_some() { "If" } else { "" };
                write!(f, "{}{distinct}{filtered}", call.name)?;
                if !call.parameters.is_empty() {
                    f.write_str("(")?;
                    list(f, &call.parameters)?;
                    f.write_str(")")?;
                }
                f.write_str("(")?;
                list(f, &call.arguments)?;
                if let Some(filter) = &call.filter {
                    f.write_str(if call.arguments.is_empty() { "" } else { ", " })?;
                    filter.fmt(f)?;
                }
                f.write_str(")")?;
                f.write_str(match call.respects_nulls {
                    Some(true) if !f.alternate() => " RESPECT NULLS",
                    Some(false) if !f.alternate() => " IGNORE NULLS",
                    _ => "",
                })?;
                match &call.over {
                    Some(window) => {
                        f.write_str(" OVER ")?;
                        window.fmt(f)
                    }
                    None => Ok(()),
                }
            }
            Node::Lambda { parameters, body } => {
                write!(f, "lambda(tuple({}), ", parameters.join(", "))?;
                body.fmt(f)?;
                f.write_str(")")
            }
            Node::Subquery(_) => f.write_str("_subquery"),
            Node::Exists { negated, .. } => {
                f.write_str(if *negated { "not(exists(_subquery))" } else { "exists(_subquery)" })
            }
            Node::In { left, set, negated } => {
                f.write_str(if *negated { "notIn(" } else { "in(" })?;
                left.fmt(f)?;
                f.write_str(", ")?;
                match set {
                    InSet::List(nodes) if nodes.len() == 1 => nodes[0].fmt(f)?,
                    InSet::List(nodes) => {
                        f.write_str("(")?;
                        list(f, nodes)?;
                        f.write_str(")")?;
                    }
                    InSet::Query(_) => f.write_str("_subquery")?,
                    InSet::Other(node) => node.fmt(f)?,
                }
                f.write_str(")")
            }
            // A variable of MySQL, as it is written.
            Node::Aliased(_, alias) if alias.starts_with("@@") => f.write_str(alias),
            Node::Aliased(_, alias) => name(f, alias),
        }
    }
}

/// The bytes that the text of a string literal (without its quotes) stands for.
pub fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => {
                out.push(b'\'');
                at += 2;
            }
            b'\\' if at + 1 < bytes.len() => {
                at += 2;
                match bytes[at - 1] {
                    b'b' => out.push(8),
                    b'f' => out.push(12),
                    b'r' => out.push(b'\r'),
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'0' => out.push(0),
                    b'a' => out.push(7),
                    b'v' => out.push(11),
                    b'e' => out.push(27),
                    b'N' => {}
                    b'x' => {
                        let digits = text.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                        match digits {
                            Some(byte) => {
                                out.push(byte);
                                at += 2;
                            }
                            None => out.push(b'x'),
                        }
                    }
                    c @ (b'\\' | b'\'' | b'"' | b'`' | b'/' | b'=' | 0..=31) => out.push(c),
                    // Unknown escapes stay as they are: patterns such as '\d' need no doubling.
                    c => out.extend([b'\\', c]),
                }
            }
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
    out
}

/// Bytes as text: those that are not UTF-8 as escapes.
pub fn with_escapes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02X}"));
        }
    }
    out
}

/// The name that a quoted identifier's raw text stands for.
pub fn unescape_identifier(ident: &sqlparser::ast::Ident) -> String {
    match ident.quote_style {
        Some(quote) => {
            let doubled = format!("{quote}{quote}");
            String::from_utf8_lossy(&unescape(&ident.value.replace(&doubled, &quote.to_string()))).into_owned()
        }
        None => ident.value.clone(),
    }
}
