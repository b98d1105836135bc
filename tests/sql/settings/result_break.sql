SELECT number FROM numbers(100) SETTINGS max_result_rows=10, result_overflow_mode='break', max_block_size=5;
SELECT number FROM numbers(100) SETTINGS max_result_rows=10, result_overflow_mode='break', max_block_size=7;
SELECT number FROM numbers(100) SETTINGS max_result_rows=12, result_overflow_mode='break', max_block_size=5;
SELECT number FROM numbers(10) SETTINGS max_result_rows=10, result_overflow_mode='break', max_block_size=5;
SELECT number FROM numbers(100) SETTINGS max_result_rows=1, result_overflow_mode='break', max_block_size=5;
SELECT number FROM numbers(100) ORDER BY number SETTINGS max_result_rows=10, result_overflow_mode='break', max_block_size=5;
