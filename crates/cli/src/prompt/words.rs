//! The words of the prompt: which are keywords, which complete what is being typed.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use reedline::{Completer, CompletionResult, Span, Suggestion};

const KEYWORDS: &str = "ADD ALL ALTER AND ANTI ANY ARRAY AS ASC ASOF ATTACH BETWEEN BY CASE CAST COLUMN COMMENT CREATE CROSS \
    CUBE DATABASE DATABASES DEFAULT DELETE DESC DESCRIBE DETACH DISTINCT DIV DROP ELSE END ENGINE EXCEPT EXISTS EXPLAIN \
    FALSE FETCH FILTER FINAL FIRST FORMAT FROM FULL FUNCTION GLOBAL GROUP GROUPING HAVING IF ILIKE IN INDEX INNER INSERT \
    INTERSECT INTERVAL INTO IS JOIN KEY LAST LEFT LIKE LIMIT MATERIALIZED MOD NOT NULL NULLS OFFSET ON OPTIMIZE OR ORDER \
    OUTER OUTFILE OVER PARTITION PERMANENTLY PREWHERE PRIMARY QUALIFY RENAME REPLACE RIGHT ROLLUP SAMPLE SELECT SEMI SET SETS \
    SETTINGS SHOW SYSTEM TABLE TABLES TEMPORARY THEN TIES TO TOTALS TRUE TRUNCATE TTL UNDROP UNION UPDATE USE USING VALUES VIEW \
    WHEN WHERE WINDOW WITH";

/// Most suggestions that a menu shows.
const MOST: usize = 200;

pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The words that can be completed, by their lower-case form. Shared: the engine's are put in before each prompt.
#[derive(Clone, Default)]
pub struct Words(Arc<RwLock<BTreeMap<String, String>>>);

impl Words {
    /// The keywords and `words`; a word of the engine's wins over a keyword that differs only in case.
    pub fn replace(&self, words: Vec<String>) {
        let keywords = KEYWORDS.split_whitespace().map(|word| (word.to_ascii_lowercase(), word.to_string()));
        *self.0.write() = keywords.chain(words.into_iter().map(|word| (word.to_ascii_lowercase(), word))).collect();
    }

    /// Words that begin as `prefix` does, in any case, in order. A keyword keeps the case that is being typed.
    fn beginning(&self, prefix: &str) -> Vec<String> {
        let lower = prefix.to_ascii_lowercase();
        let typed_lower = prefix == lower;
        self.0
            .read()
            .range(lower.clone()..)
            .take_while(|(word, _)| word.starts_with(&lower))
            .take(MOST)
            .map(|(low, word)| if typed_lower && is_keyword(word) { low.clone() } else { word.clone() })
            .collect()
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where the letters before the end begin that are all part of it.
fn start_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    let before = text.char_indices().rev().find(|(_, c)| !is_part(*c));
    before.map_or(0, |(at, c)| at + c.len_utf8())
}

impl Completer for Words {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let before = line.get(..position).unwrap_or(line);
        // Tables of other databases are known with their database; a column behind a name is known without it.
        let whole = start_of(before, |c| is_of_word(c) || c == '.');
        let last = start_of(before, is_of_word);
        let found = |start: usize| match &before[start..] {
            "" => Vec::new(),
            prefix => self.beginning(prefix),
        };
        let (start, words) = match found(whole) {
            words if words.is_empty() => (last, found(last)),
            words => (whole, words),
        };
        let suggestions = words.into_iter().map(|value| Suggestion {
            value,
            span: Span::new(start, before.len()),
            ..Suggestion::default()
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> Vec<String> {
        let mut words = Words::default();
        words.replace(["toDate", "toDateTime", "Orders", "system.one", "system.parts"].map(String::from).to_vec());
        words.complete(line, line.len()).suggestions().iter().map(|suggestion| suggestion.value.clone()).collect()
    }

    #[test]
    fn the_word_before_the_cursor_is_completed_in_any_case() {
        assert_eq!(completed("SELECT TODATE"), ["toDate", "toDateTime"]);
        assert_eq!(completed("SEL"), ["SELECT"]);
        assert_eq!(completed("sel"), ["select"]);
        assert_eq!(completed("SELECT * FROM ord"), ["order", "Orders"]);
        assert!(completed("SELECT ").is_empty());
        assert_eq!(completed("SELECT * FROM system.p"), ["system.parts"]);
        assert_eq!(completed("SELECT * FROM system."), ["system.one", "system.parts"]);
        assert_eq!(completed("SELECT t.ord"), ["order", "Orders"]);
        assert!(completed("SELECT t.").is_empty());
    }
}
