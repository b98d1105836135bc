//! Adding up by group where groups are few.
//!
//! An addition to a group's total waits for the one before it to the same total to be stored. Of few groups the next row
//! mostly is of the same, so rows would be added one after the other, at the pace of the stores. They take turns in four
//! lanes of totals instead, which are joined at the end of a batch.

const LANES: usize = 4;
/// More groups seldom meet, and their lanes would cost more than they save.
const GROUPS_MAX: usize = 256;
/// Rows of each group, at least, for which lanes are made.
const ROWS_PER_GROUP: usize = 8;

/// Adds every row to the total of its group. `add`: a total and the position of a row; `join`: two totals. The order of
/// rows is not kept, so totals must not depend on it.
pub fn add_up<T: Copy>(totals: &mut [T], zero: T, groups: &[usize], add: impl Fn(T, usize) -> T, join: impl Fn(T, T) -> T) {
    if totals.len() > GROUPS_MAX || groups.len() < totals.len() * ROWS_PER_GROUP {
        return add_in_order(totals, groups, add);
    }
    let mut lanes = vec![[zero; LANES]; totals.len()];
    let turns = groups.chunks_exact(LANES);
    let (rest, mut row) = (turns.remainder(), 0);
    for turn in turns {
        for (lane, group) in turn.iter().enumerate() {
            let total = &mut lanes[*group][lane];
            *total = add(*total, row + lane);
        }
        row += LANES;
    }
    for (lane, group) in rest.iter().enumerate() {
        let total = &mut lanes[*group][lane];
        *total = add(*total, row + lane);
    }
    for (total, lanes) in totals.iter_mut().zip(lanes) {
        *total = lanes.into_iter().fold(*total, &join);
    }
}

/// The same, a row after the other.
pub fn add_in_order<T: Copy>(totals: &mut [T], groups: &[usize], add: impl Fn(T, usize) -> T) {
    for (row, group) in groups.iter().enumerate() {
        let total = &mut totals[*group];
        *total = add(*total, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_are_those_of_one_lane() {
        for (groups, rows) in [(1, 0), (1, 1), (2, 3), (2, 16), (3, 31), (7, 1001), (256, 4000), (256, 10), (300, 5000)] {
            let of: Vec<usize> = (0..rows).map(|row| row * 7 % 11 % groups).collect();
            let values: Vec<u64> = (0..rows as u64).map(|row| row * row).collect();
            let mut expected = vec![5u64; groups];
            add_in_order(&mut expected, &of, |total, row| total + values[row]);
            let mut totals = vec![5u64; groups];
            add_up(&mut totals, 0, &of, |total, row| total + values[row], |one, other| one + other);
            assert_eq!(totals, expected, "{groups} groups, {rows} rows");
        }
    }
}
