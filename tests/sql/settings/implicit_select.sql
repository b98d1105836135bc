-- A query may leave out its SELECT where the setting says so.
-- error: SYNTAX_ERROR
1 + 1;
SET implicit_select = 1;
1 + 1;
1 + 1, 2 AS b;
-5;
(1, 2);
(1 + 1) * 2;
[1, 2];
'abc';
NOT 1;
a + 1 FROM (SELECT 41 AS a);
number FROM numbers(3) WHERE number > 0 ORDER BY number DESC SETTINGS max_threads = 1;
* FROM numbers(2);
FROM numbers(2);
from numbers(2) where number = 1;
DISTINCT number % 2 AS k FROM numbers(5) ORDER BY k;
truncate(1.7), replace('abc', 'a', 'b');
exists(SELECT 1);
-- behind a comment
/* and another */ if(1, 2, 3);
(SELECT 1);
SELECT 7;
-- error: UNKNOWN_IDENTIFIER
nobody_knows_it;
-- error: SYNTAX_ERROR
SELECT 1 +;
SET implicit_select = 0;
-- error: SYNTAX_ERROR
1 + 1;
