//! Runs of granules: ascending ranges that are apart from one another.

use std::ops::Range;

pub type Runs = Vec<Range<usize>>;

/// Of ascending numbers.
pub fn of(granules: impl IntoIterator<Item = usize>) -> Runs {
    let mut runs: Runs = Vec::new();
    for granule in granules {
        match runs.last_mut().filter(|last| last.end == granule) {
            Some(last) => last.end += 1,
            None => runs.push(granule..granule + 1),
        }
    }
    runs
}

pub fn intersection(a: &[Range<usize>], b: &[Range<usize>]) -> Runs {
    let (mut both, mut i, mut j) = (Vec::new(), 0, 0);
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        let (start, end) = (left.start.max(right.start), left.end.min(right.end));
        if start < end {
            both.push(start..end);
        }
        if left.end <= right.end {
            i += 1;
        } else {
            j += 1;
        }
    }
    both
}

pub fn union(a: &[Range<usize>], b: &[Range<usize>]) -> Runs {
    let mut all: Vec<Range<usize>> = a.iter().chain(b).cloned().collect();
    all.sort_by_key(|run| run.start);
    let mut runs: Runs = Vec::new();
    for run in all {
        match runs.last_mut().filter(|last| run.start <= last.end) {
            Some(last) => last.end = last.end.max(run.end),
            None => runs.push(run),
        }
    }
    runs
}

pub fn count(runs: &[Range<usize>]) -> u64 {
    runs.iter().map(|run| run.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_cut_where_they_meet_and_joined_where_they_touch() {
        assert_eq!(intersection(&[0..4, 6..9], &[2..7, 8..20]), vec![2..4, 6..7, 8..9]);
        assert!(intersection(&[0..4], &[4..9]).is_empty());
        assert_eq!(union(&[0..2, 8..9], &[2..3, 5..6]), vec![0..3, 5..6, 8..9]);
        assert_eq!(of([1, 2, 5]), vec![1..3, 5..6]);
        assert_eq!(count(&[1..3, 5..6]), 3);
    }
}
