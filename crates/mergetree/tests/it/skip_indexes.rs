//! Data skipping indexes leave granules out that nothing else does, follow the rows through merges and changes, are read
//! only by queries that can use them, and their damage is found.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, Int64Array, Int64Builder, ListBuilder, RecordBatch};
use arrow::datatypes::{DataType, Field};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, ident, lit};
use futures::TryStreamExt;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{MutationRequest, OptimizeRequest, RowChange, Table};
use gristmill_functions::{Argument, FunctionEnv, Registry, call};
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::read::explain_indexes;
use gristmill_mergetree::testing::{TableSpec, context, golden, insert, objects, session, store_of, write_golden};
use gristmill_mergetree::{MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Columns, SqlType};

const FINAL: OptimizeRequest = OptimizeRequest {
    partition: None,
    to_one_part: true,
    deduplicate: false,
    deduplicate_by: Vec::new(),
    cleanup: false,
    dry_run: None,
};

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1"), ("use_query_condition_cache", "0")]).expect("settings")
}

fn columns() -> Columns {
    Columns::of([
        ("k", SqlType::Int64),
        ("v", SqlType::Int64),
        ("s", SqlType::String),
        ("f", SqlType::Float64),
        ("xs", SqlType::array(SqlType::Int64)),
    ])
}

/// A number for each of a thousand, so that every granule has small and great ones: bounds of pages say nothing.
fn scattered(k: i64) -> i64 {
    k * 7919 % 1000
}

/// Lists whose elements are never NULL.
fn lists(values: impl Iterator<Item = Vec<i64>>) -> ArrayRef {
    let element = Field::new("item", DataType::Int64, false);
    let mut lists = ListBuilder::new(Int64Builder::new()).with_field(element);
    values.for_each(|values| lists.append_value(values.into_iter().map(Some)));
    Arc::new(lists.finish())
}

/// Rows `from..to` by `k`.
fn rows(from: i64, to: i64) -> RecordBatch {
    let numbers = || (from..to).map(scattered);
    let texts = numbers().map(|v| format!("the row {v} is éhre{v}"));
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(from..to)),
        Arc::new(Int64Array::from_iter_values(numbers())),
        Arc::new(BinaryViewArray::from_iter_values(texts)),
        Arc::new(Float64Array::from_iter_values(numbers().map(|v| v as f64 / 2.0))),
        lists(numbers().map(|v| vec![v, v + 5000])),
    ];
    RecordBatch::try_new(columns().arrow(), arrays).expect("fits")
}

/// Granules of ten rows.
fn spec() -> TableSpec {
    TableSpec::new(columns(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10)
}

async fn table(spec: &TableSpec) -> Arc<MergeTree> {
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    insert(&table, &settings(), vec![rows(0, 1000)]).await.expect("inserts");
    table
}

async fn try_count(table: &MergeTree, context: &Arc<QueryContext>, filter: Expr) -> Result<(usize, u64)> {
    let frame = session(context).read_table(table.read(context).await?)?.filter(filter)?;
    let batches: Vec<RecordBatch> = frame.execute_stream().await?.try_collect().await?;
    Ok((batches.iter().map(RecordBatch::num_rows).sum(), context.counters.get(Event::SelectedMarks)))
}

/// Rows that pass, and granules that were read for them.
async fn count(table: &MergeTree, filter: Expr) -> (usize, u64) {
    try_count(table, &settings(), filter).await.expect("reads")
}

fn text(text: &str) -> Expr {
    lit(ScalarValue::BinaryView(Some(text.as_bytes().to_vec())))
}

/// `name(column, constant)`, true where it is not 0.
fn is_true(name: &str, column: &str, constant: ScalarValue, kind: SqlType) -> Expr {
    let mut registry = Registry::default();
    gristmill_functions::strings::register(&mut registry);
    gristmill_functions::arrays::register(&mut registry);
    let env = FunctionEnv {
        timezone: Arc::from("UTC"),
        database: Arc::from("default"),
        user: Arc::from("default"),
        roles: Arc::default(),
        query_id: Arc::from(""),
        now_micros: 0,
        cast_keep_nullable: false,
        cast_string_to_date_time_mode: Arc::from("basic"),
        addresses: gristmill_functions::AddressRules::default(),
        range_elements_max: gristmill_functions::RANGE_ELEMENTS_MAX,
        json: gristmill_functions::JsonRules::default(),
        limits: gristmill_functions::FunctionLimits::default(),
        asker: gristmill_functions::Asker::default(),
    };
    let of = columns().get(column).expect("a column").kind.clone();
    let arguments = vec![
        (ident(column), Argument { kind: of, constant: None }),
        (lit(constant.clone()), Argument { kind, constant: Some(constant) }),
    ];
    call(&registry, name, arguments, &env).expect("a function that is there").0.not_eq(lit(0u8))
}

fn of_text(name: &str, constant: &str) -> Expr {
    is_true(name, "s", ScalarValue::BinaryView(Some(constant.as_bytes().to_vec())), SqlType::String)
}

fn has(value: i64) -> Expr {
    is_true("has", "xs", ScalarValue::Int64(Some(value)), SqlType::Int64)
}

fn list(values: &[i64]) -> ScalarValue {
    let values: Vec<ScalarValue> = values.iter().map(|value| ScalarValue::Int64(Some(*value))).collect();
    ScalarValue::List(ScalarValue::new_list(&values, &DataType::Int64, false))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_index_leaves_out_what_nothing_else_does() {
    let kinds = [
        ("bloom_filter(0.001)", "v"),
        ("set(0)", "v"),
        ("bloom_filter(0.001)", "s"),
        ("tokenbf_v1(512, 3, 0)", "s"),
        ("ngrambf_v1(4, 512, 3, 7)", "s"),
        ("bloom_filter(0.001)", "xs"),
        ("bloom_filter(0.001)", "f"),
        ("set(100)", "(v, s)"),
    ];
    let whole = text("the row 77 is éhre77");
    let asks: Vec<(Expr, usize, &[usize])> = vec![
        (ident("v").eq(lit(77i64)), 1, &[0, 1, 7]),
        (lit(77i64).eq(ident("v")), 1, &[0, 1, 7]),
        (ident("v").in_list(vec![lit(77i64), lit(78i64), lit(5000i64)], false), 2, &[0, 1, 7]),
        ((ident("v") + lit(1i64)).eq(lit(78i64)), 1, &[1, 7]),
        (ident("v").eq(lit(77i64)).or(ident("v").eq(lit(5000i64))), 1, &[0, 1, 7]),
        (ident("s").eq(whole.clone()), 1, &[2, 3, 4, 7]),
        (ident("s").in_list(vec![whole.clone(), text("no such row")], false), 1, &[2, 3, 4, 7]),
        (of_text("hasToken", "77"), 1, &[3, 7]),
        (of_text("like", "%row 77 is%"), 1, &[3, 4, 7]),
        (of_text("like", "the row 77 is %"), 1, &[3, 4, 7]),
        (of_text("startsWith", "the row 77 i"), 1, &[3, 4, 7]),
        (of_text("endsWith", " 77 is éhre77"), 1, &[3, 4, 7]),
        (of_text("match", "^the.* 77 is.*$"), 1, &[3, 4, 7]),
        (of_text("match", "w 77 |w 5000 "), 1, &[3, 4, 7]),
        (has(77), 1, &[5]),
        (has(5077), 1, &[5]),
        (is_true("hasAny", "xs", list(&[77, 5078, 9999]), SqlType::array(SqlType::Int64)), 2, &[5]),
        (is_true("hasAll", "xs", list(&[77, 5077]), SqlType::array(SqlType::Int64)), 1, &[5]),
        (ident("f").eq(lit(38.5)), 1, &[6]),
    ];
    for (place, (kind, expression)) in kinds.into_iter().enumerate() {
        let with = table(&spec().with_skip_index("i", expression, kind, 1)).await;
        for (ask, passes, by) in &asks {
            let what = format!("{ask} with {kind} of {expression}");
            let (found, granules) = count(&with, ask.clone()).await;
            assert_eq!(found, *passes, "{what}");
            let without = context(&[("use_skip_indexes", "0"), ("use_query_condition_cache", "0")]).expect("settings");
            let (_, without) = try_count(&with, &without, ask.clone()).await.expect("reads");
            assert!(without > 50, "{what}: {without} granules are left by everything else");
            match by.contains(&place) {
                true => assert!(granules <= 4, "{what}: {granules} granules are read"),
                false => assert_eq!(granules, without, "{what}"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_of_expressions_and_coarse_units() {
    // The thousand in tens of units of three granules.
    let with = table(&spec().with_skip_index("i", "f", "minmax", 3)).await;
    assert_eq!(count(&with, ident("f").gt(lit(1e9))).await, (0, 0));
    assert_eq!(count(&with, ident("f").is_null()).await, (0, 0));
    assert_eq!(count(&with, ident("f").lt(lit(1e9))).await, (1000, 100));
    // A filter of a unit: all granules of it stay.
    let with = table(&spec().with_skip_index("i", "v", "set(0)", 3)).await;
    assert_eq!(count(&with, ident("v").eq(lit(scattered(999)))).await, (1, 1), "the last unit has one granule");
    assert_eq!(count(&with, ident("v").eq(lit(scattered(500)))).await, (1, 3));
    // More values than the index keeps: it says nothing.
    let with = table(&spec().with_skip_index("i", "v", "set(9)", 1)).await;
    assert_eq!(count(&with, ident("v").eq(lit(77i64))).await.1, table_granules_by_bounds(77).await);
}

async fn table_granules_by_bounds(value: i64) -> u64 {
    let without = table(&spec()).await;
    count(&without, ident("v").eq(lit(value))).await.1
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_follows_the_rows_through_merges_and_changes() {
    let with = spec().with_skip_index("i", "v", "set(0)", 1);
    let table = with.open(MemoryStore::new()).await.expect("opens");
    for part in 0..10 {
        insert(&table, &settings(), vec![rows(part * 100, part * 100 + 100)]).await.expect("inserts");
    }
    assert_eq!(count(&table, ident("v").eq(lit(77i64))).await, (1, 1));
    table.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(table.parts().iter().filter(|part| part.active).count(), 1);
    assert_eq!(count(&table, ident("v").eq(lit(77i64))).await, (1, 1));
    let assignments = vec![("v".to_string(), "v + 10000".to_string())];
    let update = RowChange::Update { assignments, condition: "v = 77".to_string() };
    change(&table, update).await;
    assert_eq!(count(&table, ident("v").eq(lit(77i64))).await.0, 0);
    assert_eq!(count(&table, ident("v").eq(lit(10077i64))).await, (1, 1));
    let sizes = &table.parts().iter().find(|part| part.active).expect("a part").skip_indexes.clone();
    assert!(matches!(&sizes[..], [(name, compressed, uncompressed)] if name == "i" && *compressed > 0 && *uncompressed > 0));
}

async fn change(table: &MergeTree, change: RowChange) {
    let commands = vec!["(a change)".to_string()];
    let request = MutationRequest { changes: vec![change], commands, partition: None, at_once: false };
    let id = table.mutate(&settings(), request).await.expect("begins");
    table.finish_mutation(&settings(), &id).await.expect("is done");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_without_an_index_get_it_and_lose_it() {
    let first = table(&spec()).await;
    let by_bounds = count(&first, ident("v").eq(lit(77i64))).await.1;
    let with = spec().with_skip_index("i", "v", "set(0)", 1);
    let altered = with.alter(&first).expect("alters");
    assert_eq!(count(&altered, ident("v").eq(lit(77i64))).await, (1, by_bounds), "older parts lack it");
    change(&altered, RowChange::MaterializeIndex { key: "i".to_string() }).await;
    assert_eq!(count(&altered, ident("v").eq(lit(77i64))).await, (1, 1));
    change(&altered, RowChange::ClearIndex { key: "i".to_string() }).await;
    assert_eq!(count(&altered, ident("v").eq(lit(77i64))).await, (1, by_bounds));
    // Data that was written under another key is not this index's.
    change(&altered, RowChange::MaterializeIndex { key: "i".to_string() }).await;
    let mut cleared = with.clone();
    cleared.skip_indexes[0].key = "i#1".to_string();
    let cleared = cleared.alter(&altered).expect("alters");
    assert_eq!(count(&cleared, ident("v").eq(lit(77i64))).await, (1, by_bounds));
    // Neither an insert nor a merge makes it where it is not to.
    let lazy = with.with_setting("materialize_skip_indexes_on_merge", "0").open(MemoryStore::new()).await.expect("opens");
    let without = context(&[("materialize_skip_indexes_on_insert", "0"), ("max_threads", "1")]).expect("settings");
    insert(&lazy, &without, vec![rows(0, 500)]).await.expect("inserts");
    insert(&lazy, &settings(), vec![rows(500, 1000)]).await.expect("inserts");
    let has_index = |part: &gristmill_catalog::PartRow| !part.skip_indexes.is_empty();
    assert_eq!(lazy.parts().iter().map(has_index).collect::<Vec<_>>(), [false, true]);
    lazy.optimize(&settings(), FINAL).await.expect("merges");
    assert!(!lazy.parts().iter().filter(|part| part.active).any(has_index));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_read_by_queries_that_can_use_it_and_once() {
    let store = MemoryStore::new();
    let with = spec().with_skip_index("i", "v", "set(0)", 1).with_skip_index("j", "s", "bloom_filter(0.001)", 1);
    insert(&with.open(store.clone()).await.expect("opens"), &settings(), vec![rows(0, 1000)]).await.expect("inserts");
    let environment = MergeTreeEnvironment::for_tests();
    let table = with.open_in(store, environment.clone()).await.expect("opens again");
    let chunks = async |filter: Expr| {
        let context = settings();
        try_count(&table, &context, filter).await.expect("reads");
        let counters = &context.counters;
        (counters.get(Event::SkippingIndexCacheMisses), counters.get(Event::SkippingIndexCacheHits))
    };
    assert_eq!(chunks(ident("k").eq(lit(5i64))).await, (0, 0));
    assert_eq!(chunks(ident("f").gt(lit(1e9))).await, (0, 0));
    assert_eq!(environment.skip_indexes.report().bytes, 0);
    assert_eq!(chunks(ident("v").eq(lit(77i64))).await, (1, 0));
    assert!(environment.skip_indexes.report().bytes > 0);
    assert_eq!(chunks(ident("v").eq(lit(78i64))).await, (0, 1));
    assert_eq!(environment.skip_indexes.report().entries, 1);
    environment.skip_indexes.clear();
    assert_eq!(chunks(ident("v").eq(lit(79i64))).await, (1, 0));
    // One that is to be used and cannot be.
    let forced = |name: &str| context(&[("force_data_skipping_indices", name)]).expect("settings");
    try_count(&table, &forced("i, `j`"), ident("v").eq(lit(1i64))).await.expect_err("j says nothing of v");
    let error = try_count(&table, &forced("j"), ident("v").eq(lit(1i64))).await.expect_err("it says nothing of v");
    assert_eq!(error.code(), ErrorCode::INDEX_NOT_USED);
    try_count(&table, &forced("`i`"), ident("v").eq(lit(1i64))).await.expect("is used");
    let ignoring = context(&[("ignore_data_skipping_indices", "i")]).expect("settings");
    assert_eq!(
        try_count(&table, &ignoring, ident("v").eq(lit(77i64))).await.expect("reads").1,
        table_granules_by_bounds(77).await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_what_each_index_left() {
    let with =
        spec().with_skip_index("values", "(v, k)", "set(0)", 2).with_skip_index("filter", "v", "bloom_filter(0.0001)", 1);
    let table = table(&with).await;
    let context = settings();
    let frame = session(&context).read_table(table.read(&context).await.expect("pins")).expect("reads");
    let plan = frame.filter(ident("v").eq(lit(77i64))).expect("filters").create_physical_plan().await.expect("plans");
    let lines = explain_indexes(&plan);
    let skips = lines.iter().position(|line| line == "  Skip").expect("an index is used");
    let left = table_granules_by_bounds(77).await;
    assert_eq!(
        lines[skips..skips + 11],
        [
            "  Skip".to_string(),
            "    Name: filter".to_string(),
            "    Description: bloom_filter GRANULARITY 1".to_string(),
            "    Parts: 1/1".to_string(),
            // The row's, and one of which the filter is not sure.
            format!("    Granules: 2/{left}"),
            "  Skip".to_string(),
            "    Name: values".to_string(),
            "    Description: set GRANULARITY 2".to_string(),
            "    Condition: (v in [77, 77])".to_string(),
            "    Parts: 1/1".to_string(),
            "    Granules: 1/2".to_string(),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_byte_anywhere_in_an_index_is_found_and_named() {
    for kind in ["minmax", "set(0)", "bloom_filter", "tokenbf_v1(64, 2, 0)", "text(tokenizer = splitByNonAlpha)"] {
        let with = spec().with_skip_index("i", "s", kind, 10);
        let store = MemoryStore::new();
        let table = with.open(store.clone()).await.expect("opens");
        insert(&table, &settings(), vec![rows(0, 300)]).await.expect("inserts");
        let open = table.core().manifest.current().parts.values().next().expect("a part").clone();
        let open = table.core().open_part(&settings(), &open).await.expect("opens");
        let chunk = open.header.skip_indexes[0].chunks[0].clone();
        let whole = objects(&settings(), &store).await.expect("reads");
        let filter = || ident("s").eq(text("the row 77 is éhre77"));
        for at in (chunk.offset..chunk.offset + chunk.length).step_by(7) {
            let mut damaged = whole.clone();
            let part = damaged.iter_mut().find(|(key, _)| key.starts_with("parts/")).expect("a part").1;
            part[at as usize] ^= 0x20;
            let table = with.open(store_of(&settings(), damaged).await.expect("puts")).await.expect("opens");
            let error = try_count(&table, &settings(), filter()).await.expect_err("damage goes unnoticed");
            assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA, "{error}");
            assert!(error.to_string().contains("skip index i of part all_1_1_0"), "{error}");
            let without = context(&[("ignore_data_skipping_indices", "i")]).expect("settings");
            try_count(&table, &without, filter()).await.expect("the rows themselves are whole");
        }
    }
}

fn golden_spec() -> TableSpec {
    spec()
        .with_skip_index("bounds", "f", "minmax", 2)
        .with_skip_index("values", "(v, k)", "set(100)", 1)
        .with_skip_index("numbers", "xs", "bloom_filter(0.01)", 1)
        .with_skip_index("tokens", "s", "tokenbf_v1(128, 2, 3)", 1)
        .with_skip_index("grams", "s", "ngrambf_v1(4, 256, 2, 0)", 3)
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_of_a_folder_of_version_1_are_read() {
    let objects = golden("v1-skip-indexes").expect("golden files");
    let table = golden_spec().open(store_of(&settings(), objects).await.expect("puts")).await.expect("opens");
    let forced = |name: &str| context(&[("force_data_skipping_indices", name), ("max_threads", "1")]).expect("settings");
    for (index, filter) in [
        ("values", ident("v").eq(lit(763i64))),
        ("numbers", has(5763)),
        ("tokens", of_text("hasToken", "763")),
        ("grams", of_text("like", "%row 763 is%")),
    ] {
        let (found, granules) = try_count(&table, &forced(index), filter).await.expect("reads");
        assert_eq!(found, 1, "{index}");
        assert!(granules <= 3, "{index} leaves {granules} granules");
    }
    assert_eq!(try_count(&table, &forced("bounds"), ident("f").gt(lit(1e9))).await.expect("reads"), (0, 0));
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_files() {
    let store = MemoryStore::new();
    let table = golden_spec().open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![rows(0, 200)]).await.expect("inserts");
    write_golden("v1-skip-indexes", objects(&settings(), &store).await.expect("reads")).expect("writes");
}

/// Two indexes, each of which knows one side.
#[tokio::test(flavor = "multi_thread")]
async fn sides_of_an_or_are_asked_of_the_indexes_that_know_them() {
    let with =
        table(&spec().with_skip_index("iv", "v", "bloom_filter(0.0001)", 1).with_skip_index("is", "s", "set(0)", 1)).await;
    let row = || text("the row 78 is éhre78");
    let either = ident("v").eq(lit(77i64)).or(ident("s").eq(row()));
    let cases: Vec<(Expr, usize, u64)> = vec![
        (either.clone(), 2, 2),
        // A side of the sparse index.
        (ident("v").eq(lit(77i64)).or(ident("k").lt(lit(10i64))), 11, 2),
        (ident("v").eq(lit(77i64)).and(ident("k").gt(lit(0i64))).or(ident("s").eq(row())), 2, 2),
        (ident("k").gt_eq(lit(0i64)).and(either.clone().or(ident("v").eq(lit(79i64)))), 3, 3),
        (either.clone().and(ident("k").lt(lit(0i64))), 0, 0),
        // Nobody knows anything of a side: everything may pass.
        (either.clone().or((ident("k") % lit(1000i64)).eq(lit(5i64))), 3, 100),
    ];
    for (filter, passes, most) in cases {
        let (found, granules) = count(&with, filter.clone()).await;
        assert_eq!(found, passes, "{filter}");
        // A filter may be unsure of a granule.
        assert!(granules <= most + 1, "{filter}: {granules} granules are read");
    }
    let off = [("use_skip_indexes_for_disjunctions", "0"), ("use_query_condition_cache", "0")];
    let (_, granules) = try_count(&with, &context(&off).expect("settings"), either.clone()).await.expect("reads");
    assert!(granules > 50, "{granules} granules are read");
    let forced = context(&[("force_data_skipping_indices", "iv, is")]).expect("settings");
    try_count(&with, &forced, either.clone()).await.expect("both are used");
    let context = settings();
    let frame = session(&context).read_table(with.read(&context).await.expect("pins")).expect("reads");
    let plan = frame.filter(either).expect("filters").create_physical_plan().await.expect("plans");
    let lines = explain_indexes(&plan);
    let combined = lines.iter().position(|line| line == "    Name: <Combined skip indexes>").expect("it is told");
    assert_eq!(lines[combined + 1], "    Description: Final set of granules after AND/OR processing");
}

const WORDS: &str = "text(tokenizer = splitByNonAlpha)";

/// Of numbers that `scattered` gives, how many granules have them.
fn granules_of(numbers: &[i64]) -> u64 {
    let of = |number: &i64| (0..1000).find(|k| scattered(*k) == *number).expect("each of a thousand") / 10;
    numbers.iter().map(of).collect::<std::collections::BTreeSet<_>>().len() as u64
}

/// What tells of no granule that lacks a token, and of none besides.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_index_leaves_the_granules_that_have_the_tokens() {
    let with = table(&spec().with_skip_index("words", "s", WORDS, 100_000_000)).await;
    let needles = |texts: &[&str]| {
        let texts = texts.iter().map(|text| ScalarValue::BinaryView(Some(text.as_bytes().to_vec()))).collect::<Vec<_>>();
        ScalarValue::List(ScalarValue::new_list_nullable(&texts, &DataType::BinaryView))
    };
    let of_array = |name: &str, texts: &[&str]| is_true(name, "s", needles(texts), SqlType::array(SqlType::String));
    let either = granules_of(&[763, 764]);
    let cases: Vec<(&str, Expr, usize, u64)> = vec![
        ("a token", of_text("hasToken", "763"), 1, 1),
        ("a token of all", of_text("hasToken", "the"), 1000, 100),
        ("no token", of_text("hasToken", "1763"), 0, 0),
        ("both", of_text("hasAllTokens", "763, row"), 1, 1),
        ("never both", of_text("hasAllTokens", "763 764"), 0, 0),
        ("either", of_text("hasAnyTokens", "763 764"), 2, either),
        ("one of a list", of_array("hasAnyTokens", &["763", "764", "the row"]), 2, either),
        ("all of a list", of_array("hasAllTokens", &["row", "763"]), 1, 1),
        ("words of a phrase", of_text("hasPhrase", "row 763 is"), 1, 1),
        ("whole words of a pattern", of_text("like", "%row 763 is%"), 1, 1),
        ("an open word", of_text("like", "%row 763%"), 1, 100),
        ("a beginning", of_text("startsWith", "the row 763 "), 1, 1),
        ("an end", of_text("endsWith", " éhre763"), 1, 1),
        ("a value", ident("s").eq(text("the row 77 is éhre77")), 1, 1),
        ("no value", ident("s").eq(text("the row 77 is éhre78")), 0, 0),
        ("values", ident("s").in_list(vec![text("the row 763 is éhre763"), text("no")], false), 1, 1),
        ("not", Expr::Not(Box::new(of_text("hasToken", "763"))), 999, 100),
        ("or", of_text("hasToken", "763").or(of_text("hasToken", "764")), 2, either),
    ];
    for (name, filter, passes, granules) in cases {
        assert_eq!(count(&with, filter).await, (passes, granules), "{name}");
    }
    // Through a merge and a change of rows.
    insert(&with, &settings(), vec![rows(1000, 1200)]).await.expect("inserts");
    with.optimize(&settings(), FINAL).await.expect("merges");
    assert_eq!(with.parts().iter().filter(|part| part.active).count(), 1);
    assert_eq!(count(&with, of_text("hasToken", "763")).await.1, granules_of_many(763, 1200));
}

/// Granules with rows of a number, among so many rows.
fn granules_of_many(number: i64, rows: i64) -> u64 {
    let granules = (0..rows).filter(|k| scattered(*k) == number).map(|k| k / 10);
    granules.collect::<std::collections::BTreeSet<_>>().len() as u64
}

/// Calls that take texts apart otherwise are not asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_index_of_another_tokenizer_knows_what_it_can() {
    let grams = table(&spec().with_skip_index("grams", "s", "text(tokenizer = ngrams(3))", 1)).await;
    assert_eq!(count(&grams, of_text("hasAllTokens", "763")).await, (1, 100), "without a name these are words");
    assert_eq!(count(&grams, of_text("like", "%row 763%")).await, (1, 1));
    let (found, granules) = count(&grams, ident("s").eq(text("the row 77 is éhre77"))).await;
    assert!(found == 1 && granules <= 3, "{granules} granules: rows of one may have its n-grams together");
    let whole = table(&spec().with_skip_index("whole", "s", "text(tokenizer = array)", 1)).await;
    assert_eq!(count(&whole, ident("s").eq(text("the row 77 is éhre77"))).await, (1, 1));
    assert_eq!(count(&whole, ident("s").eq(text("the row 77 is"))).await, (0, 0));
    assert_eq!(count(&whole, of_text("like", "%row 763%")).await, (1, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_indexes_of_a_folder_of_version_2_are_read() {
    let objects = golden("v2-text-index").expect("golden files");
    let spec = spec().with_skip_index("words", "s", WORDS, 100_000_000);
    let table = spec.open(store_of(&settings(), objects).await.expect("puts")).await.expect("opens");
    let forced = context(&[("force_data_skipping_indices", "words"), ("max_threads", "1")]).expect("settings");
    assert_eq!(try_count(&table, &forced, of_text("hasToken", "763")).await.expect("reads"), (1, 1));
    assert_eq!(count(&table, of_text("hasAnyTokens", "none of these")).await, (0, 0));
}

/// Writes the golden folder. Run by hand, once a version of the format.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the golden files"]
async fn write_golden_text_index() {
    let store = MemoryStore::new();
    let table = spec().with_skip_index("words", "s", WORDS, 100_000_000).open(store.clone()).await.expect("opens");
    insert(&table, &settings(), vec![rows(0, 200)]).await.expect("inserts");
    write_golden("v2-text-index", objects(&settings(), &store).await.expect("reads")).expect("writes");
}
