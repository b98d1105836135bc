//! SELECT: pin a version → choose parts by their partition, granules by the sparse index and by page statistics →
//! share runs of granules out over streams → decode the filter's columns first, the others where rows passed. With FINAL
//! (`final_provider`, `final_scan`): choose by what holds of all rows of a key → cut into layers → merge each layer's parts by the key.

pub mod aggregated;
pub mod condition_cache;
pub mod evolve;
pub mod exec;
pub mod fetch;
pub mod filter;
pub mod final_provider;
pub mod final_ranges;
pub mod final_scan;
pub mod granule_cache;
pub mod in_order;
pub mod kept;
pub mod late_rows;
pub mod layers;
pub mod live_rows;
pub mod logical;
pub mod order_match;
pub mod ordered_scan;
pub mod pages;
pub mod passing;
pub mod plan_rules;
pub mod projected;
pub mod provider;
pub mod segments;
pub mod sequence;
pub mod sort_in_order;
pub mod states;
pub mod steps;
pub mod stream;
pub mod threshold;
pub mod top_n;
pub mod unit;
pub mod unit_reader;

use gristmill_types::{Columns, SqlType};

pub use aggregated::read_states;
pub use exec::{TableEstimate, estimates, explain_indexes, projections_read};
pub use final_provider::FinalProvider;
pub use plan_rules::physical_rules;
pub use provider::MergeTreeProvider;
pub use states::StatesProvider;

use crate::layout::Layout;

pub const PART: &str = "_part";
pub const PARTITION_ID: &str = "_partition_id";
pub const PART_OFFSET: &str = "_part_offset";

pub const PARTITION_VALUE: &str = "_partition_value";

/// What a MergeTree table has besides its declared columns.
pub fn virtual_columns(layout: &Layout) -> Columns {
    let mut columns = vec![(PART, SqlType::String), (PARTITION_ID, SqlType::String), (PART_OFFSET, SqlType::UInt64)];
    if !layout.partition.is_empty() {
        let kinds = layout.partition.iter().map(|key| (None, key.kind.clone())).collect();
        columns.push((PARTITION_VALUE, SqlType::Tuple(kinds)));
    }
    Columns::of(columns)
}
