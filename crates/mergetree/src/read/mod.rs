//! SELECT: pin a version → choose parts by their partition, granules by the sparse index and by page statistics →
//! share runs of granules out over streams → decode the filter's columns first, the others where rows passed. With FINAL
//! (`final_provider`, `final_scan`): choose by what holds of all rows of a key → cut into layers → merge each layer's parts by the key.

pub mod aggregated;
pub mod condition_cache;
pub mod evolve;
pub mod exec;
pub mod explained;
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
pub mod offsets;
pub mod order_match;
pub mod ordered_scan;
pub mod output;
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
pub mod table_reads;
pub mod threshold;
pub mod told;
pub mod top_n;
pub mod unit;
pub mod unit_reader;
pub mod used;

use gristmill_types::{Columns, SqlType};

pub use aggregated::read_states;
pub use exec::{TableEstimate, estimates};
pub use explained::{ScanExplained, explain_indexes, explained};
pub use final_provider::FinalProvider;
pub use plan_rules::physical_rules;
pub use provider::MergeTreeProvider;
pub use states::StatesProvider;
pub use table_reads::{ColumnCondition, ConditionKind, TableRead, table_reads};
pub use told::tell_reads;
pub use used::{columns_and_partitions, projections_read};

use crate::layout::Layout;

pub const PART: &str = "_part";
pub const PARTITION_ID: &str = "_partition_id";
pub const PART_OFFSET: &str = "_part_offset";

pub const PARTITION_VALUE: &str = "_partition_value";
pub const PART_INDEX: &str = "_part_index";
pub const PART_STARTING_OFFSET: &str = "_part_starting_offset";
pub const PART_DATA_VERSION: &str = "_part_data_version";
pub const PART_UUID: &str = "_part_uuid";
pub const DISK_NAME: &str = "_disk_name";
/// 1 of every row that is there. ALTER … UPDATE sets it to 0 to delete rows.
pub const ROW_EXISTS: &str = "_row_exists";
/// The block that the part's rows came with; the first of them where the part was merged, as in ClickHouse where a table does
/// not keep the number of each row.
pub const BLOCK_NUMBER: &str = "_block_number";
pub const BLOCK_OFFSET: &str = "_block_offset";

/// Where a table's data are, as `_disk_name` and system.parts have it: there is one place for each table.
pub const ONLY_DISK: &str = "default";

/// What a MergeTree table has besides its declared columns.
pub fn virtual_columns(layout: &Layout) -> Columns {
    let name = || SqlType::LowCardinality(Box::new(SqlType::String));
    let mut columns = vec![
        (PART, name()),
        (PARTITION_ID, name()),
        (PART_OFFSET, SqlType::UInt64),
        (PART_INDEX, SqlType::UInt64),
        (PART_STARTING_OFFSET, SqlType::UInt64),
        (PART_DATA_VERSION, SqlType::UInt64),
        (PART_UUID, SqlType::Uuid),
        (DISK_NAME, name()),
        (ROW_EXISTS, SqlType::UInt8),
        (BLOCK_NUMBER, SqlType::UInt64),
        (BLOCK_OFFSET, SqlType::UInt64),
    ];
    if !layout.partition.is_empty() {
        let kinds = layout.partition.iter().map(|key| (None, key.kind.clone())).collect();
        columns.push((PARTITION_VALUE, SqlType::Tuple(kinds)));
    }
    // A declared column goes before one of the same name.
    columns.retain(|(name, _)| layout.declared.get(name).is_none());
    Columns::of(columns)
}
