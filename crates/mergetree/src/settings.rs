//! Settings of a MergeTree table, declared once: names and defaults are ClickHouse's unless the text says otherwise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_introspect::settings::{SettingInfo, SettingValue, bad_value, nearest};
use gristmill_introspect::without_effect::{WithoutEffect, checked};
use parking_lot::RwLock;

use crate::part::v1::encode::Codec;
use crate::ttl::codec_of;

/// Settings of ClickHouse's tables that change nothing here.
static WITHOUT_EFFECT: LazyLock<WithoutEffect> =
    LazyLock::new(|| WithoutEffect::read(include_str!("settings_without_effect.tsv")));

macro_rules! table_settings {
    ($($name:ident: $type:ty = $default:expr, $doc:literal;)*) => {
        #[derive(Clone, Debug, PartialEq)]
        pub struct TableSettings {
            $(#[doc = $doc] pub $name: $type,)*
        }

        impl Default for TableSettings {
            fn default() -> Self {
                TableSettings { $($name: $default,)* }
            }
        }

        impl TableSettings {
            /// From the SETTINGS clause of CREATE TABLE. Errors: UNKNOWN_SETTING, CANNOT_PARSE_NUMBER.
            pub fn parse<'a>(written: impl IntoIterator<Item = (&'a String, &'a String)>) -> Result<Self> {
                let mut settings = Self::of_server();
                settings.read(written)?;
                Ok(settings)
            }

            /// These with others. Errors: as of `parse`.
            pub fn with(&self, written: &[(String, String)]) -> Result<Self> {
                let mut settings = self.clone();
                settings.read(written.iter().map(|(name, value)| (name, value)))?;
                Ok(settings)
            }

            fn read<'a>(&mut self, written: impl IntoIterator<Item = (&'a String, &'a String)>) -> Result<()> {
                let settings = self;
                for (name, value) in written {
                    match name.as_str() {
                        $(stringify!($name) => {
                            settings.$name = <$type as SettingValue>::parse(value)
                                .ok_or_else(|| bad_value(name, <$type as SettingValue>::TYPE, value))?;
                        })*
                        other if WITHOUT_EFFECT.get(other).is_some() => {}
                        // One of a query's, written here: it is none of the table's, and no error in ClickHouse either.
                        other if Settings::default().get(other).is_some() => {}
                        other => return Err(unknown(other)),
                    }
                }
                settings.check()
            }

            /// The names and values that the configuration gave, of those that have an effect.
            pub fn configured() -> Vec<(&'static str, String)> {
                let (server, defaults) = (Self::of_server(), TableSettings::default());
                let all = [$((stringify!($name), server.$name.show(), defaults.$name.show())),*];
                all.into_iter().filter(|(_, value, default)| value != default).map(|(name, value, _)| (name, value)).collect()
            }

            /// For `system.merge_tree_settings`.
            pub fn declared() -> Vec<SettingInfo> {
                let defaults = TableSettings::default();
                let known = [$(SettingInfo {
                    name: stringify!($name),
                    kind: <$type as SettingValue>::TYPE,
                    default: defaults.$name.show(),
                    description: $doc,
                    no_effect: false,
                    alias_for: None,
                }),*];
                let ignored = WITHOUT_EFFECT.infos("Accepted because table definitions carry it. It changes nothing here.");
                known.into_iter().chain(ignored).collect()
            }
        }
    };
}

table_settings! {
    index_granularity: u64 = 8192, "Rows of a granule, which is also a page of every column.";
    index_granularity_bytes: u64 = 10 << 20, "Bytes of a granule, after which it gets fewer rows. 0: any number.";
    max_rows_in_row_group: u64 = 1 << 20, "Rows of a row group of a part at most, in whole granules; rows of many bytes make smaller ones. (Not in ClickHouse.)";
    parts_to_delay_insert: u64 = 1000, "Parts of one partition from which on inserts are slowed down. 0: never.";
    parts_to_throw_insert: u64 = 3000, "Parts of one partition from which on inserts are refused. 0: never.";
    max_avg_part_size_for_too_many_parts: u64 = 1 << 30, "Where parts are larger than this on average, their number does not matter. 0: it always does.";
    max_delay_to_insert: u64 = 1, "Seconds that an insert is slowed down by at most.";
    min_delay_to_insert_ms: u64 = 10, "Milliseconds that an insert is slowed down by at least.";
    non_replicated_deduplication_window: u64 = 0, "Inserted blocks that are remembered: the same block again is left out. 0: none.";
    old_parts_lifetime: u64 = 480, "Seconds that a replaced part is kept for queries that read it.";
    max_bytes_to_merge_at_max_space_in_pool: u64 = 150 << 30, "Bytes that one merge takes at most, while the pool is free.";
    max_bytes_to_merge_at_min_space_in_pool: u64 = 1 << 20, "Bytes that one merge takes at most, while the pool is full.";
    max_parts_to_merge_at_once: u64 = 100, "Parts that one merge takes at most.";
    number_of_free_entries_in_pool_to_lower_max_size_of_merge: u64 = 8, "Free places in the pool below which merges become smaller. In a small pool half of its places are enough.";
    number_of_free_entries_in_pool_to_execute_mutation: u64 = 20, "Free places in the pool below which no part is mutated. In a small pool half of its places are enough.";
    enable_vertical_merge_algorithm: bool = true, "Whether merges of wide rows may gather columns one after another: see docs/merges.md.";
    vertical_merge_algorithm_min_rows_to_activate: u64 = 131_072, "Rows from which on a merge may be vertical.";
    vertical_merge_algorithm_min_bytes_to_activate: u64 = 0, "Bytes (as values in memory) from which on a merge may be vertical.";
    vertical_merge_algorithm_min_columns_to_activate: u64 = 11, "Columns outside of the keys from which on a merge may be vertical.";
    min_age_to_force_merge_seconds: u64 = 0, "Merge a range of parts that are all older than this, whatever their sizes. 0: never.";
    ttl_only_drop_parts: bool = false, "Whether merges for a TTL begin only for parts of which all rows have expired.";
    merge_with_ttl_timeout: u64 = 4 * 3600, "Seconds from one merge of a partition for its TTL to the next.";
    merge_with_recompression_ttl_timeout: u64 = 4 * 3600, "Seconds from one merge of a partition for RECOMPRESS to the next.";
    max_number_of_merges_with_ttl_in_pool: u64 = 2, "Merges for a TTL that run at the same time, of all tables.";
    merge_selecting_sleep_ms: u64 = 5000, "Milliseconds until parts to merge are looked for again, when none were found.";
    merge_selector_window_size: u64 = 1000, "Parts of a partition that are looked at for a merge: the oldest.";
    merge_selector_enable_heuristic_to_lower_max_parts_to_merge_at_once: bool = true, "Whether a merge takes fewer parts where a partition has nearly parts_to_throw_insert.";
    merge_selector_heuristic_to_lower_max_parts_to_merge_at_once_exponent: u64 = 5, "How suddenly it takes fewer: the greater, the later.";
    merge_selector_enable_heuristic_to_remove_small_parts_at_right: bool = true, "Whether a merge leaves out parts at its right end that are less than 1 % of it.";
    merge_selector_base: f64 = 5.0, "How many times its largest part a merge must be, for young and large parts.";
    orphan_grace_seconds: u64 = 86_400, "Seconds after which an object that no version names is removed: what a killed insert left. (Not in ClickHouse.)";
    allow_experimental_replacing_merge_with_cleanup: bool = false, "Whether OPTIMIZE … FINAL CLEANUP may remove rows that say that their key is deleted.";
    load_ledger_lifetime: u64 = 90 * 86_400, "Seconds after its last commit for which the files of a load are remembered. 0: for ever. (Not in ClickHouse.)";
    materialize_skip_indexes_on_merge: bool = true, "Whether merges make the data of skip indexes. If not, merged parts are read without them until ALTER TABLE … MATERIALIZE INDEX.";
    materialize_projections_on_insert: bool = true, "Whether inserts make the data of projections. If not, parts are read themselves until a merge or ALTER TABLE … MATERIALIZE PROJECTION makes it.";
    materialize_projections_on_merge: bool = false, "Whether a merge makes the data of a projection that none of its parts has. (Where one has it, the merged part has.)";
    max_projections: u64 = 25, "Projections that the table may have.";
    lightweight_mutation_projection_mode: String = "throw".to_string(), "What DELETE FROM does with projections of the parts that it changes: 'throw' refuses the statement, 'drop' leaves the parts without, 'rebuild' makes them anew.";
    deduplicate_merge_projection_mode: String = "throw".to_string(), "What merges that make rows fewer (Replacing, Summing, … and OPTIMIZE DEDUPLICATE) do with projections: 'throw' refuses projections and the statement, 'drop' leaves the merged part without, 'rebuild' makes them anew. ('ignore' is 'rebuild'.)";
    max_parts_in_total: u64 = 100_000, "Parts of all partitions together from which on inserts are refused. 0: never.";
    inactive_parts_to_delay_insert: u64 = 0, "Replaced parts of one partition that are not yet removed, from which on inserts are slowed down. 0: never.";
    inactive_parts_to_throw_insert: u64 = 0, "Replaced parts of one partition that are not yet removed, from which on inserts are refused. 0: never.";
    number_of_mutations_to_delay: u64 = 500, "Unfinished mutations from which on a new one is slowed down. 0: never.";
    number_of_mutations_to_throw: u64 = 1000, "Unfinished mutations from which on a new one is refused. 0: never.";
    max_delay_to_mutate_ms: u64 = 1000, "Milliseconds that a mutation is slowed down by at most.";
    min_delay_to_mutate_ms: u64 = 10, "Milliseconds that a mutation is slowed down by at least.";
    max_partitions_to_read: i64 = -1, "Partitions that a query may read. 0 and -1: any number.";
    min_age_to_force_merge_on_partition_only: bool = false, "Whether min_age_to_force_merge_seconds is only for all parts of a partition together.";
    default_compression_codec: String = String::new(), "Codec of columns that name none. Empty: LZ4 for parts of an insert, ZSTD for merged ones.";
    table_readonly: bool = false, "Whether the table refuses whatever changes its rows, its parts or its columns. Nothing happens to it in the background either: no merges, no TTL.";
    max_table_size_rows: u64 = 0, "Rows of the table above which inserts are refused. 0: never.";
    max_table_size_bytes_compressed: u64 = 0, "Bytes on disk of the table, with those of replaced parts, above which inserts are refused. 0: never.";
    max_table_size_bytes_uncompressed: u64 = 0, "Bytes as values of the table, with those of replaced parts, above which inserts are refused. 0: never.";
    min_free_disk_bytes_to_perform_insert: u64 = 0, "Bytes that have to be free on the table's disk for an INSERT. 0: as the query's setting of this name says.";
    min_free_disk_ratio_to_perform_insert: f64 = 0.0, "The share of the table's disk that has to be free for an INSERT. 0: as the query's setting of this name says.";
    fsync_after_insert: bool = true, "Parts and commits always reach the disk before an INSERT is answered; the setting is accepted. (ClickHouse: 0.)";
}

/// What tables have that say nothing else: the defaults, or those of the server's configuration.
static OF_SERVER: RwLock<Option<TableSettings>> = RwLock::new(None);

impl TableSettings {
    /// `<merge_tree>` of the configuration: defaults of every table that is opened from now on. Gives the names that mean nothing
    /// here. Error: CANNOT_PARSE_NUMBER.
    pub fn configure(written: &BTreeMap<String, String>) -> Result<Vec<String>> {
        let (mut settings, mut unknown) = (TableSettings::default(), Vec::new());
        for (name, value) in written {
            match settings.read(&BTreeMap::from([(name.clone(), value.clone())])) {
                Err(error) if error.code() == ErrorCode::UNKNOWN_SETTING => unknown.push(name.clone()),
                read => read?,
            }
        }
        *OF_SERVER.write() = Some(settings);
        Ok(unknown)
    }

    fn of_server() -> TableSettings {
        OF_SERVER.read().clone().unwrap_or_default()
    }

    /// Of columns that name none. A part of level 0 is short-lived.
    pub fn codec(&self, level: u32) -> Codec {
        let usual = if level == 0 { Codec::Lz4 } else { Codec::Zstd };
        match self.default_compression_codec.as_str() {
            "" => usual,
            text => codec_of(text).unwrap_or(usual),
        }
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::new(ErrorCode::BAD_ARGUMENTS, message));
        if self.index_granularity == 0 {
            return wrong("index_granularity must be at least 1");
        }
        if self.index_granularity > 1 << 20 {
            return wrong("index_granularity must be at most 1048576");
        }
        if self.merge_selector_base < 1.0 {
            return wrong("merge_selector_base must be at least 1");
        }
        Ok(())
    }
}

fn unknown(name: &str) -> Error {
    let declared = TableSettings::declared();
    let near = nearest(name, declared.iter().map(|info| info.name));
    let hint = near.map_or_else(String::new, |near| format!(": Maybe you meant ['{near}']"));
    Error::new(ErrorCode::UNKNOWN_SETTING, format!("Unknown setting '{name}' for storage MergeTree{hint}"))
}

/// Settings that a statement gives a table. (One that has them may have been made when any value was taken.) Errors: those of
/// values, UNKNOWN_POLICY, UNKNOWN_DISK.
pub fn check_given<'a>(given: impl IntoIterator<Item = (&'a String, &'a String)>) -> Result<()> {
    for (name, value) in given {
        check_place(name, value)?;
        if name == "default_compression_codec" && !value.is_empty() {
            codec_of(value)?;
        }
        if let Some(setting) = WITHOUT_EFFECT.get(name) {
            checked(name, setting.kind, value)?;
        }
    }
    Ok(())
}

/// There is one place for parts: a definition that names another would not get what it asks for.
fn check_place(name: &str, value: &str) -> Result<()> {
    match name {
        "storage_policy" if value != "default" => {
            Err(Error::new(ErrorCode::UNKNOWN_POLICY, format!("Unknown storage policy `{value}`. There is only 'default'")))
        }
        "disk" if !["", "default"].contains(&value) => {
            Err(Error::new(ErrorCode::UNKNOWN_DISK, format!("Unknown disk {value}. There is only 'default'")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, value: &str) -> Result<TableSettings> {
        TableSettings::parse(&BTreeMap::from([(name.to_string(), value.to_string())]))
    }

    #[test]
    fn settings_of_a_table_are_checked_by_name_and_value() {
        assert_eq!(parse("index_granularity", "1024").expect("known").index_granularity, 1024);
        assert_eq!(parse("index_granularit", "1").expect_err("unknown").code(), ErrorCode::UNKNOWN_SETTING);
        assert_eq!(parse("index_granularity", "0").expect_err("no rows").code(), ErrorCode::BAD_ARGUMENTS);
        parse("storage_policy", "default").expect("accepted");
        let refused = |name: &str, value: &str| {
            check_given(&BTreeMap::from([(name.to_string(), value.to_string())])).expect_err("refused").code()
        };
        assert_eq!(refused("storage_policy", "cold"), ErrorCode::UNKNOWN_POLICY);
        assert_eq!(refused("disk", "cold"), ErrorCode::UNKNOWN_DISK);
        assert_eq!(refused("merge_max_block_size", "0"), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(refused("default_compression_codec", "foo"), ErrorCode::UNKNOWN_CODEC);
        assert_eq!(parse("default_compression_codec", "ZSTD(7)").expect("a codec").codec(0), Codec::ZstdAt(7));
        assert_eq!([0, 1].map(|level| TableSettings::default().codec(level)), [Codec::Lz4, Codec::Zstd]);
        assert_eq!(refused("compress_marks", "abc"), ErrorCode::CANNOT_PARSE_BOOL);
        parse("compress_marks", "abc").expect("a definition of old");
        parse("shared_merge_tree_parts_load_batch_size", "1").expect("one of ClickHouse's");
        parse("enable_time_time64_type", "1").expect("a setting of queries");
    }
}
