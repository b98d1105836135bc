//! Pruning never changes an answer, whatever the type of the key and the condition: random conditions over columns of the types in
//! `kinds.txt`, asked of a table with a sorting key and indexes, whose granules have three rows, and of one that has neither.
//! (`crates/mergetree/tests/it/pruning.rs` does the same with conditions as the optimiser makes them, over a few types.)

mod kinds;

use std::sync::LazyLock;

use arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use gristmill_base::{Error, Result};
use gristmill_engine::{Engine, EngineConfig, Session};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use self::kinds::{Kind, kinds};

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(kinds);

/// Conditions of any type that has an order, and of those that have none.
const ORDERED: [&str; 13] = [
    "@ = #",
    "@ != #",
    "@ < #",
    "@ <= #",
    "@ > #",
    "@ >= #",
    "# < @",
    "@ IN (#, #, #)",
    "@ NOT IN (#, #)",
    "@ BETWEEN # AND #",
    "isNull(@)",
    "isNotNull(@)",
    "NOT (@ = #)",
];
const UNORDERED: [&str; 3] = ["@ = #", "@ != #", "NOT (@ = #)"];

/// Tables of columns `a` and `b`, numbers of whose rows are in `n`, and conditions on them.
#[derive(Clone, Debug)]
struct Case {
    /// Behind `CREATE TABLE t `: columns and indexes; and what stands behind the engine.
    columns: String,
    indexes: String,
    clauses: String,
    inserts: Vec<String>,
    conditions: Vec<String>,
}

const NAMES: [&str; 2] = ["a", "b"];

fn any_leaf(kinds: [usize; 2]) -> BoxedStrategy<String> {
    let leaf = |which: usize| {
        let kind = &KINDS[kinds[which]];
        let own = prop::sample::select(kind.conditions.clone());
        let general = if kind.keys.is_empty() { &UNORDERED[..] } else { &ORDERED[..] };
        // A list of tuples that are no literals is read as one tuple.
        let general = general.iter().filter(|template| !(kind.is_tuple() && template.contains(" IN (")));
        let general = prop::sample::select(general.map(ToString::to_string).collect::<Vec<_>>());
        let constants = prop::collection::vec(prop::sample::select(kind.constants()), 3);
        (prop_oneof![3 => own, 2 => general], constants).prop_map(move |(template, constants)| {
            let mut text = template.replace('@', NAMES[which]);
            for constant in constants {
                text = text.replacen('#', &constant, 1);
            }
            text
        })
    };
    prop_oneof![leaf(0), leaf(1)].boxed()
}

fn any_condition(kinds: [usize; 2]) -> impl Strategy<Value = String> {
    any_leaf(kinds).prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) AND ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) OR ({b})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

/// Sorting keys and indexes; each is there or not.
fn any_definition(kinds: [usize; 2]) -> impl Strategy<Value = (String, String)> {
    let of = |which: usize| {
        let kind = &KINDS[kinds[which]];
        let named = |texts: &[String]| -> Vec<String> { texts.iter().map(|text| text.replace('@', NAMES[which])).collect() };
        let keys = named(&kind.keys);
        let key = match keys.is_empty() {
            true => Just(None).boxed(),
            false => prop::option::weighted(0.8, prop::sample::select(keys)).boxed(),
        };
        let indexes = named(&kind.indexes);
        let count = indexes.len();
        (key, prop::sample::subsequence(indexes, 0..=count))
    };
    (of(0), of(1), any::<bool>(), 1..3_u32, prop::sample::select(vec!["", "", " PARTITION BY n % 2"])).prop_map(
        |((first, of_first), (second, of_second), turned, granularity, partition)| {
            let mut keys: Vec<String> = first.into_iter().chain(second).collect();
            if turned {
                keys.reverse();
            }
            let indexes = of_first.iter().chain(&of_second).enumerate();
            let indexes = indexes.map(|(at, index)| format!(", INDEX i{at} {index} GRANULARITY {granularity}"));
            let settings = "index_granularity = 3, allow_nullable_key = 1";
            (indexes.collect::<String>(), format!("{partition} ORDER BY ({}) SETTINGS {settings}", keys.join(", ")))
        },
    )
}

/// `INSERT INTO table` of rows, without its beginning. Values are texts, which are cast.
fn insert(kinds: [usize; 2], rows: &[(String, String)], first: usize) -> String {
    let rows = rows.iter().enumerate();
    let tuples = rows.map(|(at, (a, b))| format!("({a}, {b}, {})", first + at)).collect::<Vec<_>>().join(", ");
    let [a, b] = [0, 1].map(|which| KINDS[kinds[which]].cast(&format!("x.{}", which + 1)));
    format!("SELECT {a}, {b}, x.3 FROM (SELECT arrayJoin([{tuples}]) AS x)")
}

fn any_case() -> impl Strategy<Value = Case> {
    (0..KINDS.len(), 0..KINDS.len()).prop_flat_map(|(a, b)| {
        let kinds = [a, b];
        let values = |which: usize| prop::sample::select(KINDS[kinds[which]].texts());
        let part = prop::collection::vec((values(0), values(1)), 1..40);
        let conditions = prop::collection::vec(any_condition(kinds), 12);
        (any_definition(kinds), prop::collection::vec(part, 1..3), conditions).prop_map(
            move |((indexes, clauses), parts, conditions)| {
                let mut first = 0;
                let inserts = parts.iter().map(|rows| {
                    let text = insert(kinds, rows, first);
                    first += rows.len();
                    text
                });
                Case {
                    columns: format!("a {}, b {}, n UInt32", KINDS[a].name, KINDS[b].name),
                    inserts: inserts.collect(),
                    indexes,
                    clauses,
                    conditions,
                }
            },
        )
    })
}

async fn ask(session: &mut Session, text: &str) -> Result<String> {
    let statement = Session::split(text)?.remove(0);
    let execution = session.execute(&statement, None).await?;
    let batches: Vec<_> = execution.rows.try_collect().await.map_err(Error::from)?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

async fn check(case: &Case) {
    let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
    let Case { columns, indexes, clauses, .. } = case;
    let tables = [
        format!("CREATE TABLE t ({columns}{indexes}) ENGINE = MergeTree{clauses}"),
        format!("CREATE TABLE p ({columns}) ENGINE = Memory"),
    ];
    for text in &tables {
        ask(&mut session, text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    for rows in &case.inserts {
        for table in ["t", "p"] {
            let text = format!("INSERT INTO {table} {rows}");
            ask(&mut session, &text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }
    for condition in &case.conditions {
        let query = |table: &str| format!("SELECT count(), sum(n) FROM {table} WHERE {condition}");
        // What fails over all rows may fail or not over some of them.
        let Ok(expected) = ask(&mut session, &query("p")).await else { continue };
        // A second time, when it is known what was left out.
        for _ in 0..2 {
            let found = ask(&mut session, &query("t")).await.unwrap_or_else(|error| panic!("{condition}: {error}"));
            assert_eq!(found, expected, "{condition} of {}", tables[0]);
        }
    }
}

#[test]
fn conditions_on_columns_of_any_type_find_the_rows_that_a_table_without_keys_finds() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
    let config = ProptestConfig { max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::with_cases(48) };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&any_case(), |case| {
        runtime.block_on(check(&case));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Lists of constants are intersected before any row is seen, and tell zeros by their signs as lists do that are asked of rows.
#[test]
fn zeros_of_each_sign_are_members_of_their_own_lists() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
    runtime.block_on(async {
        let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
        ask(&mut session, "CREATE TABLE z (a Float64) ENGINE = MergeTree ORDER BY a").await.expect("creates");
        ask(&mut session, "INSERT INTO z VALUES (0), (-0.), (1)").await.expect("inserts");
        let count = async |session: &mut Session, condition: &str| {
            ask(session, &format!("SELECT count() = 1 FROM z WHERE {condition}")).await.expect("counts")
        };
        let [one, other] = ["a IN (0, 5)", "a IN (-0., 7)"];
        let both = format!("{one} AND {other}");
        let alone = count(&mut session, one).await;
        assert_eq!(alone, count(&mut session, other).await);
        assert_eq!(alone, count(&mut session, &format!("{one} AND a IN (0., 7)")).await);
        assert_ne!(alone, count(&mut session, &both).await);
    });
}

/// What `kinds.txt` says of conditions may be wrong, so that all of them fail and nothing is compared.
#[test]
fn conditions_of_each_type_can_be_computed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
    runtime.block_on(async {
        let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
        for kind in KINDS.iter() {
            let columns = format!("a {}", kind.name);
            ask(&mut session, "DROP TABLE IF EXISTS k").await.expect("drops");
            ask(&mut session, &format!("CREATE TABLE k ({columns}) ENGINE = Memory")).await.expect(&columns);
            for condition in &kind.conditions {
                let query = format!("SELECT count() FROM k WHERE {}", condition.replace('@', "a"));
                ask(&mut session, &query).await.unwrap_or_else(|error| panic!("{columns}: {query}: {error}"));
            }
        }
    });
}
