SELECT 1 AS a$b, a$b + 1;
SELECT 1 AS $b;
SELECT 1 AS $b$;
SELECT a$b.x$ FROM (SELECT 1 AS x$) AS a$b;
SELECT $h$it's$h$, $$it's$$;
SET param_$v = 'x';
SELECT {$v:String};
SET param_a$b = 'y';
SELECT {a$b:String}
