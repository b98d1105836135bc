//! Which statements a user needs who wants to make room on a server that is full: KILL QUERY, SHOW PROCESSLIST, and a SELECT of
//! `system.processes` alone. No number of queries keeps them from running. (ClickHouse: ProcessList.cpp, `isUnlimitedQuery`.) It
//! goes by words, because a place is asked for before a statement is read.

use crate::lexer::{self, Kind};

/// Of a statement no more than this is looked at: whoever makes room is short.
const LOOKED_AT_BYTES: usize = 16 << 10;

/// See above.
pub fn makes_room(statement: &str) -> bool {
    let looked_at = &statement[..statement.floor_char_boundary(LOOKED_AT_BYTES)];
    let tokens = lexer::tokens(looked_at);
    let said: Vec<&str> = tokens
        .iter()
        .filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment))
        .map(|token| match token.kind {
            Kind::QuotedName => token.text.trim_matches(['`', '"']),
            _ => token.text,
        })
        .collect();
    let is = |at: usize, word: &str| said.get(at).is_some_and(|said| said.eq_ignore_ascii_case(word));
    match said.first().map(|first| first.to_ascii_uppercase()).as_deref() {
        Some("KILL") => true,
        Some("SHOW") => is(1, "PROCESSLIST") || (is(1, "FULL") && is(2, "PROCESSLIST")),
        Some("SELECT") if looked_at.len() == statement.len() => {
            let froms: Vec<usize> = (0..said.len()).filter(|at| is(*at, "FROM")).collect();
            // Another table could stand in a subquery, a join, or behind a comma or UNION.
            let others = ["SELECT", "JOIN", "UNION", "INTERSECT", "EXCEPT"];
            let reads_more = (1..said.len()).any(|at| others.iter().any(|word| is(at, word)));
            let [from] = froms[..] else { return false };
            // Behind the table, or the alias that it has.
            let goes_on = is(from + 4, ",") || is(from + 5, ",") || (is(from + 4, "AS") && is(from + 6, ","));
            !reads_more
                && is(from + 1, "system")
                && is(from + 2, ".")
                && said.get(from + 3) == Some(&"processes")
                && !goes_on
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::makes_room;

    #[test]
    fn what_reads_the_list_or_ends_queries_makes_room() {
        for statement in [
            "kill query WHERE query_id = 'x'",
            "/* of a tool */ SHOW PROCESSLIST",
            "SHOW FULL PROCESSLIST",
            "SELECT query_id, elapsed FROM system.processes WHERE elapsed > 10 ORDER BY elapsed",
            "-- running\nselect count() from `system`.`processes`",
            "SELECT user, query FROM system.processes AS p ORDER BY user, query LIMIT 5, 3",
        ] {
            assert!(makes_room(statement), "{statement}");
        }
    }

    #[test]
    fn to_name_the_list_is_not_enough() {
        for statement in [
            "SELECT sum(x) FROM big /* system.processes */",
            "SELECT 'system.processes', sum(x) FROM big",
            "SELECT sum(x) FROM big WHERE x IN (SELECT 1 FROM system.processes)",
            "SELECT 1 FROM system.processes, big",
            "SELECT 1 FROM system.processes p, big",
            "SELECT 1 FROM system.processes AS p, big",
            "SELECT 1 FROM system.processes JOIN big USING x",
            "SELECT 1 FROM system.processes UNION ALL SELECT 2",
            "INSERT INTO t SELECT 1 FROM system.processes",
            "SHOW TABLES",
            "",
        ] {
            assert!(!makes_room(statement), "{statement}");
        }
    }
}
