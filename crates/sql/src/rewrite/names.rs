//! Keywords that stand where only a name can: `SELECT join, select FROM t`, `sum(all)`, `WHERE all = 2`, `FROM where AS by`,
//! `SELECT by FROM t`, `1 AS limit`. They get quotes, so that nothing takes them for more.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, one_of};

/// Words of which the parser makes something else than a column, whatever is around them.
const WORDS: &[&str] = &[
    "JOIN", "SELECT", "WITH", "ALL", "DISTINCT", "UNION", "VIEW", "IS", "XOR", "FROM", "BY", "WHERE", "HAVING", "PREWHERE",
    "QUALIFY",
];

/// Those of them behind which no expression stands: what an operator follows is a name.
const BEFORE_NAMES: &[&str] = &["JOIN", "FROM", "BY"];

/// Words that are looked for as the beginnings of clauses, and are names behind AS.
const ALIASES: &[&str] = &["WITH", "LIMIT"];

/// Words that begin a clause, wherever they stand unquoted: as names of tables they are `FROM where AS having`, and stand before
/// the columns of these.
const CLAUSES: &[&str] = &["BY", "HAVING", "WHERE", "WITH"];

/// Beginnings of statements in which a query may stand. Elsewhere such words are others: `GRANT INSERT, SELECT, ALTER ON …`.
const STATEMENTS: &[&str] = &["SELECT", "WITH", "FROM", "INSERT", "CREATE", "EXPLAIN", "DELETE", "UPDATE"];

pub(crate) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let first = tokens.iter().position(|token| token.token != Token::LParen).unwrap_or_default();
    if !one_of(&tokens, first, STATEMENTS) {
        return tokens;
    }
    for at in 1..tokens.len() {
        let is_column = one_of(&tokens, at, WORDS) && follows_beginning(&tokens, at) && ends_value(&tokens, at);
        let is_alias = one_of(&tokens, at, ALIASES) && at_word(&tokens, at - 1, "AS") && ends_value(&tokens, at);
        let is_table = one_of(&tokens, at, CLAUSES)
            && (is_aliased_table(&tokens, at) || is_alias_of_table(&tokens, at) || is_before_column(&tokens, at));
        if (is_column || is_alias || is_table)
            && let Token::Word(word) = &mut tokens[at].token
        {
            word.quote_style = Some('`');
            word.keyword = Keyword::NoKeyword;
        }
    }
    tokens
}

/// Whether an expression begins at `at`. What ALL and DISTINCT mean behind SELECT is theirs.
fn follows_beginning(tokens: &[TokenWithSpan], at: usize) -> bool {
    let is_of_select = one_of(tokens, at, &["ALL", "DISTINCT"]);
    match &tokens[at - 1].token {
        Token::Comma | Token::LParen | Token::Eq | Token::Lt | Token::Gt | Token::Plus | Token::Minus | Token::Period => {
            true
        }
        Token::Word(_) => {
            // `IS NOT DISTINCT FROM`
            let is_comparison = is_of_select && at > 1 && at_word(tokens, at - 1, "NOT") && at_word(tokens, at - 2, "IS");
            (at_word(tokens, at - 1, "SELECT") && !is_of_select)
                || (one_of(tokens, at - 1, &["WHERE", "AND", "OR", "NOT"]) && !is_comparison)
        }
        _ => false,
    }
}

/// Whether nothing of an expression that begins with the word follows, but an operator.
fn ends_value(tokens: &[TokenWithSpan], at: usize) -> bool {
    match tokens.get(at + 1).map(|next| &next.token) {
        None | Some(Token::EOF | Token::SemiColon | Token::Comma | Token::RParen | Token::Eq | Token::Lt | Token::Gt) => {
            true
        }
        Some(Token::Plus | Token::Minus | Token::Div) => one_of(tokens, at, BEFORE_NAMES),
        Some(Token::Word(_)) => one_of(tokens, at + 1, &["FROM", "AS", "AND", "OR", "IN"]),
        _ => false,
    }
}

fn is_aliased_table(tokens: &[TokenWithSpan], at: usize) -> bool {
    one_of(tokens, at - 1, &["FROM", "JOIN"]) && at_word(tokens, at + 1, "AS")
}

fn is_alias_of_table(tokens: &[TokenWithSpan], at: usize) -> bool {
    if at <= 2 || !at_word(tokens, at - 1, "AS") {
        return false;
    }
    match &tokens[at - 2].token {
        Token::Word(_) => one_of(tokens, at - 3, &["FROM", "JOIN"]),
        // `FROM (SELECT 1) AS by`; what a view is made of begins with WITH.
        Token::RParen => !at_word(tokens, at, "WITH"),
        _ => false,
    }
}

/// `by.v`, `by.*`
fn is_before_column(tokens: &[TokenWithSpan], at: usize) -> bool {
    at_token(tokens, at + 1, &Token::Period)
        && matches!(tokens.get(at + 2).map(|next| &next.token), Some(Token::Word(_) | Token::Mul))
}
