SET decimal_check_overflow = 0;
SELECT toDecimal32('4.2', 8) * 21, toDecimal32('4.2', 8) + 21, toDecimal32('4.2', 8) - 84;
SELECT toDecimal32(4.2, 8) / toDecimal32(0.00000001, 8), toDecimal64('999999999999999999', 0) * toDecimal64('999999999999999999', 0);
SELECT toDecimal128('42.42', 28) * toDecimal128('42.42', 10), toDecimal256('1e50', 10) * toDecimal256('1e50', 10);
SET decimal_check_overflow = 1;
-- error: DECIMAL_OVERFLOW
SELECT toDecimal32('4.2', 8) * 21;
