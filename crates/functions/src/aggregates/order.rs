//! Aggregates whose result depends on the order of rows, by the beginnings of their names: combinators stand behind.

/// They are given the order of a subquery with ORDER BY.
const KEEP: [&str; 6] = ["groupArray", "groupConcat", "any", "first_value", "last_value", "deltaSum"];
/// They show which rows came first without being made for it: of ties, of samples, of what is let go.
const SHOW: [&str; 6] = ["groupUniqArray", "argMin", "argMax", "topK", "approx_top", "quantile"];

/// Whether somebody who orders a subquery means this aggregate of its rows.
pub fn keeps_order(name: &str) -> bool {
    KEEP.iter().any(|known| name.starts_with(known))
}

/// Whether two orders of the same rows may give two results.
pub fn shows_order(name: &str) -> bool {
    keeps_order(name) || SHOW.iter().any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinators_and_parameters_change_nothing() {
        assert!(keeps_order("groupArray(5)") && keeps_order("anyLastIf") && keeps_order("groupArrayState"));
        assert!(shows_order("argMaxIf") && shows_order("any") && !keeps_order("argMax"));
        assert!(!shows_order("sum") && !shows_order("uniqExact") && !shows_order("max"));
    }
}
