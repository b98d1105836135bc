SELECT 'Hello' FROM (SELECT number FROM system.numbers LIMIT 10) WHERE number < 0 FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT sum(number) FROM (SELECT number FROM numbers(100) LIMIT 10) FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT number FROM (SELECT number FROM numbers(100) WHERE number < 20 ORDER BY number DESC LIMIT 10) WHERE number > 18 ORDER BY number FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT sum(number) FROM (SELECT number FROM numbers(100) LIMIT 10 UNION ALL SELECT number FROM numbers(5) LIMIT 2) FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT count() FROM (SELECT number FROM numbers(10)) FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
