//! Every setting, declared once. Names and defaults are ClickHouse's unless the text says otherwise.

mod asked;
mod compatibility;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gristmill_access::effective::Constraint;
use gristmill_base::Result;

use self::asked::canonical;
use crate::custom;
use crate::map_setting::MapSetting;
use crate::settings::{SettingInfo, SettingValue, bad_value, unknown};
use crate::without_effect::{OF_QUERIES, check_choice, checked};

/// The name as it is written in SQL: `final` is a word of Rust.
macro_rules! shown {
    (final_) => {
        "final"
    };
    ($name:ident) => {
        stringify!($name)
    };
}

/// `auto` of a setting that is a number else: NULL where the data has it.
fn told_by_data<'a>(name: &str, value: &'a str) -> &'a str {
    let is_auto = name == "schema_inference_make_columns_nullable" && value.trim() == "auto";
    if is_auto { "2" } else { value }
}

macro_rules! settings {
    (
        $($name:ident: $type:ty = $default:expr, $doc:literal;)*
    ) => {
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $(#[doc = $doc] pub $name: $type,)*
            ignored: BTreeMap<&'static str, String>,
            changed: BTreeMap<&'static str, String>,
            /// Those that `compatibility` gave another default.
            by_compatibility: BTreeSet<&'static str>,
            /// Users' own, by the text of their values.
            custom: BTreeMap<String, String>,
            /// What their owner may do with some of them.
            constraints: Arc<BTreeMap<String, Constraint>>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Settings { $($name: $default.into(),)* ignored: BTreeMap::new(), changed: BTreeMap::new(), by_compatibility: BTreeSet::new(), custom: BTreeMap::new(), constraints: Arc::default() }
            }
        }

        impl Settings {
            /// Sets one by name. Errors: UNKNOWN_SETTING, and those of parsing; nothing is changed then.
            pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
                let name = canonical(name);
                check_choice(name, value)?;
                let value = told_by_data(name, value);
                if name == COMPATIBILITY {
                    compatibility::check(value)?;
                }
                match name {
                    $(shown!($name) => {
                        self.$name = <$type as SettingValue>::parse(value)
                            .ok_or_else(|| bad_value(name, <$type as SettingValue>::TYPE, value))?;
                        self.changed.insert(shown!($name), self.$name.show());
                    })*
                    _ => {
                        if custom::is_custom(name) {
                            self.custom.insert(name.to_string(), custom::Value::of(name, value)?.text());
                            return Ok(());
                        }
                        let Some(setting) = OF_QUERIES.get(name) else {
                            return Err(unknown(name, Self::declared().iter().map(|info| info.name)));
                        };
                        let value = checked(name, setting.kind, value)?;
                        self.ignored.insert(setting.name, value.clone());
                        self.changed.insert(setting.name, value);
                    }
                }
                // Somebody said it.
                self.by_compatibility.remove(name);
                if name == COMPATIBILITY {
                    self.apply_compatibility();
                }
                Ok(())
            }

            /// Back to the default.
            pub fn reset(&mut self, name: &str) -> Result<()> {
                if custom::is_custom(name) {
                    self.custom.remove(name);
                    return Ok(());
                }
                let (name, defaults) = (canonical(name), Settings::default());
                let value = defaults.get(name).ok_or_else(|| unknown(name, Self::declared().iter().map(|info| info.name)))?;
                self.set(name, &value)?;
                self.changed.remove(name);
                Ok(())
            }

            /// The value as `system.settings` shows it. `None`: no such name, or one of a user's own that is not set.
            pub fn get(&self, name: &str) -> Option<String> {
                let name = canonical(name);
                match name {
                    $(shown!($name) => Some(self.$name.show()),)*
                    _ => self.ignored.get(name).or_else(|| self.custom.get(name)).cloned().or_else(|| Some(OF_QUERIES.get(name)?.default.clone())),
                }
            }

            pub fn declared() -> Vec<SettingInfo> {
                let defaults = Settings::default();
                let mut declared = vec![
                    $(SettingInfo {
                        name: shown!($name),
                        kind: kinds::of(shown!($name)).unwrap_or(<$type as SettingValue>::TYPE),
                        default: defaults.$name.show(),
                        description: $doc,
                        no_effect: false,
                        alias_for: None,
                    },)*
                ];
                declared.extend(OF_QUERIES.infos("Accepted because clients and scripts send it. It changes nothing here."));
                declared
            }
        }
    };
}

/// The setting that gives others older defaults.
const COMPATIBILITY: &str = "compatibility";

settings! {
    // Threads, blocks, limits
    max_threads: u64 = 0u64, "Number of streams a query computes with. 0: one a core. Reading from object storage does not depend on it.";
    max_block_size: u64 = 65_409u64, "Rows in a batch that flows between operators. Not set: 8192, with which they stay in the processor's caches.";
    queue_max_wait_ms: u64 = 0u64, "Milliseconds that a query waits for a place where as many run as the server allows. 0: it is refused at once.";
    max_memory_usage: u64 = 0u64, "Bytes of memory that one query may use. 0: no limit.";
    max_execution_time: f64 = 0.0, "Seconds after which a query is stopped. 0: no limit.";
    http_receive_timeout: f64 = 30.0, "Seconds that the next bytes of a request's body are waited for. 0: any time.";
    receive_timeout: f64 = 300.0, "Seconds that the next bytes of a query or of rows are waited for, of a client of the native protocol. 0: any time.";
    timeout_overflow_mode: String = "throw", "What happens over max_execution_time: throw, or break (the result of what was read up to there).";
    min_execution_speed: u64 = 0u64, "Rows a second that a query has to read. 0: it may be as slow as it is.";
    min_execution_speed_bytes: u64 = 0u64, "Bytes a second, as they lie in memory, that a query has to read. 0: it may be as slow as it is.";
    max_execution_speed: u64 = 0u64, "Rows a second that a query may read: it is held back where it is faster. 0: no limit.";
    max_execution_speed_bytes: u64 = 0u64, "Bytes a second, as they lie in memory, that a query may read: it is held back where it is faster. 0: no limit.";
    timeout_before_checking_execution_speed: f64 = 10.0, "Seconds of a query in which its speed is not looked at.";
    max_estimated_execution_time: f64 = 0.0, "Seconds that a query may be expected to take, by what it read of what there is. 0: no limit.";
    max_result_rows: u64 = 0u64, "Rows that a result may have. 0: no limit.";
    max_rows_to_read: u64 = 0u64, "Rows that a query may read. 0: no limit.";
    max_bytes_to_read: u64 = 0u64, "Bytes, as they lie in memory, that a query may read. 0: no limit.";
    function_range_max_elements_in_block: u64 = 500_000_000u64, "Elements that function range may make in a block.";
    function_json_value_return_type_allow_nullable: bool = false, "Whether JSON_VALUE gives NULL where the path leads to nothing, rather than an empty string.";
    function_json_value_return_type_allow_complex: bool = false, "Whether JSON_VALUE gives objects and arrays, as text.";
    max_query_size: u64 = 262_144u64, "Bytes that the text of a query may have, without the data of an INSERT. 0: any number.";
    max_parser_backtracks: u64 = 100_000u64, "How often the parser may go back in a query to try something else (ClickHouse's default is 1,000,000). 0: as often as it likes.";
    max_parser_depth: u64 = 1_000u64, "How deep the parser descends into a query. 0: as deep as it can.";
    max_ast_depth: u64 = 1_000u64, "Levels that the tree of a query may have. 0: as many as there can be.";
    max_ast_elements: u64 = 50_000u64, "Nodes that the tree of a query may have. 0: any number.";
    max_expanded_ast_elements: u64 = 500_000u64, "Nodes that a query may have when its aliases stand for what they name. 0: any number.";
    max_rows_to_read_leaf: u64 = 0u64, "As max_rows_to_read, of what each server of a distributed query reads itself: here, of the query. 0: no limit.";
    max_bytes_to_read_leaf: u64 = 0u64, "As max_bytes_to_read, of what each server of a distributed query reads itself: here, of the query. 0: no limit.";
    read_overflow_mode_leaf: String = "throw", "What happens over max_rows_to_read_leaf or max_bytes_to_read_leaf: throw, or break.";
    max_memory_usage_for_user: u64 = 0u64, "Bytes of memory that the queries of one user may use together, those that have this limit. 0: no limit.";
    read_overflow_mode: String = "throw", "What happens over max_rows_to_read or max_bytes_to_read: throw, or break (the result of what was read).";
    max_result_bytes: u64 = 0u64, "Bytes, as they lie in memory, that a result may have. 0: no limit.";
    result_overflow_mode: String = "throw", "What happens over max_result_rows or max_result_bytes: throw, or break (the rows up to there).";
    limit: u64 = 0u64, "Rows of the result to give, as if the query ended with LIMIT. 0: all.";
    offset: u64 = 0u64, "Rows of the result to leave out at its start.";
    max_bytes_before_external_sort: u64 = 0u64, "Bytes of rows from which on a sort goes to disk, shared evenly by its streams. 0: when the memory that it may use ends.";
    max_bytes_ratio_before_external_sort: f64 = 0.5, "Share of the memory that the query may use, from which on a sort goes to disk, where it is set: at least 0 and less than 1. Not set, or 0: when the memory ends.";
    max_bytes_ratio_before_external_group_by: f64 = 0.5, "As max_bytes_ratio_before_external_sort, of an aggregation. 0, with max_bytes_before_external_group_by = 0: it never goes to disk.";
    max_bytes_before_external_group_by: u64 = 0u64, "Bytes of groups from which on an aggregation goes to disk, shared evenly by its streams. 0: when the memory that it may use ends.";
    check_query_single_value_result: bool = false, "Whether CHECK TABLE gives one row for all parts: 1 where they are whole.";
    // Insert
    max_insert_threads: u64 = 0u64, "Lanes of an INSERT SELECT, each forming blocks of its own. 0: the gear decides, beginning with one a core.";
    max_insert_delayed_streams_for_parallel_write: u64 = 0u64, "Parts of a block that an INSERT writes at a time, where the block falls into many partitions. 0: by memory.";
    max_insert_block_size: u64 = 1_048_449u64, "Rows of the blocks that inserted data is cut into before min_insert_block_size_rows and _bytes join them. None of the three set: the gear decides.";
    max_insert_block_size_bytes: u64 = 0u64, "Bytes in memory at which use_strict_insert_block_limits cuts a block. 0: only the rows count.";
    use_strict_insert_block_limits: bool = false, "Whether a block is written only when it has both min_insert_block_size_rows and _bytes, and is cut at max_insert_block_size rows or max_insert_block_size_bytes.";
    min_insert_block_size_rows: u64 = 1_048_449u64, "Rows from which on a block is written as a part. 0: only the bytes count. Neither this nor the bytes set: the gear decides, from memory, lanes, partitions and how much was loaded.";
    min_insert_block_size_bytes: u64 = 268_402_944u64, "Bytes in memory from which on a block is written as a part. 0: only the rows count.";
    parts_to_delay_insert: u64 = 0u64, "Parts of one partition from which on this insert is slowed down. 0: as the table says.";
    parts_to_throw_insert: u64 = 0u64, "Parts of one partition from which on this insert is refused. 0: as the table says.";
    max_partitions_per_insert_block: u64 = 100u64, "Partitions that one inserted block may fall into. 0: any number.";
    throw_on_max_partitions_per_insert_block: bool = true, "Whether too many partitions in one block are refused or only logged.";
    deduplicate_insert: String = "enable", "Whether a block that was inserted before is left out, where the table keeps a window of blocks: enable, disable, or backward_compatible_choice, which leaves it to insert_deduplicate.";
    deduplicate_insert_select: String = "enable_when_possible", "The same of INSERT SELECT: disable; enable_when_possible, for rows in the order of ORDER BY ALL and with insert_deduplication_token; enable_even_for_bad_queries; force_enable.";
    insert_deduplicate: bool = true, "Whether a block that was inserted before is left out, where the table keeps a window of blocks.";
    optimize_on_insert: bool = true, "Whether a block is treated before it is written as a merge would treat it.";
    insert_deduplication_token: String = "", "A name for this insert: a second one of the same name changes nothing.";
    load_id: String = "", "A name for this load from files: it commits in steps and keeps a ledger of files and row groups in the table, so that run again under the same name it goes on where it stopped, and loads files that are new. (Gristmill's own.)";
    load_on_error: String = "abort", "What a load with load_id does with a file that cannot be read: abort, or skip_file, which notes the error in system.load_ledger; the next run of the load tries the file again. (Gristmill's own.)";
    load_commit_bytes: u64 = 0u64, "Bytes, as they lie in memory, that one commit of a load with load_id holds, about. 0: four blocks a lane. (Gristmill's own.)";
    parallel_view_processing: bool = false, "Whether the materialized views on a table take an inserted block all at once, and not one after the other.";
    materialized_views_ignore_errors: bool = false, "Whether an INSERT goes on without a materialized view that fails: that view, and those on its target, get none of the statement's rows.";
    deduplicate_blocks_in_dependent_materialized_views: bool = true, "Whether the targets of materialized views leave out what the same INSERT brought before, known by its insert_deduplication_token.";
    min_insert_block_size_rows_for_materialized_views: u64 = 0u64, "min_insert_block_size_rows of what materialized views write. 0: the same.";
    min_insert_block_size_bytes_for_materialized_views: u64 = 0u64, "min_insert_block_size_bytes of what materialized views write. 0: the same.";
    async_insert: bool = true, "Whether INSERTs that bring their data along are gathered with those of other sessions of the server and written together. (`gristmill local` has 0: it has one session.)";
    wait_for_async_insert: bool = true, "Whether an INSERT of async_insert ends when its rows are written, and not when they are in the queue, where they are lost with the process.";
    wait_for_async_insert_timeout: f64 = 120.0, "Seconds that an INSERT of async_insert waits for its rows to be written.";
    async_insert_max_data_size: u64 = 10_485_760u64, "Bytes of rows gathered by async_insert that are written without waiting for more. Larger data is not gathered.";
    async_insert_busy_timeout_min_ms: u64 = 50u64, "Milliseconds that the first rows gathered by async_insert wait for others at least, where that is adapted to how often they come.";
    async_insert_busy_timeout_max_ms: u64 = 200u64, "Milliseconds that the first rows gathered by async_insert wait for others at most.";
    async_insert_busy_timeout_ms: u64 = 0u64, "Another name of async_insert_busy_timeout_max_ms, which counts where it is set. 0: it is not.";
    async_insert_use_adaptive_busy_timeout: bool = true, "Whether the wait for other rows is adapted to how often they come, and not always the longest.";
    async_insert_busy_timeout_increase_rate: f64 = 0.2, "How much longer rows wait for others with each INSERT, while INSERTs come often.";
    async_insert_busy_timeout_decrease_rate: f64 = 0.2, "How much shorter rows wait for others with each INSERT, while INSERTs come seldom.";
    async_insert_max_query_number: u64 = 450u64, "INSERTs that are written without waiting for more, with async_insert_deduplicate.";
    async_insert_deduplicate: bool = false, "With deduplicate_insert = 'backward_compatible_choice': whether an INSERT of async_insert that was made before is left out, where the table keeps a window of blocks. It is then written by itself.";
    insert_null_as_default: bool = true, "Whether NULL inserted into a column that cannot hold it becomes the column's default.";
    // Sources
    use_hive_partitioning: bool = true, "Whether name=value folders of a path become columns.";
    use_structure_from_insertion_table_in_table_functions: u64 = 2u64, "Take the structure of a file from the insert's target. 0: never, 1: always, 2: where it names every column.";
    schema_inference_mode: String = "default", "default: one file tells the schema; union: all files do.";
    schema_inference_make_columns_nullable: u64 = 3u64, "Make inferred columns Nullable. 0: never, 1: always, 2: text formats only where NULL was seen, 3: as the file's own schema says, else always.";
    column_names_for_schema_inference: String = "", "Names of the columns, with commas between them, where data has no header to infer them from.";
    schema_inference_hints: String = "", "Names and types of columns that are not to be inferred: a UInt8, b String.";
    schema_inference_use_cache_for_s3: bool = true, "Keep inferred schemas of objects, by ETag.";
    input_format_max_rows_to_read_for_schema_inference: u64 = 25_000u64, "Rows that are looked at to infer a schema.";
    input_format_max_bytes_to_read_for_schema_inference: u64 = 33_554_432u64, "Bytes that are looked at to infer a schema.";
    input_format_allow_errors_num: u64 = 0u64, "Rows with mistakes that are left out of a text format before the query fails.";
    input_format_allow_errors_ratio: f64 = 0.0, "Share of rows with mistakes that are left out of a text format before the query fails.";
    input_format_skip_unknown_fields: bool = true, "Whether columns of the data that the table does not have are left out.";
    input_format_null_as_default: bool = true, "Whether NULL in the data becomes the default of a column that cannot hold it.";
    input_format_defaults_for_omitted_fields: bool = true, "Whether fields that the data leaves out get the column's default expression.";
    input_format_csv_empty_as_default: bool = true, "Whether an empty CSV field becomes the column's default.";
    input_format_csv_allow_variable_number_of_columns: bool = false, "Whether CSV rows may have more or fewer fields than columns.";
    input_format_csv_skip_first_lines: u64 = 0u64, "Lines left out at the start of CSV data.";
    input_format_tsv_skip_first_lines: u64 = 0u64, "Lines left out at the start of TSV data.";
    input_format_csv_use_best_effort_in_schema_inference: bool = true, "Whether types are guessed from CSV fields; else all are strings.";
    input_format_tsv_use_best_effort_in_schema_inference: bool = true, "Whether types are guessed from TSV fields; else all are strings.";
    input_format_with_names_use_header: bool = true, "Whether columns are matched by the names in the header.";
    input_format_parallel_parsing: bool = true, "Whether text formats are parsed on several threads.";
    input_format_try_infer_integers: bool = true, "Guess Int64 rather than Float64 where all numbers are whole.";
    input_format_try_infer_dates: bool = true, "Guess Date from text that looks like one.";
    input_format_try_infer_datetimes: bool = true, "Guess DateTime64 from text that looks like one.";
    input_format_parquet_prefer_block_bytes: u64 = 16_744_704u64, "Bytes of a block that is read of a Parquet file, about: blocks of wide rows have fewer rows. 0: any number.";
    input_format_parquet_filter_push_down: bool = true, "Whether row groups are left out by their statistics.";
    input_format_parquet_page_filter_push_down: bool = true, "Whether pages are left out by the page index.";
    input_format_parquet_bloom_filter_push_down: bool = true, "Whether row groups are left out by their bloom filters.";
    input_format_parquet_allow_missing_columns: bool = true, "Whether a column that a file lacks is filled with defaults.";
    input_format_parquet_case_insensitive_column_matching: bool = false, "Whether names of Parquet columns match in any case.";
    input_format_arrow_allow_missing_columns: bool = true, "Whether a column that Arrow data lacks is filled with defaults.";
    input_format_arrow_case_insensitive_column_matching: bool = false, "Whether names of Arrow columns match in any case.";
    input_format_orc_allow_missing_columns: bool = true, "Whether a column that an ORC file lacks is filled with defaults.";
    input_format_orc_case_insensitive_column_matching: bool = false, "Whether names of ORC columns match in any case.";
    input_format_orc_skip_columns_with_unsupported_types_in_schema_inference: bool = false, "Whether columns of an ORC file whose types no column can hold are left out of its structure; else they are an error.";
    input_format_orc_row_batch_size: i64 = 100_000i64, "Rows of a batch read from ORC; 8192 at most.";
    input_format_orc_reader_time_zone_name: String = "GMT", "Time zone in which the local times are that timestamps without a zone are in ORC.";
    input_format_avro_allow_missing_fields: bool = false, "Whether a column that Avro data lacks is filled with defaults; else it is an error.";
    input_format_avro_null_as_default: bool = false, "Whether NULL becomes the default of a column that cannot hold it in Avro; as input_format_null_as_default does.";
    use_parquet_metadata_cache: bool = true, "Keep footers of Parquet files in memory, by ETag.";
    final_: bool = false, "Whether every table is read as with FINAL, where its engine merges rows of equal keys.";
    use_skip_indexes: bool = true, "Whether data skipping indexes leave out granules.";
    use_skip_indexes_if_final: bool = true, "Whether they do so in a read with FINAL.";
    use_skip_indexes_if_final_exact_mode: bool = true, "Whether FINAL reads, beside the granules that data skipping indexes leave, those in which other rows of the same keys may lie. Without them rows may be shown that were replaced.";
    use_skip_indexes_for_disjunctions: bool = true, "Whether several data skipping indexes together leave out granules by conditions under OR.";
    ignore_data_skipping_indices: String = "", "Names of data skipping indexes that queries do without, separated by commas.";
    force_primary_key: bool = false, "Whether a query that does not use the primary key of a table is refused.";
    force_index_by_date: bool = false, "Whether a query that does not use the partition key of a table is refused.";
    force_data_skipping_indices: String = "", "Names of data skipping indexes without whose use a query fails, separated by commas.";
    materialize_skip_indexes_on_insert: bool = true, "Whether inserts make the data of data skipping indexes; if not, merges do.";
    max_final_threads: u64 = 0u64, "Streams that a read with FINAL merges with at most. 0: max_threads.";
    do_not_merge_across_partitions_select_final: bool = false, "Whether FINAL leaves rows of one key that lie in different partitions alone.";
    apply_prewhere_after_final: bool = false, "Whether PREWHERE is asked of the rows that FINAL shows, as WHERE is. By default it is asked before rows are merged.";
    optimize_skip_merged_partitions: bool = false, "Whether OPTIMIZE … FINAL leaves partitions alone that are one part already, of merged rows.";
    optimize_move_to_prewhere: bool = true, "Whether columns of the filter are read first and the others only for rows that pass.";
    optimize_trivial_count_query: bool = true, "Whether count() of a whole table, or of whole partitions, is answered from what the table knows of its parts.";
    optimize_use_projections: bool = true, "Whether a query reads a projection of a table instead of it, where that is less to read.";
    force_optimize_projection: bool = false, "Whether a query fails that could read a projection and reads none.";
    force_optimize_projection_name: String = "", "A projection without whose use a query fails.";
    preferred_optimize_projection_name: String = "", "A projection that is read wherever it can be, whatever others cost.";
    optimize_use_implicit_projections: bool = true, "Whether min and max of a column of a whole table are answered from what parts keep of their columns.";
    optimize_read_in_order: bool = true, "Whether ORDER BY by a prefix of a table's sorting key reads in that order instead of sorting, and ORDER BY with LIMIT reads first what comes first.";
    optimize_aggregation_in_order: bool = false, "Whether GROUP BY by a prefix of a table's sorting key reads in the order of the key, and gives groups while it reads.";
    optimize_arithmetic_operations_in_aggregate_functions: bool = true, "Whether sum(x + 1) of integers is computed as sum(x) + count(x), once for all sums of x.";
    optimize_injective_functions_inside_uniq: bool = true, "Whether uniq and its kin of toString(x), of -x and the like count x itself.";
    optimize_trivial_group_by_limit_query: bool = true, "Whether GROUP BY with LIMIT and without ORDER BY groups rows of so many keys only.";
    query_plan_optimize_lazy_materialization: bool = true, "Whether ORDER BY with LIMIT reads the columns that it does not sort by only of the rows that are left at the end.";
    query_plan_max_limit_for_lazy_materialization: u64 = 10_000u64, "The greatest LIMIT for which columns are read at the end (0: any).";
    use_with_fill_by_sorting_prefix: bool = true, "Whether ORDER BY a, b WITH FILL fills b for each value of a by itself.";
    use_top_k_dynamic_filtering: bool = true, "Whether granules and rows that cannot come into the result of ORDER BY with LIMIT any more, or find no partner in a join, are left out while the query runs.";
    use_query_condition_cache: bool = true, "Whether granules of MergeTree tables in which no row fulfilled a condition are remembered, and left out by the next query with that condition.";
    use_uncompressed_cache: bool = true, "Whether decoded granules of MergeTree tables are kept in memory from the second time on that they are read, and looked for there.";
    merge_tree_max_rows_to_use_cache: u64 = 0u64, "Rows from which on a read of a MergeTree table leaves that cache alone (0: any number that fits into it).";
    merge_tree_max_bytes_to_use_cache: u64 = 0u64, "Decoded bytes from which on a read of a MergeTree table leaves that cache alone (0: what fits into it).";
    s3_truncate_on_insert: bool = false, "Whether INSERT into an object that exists replaces it.";
    s3_create_new_file_on_insert: bool = false, "Whether INSERT into an object that exists makes a new one beside it.";
    azure_truncate_on_insert: bool = false, "Whether INSERT into a blob that exists replaces it.";
    azure_create_new_file_on_insert: bool = false, "Whether INSERT into a blob that exists makes a new one beside it.";
    engine_file_truncate_on_insert: bool = false, "Whether INSERT into a file that exists replaces it.";
    engine_file_allow_create_multiple_files: bool = false, "Whether INSERT into a file that exists makes a new one beside it.";
    s3_throw_on_zero_files_match: bool = false, "Whether a glob that matches nothing is an error when reading with a known structure.";
    s3_ignore_file_doesnt_exist: bool = false, "Whether a missing object reads as empty.";
    s3_skip_empty_files: bool = true, "Whether empty objects are left out.";
    engine_file_skip_empty_files: bool = false, "Whether empty files are left out.";
    s3_retry_attempts: u64 = 10u64, "Times a failed request is tried again. (ClickHouse: 500.)";
    s3_request_timeout_ms: u64 = 30_000u64, "Milliseconds a request may take until its first byte.";
    max_http_get_redirects: u64 = 10u64, "How often a read of url() may be sent on to another URL. 0: it may not, as ClickHouse has it unless it is told otherwise.";
    s3_connect_timeout_ms: u64 = 1_000u64, "Milliseconds a connection may take to be made.";
    s3_max_connections: u64 = 1024u64, "Connections to one endpoint.";
    s3_max_get_rps: u64 = 0u64, "Reads of an endpoint a second. 0: no limit.";
    s3_max_get_burst: u64 = 0u64, "Reads that may be sent at once before s3_max_get_rps holds. 0: as many as in a second.";
    s3_max_put_rps: u64 = 0u64, "Writes to an endpoint a second. 0: no limit.";
    s3_max_put_burst: u64 = 0u64, "Writes that may be sent at once before s3_max_put_rps holds. 0: as many as in a second.";
    azure_max_get_rps: u64 = 0u64, "As s3_max_get_rps, for Azure.";
    azure_max_get_burst: u64 = 0u64, "As s3_max_get_burst, for Azure.";
    azure_max_put_rps: u64 = 0u64, "As s3_max_put_rps, for Azure.";
    azure_max_put_burst: u64 = 0u64, "As s3_max_put_burst, for Azure.";
    s3_list_object_keys_size: u64 = 1000u64, "Keys in one page of a listing.";
    s3_min_upload_part_size: u64 = 16_777_216u64, "Smallest part of a multipart upload.";
    s3_max_inflight_parts_for_one_file: u64 = 20u64, "Parts of one upload that are in flight.";
    max_download_threads: u64 = 4u64, "Range requests in flight for one object. Unless it is set, as many as bytes in flight allow.";
    max_download_buffer_size: u64 = 10_485_760u64, "Bytes of the longest range that one request asks for.";
    http_max_tries: u64 = 10u64, "Times a request of url() is tried.";
    storage_file_read_method: String = "auto", "How local files are read.";
    // Formats
    output_format_write_statistics: bool = true, "Whether JSON results end with statistics.";
    output_format_json_quote_64bit_integers: bool = false, "Whether 64-bit integers are quoted in JSON.";
    output_format_json_quote_denormals: bool = false, "Whether inf and nan are quoted in JSON rather than null.";
    output_format_json_escape_forward_slashes: bool = true, "Whether / is escaped in JSON.";
    output_format_json_named_tuples_as_objects: bool = true, "Whether named tuples are objects in JSON.";
    output_format_json_map_as_array_of_tuples: bool = false, "Whether maps are arrays of tuples in JSON.";
    output_format_json_array_of_rows: bool = false, "Whether JSONEachRow writes one array of its rows.";
    format_json_object_each_row_column_for_object_name: String = "", "The column whose values are the names of the objects of JSONObjectEachRow. Empty: row_1, row_2, …";
    output_format_msgpack_uuid_representation: String = "ext", "What a UUID is in MsgPack: 'ext' an extension, 'str' its text, 'bin' its bytes.";
    input_format_msgpack_number_of_columns: u64 = 0u64, "Columns of MsgPack data whose structure nobody gives.";
    format_regexp: String = "", "The regular expression of format Regexp: a whole line, with a group for each column.";
    format_regexp_escaping_rule: String = "Raw", "How the fields of format Regexp are written: Escaped, Quoted, CSV, JSON, Raw.";
    format_regexp_skip_unmatched: bool = false, "Leave out lines that the regular expression of format Regexp does not match; else they are errors.";
    format_custom_escaping_rule: String = "Escaped", "How fields of CustomSeparated are written: Escaped, Quoted, CSV, JSON, XML (only written), Raw.";
    format_custom_field_delimiter: String = "\t", "What stands between fields of CustomSeparated.";
    format_custom_row_before_delimiter: String = "", "What stands before the first field of a row of CustomSeparated.";
    format_custom_row_after_delimiter: String = "\n", "What stands after the last field of a row of CustomSeparated.";
    format_custom_row_between_delimiter: String = "", "What stands between rows of CustomSeparated.";
    format_custom_result_before_delimiter: String = "", "What stands before the first row of CustomSeparated.";
    format_custom_result_after_delimiter: String = "", "What stands after the last row of CustomSeparated.";
    format_template_row_format: String = "", "A row of format Template: text with places for columns.";
    format_template_resultset_format: String = "", "What stands around the rows of format Template: text with places for the rows and for numbers of theirs.";
    format_template_rows_between_delimiter: String = "\n", "What stands between rows of format Template.";
    format_template_row: String = "", "A file with a row of format Template. Not read: see format_template_row_format.";
    format_template_resultset: String = "", "A file with what stands around the rows of format Template. Not read.";
    input_format_custom_detect_header: bool = true, "Whether a first CustomSeparated row that looks like names or types is taken as such.";
    input_format_custom_allow_variable_number_of_columns: bool = false, "Whether CustomSeparated rows may have more or fewer fields than columns.";
    input_format_custom_skip_trailing_empty_lines: bool = false, "Whether empty lines at the end of CustomSeparated are left out.";
    http_write_exception_in_output_format: bool = false, "Whether an error over HTTP is written as JSON and XML formats write it, so that the answer stays a document of its format.";
    output_format_pretty_max_rows: u64 = 1000u64, "Rows that Pretty formats show.";
    output_format_pretty_max_value_width: u64 = 10_000u64, "Widest value that Pretty formats show whole.";
    output_format_pretty_row_numbers: bool = true, "Whether Pretty formats number the rows.";
    output_format_pretty_color: String = "auto", "Whether Pretty formats use colours: 0, 1, auto.";
    output_format_pretty_grid_charset: String = "UTF-8", "Charset of the grid of Pretty formats: UTF-8 or ASCII.";
    output_format_pretty_single_large_number_tip_threshold: u64 = 1_000_000u64, "Number above which a result of one column shows it in words too. 0: never.";
    output_format_pretty_display_footer_column_names: bool = true, "Whether a long table of a Pretty format repeats the names below.";
    output_format_pretty_display_footer_column_names_min_rows: u64 = 50u64, "Rows from which on a table is long enough for that.";
    output_format_pretty_max_column_pad_width: u64 = 250u64, "Widest column that Pretty formats align.";
    output_format_pretty_max_column_name_width_cut_to: u64 = 24u64, "Characters that a long name of an expression is cut to in Pretty formats. 0: names are shown whole.";
    output_format_pretty_max_column_name_width_min_chars_to_cut: u64 = 4u64, "Least number of characters that cutting a name must save.";
    output_format_pretty_multiline_fields: bool = true, "Whether Pretty formats show a value with line feeds on several lines.";
    output_format_pretty_named_tuples_as_json: bool = true, "Whether Pretty formats show named tuples as JSON.";
    output_format_pretty_highlight_digit_groups: bool = true, "Whether groups of three digits are underlined in a terminal.";
    output_format_pretty_highlight_trailing_spaces: bool = true, "Whether spaces at the end of a line are marked in a terminal.";
    output_format_pretty_fallback_to_vertical: bool = true, "Whether a few rows of a very wide table are shown as Vertical shows them.";
    output_format_pretty_fallback_to_vertical_max_rows_per_chunk: u64 = 10u64, "Rows up to which that happens.";
    output_format_pretty_fallback_to_vertical_min_columns: u64 = 5u64, "Columns from which on that happens.";
    output_format_pretty_fallback_to_vertical_min_table_width: u64 = 250u64, "Width in characters from which on that happens.";
    output_format_json_quote_64bit_floats: bool = false, "Whether floats are quoted in JSON.";
    output_format_json_quote_decimals: bool = false, "Whether decimals are quoted in JSON.";
    output_format_json_validate_utf8: bool = false, "Whether bytes that are no UTF-8 are replaced in JSON formats of rows too, as JSON and XML always have it.";
    output_format_json_skip_null_value_in_named_tuples: bool = false, "Whether fields of named tuples that are NULL are left out in JSON.";
    output_format_json_pretty_print: bool = true, "Whether arrays, maps and tuples are spread over lines in JSON.";
    output_format_decimal_trailing_zeros: bool = false, "Whether decimals have all digits of their scale: 1.500.";
    date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands: bool = false, "Whether fractions of DateTime64 end at a third, sixth or ninth digit, or are left out where they are nothing.";
    output_format_values_escape_quote_with_quote: bool = false, "Whether a quote in a quoted text is doubled, and a backslash left alone.";
    output_format_csv_serialize_tuple_into_separate_columns: bool = true, "Whether a tuple is a field of CSV for each of its elements; else it is one field.";
    output_format_pretty_max_value_width_apply_for_single_value: u64 = 0u64, "Whether output_format_pretty_max_value_width holds for a result of a single value too.";
    output_format_markdown_escape_special_characters: bool = false, "Whether characters that mean something in Markdown are escaped.";
    output_format_sql_insert_table_name: String = "table", "Name of the table in SQLInsert.";
    output_format_sql_insert_include_column_names: bool = true, "Whether SQLInsert names the columns.";
    output_format_sql_insert_quote_names: bool = true, "Whether names of columns are quoted in SQLInsert.";
    output_format_sql_insert_use_replace: bool = false, "Whether SQLInsert writes REPLACE in place of INSERT.";
    output_format_sql_insert_max_batch_size: u64 = 65_409u64, "Rows of one INSERT in SQLInsert.";
    output_format_compression_level: u64 = 3u64, "Level of compression of text formats that are written.";
    bool_true_representation: String = "true", "How true is written in text formats.";
    bool_false_representation: String = "false", "How false is written in text formats.";
    input_format_csv_detect_header: bool = true, "Whether a first CSV row that looks like names or types is taken as such.";
    input_format_tsv_detect_header: bool = true, "Whether a first TSV row that looks like names or types is taken as such.";
    input_format_csv_trim_whitespaces: bool = true, "Whether spaces and tabs around unquoted CSV fields are left out.";
    input_format_tsv_empty_as_default: bool = false, "Whether an empty TSV field becomes the column's default.";
    input_format_tsv_allow_variable_number_of_columns: bool = false, "Whether TSV rows may have more or fewer fields than columns.";
    input_format_tsv_crlf_end_of_line: bool = false, "Whether TSV lines may end with CR LF.";
    input_format_with_types_use_header: bool = true, "Whether types in the header must be those of the columns.";
    input_format_try_infer_exponent_floats: bool = false, "Guess Float64 from numbers with an exponent, outside JSON, where they always are.";
    input_format_try_infer_datetimes_only_datetime64: bool = false, "Guess DateTime64 even where DateTime holds all values.";
    input_format_json_try_infer_named_tuples_from_objects: bool = true, "Guess a named tuple from a JSON object; else a Map or String.";
    input_format_json_read_objects_as_strings: bool = true, "Whether JSON objects may be read into a String.";
    input_format_csv_use_default_on_bad_values: bool = false, "Whether a CSV field that is no value of its column becomes the column's default; else it is an error.";
    input_format_json_compact_allow_variable_number_of_columns: bool = false, "Whether rows of JSONCompactEachRow formats may have more or fewer values than columns.";
    input_format_json_read_numbers_as_strings: bool = true, "Whether JSON numbers may be read into a String.";
    input_format_json_read_bools_as_strings: bool = true, "Whether JSON's true and false may be read into a String.";
    input_format_json_read_arrays_as_strings: bool = true, "Whether JSON arrays may be read into a String.";
    input_format_json_try_infer_numbers_from_strings: bool = false, "Guess a number from a JSON string that holds one.";
    input_format_csv_try_infer_numbers_from_strings: bool = false, "Guess a number from a CSV field in quotes that holds one.";
    input_format_csv_deserialize_separate_columns_into_tuple: bool = true, "Whether a tuple is read from a CSV field for each of its elements; else from one field.";
    input_format_json_infer_incomplete_types_as_strings: bool = true, "Whether a JSON column of nothing but null and empty values is text where types are guessed; else it is an error.";
    input_format_csv_skip_trailing_empty_lines: bool = false, "Whether empty lines at the end of CSV are left out.";
    input_format_tsv_skip_trailing_empty_lines: bool = false, "Whether empty lines at the end of TSV are left out.";
    input_format_json_named_tuples_as_objects: bool = true, "Whether named tuples are objects in JSON that is read; else they are arrays.";
    input_format_json_ignore_unnecessary_fields: bool = true, "Pass over what is left of a JSON row once every column has its value; else a field that comes again is an error.";
    input_format_import_nested_json: bool = false, "Whether members of an object in JSONEachRow go into the columns of a Nested of its name.";
    input_format_json_map_as_array_of_tuples: bool = false, "Whether maps are arrays of tuples in JSON that is read.";
    input_format_json_defaults_for_missing_elements_in_named_tuple: bool = true, "Whether fields that an object lacks are defaults in the named tuple that it is read into; else they are errors.";
    input_format_json_ignore_unknown_keys_in_named_tuple: bool = true, "Whether fields of an object that the named tuple lacks are passed over; else they are errors.";
    input_format_parquet_max_block_size: u64 = 65_409u64, "Rows of a batch read from Parquet.";
    output_format_parquet_row_group_size_bytes: u64 = 536_870_912u64, "Bytes in memory from which on a row group is written.";
    output_format_parquet_data_page_size: u64 = 1_048_576u64, "Bytes of a data page that is written.";
    output_format_parquet_write_page_index: bool = true, "Whether Parquet that is written has a page index.";
    output_format_parquet_write_bloom_filter: bool = false, "Whether Parquet that is written has bloom filters. (ClickHouse: 1.)";
    output_format_csv_crlf_end_of_line: bool = false, "Whether CSV lines end with CR LF.";
    output_format_tsv_crlf_end_of_line: bool = false, "Whether TSV lines end with CR LF.";
    format_csv_delimiter: String = ",", "Character between fields of CSV.";
    format_csv_allow_double_quotes: bool = true, "Whether CSV strings may stand in double quotes.";
    format_csv_allow_single_quotes: bool = false, "Whether CSV strings may stand in single quotes.";
    format_csv_null_representation: String = "\\N", "How NULL is written in CSV.";
    format_tsv_null_representation: String = "\\N", "How NULL is written in TSV.";
    cast_string_to_date_time_mode: String = "best_effort", "How CAST reads a DateTime of a text: basic, best_effort, best_effort_us.";
    date_time_input_format: String = "best_effort", "How dates and times are read: basic, best_effort, best_effort_us.";
    date_time_output_format: String = "simple", "How dates and times are written: simple, iso, unix_timestamp.";
    interval_output_format: String = "numeric", "How intervals are written: numeric, kusto (1.02:03:04, an interval of months or years being an error).";
    output_format_trim_fixed_string: bool = false, "Whether FixedString is written without the zeros at its end in text formats.";
    output_format_parquet_compression_method: String = "zstd", "Codec of Parquet that is written: none, snappy, gzip, brotli, lz4, zstd.";
    output_format_parquet_row_group_size: u64 = 1_000_000u64, "Rows of a row group that is written.";
    output_format_parquet_string_as_string: bool = true, "Whether String is annotated as text in Parquet.";
    output_format_orc_compression_method: String = "zstd", "Codec of ORC that is written: none, snappy, zstd, lz4, zlib.";
    output_format_orc_compression_block_size: u64 = 262_144u64, "Bytes that are compressed together in ORC that is written.";
    output_format_orc_string_as_string: bool = true, "Whether String is text rather than binary in ORC.";
    output_format_orc_writer_time_zone_name: String = "GMT", "Time zone of timestamps in ORC that is written: GMT, no other.";
    output_format_avro_codec: String = "", "Codec of Avro that is written: null, deflate, snappy (as where it is empty), zstd.";
    output_format_avro_sync_interval: u64 = 16_384u64, "Bytes of rows of an Avro block that is written, before compression.";
    output_format_avro_string_column_pattern: String = "", "Regular expression within the names of columns whose String is string in Avro; in others it is bytes.";
    output_format_arrow_string_as_string: bool = true, "Whether String is text rather than binary in Arrow.";
    output_format_arrow_compression_method: String = "lz4_frame", "Codec of Arrow that is written: none, lz4_frame, zstd.";
    // Semantics
    compatibility: String = "", "A version of ClickHouse, such as 24.3, whose defaults hold for settings that nobody sets, where later versions changed them. Empty: those of this version.";
    session_timezone: String = "", "Time zone of dates and times that name none. Empty: the server's.";
    join_use_nulls: bool = false, "Whether rows without a match get NULL rather than defaults.";
    union_default_mode: String = "", "What UNION without ALL or DISTINCT means: empty refuses it.";
    intersect_default_mode: String = "ALL", "What INTERSECT without ALL or DISTINCT means.";
    except_default_mode: String = "ALL", "What EXCEPT without ALL or DISTINCT means.";
    join_default_strictness: String = "ALL", "The strictness of a JOIN that has no word for it: ALL or ANY; empty refuses it.";
    enable_unaligned_array_join: bool = false, "Whether arrays of ARRAY JOIN may have different sizes: the shorter ones get defaults.";
    single_join_prefer_left_table: bool = true, "Whether a name that both sides of the only join have means the left one.";
    transform_null_in: bool = false, "Whether NULL IN (NULL) is true.";
    enable_global_with_statement: bool = true, "Whether what WITH and the SELECT list give names to is known in subqueries and in the SELECTs behind UNION.";
    enable_positional_arguments: bool = true, "Whether a number in GROUP BY, ORDER BY and LIMIT BY means the column of the SELECT list at that place.";
    allow_deprecated_error_prone_window_functions: bool = false, "Whether runningDifference, neighbor and the like may be used.";
    cast_keep_nullable: bool = false, "Whether CAST keeps NULL.";
    prefer_column_name_to_alias: bool = false, "Whether a column wins over an alias of the same name.";
    additional_table_filters: String = "{}", "Conditions for the rows of tables, such as {'events': 'user != 5'}.";
    additional_result_filter: String = "", "A condition for the rows of the result, over its columns.";
    totals_mode: String = "after_having_exclusive", "What WITH TOTALS sums up beside HAVING: before_having (all rows), or the rows of the groups that it lets pass (after_having_exclusive, after_having_inclusive, after_having_auto).";
    group_by_use_nulls: bool = false, "Whether keys left out by ROLLUP and CUBE are NULL.";
    max_rows_to_group_by: u64 = 0u64, "Most groups of a GROUP BY. 0: no limit.";
    group_by_overflow_mode: String = "throw", "What happens over max_rows_to_group_by: throw, break or any (as many groups as that).";
    max_rows_to_sort: u64 = 0u64, "Most rows that are sorted. 0: no limit.";
    max_bytes_to_sort: u64 = 0u64, "Most bytes that are sorted. 0: no limit.";
    sort_overflow_mode: String = "throw", "What happens over max_rows_to_sort and max_bytes_to_sort: throw, or break (sort what was read up to there).";
    max_rows_in_distinct: u64 = 0u64, "Most rows of a DISTINCT. 0: no limit.";
    max_bytes_in_distinct: u64 = 0u64, "Most bytes of a DISTINCT. 0: no limit.";
    distinct_overflow_mode: String = "throw", "What happens over max_rows_in_distinct and max_bytes_in_distinct: throw, or break (the rows up to there).";
    max_rows_in_join: u64 = 0u64, "Most rows of the side of a JOIN that is kept in memory. 0: no limit.";
    max_bytes_in_join: u64 = 0u64, "Most bytes of the side of a JOIN that is kept in memory. 0: no limit.";
    join_overflow_mode: String = "throw", "What happens over max_rows_in_join and max_bytes_in_join: throw, or break (join what was read up to there).";
    max_columns_to_read: u64 = 0u64, "Most columns that a query may read of a table. 0: no limit.";
    max_temporary_columns: u64 = 0u64, "Most columns, constants too, that an operator of a query may hold. 0: no limit.";
    max_temporary_non_const_columns: u64 = 0u64, "As max_temporary_columns, of columns that are no constants and that are there at the same time. 0: no limit.";
    max_recursive_cte_evaluation_depth: u64 = 1_000u64, "How often the recursive part of a common table expression may be run.";
    max_temporary_data_on_disk_size_for_query: u64 = 0u64, "Bytes of temporary files that a query may have written. 0: no limit.";
    max_temporary_data_on_disk_size_for_user: u64 = 0u64, "Bytes of temporary files that the running queries of a user may have written. 0: no limit.";
    max_subquery_depth: u64 = 100u64, "How deep subqueries may be nested. 0: no limit.";
    allow_ddl: bool = true, "Whether databases and tables may be made, changed and removed.";
    max_table_size_to_drop: u64 = 50_000_000_000u64, "Bytes of a MergeTree table that may be dropped, emptied or replaced. 0: any number. Where no query and no profile sets it, the server's setting of this name holds.";
    max_partition_size_to_drop: u64 = 50_000_000_000u64, "Bytes of a partition or part that may be dropped, detached or replaced. 0: any number. Where no query and no profile sets it, the server's setting of this name holds.";
    min_free_disk_bytes_to_perform_insert: u64 = 0u64, "Bytes that have to be free on a MergeTree table's disk for an INSERT. 0: any number. The table's setting of this name goes before.";
    min_free_disk_ratio_to_perform_insert: f64 = 0.0, "The share of a MergeTree table's disk that has to be free for an INSERT. 0: any. The table's setting of this name goes before.";
    allow_hyperscan: bool = true, "Whether multiMatchAny and its like, which search for several regular expressions at once, may be used.";
    max_hyperscan_regexp_length: u64 = 0u64, "Bytes of each regular expression of multiMatchAny and its like. 0: any number.";
    max_hyperscan_regexp_total_length: u64 = 0u64, "Bytes of all regular expressions of one call of multiMatchAny or its like. 0: any number.";
    max_rand_distribution_trials: u64 = 1_000_000_000u64, "Trials of randBinomial and randNegativeBinomial, and the mean of randPoisson, at most. 0: any number.";
    max_rand_distribution_parameter: f64 = 1_000_000.0, "Degrees of freedom of randChiSquared, randStudentT and randFisherF at most. 0: any number.";
    splitby_max_substrings_includes_remaining_string: bool = false, "Whether the last part that splitByChar and its like give under a limit of parts is all the rest of the text. Else the rest is dropped.";
    replace_running_query: bool = false, "Whether a query ends the running one of the same id. Else it is refused.";
    max_concurrent_queries_for_user: u64 = 0u64, "Most queries of one user that run at a time. 0: no limit.";
    max_concurrent_queries_for_all_users: u64 = 0u64, "Most queries of all users that may run at a time for this one to begin. 0: no limit.";
    max_sessions_for_user: u64 = 0u64, "Most sessions of one user at a time: connections of the native protocol, and requests over HTTP with a session_id. 0: no limit. For profiles: a query cannot set it.";
    aggregate_functions_null_for_empty: bool = false, "Whether aggregates over nothing are NULL.";
    empty_result_for_aggregation_by_empty_set: bool = false, "Whether aggregation without keys gives no row where there are no rows.";
    data_type_default_nullable: bool = false, "Whether columns are Nullable unless they say otherwise.";
    count_distinct_implementation: String = "uniqExact", "The function that COUNT(DISTINCT …) means.";
    default_table_engine: String = "MergeTree", "Engine of tables that name none.";
    max_rows_in_set: u64 = 0u64, "Most values that the subquery of an IN may give. 0: no limit.";
    max_bytes_in_set: u64 = 0u64, "Most bytes that the values of a subquery of an IN may take. 0: no limit.";
    set_overflow_mode: String = "throw", "What happens over max_rows_in_set and max_bytes_in_set: throw, or break (take what fits).";
    log_queries: bool = true, "Whether queries go to system.query_log.";
    opentelemetry_start_trace_probability: f64 = 0.0, "The probability of a trace for a query whose client says nothing of traces: from 0 to 1.";
    log_queries_min_type: String = "QUERY_START", "The least type of entries that system.query_log gets: QUERY_START, QUERY_FINISH, EXCEPTION_BEFORE_START, EXCEPTION_WHILE_PROCESSING.";
    log_queries_min_query_duration_ms: u64 = 0u64, "Milliseconds that a query has to run to be in system.query_log, whose start is not told then. 0: every query.";
    log_queries_probability: f64 = 1.0, "The share of queries that are in system.query_log, chosen at random.";
    log_queries_cut_to_length: u64 = 100_000u64, "Bytes of a query's text that system.query_log keeps.";
    log_profile_events: bool = true, "Whether system.query_log and system.query_views_log tell what a query counted.";
    log_query_settings: bool = true, "Whether system.query_log tells the settings of a query.";
    log_formatted_queries: bool = false, "Whether system.query_log has the text of queries formatted, too.";
    enable_filesystem_cache_log: bool = false, "Whether what a query reads of files in object storage goes to system.filesystem_cache_log.";
    enable_blob_storage_log: bool = true, "Whether requests that change something in object storage go to system.blob_storage_log.";
    enable_blob_storage_log_for_read_operations: bool = false, "Whether reads of objects go to system.blob_storage_log too, where enable_blob_storage_log is on.";
    log_query_threads: bool = false, "Whether the threads of queries go to system.query_thread_log.";
    query_profiler_real_time_period_ns: u64 = 1_000_000_000u64, "Nanoseconds of the clock between two samples of the stacks of a query, into system.trace_log as 'Real'. 0: none.";
    query_profiler_cpu_time_period_ns: u64 = 1_000_000_000u64, "Nanoseconds that a thread computes between two samples of its stack, into system.trace_log as 'CPU'. 0: none.";
    memory_profiler_step: u64 = 4_194_304u64, "Bytes more that a query has to hold for the next sample of where it allocates, into system.trace_log as 'Memory' and 'MemoryPeak'. 0: none.";
    memory_profiler_sample_probability: f64 = 0.0, "The probability of a sample where memory is allocated or freed, into system.trace_log as 'MemorySample'. A thread tells after max_untracked_memory.";
    memory_profiler_sample_min_allocation_size: u64 = 0u64, "The least number of bytes that memory_profiler_sample_probability is for.";
    memory_profiler_sample_max_allocation_size: u64 = 0u64, "The greatest number of bytes that memory_profiler_sample_probability is for. 0: any.";
    max_untracked_memory: u64 = 4_194_304u64, "Bytes that a thread may allocate or free before memory_profiler_step and memory_profiler_sample_probability see it. It is never more than 256 KiB, nor than the step. 0: each allocation.";
    metrics_perf_events_enabled: bool = false, "Whether the threads of a query count what the processor does (cycles, instructions, misses), as events whose names begin with Perf, where the kernel allows it.";
    metrics_perf_events_list: String = "", "The Perf… events to count, with commas between. Empty: all.";
    trace_profile_events: bool = false, "Whether each count of an event by the query is told in system.trace_log, with the stack of who counted.";
    trace_profile_events_list: String = "", "The events that trace_profile_events is about, with commas between. Empty: all.";
    calculate_text_stack_trace: bool = true, "Whether the logs, and clients of the native protocol, have the stack of a query's error as a text.";
    allow_introspection_functions: bool = false, "Whether functions may be used that tell of the program: addressToSymbol, addressToLine, addressToLineWithInlines, demangle, flameGraph.";
    allow_get_client_http_header: bool = false, "Whether getClientHTTPHeader may be used: headers such as Cookie are secrets.";
    log_query_views: bool = true, "Whether runs of materialized views go to system.query_views_log.";
    log_processors_profiles: bool = true, "Whether the operators of a query's plan go to system.processors_profile_log.";
    query_metric_log_interval: i64 = -1i64, "Milliseconds between the entries of a running query in system.query_metric_log. -1: as the server's configuration says; 0: none.";
    log_comment: String = "", "A word of the client's for system.query_log.";
    describe_include_subcolumns: bool = false, "Whether DESCRIBE tells the parts of columns that can be read by themselves, such as sizes of arrays, with a column is_subcolumn.";
    describe_include_virtual_columns: bool = false, "Whether DESCRIBE tells of virtual columns as well, such as _part and _path.";
    describe_compact_output: bool = false, "Whether DESCRIBE tells names and types alone.";
    allow_suspicious_codecs: bool = false, "Whether CODEC(…) may name combinations that gain nothing.";
    enable_named_columns_in_function_tuple: bool = false, "Whether elements that function tuple puts together have names: their aliases, or those of their columns.";
    flatten_nested: bool = true, "Whether a column of type Nested is declared as an array for each of its fields.";
    asterisk_include_materialized_columns: bool = false, "Whether * stands for MATERIALIZED columns as well.";
    asterisk_include_alias_columns: bool = false, "Whether * stands for ALIAS columns as well.";
    mutations_sync: u64 = 1u64, "Whether ALTER TABLE … UPDATE | DELETE | CLEAR | MATERIALIZE waits until it is carried out. 0: it goes on in the background; 1 and 2: it waits.";
    materialize_ttl_after_modify: bool = true, "Whether ALTER TABLE … MODIFY TTL, and MODIFY COLUMN … TTL, apply the new TTL to the rows that are there, by a mutation.";
    allow_drop_detached: bool = false, "Whether ALTER TABLE … DROP DETACHED PART | PARTITION may run: what it removes does not come back.";
    enable_lightweight_delete: bool = true, "Whether DELETE FROM may run.";
    enable_lightweight_update: bool = true, "Whether UPDATE t SET … WHERE … may run.";
    apply_mutations_on_fly: bool = false, "Whether a query sees mutations that are not done: it carries them out first.";
    apply_deleted_mask: bool = true, "Whether rows that DELETE FROM deleted are left out. 0: those that are still there are read, with _row_exists = 0.";
    number_of_mutations_to_delay: u64 = 0u64, "Unfinished mutations of a table from which on a new one is slowed down. 0: as the table says.";
    number_of_mutations_to_throw: u64 = 0u64, "Unfinished mutations of a table from which on a new one is refused. 0: as the table says.";
    max_partitions_to_read: i64 = -1i64, "Partitions that a query may read of a table. 0: any number; -1: as the table says.";
    optimize_throw_if_noop: bool = false, "Whether OPTIMIZE that finds nothing to merge is an error.";
    throw_if_no_data_to_insert: bool = true, "Whether an INSERT that is given no data at all is an error.";
    insert_allow_materialized_columns: bool = false, "Whether INSERT may give values for MATERIALIZED columns.";
    readonly: u64 = 0u64, "1: only reading; 2: only reading and settings.";
    extremes: bool = false, "Whether the least and greatest values of a result's columns come with it.";
    send_logs_level: String = "fatal", "Least level of the server's log that is shown to the client.";
    // Server
    interactive_delay: u64 = 100_000u64, "Microseconds between packets of progress.";
    send_profile_events: bool = true, "Whether a client of the native protocol is told what its query counted.";
    client_protocol_version: u64 = 0u64, "Revision of the native protocol that the format Native is written in. 0: that of files.";
    enable_http_compression: bool = true, "Whether answers over HTTP are compressed as Accept-Encoding allows.";
    http_zlib_compression_level: i64 = 3i64, "Level of gzip and deflate of answers over HTTP.";
    http_response_buffer_size: u64 = 0u64, "Bytes of an answer over HTTP that are held back, so that an error before them has a status of its own. 0: 1 MiB.";
    http_wait_end_of_query: bool = false, "Whether an answer over HTTP is held back until the query is over.";
    send_progress_in_http_headers: bool = false, "Whether headers X-ClickHouse-Progress are sent while a query over HTTP runs.";
    http_headers_progress_interval_ms: u64 = 100u64, "Milliseconds between headers X-ClickHouse-Progress.";
    add_http_cors_header: bool = false, "Whether answers over HTTP say that pages of other sites may read them.";
    http_response_headers: MapSetting = "", "Headers that answers to queries over HTTP have, in the place of the server's own where it has them: {'Content-Type':'image/png'}.";
    // Ours
    explain_limit: bool = false, "Whether a query tells at its end how far it was from what the machine can do, and what would help. (Gristmill's own.)";
    log_query_limits_min_duration_ms: u64 = 1_000u64, "Milliseconds that a query has to run to be in system.query_limit_log unasked, where the machine was measured. 0: only queries with explain_limit. (Gristmill's own.)";
    object_listing_cache_ms: u64 = 1_000u64, "Milliseconds for which the files that a pattern of object storage matches are remembered. 0: not at all. (Gristmill's own.)";
    object_read_hedging: bool = true, "Whether reads of object storage that take unusually long are sent a second time. (Gristmill's own.)";
    object_storage_prices: String = "", "Prices before the providers' list prices: '<host> read=<USD a thousand> write=<USD a thousand> egress=<USD a GB>; …'. (Gristmill's own.)";
    max_query_cost_usd: f64 = 0.0, "US dollars that the requests of a query may cost. A request that would cost more is not sent. 0: no limit. (Gristmill's own.)";
    object_read_memory_bytes: u64 = 0u64, "Bytes of object data that a query may hold in flight. 0: by max_memory_usage and the machine. (Gristmill's own.)";
    footer_fetch_bytes: u64 = 131_072u64, "Bytes of the speculative read at the end of a Parquet file. (Gristmill's own.)";
}
