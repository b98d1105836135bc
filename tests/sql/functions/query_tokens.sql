SELECT tokenizeQuery('SELECT 1') AS x, toTypeName(x);
SELECT tokenizeQuery('SELECT a.b, "q", `x`, \'s\' /* c */ -- d\n FROM t WHERE x = 1.5e3 AND y <> {p:Int} AND z::Int8 ?: [1,2]; $$a$$ @@v @ | || -> :: : ! != <= >= < > % / * + - # x\n \\G ^ 0x1F 1_000 ~ ≠');
SELECT arrayMap(t -> (substring('SELECT a.b, "q", x + 1e3 FROM t -- d', t.1 + 1, t.2 - t.1), t.3), tokenizeQuery('SELECT a.b, "q", x + 1e3 FROM t -- d'));
SELECT tokenizeQuery('SELECT \'abc'), tokenizeQuery('SELECT "abc'), tokenizeQuery('/* a'), tokenizeQuery(''), tokenizeQuery('&'), tokenizeQuery('1a'), tokenizeQuery('$a'), tokenizeQuery('a$b'), tokenizeQuery('<=>'), tokenizeQuery('$'), tokenizeQuery('@'), tokenizeQuery('‘a’'), tokenizeQuery('a--b'), tokenizeQuery('x\'ff\''), tokenizeQuery('b\'01\''), tokenizeQuery('1..2'), tokenizeQuery('.5'), tokenizeQuery('t.1.2'), tokenizeQuery('a^b'), tokenizeQuery('!a'), tokenizeQuery('==');
SELECT tokenizeQuery('1e5 1e+5 1e 0x 0b11 0b2 1_000 1__0 0x1F.8p3 1.e5 .e 5. 00 1.5.6 1e5x');
SELECT tokenizeQuery('a.1.2 t.1e5 -5 {x} [1] (1) a->b a::b a:b ?x @@a @b ~* !~ !~* ~ |> || | <=> <> != == = <= >= < > % ^ * / + - ; ,');
SELECT tokenizeQuery('"a""b" `a``b` \'a\'\'b\' \'a\\\'b\' "a\\"b"'), tokenizeQuery('“a” ‘b’'), tokenizeQuery('−1'), tokenizeQuery('#a'), tokenizeQuery('# a'), tokenizeQuery('#!a'), tokenizeQuery('\\G'), tokenizeQuery('\\'), tokenizeQuery('$x$abc$x$'), tokenizeQuery('$x$abc'), tokenizeQuery('$1'), tokenizeQuery('$$a'), tokenizeQuery('a$$b'), tokenizeQuery('äb'), tokenizeQuery('x\'4'), tokenizeQuery('X\'4F\''), tokenizeQuery('B\'1\''), tokenizeQuery('/* a /* b */ c */'), tokenizeQuery('--a\n b'), tokenizeQuery('/'), tokenizeQuery('a/*b*/c');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT tokenizeQuery(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT tokenizeQuery(toFixedString('a', 2));
SELECT tokenizeQuery(materialize('a b'));
