//! What window frames ask of an aggregate function's states: those of many frames at once, a group each.

use super::groups::{Groups, Make};

/// Runs through groups in their order: each begins with the total of the one before it, or with `zero` where it is fresh, and adds its rows.
/// `groups` are those of the rows, ascending; the first total stays as it is.
pub fn run_through<T: Copy>(
    totals: &mut [T],
    zero: T,
    groups: &[usize],
    fresh: &[bool],
    mut add: impl FnMut(T, usize) -> T,
) {
    let mut row = 0;
    for group in 1..totals.len() {
        let mut total = if fresh[group] { zero } else { totals[group - 1] };
        while groups.get(row) == Some(&group) {
            total = add(total, row);
            row += 1;
        }
        totals[group] = total;
    }
}

/// States that have seen nothing, where they can run through frames that grow row by row.
pub fn running(make: &Make) -> Option<Box<dyn Groups>> {
    let mut states = make();
    states.resize(1);
    states.runs().then_some(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_without_rows_ends_as_the_one_before_it() {
        let mut totals = [10, 0, 0, 0, 0];
        let values = [1, 2, 4];
        run_through(&mut totals, 0, &[1, 1, 4], &[false, false, false, true, false], |total, row| total + values[row]);
        assert_eq!(totals, [10, 13, 13, 0, 4]);
    }
}
