-- Columns that tools read by name.
CREATE TABLE t (d Date, t DateTime, k Int32, INDEX i k TYPE minmax) ENGINE = MergeTree PARTITION BY (toYYYYMM(d), toStartOfDay(t)) ORDER BY k;
INSERT INTO t VALUES ('2020-01-02', '2020-01-02 03:04:05', 1), ('2020-01-05', '2020-01-02 04:04:05', 2);
SELECT min_date, max_date, min_time, max_time, data_version, refcount, projections, visible, is_frozen, removal_state, secondary_indices_compressed_bytes > 0, removal_tid, creation_csn >= 0, last_removal_attempt_time FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active;
SELECT column, min_date, max_time, data_version, refcount, default_kind FROM system.parts_columns WHERE database = currentDatabase() AND table = 't' AND active ORDER BY column_position;
SELECT skipping_indices_types, target_database, target_table, active_on_fly_data_mutations FROM system.tables WHERE database = currentDatabase() AND name = 't';
CREATE TABLE n (k Nullable(Int32), d Int32) ENGINE = MergeTree PARTITION BY k ORDER BY d SETTINGS allow_nullable_key = 1;
INSERT INTO n VALUES (NULL, 1), (2, 2);
SELECT partition FROM system.parts WHERE database = currentDatabase() AND table = 'n' AND active ORDER BY partition;
CREATE TABLE pair (k Nullable(Int32), d Int32) ENGINE = MergeTree PARTITION BY (k, d) ORDER BY d SETTINGS allow_nullable_key = 1;
INSERT INTO pair VALUES (NULL, 1);
SELECT partition FROM system.parts WHERE database = currentDatabase() AND table = 'pair' AND active;
SELECT projections_completed, current_projection_progress FROM system.merges WHERE 0;
SELECT count() FROM system.moves;
SELECT query_kind, thread_ids != [-1], peak_threads_usage >= 0, is_internal FROM system.processes WHERE query_id = queryID();
SELECT table, name, type FROM system.columns WHERE database = 'system' AND default_kind != 'ALIAS' AND (table, name) IN (('parts', 'min_date'), ('parts', 'removal_tid'), ('parts_columns', 'refcount'), ('merges', 'projections_remaining'), ('mutations', 'parts_postpone_reasons'), ('processes', 'client_version_major'), ('tables', 'metadata_modification_time'), ('columns', 'statistics'), ('moves', 'target_disk_name'), ('dropped_tables_parts', 'name'), ('projection_parts', 'data_version')) ORDER BY table, name;
