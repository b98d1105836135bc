//! How far a server processes a query. What is left is done by who asked, with the rows of other servers beside these.

/// ClickHouse's `QueryProcessingStage`, in the order of its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// The columns that the query reads, with JOIN and PREWHERE, and nothing else of it.
    FetchColumns,
    /// Keys and states of aggregates; or, where nothing is aggregated, rows that are sorted, of which no more are left out than anybody may.
    WithMergeableState,
    /// The result.
    #[default]
    Complete,
    /// The rows of the result before LIMIT, with what they are sorted by.
    AfterAggregation,
    /// As many of them as LIMIT and OFFSET count together.
    AfterAggregationAndLimit,
}

impl Stage {
    /// By number, as options of clients call them.
    pub const NAMES: [&str; 5] = [
        "fetch_columns",
        "with_mergeable_state",
        "complete",
        "with_mergeable_state_after_aggregation",
        "with_mergeable_state_after_aggregation_and_limit",
    ];
    const ALL: [Stage; 5] = [
        Stage::FetchColumns,
        Stage::WithMergeableState,
        Stage::Complete,
        Stage::AfterAggregation,
        Stage::AfterAggregationAndLimit,
    ];

    /// What the native protocol writes.
    pub fn number(self) -> u64 {
        self as u64
    }

    pub fn of_number(number: u64) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.number() == number)
    }

    pub fn name(self) -> &'static str {
        Stage::NAMES[self as usize]
    }

    pub fn named(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_those_of_clickhouse() {
        assert_eq!(Stage::of_number(1), Some(Stage::WithMergeableState));
        assert_eq!(Stage::of_number(2), Some(Stage::default()));
        assert_eq!(Stage::of_number(5), None);
        for stage in Stage::ALL {
            assert_eq!(Stage::of_number(stage.number()), Some(stage));
            assert_eq!(Stage::named(stage.name()), Some(stage));
        }
    }
}
