//! Calls of functions that users made (`CREATE FUNCTION`), replaced in a statement's text by what the functions stand for.
//!
//! `lin(a, 2, 1)` becomes `__defined(lin(a, 2, 1), ((2) * (a) + (1)))`: columns keep the name of the call, and all else sees the
//! expression, aggregates in it among the rest, wherever in a statement it stands. Definitions of tables are written down with the
//! expression alone (see `sql_text`), so that they outlast the function.

use std::borrow::Cow;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::user_defined::{ByName, UserFunction};

use crate::lexer::{Kind, Token, tokens};

/// The function that a replaced call is one of: the call as it was written, and the expression.
pub(crate) const DEFINED: &str = "__defined";
/// Functions within functions.
const DEPTH_MAX: usize = 32;
/// Calls that are replaced in a statement, those within functions among them.
const CALLS_MAX: usize = 10_000;
/// Bytes of what a call is replaced by.
const BYTES_MAX: usize = 1 << 20;

/// Words before a name that is none of a function though brackets follow.
const BEFORE_OTHER_NAMES: &[&str] =
    &["INTO", "TABLE", "FROM", "JOIN", "VIEW", "FUNCTION", "EXISTS", "DICTIONARY", "INDEX", "PROJECTION"];

/// The text with the calls replaced. Errors: BAD_ARGUMENTS for another number of arguments; TOO_DEEP_RECURSION for functions that
/// call each other without end.
pub fn expanded<'t>(text: &'t str, functions: &ByName) -> Result<Cow<'t, str>> {
    if functions.is_empty() || !functions.keys().any(|name| text.contains(name.as_str())) || defines(text) {
        return Ok(Cow::Borrowed(text));
    }
    match replaced(text, functions, 0, &mut 0)? {
        Some(text) => Ok(Cow::Owned(text)),
        None => Ok(Cow::Borrowed(text)),
    }
}

/// CREATE FUNCTION and DROP FUNCTION: the body is looked at when the function is called.
fn defines(text: &str) -> bool {
    let all = tokens(text);
    let mut words = all.iter().filter(|token| !is_blank(token)).map(|token| token.text);
    let is = |word: Option<&str>, wanted: &[&str]| {
        word.is_some_and(|word| wanted.iter().any(|one| word.eq_ignore_ascii_case(one)))
    };
    is(words.next(), &["CREATE", "DROP"])
        && words.take_while(|word| is(Some(word), &["OR", "REPLACE", "FUNCTION"])).any(|word| is(Some(word), &["FUNCTION"]))
}

fn is_blank(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Space | Kind::Comment)
}

/// `None`: nothing is called.
fn replaced(text: &str, functions: &ByName, depth: usize, calls: &mut usize) -> Result<Option<String>> {
    if depth > DEPTH_MAX || *calls > CALLS_MAX || (depth > 0 && text.len() > BYTES_MAX) {
        let text = "Functions made by CREATE FUNCTION call each other without end, or become too long when they are put in";
        return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
    }
    let all = tokens(text);
    let mut out = String::new();
    let (mut at, mut changed) = (0, false);
    while at < all.len() {
        let called = called(&all, at).and_then(|end| Some((functions.get(all[at].text)?, end)));
        let Some((function, end)) = called else {
            out.push_str(all[at].text);
            at += 1;
            continue;
        };
        let name = all[at].text;
        let written = joined(&all[at..=end]);
        let arguments = arguments(&all[at..=end]);
        let put_in = body(name, function, &arguments)?;
        *calls += 1;
        let put_in = replaced(&put_in, functions, depth + 1, calls)?.unwrap_or(put_in);
        // The call is shown only, but its arguments may hold calls that are no functions by themselves.
        out.push_str(&format!("{DEFINED}({written}, ({put_in}))"));
        (at, changed) = (end + 1, true);
    }
    Ok(changed.then_some(out))
}

/// Where the call that begins here ends, if one does.
fn called(all: &[Token<'_>], at: usize) -> Option<usize> {
    if all[at].kind != Kind::Word {
        return None;
    }
    let before = all[..at].iter().rev().find(|token| !is_blank(token));
    if before.is_some_and(|token| {
        token.text == "." || BEFORE_OTHER_NAMES.iter().any(|word| token.text.eq_ignore_ascii_case(word))
    }) {
        return None;
    }
    let opening = (at + 1..all.len()).find(|next| !is_blank(&all[*next]))?;
    (all[opening].text == "(").then(|| closing(all, opening)).flatten()
}

/// The bracket that closes the one at `opening`.
fn closing(all: &[Token<'_>], opening: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in all.iter().enumerate().skip(opening) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn joined(all: &[Token<'_>]) -> String {
    all.iter().map(|token| token.text).collect()
}

/// The arguments of a call from its name to its closing bracket.
fn arguments(call: &[Token<'_>]) -> Vec<String> {
    let opening = call.iter().position(|token| token.text == "(").unwrap_or(0);
    let inside = &call[opening + 1..call.len() - 1];
    if inside.iter().all(is_blank) {
        return Vec::new();
    }
    let mut found = vec![String::new()];
    let mut depth = 0;
    for token in inside {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(argument) = found.last_mut() {
            argument.push_str(token.text);
        }
    }
    found.iter().map(|argument| argument.trim().to_string()).collect()
}

/// The function's expression of these arguments. Error: BAD_ARGUMENTS.
fn body(name: &str, function: &UserFunction, arguments: &[String]) -> Result<String> {
    if function.parameters.len() != arguments.len() {
        let (expected, given) = (function.parameters.len(), arguments.len());
        let text =
            format!("Function {name} made of {} expects {expected} arguments, and is given {given}", function.lambda());
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let all = tokens(&function.body);
    let mut out = String::new();
    // Parameters of lambdas inside hide those of the function, each up to where its lambda ends.
    let mut hidden: Vec<(&str, usize)> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        hidden.retain(|(_, end)| at < *end);
        let lambda = lambda_parameters(&all, at);
        if !lambda.is_empty() {
            let end = end_of_argument(&all, at);
            hidden.extend(lambda.into_iter().map(|parameter| (parameter, end)));
        }
        let place = function.parameters.iter().position(|parameter| token.kind == Kind::Word && parameter == token.text);
        let is_hidden = hidden.iter().any(|(parameter, _)| *parameter == token.text);
        let follows_point = all[..at].iter().rev().find(|token| !is_blank(token)).is_some_and(|token| token.text == ".");
        match place.filter(|_| !is_hidden && !follows_point && called(&all, at).is_none()) {
            Some(place) => out.push_str(&format!("({})", arguments[place])),
            None => out.push_str(token.text),
        }
    }
    Ok(out)
}

/// The parameters of the lambda that begins here: `x -> …`, `(x, y) -> …`.
fn lambda_parameters<'t>(all: &[Token<'t>], at: usize) -> Vec<&'t str> {
    let arrow_follows = |from: usize| {
        let mut next = all[from..].iter().filter(|token| !is_blank(token));
        next.next().is_some_and(|token| token.text == "-") && next.next().is_some_and(|token| token.text == ">")
    };
    if all[at].kind == Kind::Word && arrow_follows(at + 1) {
        return vec![all[at].text];
    }
    let end = (all[at].text == "(").then(|| closing(all, at)).flatten();
    match end.filter(|end| arrow_follows(end + 1)) {
        Some(end) => all[at..end].iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect(),
        None => Vec::new(),
    }
}

/// The comma or bracket behind the expression that stands here.
fn end_of_argument(all: &[Token<'_>], from: usize) -> usize {
    let mut at = from;
    while at < all.len() {
        match all[at].text {
            "," | ")" | "]" | "}" => return at,
            "(" | "[" | "{" => at = closing(all, at).map_or(all.len(), |end| end + 1),
            _ => at += 1,
        }
    }
    all.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions() -> ByName {
        let function = |parameters: &[&str], body: &str| UserFunction {
            parameters: parameters.iter().map(|name| name.to_string()).collect(),
            body: body.to_string(),
        };
        ByName::from([
            ("lin".to_string(), function(&["x", "k"], "k * x + 1")),
            ("twice".to_string(), function(&["a"], "lin(a, 2)")),
            ("answer".to_string(), function(&[], "42")),
            ("each".to_string(), function(&["x", "list"], "arrayMap(x -> x + 1, list), x.1, t.x, x(x)")),
            ("ever".to_string(), function(&["x"], "ever(x)")),
        ])
    }

    #[test]
    fn calls_become_what_they_stand_for() {
        for (text, expected) in [
            ("SELECT lin(a, f(b, 2)) + 1", "SELECT __defined(lin(a, f(b, 2)), ((f(b, 2)) * (a) + 1)) + 1"),
            ("SELECT answer ()", "SELECT __defined(answer (), (42))"),
            ("SELECT twice(3)", "SELECT __defined(twice(3), (__defined(lin((3), 2), ((2) * ((3)) + 1))))"),
            ("each(y, [1])", "__defined(each(y, [1]), (arrayMap(x -> x + 1, ([1])), (y).1, t.x, x((y))))"),
        ] {
            assert_eq!(expanded(text, &functions()).expect(text), expected);
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "SELECT 'lin(1, 2)', lin, `lin`(1) -- lin(1, 2)",
            "INSERT INTO lin (a, b) SELECT 1, 2",
            "SELECT t.lin(1)",
            "CREATE OR REPLACE FUNCTION more AS x -> lin(x, 2)",
            "DROP FUNCTION lin",
            "SELECT lin(1",
        ] {
            assert_eq!(expanded(text, &functions()).expect(text), text);
        }
    }

    #[test]
    fn what_cannot_be_put_in_is_refused() {
        for (text, code) in [("SELECT lin(1)", ErrorCode::BAD_ARGUMENTS), ("SELECT ever(1)", ErrorCode::TOO_DEEP_RECURSION)]
        {
            assert_eq!(expanded(text, &functions()).expect_err(text).code(), code);
        }
    }
}
