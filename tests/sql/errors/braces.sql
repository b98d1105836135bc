-- What ODBC writes in braces is no parameter.
-- error: SYNTAX_ERROR
SELECT {d '2021-11-01'} AS d;
-- error: SYNTAX_ERROR
SELECT {ts '2021-08-01 12:34:56'};
-- error: SYNTAX_ERROR
SELECT {t '12:34:56'};
-- error: SYNTAX_ERROR
SELECT {fn abs(-1)};
SET param_d = 1, param_fn = 'x', param_ts = 3;
SELECT {d:UInt8}, {fn:String}, {ts : UInt8};
