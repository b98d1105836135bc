//! What statements look like to the parser.

use std::collections::BTreeMap;

use gristmill_base::ErrorCode;

use crate::tokens::{prepare, tokenize};

/// The tokens after all rewriting, with blanks between them.
fn rewritten(text: &str) -> String {
    let tokens = prepare(tokenize(text).expect(text), &BTreeMap::new()).expect(text);
    let words: Vec<String> = tokens.iter().map(|token| token.token.to_string()).filter(|text| text != "EOF").collect();
    words.join(" ")
}

#[test]
fn words_before_join_may_stand_in_any_order() {
    for text in ["SELECT 1 FROM a ANY LEFT JOIN b ON x = y", "SELECT 1 FROM a LEFT ANY JOIN b ON x = y"] {
        assert_eq!(rewritten(text), "SELECT 1 FROM a LEFT JOIN b ON __any_join x = y");
    }
    assert_eq!(
        rewritten("SELECT 1 FROM a GLOBAL ALL INNER JOIN b ON x = y"),
        "SELECT 1 FROM a INNER JOIN b ON __all_join x = y"
    );
    assert_eq!(rewritten("SELECT 1 FROM a SEMI LEFT JOIN b USING k"), "SELECT 1 FROM a LEFT SEMI JOIN b USING ( k )");
    assert_eq!(rewritten("SELECT 1 FROM a PASTE JOIN b"), "SELECT 1 FROM a CROSS APPLY b");
}

#[test]
fn using_gets_its_parentheses_and_the_strictness() {
    assert_eq!(rewritten("SELECT 1 FROM a JOIN b USING k, l"), "SELECT 1 FROM a INNER JOIN b USING ( k , l )");
    assert_eq!(
        rewritten("SELECT 1 FROM a ASOF JOIN b USING (k, t)"),
        "SELECT 1 FROM a INNER JOIN b USING ( __asof_join , k , t )"
    );
}

#[test]
fn nested_joins_keep_their_own_conditions() {
    let text = "SELECT 1 FROM a ANY JOIN (SELECT 2 FROM c JOIN d ON p = q) AS b ON x = y";
    let inner = "( SELECT 2 FROM c INNER JOIN d ON p = q )";
    assert_eq!(rewritten(text), format!("SELECT 1 FROM a INNER JOIN {inner} AS b ON __any_join x = y"));
}

#[test]
fn array_join_takes_expressions() {
    let text = "SELECT x FROM t LEFT ARRAY JOIN [1, 2] AS x, m AS y WHERE x > 1";
    assert_eq!(
        rewritten(text),
        "SELECT x FROM t LEFT ARRAY JOIN __array_join ( [ 1 , 2 ] @alias@ x , m @alias@ y ) WHERE x > 1"
    );
}

#[test]
fn operands_with_aliases_get_parentheses() {
    for (text, expected) in [
        (
            "SELECT CASE 1 AS x WHEN 1 AS y THEN x ELSE 0 AS z END",
            "SELECT CASE ( 1 @alias@ x ) WHEN ( 1 @alias@ y ) THEN x ELSE ( 0 @alias@ z ) END",
        ),
        (
            "SELECT CASE WHEN CASE a AS b WHEN 1 THEN 2 END AS c THEN c END AS d",
            "SELECT CASE WHEN ( CASE ( a @alias@ b ) WHEN 1 THEN 2 END @alias@ c ) THEN c END AS d",
        ),
        ("SELECT CAST(1 AS x AS String)", "SELECT CAST ( ( 1 @alias@ x ) AS String )"),
        ("SELECT CAST(1 AS x, 'String' AS t)", "SELECT CAST ( ( 1 @alias@ x ) , ( 'String' @alias@ t ) )"),
        ("SELECT CAST(1 AS Tuple(a Int8, b Int8))", "SELECT CAST ( 1 AS Tuple ( a Int8 , b Int8 ) )"),
        ("SELECT a[1 AS i], [1 AS b]", "SELECT a [ ( 1 @alias@ i ) ] , [ 1 @alias@ b ]"),
        ("SELECT INTERVAL 1 AS n DAY", "SELECT INTERVAL ( 1 @alias@ n ) DAY"),
        ("SELECT case AS c FROM t", "SELECT case AS c FROM t"),
    ] {
        assert_eq!(rewritten(text), expected);
    }
}

#[test]
fn several_limits_become_one() {
    assert_eq!(rewritten("SELECT a FROM t LIMIT 3 OFFSET 1"), "SELECT a FROM t LIMIT 3 OFFSET 1");
    assert_eq!(
        rewritten("SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1 BY a, b LIMIT 5"),
        "SELECT a FROM t ORDER BY a LIMIT __limits ( 2 , 1 , 5 , NULL , false , a , b )"
    );
    assert_eq!(
        rewritten("SELECT a FROM t ORDER BY a LIMIT 2 WITH TIES SETTINGS max_threads = 1"),
        "SELECT a FROM t ORDER BY a LIMIT __limits ( NULL , NULL , 2 , NULL , true ) SETTINGS max_threads = 1"
    );
}

#[test]
fn stars_with_changes_become_calls() {
    assert_eq!(rewritten("SELECT * FROM t"), "SELECT * FROM t");
    assert_eq!(rewritten("SELECT * EXCEPT SELECT 1"), "SELECT * EXCEPT SELECT 1");
    assert_eq!(
        rewritten("SELECT t.* EXCEPT (a) APPLY sum FROM t"),
        "SELECT __star ( t ) @except@ ( a ) @apply@ ( sum ) FROM t"
    );
    assert_eq!(
        rewritten("SELECT COLUMNS('a') REPLACE (b + 1 AS b) FROM t"),
        "SELECT COLUMNS ( 'a' ) @replace@ ( b + 1 @alias@ b ) FROM t"
    );
}

#[test]
fn literals_that_the_tokenizer_cuts_are_joined() {
    assert_eq!(rewritten("SELECT 0b101, 0 b101"), "SELECT 0b101 , 0 b101");
    assert_eq!(rewritten("SELECT (1,), f(1,), (1, 2,)"), "SELECT tuple ( 1 ) , f ( 1 ) , ( 1 , 2 )");
    assert_eq!(rewritten("SELECT 1 # the rest\n, 2"), "SELECT 1 , 2");
}

#[test]
fn scalar_aliases_of_with_become_subqueries() {
    assert_eq!(rewritten("WITH 1 + 1 AS two SELECT two"), "WITH two AS ( SELECT 1 + 1 AS __scalar_alias ) SELECT two");
    assert_eq!(rewritten("WITH t AS MATERIALIZED (SELECT 1) SELECT * FROM t"), "WITH t AS ( SELECT 1 ) SELECT * FROM t");
}

#[test]
fn parameters_are_constants_of_their_type() {
    let given = [("n", "it's"), ("t", "d.x"), ("i", "4")].map(|(name, value)| (name.to_string(), value.to_string()));
    let text = "SELECT {n:String}, {i:Int8} FROM {t:Identifier}";
    let tokens = prepare(tokenize(text).expect("tokens"), &BTreeMap::from(given)).expect("prepared");
    let words: Vec<String> = tokens.iter().map(|token| token.token.to_string()).filter(|text| text != "EOF").collect();
    assert_eq!(words.join(" "), "SELECT 'it\\'s' , _CAST ( 4 , 'Int8' ) FROM `d` . `x`");
}

#[test]
fn final_becomes_a_part_of_the_name() {
    assert_eq!(rewritten("SELECT 1 FROM t FINAL"), "SELECT 1 FROM t . __final");
    assert_eq!(rewritten("SELECT 1 FROM db.t AS a FINAL WHERE x"), "SELECT 1 FROM db . t . __final AS a WHERE x");
    assert_eq!(
        rewritten("SELECT 1 FROM `a b` x FINAL, u FINAL LEFT JOIN v FINAL ON y"),
        "SELECT 1 FROM `a b` . __final x , u . __final LEFT JOIN v . __final ON y"
    );
    assert_eq!(
        rewritten("SELECT x FROM (SELECT 1 FROM t FINAL) AS final"),
        "SELECT x FROM ( SELECT 1 FROM t . __final ) AS final"
    );
    for text in [
        "SELECT final FROM t",
        "SELECT 1 FROM t WHERE final",
        "SELECT 1 FROM t SETTINGS final = 1",
        "OPTIMIZE TABLE t FINAL",
    ] {
        assert_eq!(rewritten(text).to_lowercase(), text.to_lowercase());
    }
    for (text, code) in [
        ("SELECT 1 FROM numbers(3) FINAL", ErrorCode::ILLEGAL_FINAL),
        ("SELECT 1 FROM (SELECT 1) AS s FINAL", ErrorCode::UNSUPPORTED_METHOD),
    ] {
        let error = prepare(tokenize(text).expect(text), &BTreeMap::new()).expect_err(text);
        assert_eq!(error.code(), code, "{text}");
    }
}

#[test]
fn a_select_that_sorts_or_limits_before_a_union_gets_brackets() {
    assert_eq!(
        rewritten("SELECT a FROM t ORDER BY a LIMIT 1 UNION ALL SELECT b FROM u LIMIT 2"),
        "( SELECT a FROM t ORDER BY a LIMIT 1 ) UNION ALL SELECT b FROM u LIMIT 2"
    );
    assert_eq!(
        rewritten("INSERT INTO x SELECT 1 LIMIT 1 UNION ALL SELECT 2 LIMIT 1 UNION ALL SELECT 3"),
        "INSERT INTO x ( SELECT 1 LIMIT 1 ) UNION ALL ( SELECT 2 LIMIT 1 ) UNION ALL SELECT 3"
    );
    assert_eq!(
        rewritten("SELECT * FROM (SELECT 1 ORDER BY 1 EXCEPT SELECT 2) LIMIT 3"),
        "SELECT * FROM ( ( SELECT 1 ORDER BY 1 ) EXCEPT SELECT 2 ) LIMIT 3"
    );
    for plain in ["SELECT 1 UNION ALL SELECT 2 LIMIT 1", "SELECT sum ( a ) OVER ( ORDER BY a ) FROM t UNION ALL SELECT 2"] {
        assert_eq!(rewritten(plain), plain);
    }
}

#[test]
fn totals_without_keys_get_a_group_by() {
    assert_eq!(
        rewritten("SELECT count() FROM t WHERE a WITH TOTALS HAVING 1"),
        "SELECT count ( ) FROM t WHERE a GROUP BY __no_keys ( ) WITH TOTALS HAVING 1"
    );
    for plain in [
        "SELECT count ( ) FROM t GROUP BY a WITH TOTALS",
        "SELECT count ( ) FROM ( SELECT a FROM t ) GROUP BY a WITH TOTALS",
        "WITH totals AS ( SELECT 1 ) SELECT 2",
    ] {
        assert_eq!(rewritten(plain), plain);
    }
}

#[test]
fn parameters_of_a_view_that_is_made_stay() {
    assert_eq!(
        rewritten("CREATE OR REPLACE VIEW v AS SELECT {k:Array(String)}"),
        "CREATE OR REPLACE VIEW v AS SELECT __parameter ( 'k' , 'Array(String)' )"
    );
}

#[test]
fn what_is_explained_within_a_query_is_a_text() {
    assert_eq!(
        rewritten("SELECT 1 FROM (EXPLAIN AST SELECT 'a')"),
        r"SELECT 1 FROM ( SELECT * FROM viewExplain ( 'EXPLAIN AST SELECT \'a\'' ) )"
    );
    assert_eq!(
        rewritten("SELECT 1 FROM viewExplain('EXPLAIN', '', (SELECT 'a' UNION ALL (SELECT b))) AS e"),
        r"SELECT 1 FROM viewExplain ( 'EXPLAIN' , '' , 'SELECT \'a\' UNION ALL ( SELECT b )' ) AS e"
    );
}

#[test]
fn collations_go_around_their_keys() {
    assert_eq!(
        rewritten("SELECT a FROM t ORDER BY a || b DESC NULLS LAST COLLATE 'en', f(a, b) COLLATE 'de', b LIMIT 1"),
        "SELECT a FROM t ORDER BY __collate ( a || b , 'en' ) DESC NULLS LAST , __collate ( f ( a , b ) , 'de' ) , b LIMIT 1"
    );
    assert_eq!(
        rewritten("SELECT rank() OVER (ORDER BY a DESC COLLATE 'en') FROM (SELECT a ORDER BY a COLLATE 'tr' WITH FILL)"),
        "SELECT rank ( ) OVER ( ORDER BY __collate ( a , 'en' ) DESC ) FROM \
         ( SELECT a ORDER BY __collate ( a , 'tr' ) WITH FILL )"
    );
    for text in ["SELECT a COLLATE 'en'", "SELECT a ORDER BY a COLLATE 'en' DESC", "SELECT a GROUP BY a COLLATE 'en'"] {
        assert!(!rewritten(text).contains("__collate"));
    }
}
