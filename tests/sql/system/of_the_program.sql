SELECT table, name, type, default_kind FROM system.columns
WHERE database = 'system' AND table IN ('stack_trace', 'symbols', 'jemalloc_bins', 'jemalloc_arena_bins', 'jemalloc_sampled_allocations', 'jemalloc_stats', 'jemalloc_profile_text')
ORDER BY table, position;
SELECT name, engine FROM system.tables WHERE database = 'system' AND (name LIKE 'jemalloc%' OR name IN ('stack_trace', 'symbols')) ORDER BY name;
SELECT count() FROM system.jemalloc_bins WHERE index < 0;
SELECT size, availregs, util, waste FROM system.jemalloc_bins WHERE index < 0;
SELECT count() > 1, countIf(thread_id = 0), countIf(thread_name = '') FROM system.stack_trace;
SELECT max(length(trace)) > 2, count() = uniqExact(thread_id) FROM system.stack_trace;
CREATE TABLE pp (d Date, n UInt32, s String, PROJECTION p (SELECT * ORDER BY s)) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY n;
INSERT INTO pp SELECT toDate('2024-01-01') + number % 5, number, toString(number) FROM numbers(100);
SELECT name, parent_name, disk_name, min_date, max_date, data_version, files > 0, refcount > 0, parent_data_compressed_bytes > 0, parent_data_uncompressed_bytes > 0
FROM system.projection_parts WHERE table = 'pp';
