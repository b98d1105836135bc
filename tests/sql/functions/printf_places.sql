-- Marks, sizes and precisions of C's printf.
SELECT printf('%#.3o|%#.2o|%#x|%#X|%#05x|%#010x|%#10.4x', 8, 8, 255, 255, 255, 255, 255);
SELECT printf('%Lf|%lf|%Ld|%hhd|%hhx|%hd', 1.5, 1.5, 1, 300, 300, 65537);
SELECT printf('%u|%d|%x|%hhu', -1, 18446744073709551615, toInt8(-1), -1);
SELECT printf('%+u|% u|%+x|%+d|% d|%+o', 1, 1, 1, 1, 1, 1);
SELECT printf('%#g|%#.3g|%#.0f|%#.0e|%#a|%#G', 1.0, 1.0, 1.0, 1.0, 1.0, 1e10);
SELECT printf('%f|%e|%g|%05f|%+f|%E|%F|%-6a|', inf, nan, -inf, inf, inf, inf, -inf, nan);
SELECT printf('%010.2f|%-10.2f|%+.1e|%G', -1.5, -1.5, -15000.0, 1e-10);
SELECT hex(printf('%s|%3s|%.1s|%c', unhex('ff'), unhex('fe'), 'éa', 233));
SELECT printf('%5s|%-5s|%.2s', 'é', 'é', 'éüö');
-- error: BAD_ARGUMENTS
SELECT printf('%99999999999s', 'a');
-- error: BAD_ARGUMENTS
SELECT printf('%qd', 1);
-- error: BAD_ARGUMENTS
SELECT printf('%\'d', 1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT printf('%');
