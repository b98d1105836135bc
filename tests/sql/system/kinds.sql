-- Names of what definitions may say, as tools list them.
SELECT table, name, type FROM system.columns WHERE database = 'system' AND table IN ('codecs', 'tokenizers', 'data_skipping_index_types', 'disk_types', 'dictionary_layouts', 'dictionary_sources', 'fail_points', 'documentation', 'settings_changes') ORDER BY table, position;
SELECT name, method_byte, is_compression, is_generic_compression, is_encryption, is_timeseries_codec, is_experimental, tier FROM system.codecs WHERE name IN ('NONE', 'LZ4', 'LZ4HC', 'ZSTD', 'Delta', 'DoubleDelta', 'Gorilla', 'T64', 'FPC', 'GCD') ORDER BY name;
SELECT name FROM system.tokenizers WHERE name IN ('splitByNonAlpha', 'splitByString', 'splitByRegexp', 'ngrams', 'sparseGrams', 'array') ORDER BY name;
SELECT name FROM system.data_skipping_index_types WHERE name IN ('minmax', 'set', 'bloom_filter', 'tokenbf_v1', 'ngrambf_v1', 'text') ORDER BY name;
SELECT name FROM system.disk_types WHERE name = 'local';
