//! Granules are left out where no row can pass, and never where one does.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BinaryViewArray, Date32Array, Float64Array, Int32Array, Int64Array, Int64Builder, ListBuilder,
    RecordBatch, TimestampSecondArray,
};
use arrow::datatypes::{DataType, Field, Int64Type};
use arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::functions_aggregate::expr_fn::{self, max, min};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, Operator, binary_expr, ident, lit};
use datafusion::physical_expr::create_physical_expr;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use gristmill_catalog::{KeyExpression, Table};
use gristmill_functions::{Argument, FunctionEnv, Registry, call};
use gristmill_introspect::Event;
use gristmill_mergetree::read::explain_indexes;
use gristmill_mergetree::testing::{TableSpec, context, insert, select, session};
use gristmill_mergetree::{MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

fn function_env() -> FunctionEnv {
    FunctionEnv {
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
    }
}

fn registry() -> Registry {
    Registry::standard().expect("functions")
}

/// `name(column, constant)`.
fn of_column(name: &str, column: &str, kind: SqlType, constant: ScalarValue, constant_kind: SqlType) -> (Expr, SqlType) {
    let arguments = vec![
        (ident(column), Argument { kind, constant: None }),
        (lit(constant.clone()), Argument { kind: constant_kind, constant: Some(constant) }),
    ];
    call(&registry(), name, arguments, &function_env()).expect("a function that is there")
}

fn key(text: &str, (logical, kind): (Expr, SqlType), columns: &Columns) -> KeyExpression {
    let schema = DFSchema::try_from(columns.arrow().as_ref().clone()).expect("schema");
    let physical = create_physical_expr(&logical, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default());
    KeyExpression { text: text.to_string(), kind, descending: false, logical, physical: physical.expect("compiles") }
}

/// `PARTITION BY intDiv(n, 100) ORDER BY s` over `s = toString(n)`, granules of 10 rows.
async fn by_hundreds(rows: i64) -> (Arc<MergeTree>, TableSpec, Arc<MemoryStore>) {
    let columns = Columns::of([("n", SqlType::Int64), ("s", SqlType::String)]);
    let mut spec = TableSpec::new(columns.clone(), &["s"], &[]).expect("spec").with_setting("index_granularity", 10);
    let hundred = of_column("intDiv", "n", SqlType::Int64, ScalarValue::UInt8(Some(100)), SqlType::UInt8);
    spec.partition = Some(vec![key("intDiv(n, 100)", hundred, &columns)]);
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values((0..rows).map(|n| n.to_string())));
    let batch = RecordBatch::try_new(columns.arrow(), vec![n, s]).expect("fits");
    let context = context(&[("max_partitions_per_insert_block", "0")]).expect("settings");
    insert(&table, &context, vec![batch]).await.expect("inserts");
    (table, spec, store)
}

/// Rows that pass, and parts and granules that were chosen.
async fn count(table: &MergeTree, filter: Expr) -> (usize, u64, u64) {
    let context = context(&[]).expect("settings");
    let session = session(&context);
    let frame =
        session.read_table(table.read(&context).await.expect("pins")).expect("reads").filter(filter).expect("filters");
    let batches: Vec<RecordBatch> = frame.execute_stream().await.expect("runs").try_collect().await.expect("reads");
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    (rows, context.counters.get(Event::SelectedParts), context.counters.get(Event::SelectedMarks))
}

fn text(text: impl ToString) -> Expr {
    lit(ScalarValue::BinaryView(Some(text.to_string().into_bytes())))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_of_a_thousand_keys_over_a_thousand_parts_reads_few_granules_of_each() {
    let (table, ..) = by_hundreds(100_000).await;
    assert_eq!(table.parts().len(), 1000);
    let wanted: Vec<Expr> = (0..1000).map(|i| text(i * 100 + 55)).collect();
    // One granule a part, and for parts 1 to 99 ten more: as texts, 1055 and 1155 lie among 100 to 199.
    assert_eq!(count(&table, ident("s").in_list(wanted, false)).await, (1000, 1000, 1990));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_condition_leaves_out_what_it_can() {
    let (table, ..) = by_hundreds(1000).await;
    let begins =
        of_column("startsWith", "s", SqlType::String, ScalarValue::BinaryView(Some(b"12".to_vec())), SqlType::String).0;
    let like = of_column("like", "s", SqlType::String, ScalarValue::BinaryView(Some(b"12_".to_vec())), SqlType::String).0;
    let hundred = of_column("intDiv", "n", SqlType::Int64, ScalarValue::UInt8(Some(100)), SqlType::UInt8).0;
    let is_true = |function: Expr| function.not_eq(lit(0u8));
    let cases: Vec<(&str, Expr, (usize, u64, u64))> = vec![
        // The partition key is computed from n: its range is in the manifest.
        ("n = 123", ident("n").eq(lit(123i64)), (1, 1, 1)),
        ("n >= 950", ident("n").gt_eq(lit(950i64)), (50, 1, 5)),
        ("between", ident("n").between(lit(195i64), lit(204i64)), (10, 2, 2)),
        ("intDiv(n, 100) = 3", hundred.clone().eq(lit(3i64)), (100, 1, 10)),
        ("not", Expr::Not(Box::new(ident("n").lt(lit(950i64)))), (50, 1, 5)),
        ("startsWith", is_true(begins), (11, 2, 3)),
        ("like", is_true(like), (10, 2, 3)),
        // The sparse index knows nothing of n, the bounds in pages of both columns do.
        ("or", ident("n").eq(lit(5i64)).or(ident("s").eq(text("777"))), (2, 2, 7)),
        ("_partition_id", ident("_partition_id").eq(text("4")), (100, 1, 10)),
        ("no such", ident("s").eq(text("x")), (0, 0, 0)),
        ("null", ident("s").is_null(), (0, 0, 0)),
    ];
    for (name, filter, expected) in cases {
        assert_eq!(count(&table, filter).await, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_what_each_index_left() {
    let (table, ..) = by_hundreds(1000).await;
    let context = context(&[]).expect("settings");
    let filter = ident("n").gt_eq(lit(800i64)).and(ident("s").eq(text("855")));
    let frame = session(&context).read_table(table.read(&context).await.expect("pins")).expect("reads");
    let plan = frame.filter(filter).expect("filters").create_physical_plan().await.expect("plans");
    let expected = "ReadFromMergeTree (default.t)
Indexes:
  Min-Max
    Keys:
      n
    Condition: (n in [800, +Inf))
    Parts: 2/10
    Granules: 20/100
  Partition
    Keys:
      intDiv(n, 100)
    Condition: (intDiv(n, 100) in [8, +Inf))
    Parts: 2/2
    Granules: 20/20
  PrimaryKey
    Keys:
      s
    Condition: (s in ['855', '855'])
    Parts: 1/2
    Granules: 1/20
  Statistics
    Keys:
      n
      s
    Condition: and((n in [800, +Inf)), (s in ['855', '855']))
    Parts: 1/1
    Granules: 1/1
Prewhere
  Prewhere filter column: s = '855'";
    assert_eq!(explain_indexes(&plan).join("\n"), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_by_time_leaves_parts_out_before_they_are_opened() {
    let columns = Columns::of([("k", SqlType::Int64), ("t", SqlType::DateTime(None))]);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec");
    let store = MemoryStore::new();
    let table = spec.open(store.clone()).await.expect("opens");
    for day in 0..5 {
        let k: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        let t: ArrayRef = Arc::new(TimestampSecondArray::from_iter_values((0..10).map(|i| day * 86_400 + i)));
        let batch = RecordBatch::try_new(columns.arrow(), vec![k, t]).expect("fits");
        insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
    }
    let environment = MergeTreeEnvironment::for_tests();
    let reopened = spec.open_in(store, environment.clone()).await.expect("opens again");
    let midnight = lit(ScalarValue::TimestampSecond(Some(4 * 86_400), None));
    let bytes_before = environment.parts.bytes();
    assert_eq!(count(&reopened, ident("t").gt_eq(midnight)).await, (10, 1, 1));
    let one = environment.parts.bytes() - bytes_before;
    assert_eq!(count(&reopened, ident("k").gt_eq(lit(0i64))).await, (50, 5, 5));
    assert_eq!(environment.parts.bytes() - bytes_before, one * 5, "only the one part had been opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn count_is_answered_by_the_manifest() {
    let (_, spec, store) = by_hundreds(1000).await;
    let environment = MergeTreeEnvironment::for_tests();
    let table = spec.open_in(store, environment.clone()).await.expect("opens");
    let context = context(&[]).expect("settings");
    let counted = select(&table, &context, "SELECT count(*) FROM t").await.expect("counts");
    assert_eq!(counted[0].column(0).as_primitive::<Int64Type>().value(0), 1000);
    assert_eq!(environment.parts.bytes(), 0, "no part was opened");
    assert_eq!(context.counters.get(Event::SelectedRows), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_whole_granules_are_counted_by_the_index() {
    let columns = Columns::of([("k", SqlType::Int64)]);
    let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10);
    let table = spec.open(MemoryStore::new()).await.expect("opens");
    let k: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
    let batch = RecordBatch::try_new(columns.arrow(), vec![k]).expect("fits");
    insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
    let query = "SELECT count(*) FROM t WHERE k BETWEEN 1234 AND 9123";
    for (implicit, expected) in [("1", 20), ("0", 7900)] {
        let context = context(&[("optimize_use_implicit_projections", implicit)]).expect("settings");
        let counted = select(&table, &context, query).await.expect("counts");
        assert_eq!(counted[0].column(0).as_primitive::<Int64Type>().value(0), 7890);
        assert_eq!(context.counters.get(Event::SelectedRows), expected, "{implicit}");
    }
}

/// Lists whose elements are never NULL.
fn lists(values: impl Iterator<Item = Vec<i64>>) -> ArrayRef {
    let element = Field::new("item", DataType::Int64, false);
    let mut lists = ListBuilder::new(Int64Builder::new()).with_field(element);
    values.for_each(|values| lists.append_value(values.into_iter().map(Some)));
    Arc::new(lists.finish())
}

/// Rows of every awkward kind: NaN, both zeros, NULL, equal keys.
fn any_rows() -> impl Strategy<Value = RecordBatch> {
    let list = proptest::collection::vec(-3i64..4, 0..3);
    // Days of the end of a year and of the beginning of the next.
    let row = (-12i64..13, "[a-cé ]{0,4}", 0usize..7, proptest::option::of(-2i32..3), 345i32..385, list);
    proptest::collection::vec(row, 1..120).prop_map(|rows| {
        let floats = [f64::NAN, -f64::NAN, -0.0, 0.0, 1.5, f64::INFINITY, -2.0];
        let a: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0)));
        let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|row| row.1.as_bytes())));
        let f: ArrayRef = Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| floats[row.2])));
        let m: ArrayRef = Arc::new(Int32Array::from_iter(rows.iter().map(|row| row.3)));
        let d: ArrayRef = Arc::new(Date32Array::from_iter_values(rows.iter().map(|row| row.4)));
        let xs = lists(rows.iter().map(|row| row.5.clone()));
        RecordBatch::try_new(awkward().arrow(), vec![a, s, f, m, d, xs]).expect("fits")
    })
}

fn awkward() -> Columns {
    Columns::of([
        ("a", SqlType::Int64),
        ("s", SqlType::String),
        ("f", SqlType::Float64),
        ("m", SqlType::Int32.nullable()),
        ("d", SqlType::Date),
        ("xs", SqlType::array(SqlType::Int64)),
    ])
}

/// Functions that fall, or are monotonic within some range of their argument alone: results wrap beyond it.
fn any_monotonic() -> impl Strategy<Value = (Expr, ScalarValue)> {
    let a = |name: &'static str, constant: i64| {
        let constant = ScalarValue::Int64(Some(constant));
        of_column(name, "a", SqlType::Int64, constant, SqlType::Int64)
    };
    let negated = |kind: SqlType, column: &str| {
        let arguments = vec![(ident(column), Argument { kind, constant: None })];
        call(&registry(), "negate", arguments, &function_env()).expect("a function that is there")
    };
    let functions = vec![
        a("intDiv", -2),
        a("minus", 1),
        a("plus", i64::MAX - 1),
        a("multiply", -2),
        a("multiply", 1 << 62),
        negated(SqlType::Int64, "a"),
        negated(SqlType::Int32.nullable(), "m"),
    ];
    let values = prop_oneof![4 => -7..8_i64, 1 => (-2..2_i64).prop_map(|value| value << 62), 1 => i64::MAX - 4..i64::MAX];
    (prop::sample::select(functions), values).prop_map(|((expr, kind), value)| {
        let value = ScalarValue::Int64(Some(value)).cast_to(&kind.plain().arrow());
        (expr, value.unwrap_or(ScalarValue::Int32(Some(-1))))
    })
}

/// `name(column)`
fn of_column_alone(name: &str, column: &str, kind: SqlType) -> Expr {
    let arguments = vec![(ident(column), Argument { kind, constant: None })];
    call(&registry(), name, arguments, &function_env()).expect("a function that is there").0
}

/// Functions that are in the order of their argument within stretches of it, or that have an inverse; and a value.
fn any_stretch() -> impl Strategy<Value = (Expr, Expr)> {
    let of_day = |name: &str| of_column_alone(name, "d", SqlType::Date);
    let byte = |value: u8| lit(value);
    let (month, quarter, of_month) = (of_day("toMonth"), of_day("toQuarter"), of_day("toDayOfMonth"));
    let (of_week, of_year, week) = (of_day("toDayOfWeek"), of_day("toDayOfYear"), of_day("toWeek"));
    let (year_week, shown_day) = (of_day("toYearWeek"), of_day("toString"));
    let shown = of_column_alone("toString", "a", SqlType::Int64);
    let distance = of_column_alone("abs", "a", SqlType::Int64);
    let nullable_distance = of_column_alone("abs", "m", SqlType::Int32.nullable());
    let defaulted = |name: &'static str, default: i32| {
        of_column(name, "m", SqlType::Int32.nullable(), ScalarValue::Int32(Some(default)), SqlType::Int32).0
    };
    let present = of_column_alone("assumeNotNull", "m", SqlType::Int32.nullable());
    let of_float = |name: &str| of_column_alone(name, "f", SqlType::Float64);
    let of_floats = vec![
        of_float("floor"),
        of_float("negate"),
        of_float("abs"),
        of_float("toFloat32"),
        binary_expr(ident("f"), Operator::Plus, lit(1.0)),
        binary_expr(lit(1.0), Operator::Minus, ident("f")),
        binary_expr(ident("f"), Operator::Multiply, lit(-2.0)),
        binary_expr(ident("f"), Operator::Divide, lit(2.0)),
    ];
    let float = |(expr, value): (Expr, f64)| {
        let is_narrow = matches!(&expr, Expr::ScalarFunction(call) if call.func.name() == "toFloat32");
        let value = if is_narrow { lit(value as f32) } else { lit(value) };
        (expr, value)
    };
    // Not minus infinity: what is less in Arrow's order is NaN with its sign set, and a query asks beside that it is no NaN.
    let floats = prop::sample::select(vec![f64::NAN, f64::INFINITY, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0]);
    prop_oneof![
        (-3..4i32).prop_map(move |value| (present.clone(), lit(value))),
        (prop::sample::select(of_floats), floats).prop_map(float),
        (0..14u8).prop_map(move |value| (month.clone(), byte(value))),
        (0..6u8).prop_map(move |value| (quarter.clone(), byte(value))),
        (0..33u8).prop_map(move |value| (of_month.clone(), byte(value))),
        (0..9u8).prop_map(move |value| (of_week.clone(), byte(value))),
        prop_oneof![0..20u16, 345..368u16].prop_map(move |value| (of_year.clone(), lit(value))),
        prop_oneof![0..4u8, 48..54u8].prop_map(move |value| (week.clone(), byte(value))),
        prop_oneof![197048..197054u32, 197100..197104u32].prop_map(move |value| (year_week.clone(), lit(value))),
        "197[01]-(01|12)-[0-3][0-9]".prop_map(move |value| (shown_day.clone(), text(value))),
        "-?1?[0-9]".prop_map(move |value| (shown.clone(), text(value))),
        (0..14u64).prop_map(move |value| (distance.clone(), lit(value))),
        (0..4u32).prop_map(move |value| (nullable_distance.clone(), lit(value))),
        (-3..4i32, -3..4i32).prop_map(move |(default, value)| (defaulted("ifNull", default), lit(value))),
        (-3..4i32, -3..4i32).prop_map(move |(default, value)| (defaulted("coalesce", default), lit(value))),
    ]
}

fn any_leaf() -> impl Strategy<Value = Expr> {
    let value = prop_oneof![
        any_monotonic().prop_map(|(expr, value)| (expr, lit(value))),
        (-4i64..5).prop_map(|value| (ident("a"), lit(value))),
        "[a-c]{0,2}".prop_map(|value| (ident("s"), text(value))),
        prop_oneof![Just(f64::NAN), Just(-0.0), Just(0.0), Just(1.0), Just(f64::INFINITY)]
            .prop_map(|value| (ident("f"), lit(value))),
        (-3i32..4).prop_map(|value| (ident("m"), lit(value))),
        (345i32..385).prop_map(|value| (ident("d"), lit(ScalarValue::Date32(Some(value))))),
        any_stretch(),
        (-1i64..2).prop_map(|value| {
            (of_column("intDiv", "a", SqlType::Int64, ScalarValue::UInt8(Some(2)), SqlType::UInt8).0, lit(value))
        }),
    ];
    (value, 0..9usize, any::<bool>()).prop_map(|((expr, value), operator, flag)| match operator {
        0 => expr.eq(value),
        1 => expr.not_eq(value),
        2 => expr.lt(value),
        3 => expr.lt_eq(value),
        4 => expr.gt(value),
        5 => expr.gt_eq(value),
        6 => expr.is_null(),
        7 => expr.is_not_null(),
        _ => expr.clone().in_list(vec![value.clone(), value], flag),
    })
}

/// Functions of texts and arrays, as conditions.
fn any_search() -> impl Strategy<Value = Expr> {
    let of_text = |name: &'static str| {
        move |constant: String| {
            let constant = ScalarValue::BinaryView(Some(constant.into_bytes()));
            of_column(name, "s", SqlType::String, constant, SqlType::String).0.not_eq(lit(0u8))
        }
    };
    prop_oneof![
        "[a-cé %_]{0,4}".prop_map(of_text("like")),
        "[a-cé ]{0,3}".prop_map(of_text("startsWith")),
        "[a-cé ]{0,3}".prop_map(of_text("endsWith")),
        "[a-c]{1,2}".prop_map(of_text("hasToken")),
        "[a-cé ]{0,4}".prop_map(of_text("hasAnyTokens")),
        "[a-cé ]{0,4}".prop_map(of_text("hasAllTokens")),
        "\\^?[a-c ]{1,3}([.][*]|[|]|[|]\\^|[+])?[a-c ]{0,2}\\$?".prop_map(of_text("match")),
        // What begins with a text comes as such a range.
        ("[a-cé ]{0,3}", "[a-cé ]{0,3}").prop_map(|(low, high)| ident("s").gt_eq(text(low)).and(ident("s").lt(text(high)))),
        ("[a-cé ]{0,2}", "[a-b]").prop_map(|(start, last)| {
            let next = if last == "a" { "b" } else { "c" };
            ident("s").gt_eq(text(format!("{start}{last}"))).and(ident("s").lt(text(format!("{start}{next}"))))
        }),
        proptest::collection::vec(-13i64..14, 0..4).prop_map(|values| {
            let array = ScalarValue::List(ScalarValue::new_list_nullable(
                &values.into_iter().map(|value| ScalarValue::Int64(Some(value))).collect::<Vec<_>>(),
                &DataType::Int64,
            ));
            let kind = SqlType::array(SqlType::Int64);
            let arguments = vec![
                (lit(array.clone()), Argument { kind, constant: Some(array) }),
                (ident("a"), Argument { kind: SqlType::Int64, constant: None }),
            ];
            call(&registry(), "has", arguments, &function_env()).expect("a function that is there").0.not_eq(lit(0u8))
        }),
        (-4i64..5, 0..3u64).prop_map(|(value, least)| {
            let value = ScalarValue::Int64(Some(value));
            of_column("indexOf", "xs", SqlType::array(SqlType::Int64), value, SqlType::Int64).0.gt(lit(least))
        }),
        (-4i64..5).prop_map(|value| {
            let value = ScalarValue::Int64(Some(value));
            of_column("has", "xs", SqlType::array(SqlType::Int64), value, SqlType::Int64).0.not_eq(lit(0u8))
        }),
    ]
}

fn any_filter() -> impl Strategy<Value = Expr> {
    prop_oneof![3 => any_leaf().boxed(), 1 => any_search().boxed()].prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            inner.prop_map(|a| Expr::Not(Box::new(a))),
        ]
    })
}

/// Skip indexes of every kind over every column that has values of the kind.
fn with_skip_indexes(mut spec: TableSpec) -> TableSpec {
    for (place, column) in ["a", "s", "f", "m", "d", "(a, s, m)", "xs"].into_iter().enumerate() {
        let mut add = |kind: &str, granularity| {
            spec = spec.clone().with_skip_index(&format!("{kind} {place}"), column, kind, granularity);
        };
        add("minmax", 2);
        add("set(0)", 1);
        add("set(4)", 3);
        add("bloom_filter(0.01)", 1);
        if column == "s" {
            add("tokenbf_v1(64, 2, 0)", 1);
            add("ngrambf_v1(2, 64, 2, 5)", 2);
            add("ngrambf_v1(1, 64, 2, 5)", 1);
            add("text(tokenizer = splitByNonAlpha)", 1);
        }
    }
    spec
}

/// Projections in other orders, of all columns or of some.
fn with_projections(spec: TableSpec) -> TableSpec {
    let spec = spec.with_projection("by s", &["*"], &["s", "f"]).with_projection("by m", &["a", "s", "m"], &["m", "a"]);
    spec.with_projection("by d", &["*"], &["d", "s"]).with_projection("by f", &["f", "a", "d"], &["f"])
}

/// The keys that tables are tried with.
fn awkward_spec(which: usize) -> TableSpec {
    let (columns, with_indexes, projects, which) = (awkward(), (18..36).contains(&which), which >= 36, which % 18);
    let keys: [&[&str]; 6] = [&["a", "s"], &["s", "a"], &["f", "a"], &["m", "s", "d"], &["d", "a", "f"], &[]];
    let mut spec = TableSpec::new(columns.clone(), keys[which % keys.len()], &[]).expect("spec");
    let halved = of_column("intDiv", "a", SqlType::Int64, ScalarValue::UInt8(Some(2)), SqlType::UInt8);
    match which / keys.len() {
        0 => {}
        1 => spec.partition = Some(vec![key("d", (ident("d"), SqlType::Date), &columns)]),
        _ => spec.sorting.insert(0, key("intDiv(a, 2)", halved, &columns)),
    }
    let spec = spec.with_setting("index_granularity", 3);
    match (with_indexes, projects) {
        (true, _) => with_skip_indexes(spec),
        (_, true) => with_projections(spec),
        _ => spec,
    }
}

/// The first rows of a query in an order, as text, one after the other.
async fn first(session: &SessionContext, table: Arc<dyn TableProvider>, query: &Query) -> String {
    let Query { filter, order, then, ascending, nulls_first, limit } = query;
    let frame = session.read_table(table).expect("reads").filter(filter.clone()).expect("filters");
    let keys: Vec<Expr> = std::iter::once(*order).chain(*then).map(ident).collect();
    let sort = keys.iter().map(|key| key.clone().sort(*ascending, *nulls_first)).collect();
    let frame = frame.sort(sort).expect("sorts").limit(0, *limit).expect("limits");
    let frame = frame.select(keys.into_iter().chain([ident("s").is_not_null()]).collect::<Vec<_>>()).expect("selects");
    let batches: Vec<RecordBatch> = frame.execute_stream().await.expect("runs").try_collect().await.expect("reads");
    let batches: Vec<RecordBatch> = batches.into_iter().filter(|batch| batch.num_rows() > 0).collect();
    let shown = pretty_format_batches(&batches).expect("shown").to_string();
    // Both zeros are one value: which of them comes first is not said.
    let cells = shown.lines().filter(|line| !line.starts_with('+')).flat_map(str::split_whitespace);
    cells.map(|cell| if cell == "-0.0" { "0.0" } else { cell }).collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Debug)]
struct Query {
    filter: Expr,
    order: &'static str,
    then: Option<&'static str>,
    ascending: bool,
    nulls_first: bool,
    limit: Option<usize>,
}

fn any_query() -> impl Strategy<Value = Query> {
    let order = prop_oneof![Just("a"), Just("s"), Just("f"), Just("m"), Just("d")];
    let then = proptest::option::of(prop_oneof![Just("a"), Just("s"), Just("d")]);
    let limit = proptest::option::of(1..20usize);
    (any_filter(), order, then, any::<bool>(), any::<bool>(), limit).prop_map(
        |(filter, order, then, ascending, nulls_first, limit)| {
            // Zeros that are equal may come in any order, and what is sorted behind them too.
            let then = then.filter(|then| order != "f" && *then != order);
            Query { filter, order, then, ascending, nulls_first, limit }
        },
    )
}

/// Rows that pass, least and greatest of columns, as text.
async fn summary(
    session: &SessionContext,
    table: Arc<dyn TableProvider>,
    filter: Option<&Expr>,
    columns: &[&str],
) -> String {
    let mut frame = session.read_table(table).expect("reads");
    if let Some(filter) = filter {
        frame = frame.filter(filter.clone()).expect("filters");
    }
    let bounds = columns.iter().flat_map(|name| [min(ident(*name)), max(ident(*name))]);
    let all = bounds.chain([expr_fn::count(lit(1i64))]).collect();
    let frame = frame.aggregate(vec![], all).expect("aggregates");
    let batches: Vec<RecordBatch> = frame.execute_stream().await.expect("runs").try_collect().await.expect("reads");
    pretty_format_batches(&batches).expect("shown").to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn order_limit_and_summaries_are_those_of_all_rows(batches in proptest::collection::vec(any_rows(), 1..4), query in any_query(), which in 0..36usize, keeps in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            // Without indexes, or with projections.
            let which = if which < 18 { which } else { which + 18 };
            let table = awkward_spec(which).open(MemoryStore::new()).await.expect("opens");
            let settings = context(&[("use_uncompressed_cache", if keeps { "1" } else { "0" })]).expect("settings");
            for batch in &batches {
                insert(&table, &settings, vec![batch.clone()]).await.expect("inserts");
            }
            let plain: Arc<dyn TableProvider> = Arc::new(MemTable::try_new(awkward().arrow(), vec![batches.clone()]).expect("a table"));
            let session = session(&settings);
            // A second time, when granules may be in memory, and what the conditions left out is known.
            for _ in 0..2 {
                let found = first(&session, table.read(&settings).await.expect("pins"), &query).await;
                assert_eq!(found, first(&session, plain.clone(), &query).await, "{query:?} over key {which}");
            }
            // Bounds of the first two are known to parts, those of the others are not.
            for (filter, columns) in [(None, &["a", "d"][..]), (None, &["a", "s", "m"]), (Some(&query.filter), &["a", "d"]), (Some(&query.filter), &[])] {
                let found = summary(&session, table.read(&settings).await.expect("pins"), filter, columns).await;
                assert_eq!(found, summary(&session, plain.clone(), filter, columns).await, "{filter:?} over key {which}");
            }
        });
    }

    #[test]
    fn no_row_that_passes_is_ever_left_out(batches in proptest::collection::vec(any_rows(), 1..3), filter in any_filter(), which in 0..54usize) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let table = awkward_spec(which).open(MemoryStore::new()).await.expect("opens");
            let settings = context(&[]).expect("settings");
            for batch in &batches {
                insert(&table, &settings, vec![batch.clone()]).await.expect("inserts");
            }
            let (found, ..) = count(&table, filter.clone()).await;
            // What was seen is remembered.
            assert_eq!(count(&table, filter.clone()).await.0, found, "filter {filter} over key {which}");
            let plain = MemTable::try_new(awkward().arrow(), vec![batches.clone()]).expect("a table");
            let expected = session(&settings).read_table(Arc::new(plain)).expect("reads").filter(filter.clone()).expect("filters");
            let expected = expected.count().await.expect("counts");
            assert_eq!(found, expected, "filter {filter} over key {which}");
        });
    }
}
