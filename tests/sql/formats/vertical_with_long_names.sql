SELECT max(number) + max(number) + max(number), concat('a long text of an expression', toString(1)), 1 AS a_name_that_was_given_and_is_longer_than_that FROM numbers(3) FORMAT Vertical;
SELECT max(number) + max(number) + max(number) FROM numbers(3) FORMAT Vertical SETTINGS output_format_pretty_max_column_name_width_cut_to = 0;
