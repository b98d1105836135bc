//! Types of states, which name an aggregate function with its parameters.

use gristmill_base::Result;

use super::Parser;
use crate::SqlType;

/// Names that a function has beside its own; names in any case.
const ALIASES: &[(&str, &str)] = &[
    ("any_value", "any"),
    ("first_value", "any"),
    ("last_value", "anyLast"),
    ("any_value_respect_nulls", "any_respect_nulls"),
    ("first_value_respect_nulls", "any_respect_nulls"),
    ("last_value_respect_nulls", "anyLast_respect_nulls"),
    ("anyRespectNulls", "any_respect_nulls"),
    ("anyValueRespectNulls", "any_respect_nulls"),
    ("firstValueRespectNulls", "any_respect_nulls"),
    ("anyLastRespectNulls", "anyLast_respect_nulls"),
    ("lastValueRespectNulls", "anyLast_respect_nulls"),
    ("min_by", "argMin"),
    ("max_by", "argMax"),
    ("array_agg", "groupArray"),
    ("array_concat_agg", "groupArrayArray"),
    ("group_concat", "groupConcat"),
    ("string_agg", "groupConcat"),
    ("approx_top_count", "approx_top_k"),
    ("lttb", "largestTriangleThreeBuckets"),
    ("anova", "analysisOfVariance"),
    ("sparkBar", "sparkbar"),
    ("timeSeriesLastToGrid", "timeSeriesResampleToGridWithStaleness"),
    ("BIT_AND", "groupBitAnd"),
    ("BIT_OR", "groupBitOr"),
    ("BIT_XOR", "groupBitXor"),
    ("COVAR_POP", "covarPop"),
    ("COVAR_SAMP", "covarSamp"),
    ("STD", "stddevPop"),
    ("STDDEV", "stddevSamp"),
    ("STDDEV_POP", "stddevPop"),
    ("STDDEV_SAMP", "stddevSamp"),
    ("VAR_POP", "varPop"),
    ("VAR_SAMP", "varSamp"),
    ("count", "count"),
    ("sum", "sum"),
    ("avg", "avg"),
    ("min", "min"),
    ("max", "max"),
];

/// What a combinator begins with.
const COMBINATORS: &[&str] =
    &["If", "Array", "Distinct", "Or", "ForEach", "Map", "State", "Simple", "Merge", "Resample", "Arg"];

/// The function's own name in the place of another one, so that its states are of one type whichever was written.
fn by_own_name(function: String) -> String {
    if let Some(rest) = function.strip_prefix("median") {
        return format!("quantile{rest}");
    }
    let end = function.find('(').unwrap_or(function.len());
    let (name, parameters) = function.split_at(end);
    let known = ALIASES.iter().find_map(|(alias, own)| {
        let (base, rest) = name.split_at_checked(alias.len())?;
        let is_whole = rest.is_empty() || COMBINATORS.iter().any(|combinator| rest.starts_with(combinator));
        (is_whole && base.eq_ignore_ascii_case(alias)).then(|| format!("{own}{rest}{parameters}"))
    });
    known.unwrap_or(function)
}

impl Parser<'_> {
    pub(super) fn aggregate_function(&mut self) -> Result<SqlType> {
        self.expect(b'(')?;
        let mut name = self.function();
        // The version of the state's form, which functions have that had another one before.
        if name == "1" && self.eat(b',') {
            name = self.function();
        }
        let mut arguments = Vec::new();
        while self.eat(b',') {
            arguments.push(self.kind()?);
        }
        self.expect(b')')?;
        Ok(SqlType::AggregateFunction(name, arguments))
    }

    /// The function's own name with its parameters, as types show them: a space stands behind each comma, and no other.
    pub(super) fn function(&mut self) -> String {
        self.spaces();
        let (mut function, mut start) = (String::new(), self.at);
        let (mut depth, mut is_quoted) = (0_usize, false);
        while let Some(c) = self.peek() {
            match c {
                b'\\' if is_quoted && self.at + 1 < self.text.len() => self.at += 1,
                b'\'' => is_quoted = !is_quoted,
                _ if is_quoted => {}
                b')' | b',' if depth == 0 => break,
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b',' => {
                    function.push_str(&self.text[start..=self.at]);
                    function.push(' ');
                    start = self.at + 1;
                }
                c if c.is_ascii_whitespace() => {
                    function.push_str(&self.text[start..self.at]);
                    start = self.at + 1;
                }
                _ => {}
            }
            self.at += 1;
        }
        function.push_str(&self.text[start..self.at]);
        by_own_name(function)
    }
}
