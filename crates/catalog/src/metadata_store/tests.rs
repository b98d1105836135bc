use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::stream::BoxStream;
use gristmill_types::{Column, Columns, DefaultKind};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, Result as StoreResult,
};

use super::*;
use crate::definition::tests::definition;
use crate::definition::{ConstraintDefinition, ConstraintKind, SkipIndexDefinition, WrittenKeys};
use crate::projection::ProjectionDefinition;
use crate::ttl::{TtlAction, TtlRule};

const TABLE_V1: &[u8] = include_bytes!("golden/v1_table.json");
const TABLE_V1_SKIP_INDEXES: &[u8] = include_bytes!("golden/v1_table_skip_indexes.json");
const TABLE_V1_PROJECTIONS: &[u8] = include_bytes!("golden/v1_table_projections.json");
const TABLE_WITH_TTL_V1: &[u8] = include_bytes!("golden/v1_table_ttl.json");
const TABLE_WITH_CONSTRAINTS_V1: &[u8] = include_bytes!("golden/v1_table_constraints.json");
const TABLE_WITH_COLUMN_WORDS_V1: &[u8] = include_bytes!("golden/v1_table_column_words.json");
const TABLE_WITH_WRITTEN_KEYS_V1: &[u8] = include_bytes!("golden/v1_table_written_keys.json");
const DATABASE_V1: &[u8] = include_bytes!("golden/v1_database.json");

fn golden_table() -> TableDefinition {
    let mut table = definition("default", "hits", "ReplacingMergeTree");
    table.uuid = "0192f0c1-2d3e-7a4b-8c5d-6e7f80910213".parse().expect("a uuid");
    table.engine.arguments = vec!["version".into()];
    let mut columns = vec![
        Column::new("day", "Date".parse().expect("a type")),
        Column::new("url", "LowCardinality(Nullable(String))".parse().expect("a type")),
        Column::new("at", "DateTime64(3, 'UTC')".parse().expect("a type")),
        Column::new("kind", "Enum8('a' = 1, 'b' = 2)".parse().expect("a type")),
        Column::new("version", "UInt64".parse().expect("a type")),
    ];
    columns[0].default = Some((DefaultKind::Materialized, "toDate(at)".into()));
    columns[1].comment = "where".into();
    columns[2].codec = "Delta(8), ZSTD(1)".into();
    table.columns = Columns::new(columns);
    table.partition_by = Some("toYYYYMM(day)".into());
    table.order_by = vec!["url".into(), "at".into()];
    table.primary_key = vec!["url".into()];
    table.settings.insert("index_granularity".into(), "8192".into());
    table.comment = "page views".into();
    table
}

/// As programs wrote it that had no checksum yet.
fn without_checksum(record: &Record) -> String {
    let written = String::from_utf8(v1::write(record).expect("writes")).expect("text");
    let (fields, checksum) = written.rsplit_once(",\n").expect("several fields");
    assert!(checksum.starts_with("  \"checksum\": \""), "{checksum}");
    format!("{fields}\n}}\n")
}

#[test]
fn a_flipped_byte_of_a_definition_is_found() {
    let written = v1::write(&Record::Table(golden_table())).expect("writes");
    let mut found = 0;
    for at in 0..written.len() {
        for bit in [0x01, 0x02, 0x10, 0x20] {
            let mut damaged = written.clone();
            damaged[at] ^= bit;
            match v1::read(&damaged, false) {
                Err(error) => {
                    assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA, "byte {at}: {error}");
                    found += 1;
                }
                // A blank may be another blank.
                Ok(record) => assert_eq!(record, Record::Table(golden_table()), "byte {at}"),
            }
        }
    }
    assert!(found > written.len() * 3, "{found} of {}", written.len() * 4);
}

#[test]
fn the_checksum_of_a_definition_is_computed_as_ever() {
    let bytes = include_bytes!("golden/v1_table_checksum.json");
    assert_eq!(v1::read(bytes, false).expect("reads"), Record::Table(golden_table()));
    assert_eq!(v1::write(&Record::Table(golden_table())).expect("writes"), bytes);
    // Mended by hand: another comment, and no checksum.
    let mended = without_checksum(&Record::Table(golden_table())).replace("page views", "views of pages");
    let Record::Table(table) = v1::read(mended.as_bytes(), false).expect("reads") else { panic!("a table") };
    assert_eq!(table.comment, "views of pages");
}

#[test]
fn definitions_of_version_1_are_read_and_written_as_ever() {
    assert_eq!(v1::read(TABLE_V1, false).expect("reads"), Record::Table(golden_table()));
    assert_eq!(without_checksum(&Record::Table(golden_table())), String::from_utf8_lossy(TABLE_V1));
    let mut indexed = golden_table();
    indexed.skip_indexes.push(SkipIndexDefinition {
        name: "kinds".into(),
        expression: "(kind, lower(url))".into(),
        kind: "set(100)".into(),
        granularity: 4,
        key: "kinds#3".into(),
    });
    assert_eq!(v1::read(TABLE_V1_SKIP_INDEXES, false).expect("reads"), Record::Table(indexed.clone()));
    assert_eq!(without_checksum(&Record::Table(indexed)), String::from_utf8_lossy(TABLE_V1_SKIP_INDEXES));
    let Record::Database(database) = v1::read(DATABASE_V1, false).expect("reads") else { panic!("a database") };
    assert_eq!((database.name.as_str(), database.comment.as_str()), ("default", "the first"));
    assert_eq!(without_checksum(&Record::Database(database)), String::from_utf8_lossy(DATABASE_V1));
}

/// What the arguments of the engine mean may not change.
#[test]
fn materialized_views_of_version_1_are_read_as_ever() {
    let bytes = include_bytes!("golden/v1_materialized_view.json");
    let record = v1::read(bytes, false).expect("reads");
    assert_eq!(without_checksum(&record), String::from_utf8_lossy(bytes));
    let Record::Table(definition) = record else { panic!("no table") };
    let view = definition.materialized_view().expect("is one");
    assert_eq!((view.query.as_str(), view.database.as_str()), ("SELECT k, sum(v) AS s FROM sales GROUP BY k", "shop"));
    assert_eq!(view.source, ("shop".to_string(), "sales".to_string()));
    let engine = crate::EngineSpec { name: "SummingMergeTree".into(), arguments: vec!["s".into()] };
    assert_eq!(view.target, crate::ViewTarget::Inner(engine));
    let inner = ".inner_id.00000000-0000-0000-0000-00000000002a";
    assert_eq!(definition.view_target(), Some(("shop".to_string(), inner.to_string())));
}

#[test]
fn projections_are_read_and_written_as_ever() {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut table = golden_table();
    table.projections = vec![
        ProjectionDefinition {
            name: "by kind".into(),
            select: texts(&["kind", "count()", "max(version) AS newest"]),
            group_by: texts(&["kind"]),
            order_by: Vec::new(),
            is_index: false,
            settings: Vec::new(),
        },
        ProjectionDefinition {
            name: "by_time".into(),
            select: texts(&["*"]),
            group_by: Vec::new(),
            order_by: texts(&["at", "lower(url)"]),
            is_index: false,
            settings: Vec::new(),
        },
    ];
    assert_eq!(v1::read(TABLE_V1_PROJECTIONS, false).expect("reads"), Record::Table(table.clone()));
    assert_eq!(without_checksum(&Record::Table(table)), String::from_utf8_lossy(TABLE_V1_PROJECTIONS));
}

#[test]
fn a_ttl_is_read_and_written_as_ever() {
    let mut table = golden_table();
    let rule = |expression: &str, action: TtlAction| TtlRule { expression: expression.into(), action };
    table.ttl.rules = vec![
        rule("day + toIntervalYear(1)", TtlAction::Delete { condition: None }),
        rule("day + toIntervalMonth(1)", TtlAction::Delete { condition: Some("kind = 'b'".into()) }),
        rule(
            "at + toIntervalDay(7)",
            TtlAction::GroupBy { keys: vec!["url".into()], set: vec![("version".into(), "max(version)".into())] },
        ),
        rule("day + toIntervalDay(9)", TtlAction::Recompress { codec: "ZSTD(9)".into() }),
    ];
    table.ttl.columns.insert("kind".into(), "at + toIntervalHour(1)".into());
    assert_eq!(v1::read(TABLE_WITH_TTL_V1, false).expect("reads"), Record::Table(table.clone()));
    assert_eq!(without_checksum(&Record::Table(table)), String::from_utf8_lossy(TABLE_WITH_TTL_V1));
}

#[test]
fn constraints_and_sampling_keys_of_version_1_are_read_and_written_as_ever() {
    let mut table = golden_table();
    table.sample_by = Some("url".into());
    let constraint =
        |name: &str, kind, expression: &str| ConstraintDefinition { name: name.into(), kind, expression: expression.into() };
    table.constraints = vec![
        constraint("known", ConstraintKind::Check, "kind != 'b'"),
        constraint("long", ConstraintKind::Assume, "length(url) > 3"),
    ];
    assert_eq!(v1::read(TABLE_WITH_CONSTRAINTS_V1, false).expect("reads"), Record::Table(table.clone()));
    assert_eq!(without_checksum(&Record::Table(table)), String::from_utf8_lossy(TABLE_WITH_CONSTRAINTS_V1));
}

#[test]
fn statistics_settings_of_columns_and_places_are_read_and_written_as_ever() {
    let mut table = golden_table();
    let mut columns: Vec<Column> = table.columns.iter().cloned().collect();
    columns[2].statistics = vec!["tdigest".into(), "uniq".into()];
    columns[2].settings = vec![("min_compress_block_size".into(), "99".into())];
    table.columns = Columns::new(columns);
    let moves = |expression: &str, volume, name: &str, if_exists| TtlRule {
        expression: expression.into(),
        action: TtlAction::Move { volume, name: name.into(), if_exists },
    };
    table.ttl.rules = vec![moves("day", true, "default", false), moves("day + 1", false, "cold", true)];
    assert_eq!(v1::read(TABLE_WITH_COLUMN_WORDS_V1, false).expect("reads"), Record::Table(table.clone()));
    assert_eq!(without_checksum(&Record::Table(table)), String::from_utf8_lossy(TABLE_WITH_COLUMN_WORDS_V1));
}

#[test]
fn keys_as_they_were_written_are_read_and_written_as_ever() {
    let mut table = golden_table();
    table.written_keys = WrittenKeys {
        partition_by: Some("(toYYYYMM(day))".into()),
        order_by: Some("(url, at)".into()),
        primary_key: Some("(url)".into()),
        sample_by: Some("(url)".into()),
    };
    assert_eq!(v1::read(TABLE_WITH_WRITTEN_KEYS_V1, false).expect("reads"), Record::Table(table.clone()));
    assert_eq!(without_checksum(&Record::Table(table)), String::from_utf8_lossy(TABLE_WITH_WRITTEN_KEYS_V1));
}

#[test]
fn a_newer_format_is_refused_and_says_what_to_do() {
    let newer = String::from_utf8_lossy(TABLE_V1).replace("\"version\": 1", "\"version\": 2");
    let error = v1::read(newer.as_bytes(), false).expect_err("newer");
    assert!(error.message().contains("start the newer release"), "{error}");
    let error = v1::read(b"{", false).expect_err("no JSON");
    assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA);
}

#[tokio::test]
async fn a_folder_of_a_newer_layout_is_refused() {
    let store = Arc::new(InMemory::new());
    store.put(&Path::from("metadata/v2/x.json"), "{}".into()).await.expect("written");
    let error = MetadataStore::on(store).load().await.expect_err("newer");
    assert!(error.message().contains("format v2"), "{error}");
}

#[tokio::test]
async fn names_of_databases_may_hold_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a/b", "..", "ümläut", "100%", "a#1", "with space", "x.json"];
    let store = MetadataStore::local(folder.path()).expect("opens");
    for name in names {
        let info = DatabaseInfo { name: name.into(), uuid: Uuid::new_v4(), comment: String::new(), system: false };
        store.apply(Change { put: vec![Record::Database(info)], delete: vec![] }).await.expect(name);
    }
    let mut found: Vec<_> = store.load().await.expect("loads").databases.into_iter().map(|d| d.name).collect();
    found.sort();
    let mut names = names.map(String::from).to_vec();
    names.sort();
    assert_eq!(found, names);
}

/// Fails every write from the nth on, as if the process had died there.
#[derive(Debug)]
struct DiesAfter {
    inner: Arc<InMemory>,
    writes_left: AtomicUsize,
}

impl DiesAfter {
    fn write(&self) -> StoreResult<()> {
        let left = self.writes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(_) => Ok(()),
            Err(_) => Err(object_store::Error::Generic { store: "dead", source: "the process died".into() }),
        }
    }
}

impl fmt::Display for DiesAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiesAfter")
    }
}

#[async_trait]
impl ObjectStore for DiesAfter {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> StoreResult<PutResult> {
        self.write()?;
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, o: PutMultipartOptions) -> StoreResult<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, o).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> StoreResult<GetResult> {
        self.inner.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, StoreResult<Path>>) -> BoxStream<'static, StoreResult<Path>> {
        match self.write() {
            Ok(()) => self.inner.delete_stream(paths),
            Err(error) => Box::pin(futures::stream::once(async move { Err(error) })),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// Exchanges two tables of different databases, dying at each possible write: afterwards the store holds the old state
/// or the new one.
#[tokio::test]
async fn a_change_of_several_objects_is_made_whole_or_not_at_all() {
    let (a, b) = (definition("x", "a", "Memory"), definition("y", "b", "Memory"));
    let moved = |table: &TableDefinition, database: &str, name: &str| {
        Record::Table(TableDefinition { database: database.into(), name: name.into(), ..table.clone() })
    };
    let change = Change {
        put: vec![moved(&a, "y", "b"), moved(&b, "x", "a")],
        delete: vec![Key::Table("x".into(), a.uuid), Key::Table("y".into(), b.uuid)],
    };
    let mut outcomes = Vec::new();
    for writes in 0..=7 {
        let inner = Arc::new(InMemory::new());
        let before = MetadataStore::on(inner.clone());
        for table in [&a, &b] {
            before.apply(Change { put: vec![Record::Table(table.clone())], delete: vec![] }).await.expect("written");
        }
        let dying = MetadataStore::on(Arc::new(DiesAfter { inner: inner.clone(), writes_left: writes.into() }));
        let told = dying.apply(change.clone()).await.is_ok();
        let after = MetadataStore::on(inner).load().await.expect("loads");
        let mut names: Vec<_> =
            after.tables.iter().map(|table| (table.uuid, table.database.as_str(), table.name.as_str())).collect();
        names.sort_by_key(|(uuid, ..)| *uuid != a.uuid);
        let new = names == [(a.uuid, "y", "b"), (b.uuid, "x", "a")];
        assert!(new || names == [(a.uuid, "x", "a"), (b.uuid, "y", "b")], "{writes} writes: {names:?}");
        assert_eq!(told, new, "{writes} writes: what the statement was told is what is there");
        outcomes.push(new);
    }
    assert_eq!(outcomes.iter().filter(|new| !**new).count(), 1, "the first write decides: {outcomes:?}");
}
