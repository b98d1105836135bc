use std::path::Path;

use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};

use super::*;
use crate::definition::tests::definition;
use crate::engines::MemoryTable;

/// Opens Memory tables; keeps the uuids of those whose data was begun and not removed, as a disk would.
#[derive(Debug, Default)]
struct Disk(Arc<Mutex<Vec<Uuid>>>);

#[derive(Debug)]
struct OnDisk(MemoryTable, Arc<Mutex<Vec<Uuid>>>);

#[async_trait]
impl Table for OnDisk {
    fn definition(&self) -> Arc<TableDefinition> {
        self.0.definition()
    }

    async fn read(
        &self,
        context: &Arc<gristmill_introspect::QueryContext>,
    ) -> Result<Arc<dyn datafusion::catalog::TableProvider>> {
        self.0.read(context).await
    }

    async fn drop_data(&self) -> Result<()> {
        self.1.lock().retain(|uuid| *uuid != self.definition().uuid);
        Ok(())
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(OnDisk(MemoryTable::new(definition), self.1.clone())))
    }
}

#[async_trait]
impl TableOpener for Disk {
    async fn open(&self, definition: Arc<TableDefinition>, existing: bool) -> Result<Arc<dyn Table>> {
        if ["Broken", "Refused"].contains(&definition.engine.name.as_str()) {
            return Err(Error::new(ErrorCode::S3_ERROR, "The bucket is gone"));
        }
        if !existing {
            self.0.lock().push(definition.uuid);
        }
        Ok(Arc::new(OnDisk(MemoryTable::new(definition), self.0.clone())))
    }

    fn keeps_data(&self, definition: &TableDefinition) -> bool {
        definition.engine.name != "Refused"
    }
}

async fn open_on(store: &Arc<InMemory>, disk: &Arc<Mutex<Vec<Uuid>>>) -> Arc<Databases> {
    let opener = Arc::new(Disk(disk.clone()));
    Databases::open(MetadataStore::on(store.clone()), opener).await.expect("opens")
}

async fn open() -> Arc<Databases> {
    open_on(&Arc::default(), &Arc::default()).await
}

fn table(name: &str) -> TableDefinition {
    definition("default", name, "Memory")
}

fn names(databases: &Databases, database: &str) -> Vec<String> {
    databases.tables(database).iter().map(|table| table.definition().name.clone()).collect()
}

#[tokio::test]
async fn the_first_start_makes_default_and_what_is_dropped_stays_dropped() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    assert_eq!(databases.database_names(), ["default"]);
    databases.create_database("a", false, "of a").await.expect("created");
    databases.drop_database("default", false).await.expect("dropped");
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert_eq!(databases.database_names(), ["a"]);
    assert_eq!(databases.database("a").expect("there").comment, "of a");
}

#[tokio::test]
async fn a_database_keeps_its_tables_under_another_name() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_database("a", false, "of a").await.expect("created");
    let uuid = databases.create_table(table("hits"), false, false).await.expect("created").definition().uuid;
    databases.create_table(table("away"), false, false).await.expect("created");
    databases.detach_table("default", "away", false).await.expect("detached");
    for (from, to, code) in [
        ("nosuch", "b", ErrorCode::UNKNOWN_DATABASE),
        ("default", "a", ErrorCode::DATABASE_ALREADY_EXISTS),
        ("default", "", ErrorCode::BAD_ARGUMENTS),
    ] {
        assert_eq!(databases.rename_database(from, to, false).await.expect_err(from).code(), code);
    }
    databases.rename_database("nosuch", "b", true).await.expect("nothing to do");
    databases.rename_database("default", "b", false).await.expect("renamed");
    databases.rename_database("a", "default", false).await.expect("renamed");
    // What was detached is there again at the next start.
    for (databases, has_all) in [(databases, false), (open_on(&store, &disk).await, true)] {
        assert_eq!(databases.database_names(), ["b", "default"]);
        assert_eq!(databases.database("default").expect("there").comment, "of a");
        let definition = databases.table("b", "hits").expect("there").definition();
        assert_eq!((definition.uuid, definition.database.as_str()), (uuid, "b"));
        assert!(names(&databases, "default").is_empty());
        assert_eq!(databases.has_table("b", "away"), has_all);
    }
}

#[tokio::test]
async fn a_detached_database_is_away_until_it_is_attached_or_the_next_start() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("hits"), false, false).await.expect("created");
    databases.create_table(table("away"), false, false).await.expect("created");
    databases.detach_table("default", "away", false).await.expect("detached");
    let there = databases.attach_database("default", false).await.expect_err("there");
    assert_eq!(there.code(), ErrorCode::DATABASE_ALREADY_EXISTS);
    databases.detach_database("default", false).await.expect("detached");
    assert!(databases.database_names().is_empty());
    for (refused, code) in [
        (databases.create_database("default", true, "").await, ErrorCode::DATABASE_ALREADY_EXISTS),
        (databases.drop_database("default", false).await, ErrorCode::UNKNOWN_DATABASE),
        (databases.detach_database("default", false).await, ErrorCode::UNKNOWN_DATABASE),
        (databases.attach_database("nosuch", true).await, ErrorCode::UNKNOWN_DATABASE_ENGINE),
    ] {
        assert_eq!(refused.expect_err("refused").code(), code);
    }
    databases.attach_database("default", false).await.expect("attached");
    assert_eq!(names(&databases, "default"), ["hits"]);
    assert!(databases.is_detached("default", "away"));
    databases.detach_database("default", false).await.expect("detached");
    let anew = open_on(&store, &disk).await;
    assert_eq!(names(&anew, "default"), ["away", "hits"]);
}

#[tokio::test]
async fn tables_outlive_the_process_and_names_are_checked() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("hits"), false, false).await.expect("created");
    let error = databases.create_table(table("hits"), false, false).await.expect_err("there");
    assert_eq!(error.to_string(), "Code: 57. DB::Exception: Table default.hits already exists. (TABLE_ALREADY_EXISTS)");
    let kept = databases.create_table(table("hits"), true, false).await.expect("kept").definition().uuid;
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert_eq!(databases.table("default", "hits").expect("there").definition().uuid, kept);
    let error = databases.table_for("default", "hit", &|_, _| true).expect_err("no such table");
    assert_eq!(error.code(), ErrorCode::UNKNOWN_TABLE);
    assert!(error.message().contains("Maybe you meant default.hits?"), "{error}");
    let unseen = databases.table_for("default", "hit", &|_, table| table.is_none()).expect_err("no such table");
    assert!(!unseen.message().contains("hits"), "{unseen}");
    assert_eq!(databases.table("defalt", "hits").expect_err("no database").code(), ErrorCode::UNKNOWN_DATABASE);
}

#[tokio::test]
async fn a_damaged_definition_is_named_and_takes_no_other_table_with_it() {
    let (store, disk): (Arc<InMemory>, _) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("a"), false, false).await.expect("created");
    let of_b =
        MetadataStore::table_path(&databases.create_table(table("b"), false, false).await.expect("created").definition());
    drop(databases);
    for damaged in [of_b.as_str(), "metadata/v1/default/database.json"] {
        let path = object_store::path::Path::from(damaged);
        let whole = store.get(&path).await.expect("there").bytes().await.expect("reads");
        let text = String::from_utf8(whole.to_vec()).expect("text").replace("\"name\"", "\"nbme\"");
        store.put(&path, text.into()).await.expect("written");

        let databases = open_on(&store, &disk).await;
        databases.table("default", "a").expect("there");
        if damaged == of_b {
            let error = databases.table_for("default", "b", &|_, _| true).expect_err("damaged");
            assert!(error.message().contains(damaged) && error.code() == ErrorCode::UNKNOWN_TABLE, "{error}");
        } else {
            databases.table("default", "b").expect("there");
        }
        let error = databases.drop_database("default", false).await.expect_err("it would forget data");
        assert!(error.message().contains(damaged), "{error}");
        store.put(&path, whole.into()).await.expect("written");
    }
    let databases = open_on(&store, &disk).await;
    assert_eq!(names(&databases, "default"), ["a", "b"]);
}

#[tokio::test]
async fn a_replaced_and_a_dropped_table_leave_no_data() {
    let (store, disk): (_, Arc<Mutex<Vec<Uuid>>>) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("t"), false, false).await.expect("created");
    let second = table("t");
    databases.create_table(second.clone(), false, true).await.expect("replaced");
    assert_eq!(*disk.lock(), [second.uuid]);
    databases.drop_table("default", "t", false).await.expect("dropped");
    assert!(disk.lock().is_empty());
    assert!(databases.drop_table("default", "t", true).await.is_ok());
    assert_eq!(databases.drop_table("default", "t", false).await.expect_err("gone").code(), ErrorCode::UNKNOWN_TABLE);
}

#[tokio::test]
async fn a_query_keeps_reading_a_table_that_is_dropped_under_it() {
    let (store, disk): (_, Arc<Mutex<Vec<Uuid>>>) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    let read = databases.create_table(table("t"), false, false).await.expect("created");
    databases.drop_table("default", "t", false).await.expect("dropped");
    assert_eq!(disk.lock().len(), 1, "held by the query");
    drop(read);
    assert_eq!(databases.purge_dropped().await, 0);
    assert!(disk.lock().is_empty());
}

#[tokio::test]
async fn data_that_a_crash_left_without_owner_is_removed_at_the_next_start() {
    let (store, disk): (_, Arc<Mutex<Vec<Uuid>>>) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    // Held for ever by a query of the process that dies.
    std::mem::forget(databases.create_table(table("t"), false, false).await.expect("created"));
    databases.drop_table("default", "t", false).await.expect("dropped");
    drop(databases);
    assert_eq!(disk.lock().len(), 1);
    open_on(&store, &disk).await;
    assert!(disk.lock().is_empty());
    let left: Vec<_> = objects(&store).await.into_iter().filter(|path| !path.ends_with("database.json")).collect();
    assert!(left.is_empty(), "{left:?}");
}

async fn objects(store: &Arc<InMemory>) -> Vec<String> {
    store.list(None).map(|object| object.expect("listed").location.to_string()).collect().await
}

#[tokio::test]
async fn rename_and_exchange_move_tables_between_databases() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_database("other", false, "").await.expect("created");
    let (a, b) = (table("a"), table("b"));
    databases.create_table(a.clone(), false, false).await.expect("created");
    databases.create_table(b.clone(), false, false).await.expect("created");
    databases.rename_table(("default", "a"), ("other", "c")).await.expect("renamed");
    databases.exchange_tables(("other", "c"), ("default", "b")).await.expect("exchanged");
    for databases in [databases, open_on(&store, &disk).await] {
        assert_eq!(names(&databases, "default"), ["b"]);
        assert_eq!(names(&databases, "other"), ["c"]);
        assert_eq!(databases.table("default", "b").expect("b").definition().uuid, a.uuid);
        assert_eq!(databases.table("other", "c").expect("c").definition().uuid, b.uuid);
        let error = databases.rename_table(("default", "b"), ("other", "c")).await.expect_err("taken");
        assert_eq!(error.code(), ErrorCode::TABLE_ALREADY_EXISTS);
    }
}

#[tokio::test]
async fn a_table_that_replaces_another_has_its_name_at_once() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    let new = table(&name_while_filled(Uuid::from_u128(1)));
    databases.create_table(table("t"), false, false).await.expect("created");
    databases.create_table(new.clone(), false, false).await.expect("created");
    databases.replace_table("default", &new.name, "t").await.expect("replaced");
    for databases in [databases, open_on(&store, &disk).await] {
        assert_eq!(names(&databases, "default"), ["t"]);
        assert_eq!(databases.table("default", "t").expect("t").definition().uuid, new.uuid);
    }
    assert_eq!(*disk.lock(), [new.uuid]);
}

#[tokio::test]
async fn a_table_that_was_being_filled_when_the_server_ended_is_gone_at_the_next_start() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("t"), false, false).await.expect("created");
    databases.create_table(table(&name_while_filled(Uuid::from_u128(1))), false, false).await.expect("created");
    databases.create_table(table("_tmp_replace_of_mine"), false, false).await.expect("created");
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert_eq!(names(&databases, "default"), ["_tmp_replace_of_mine", "t"]);
    assert_eq!(disk.lock().len(), 2);
}

#[tokio::test]
async fn a_detached_table_is_unseen_until_it_is_attached_and_keeps_its_name() {
    let databases = open().await;
    databases.create_table(table("t"), false, false).await.expect("created");
    databases.detach_table("default", "t", false).await.expect("detached");
    assert!(names(&databases, "default").is_empty());
    assert_eq!(databases.table("default", "t").expect_err("unseen").code(), ErrorCode::UNKNOWN_TABLE);
    let error = databases.create_table(table("t"), true, false).await.expect_err("the name is taken");
    assert_eq!(error.code(), ErrorCode::TABLE_ALREADY_EXISTS);
    databases.attach_table("default", "t").await.expect("attached");
    assert_eq!(names(&databases, "default"), ["t"]);
}

#[tokio::test]
async fn a_table_that_is_detached_permanently_stays_away_over_starts() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    let uuid = databases.create_table(table("t"), false, false).await.expect("created").definition().uuid;
    databases.detach_table("default", "t", true).await.expect("detached");
    let shown = |databases: &Databases| -> Vec<(String, bool)> {
        let of = |(definition, permanently): (Arc<TableDefinition>, bool)| (definition.name.clone(), permanently);
        databases.detached_tables().into_iter().map(of).collect()
    };
    for databases in [databases, open_on(&store, &disk).await] {
        assert!(names(&databases, "default").is_empty());
        assert_eq!(shown(&databases), [("t".to_string(), true)]);
        // The name is taken, even from who would replace what has it, and what is away is not dropped.
        for or_replace in [false, true] {
            let error = databases.create_table(table("t"), false, or_replace).await.expect_err("taken");
            assert_eq!(error.code(), ErrorCode::TABLE_ALREADY_EXISTS);
        }
        assert_eq!(databases.drop_table("default", "t", false).await.expect_err("away").code(), ErrorCode::UNKNOWN_TABLE);
        databases.drop_table("default", "t", true).await.expect("nothing to do");
        assert_eq!(*disk.lock(), [uuid]);
    }
    // Under another name of its database too.
    let databases = open_on(&store, &disk).await;
    databases.rename_database("default", "moved", false).await.expect("renamed");
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert!(names(&databases, "moved").is_empty());
    databases.attach_table("moved", "t").await.expect("attached");
    for databases in [databases, open_on(&store, &disk).await] {
        assert_eq!(names(&databases, "moved"), ["t"]);
        assert!(shown(&databases).is_empty());
        assert_eq!(databases.table("moved", "t").expect("there").definition().uuid, uuid);
    }
    let databases = open_on(&store, &disk).await;
    databases.detach_table("moved", "t", true).await.expect("detached");
    databases.drop_database("moved", false).await.expect("dropped, with what was away");
    assert!(disk.lock().is_empty());
}

const LONG: std::time::Duration = std::time::Duration::from_secs(3600);

#[tokio::test]
async fn a_dropped_table_is_brought_back_even_after_a_start() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.set_drop_delay(LONG);
    let first = databases.create_table(table("t"), false, false).await.expect("created").definition().uuid;
    databases.drop_table_for_now("default", "t", false).await.expect("dropped");
    let second = databases.create_table(table("t"), false, false).await.expect("the name is free").definition().uuid;
    let error = databases.undrop_table("default", "t", None).await.expect_err("taken");
    assert_eq!(error.code(), ErrorCode::TABLE_ALREADY_EXISTS);
    databases.drop_table_for_now("default", "t", false).await.expect("dropped");
    let dropped = |databases: &Databases| -> Vec<Uuid> {
        databases.dropped_tables().into_iter().map(|table| table.definition.uuid).collect()
    };
    assert_eq!(dropped(&databases), [first, second]);
    assert_eq!(
        databases.undrop_table("default", "other", None).await.expect_err("unknown").code(),
        ErrorCode::UNKNOWN_TABLE
    );
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert_eq!(*disk.lock(), [first, second], "the start removes neither");
    assert!(names(&databases, "default").is_empty());
    // The last one that had the name, unless a uuid says which.
    databases.undrop_table("default", "t", None).await.expect("brought back");
    assert_eq!(databases.table("default", "t").expect("there").definition().uuid, second);
    databases.rename_table(("default", "t"), ("default", "u")).await.expect("renamed");
    databases.undrop_table("default", "t", Some(first)).await.expect("brought back");
    assert!(dropped(&databases).is_empty());
    for databases in [databases, open_on(&store, &disk).await] {
        assert_eq!(names(&databases, "default"), ["t", "u"]);
        assert_eq!(databases.table("default", "t").expect("there").definition().uuid, first);
    }
}

#[tokio::test]
async fn a_dropped_table_goes_when_its_time_has_come() {
    let (store, disk): (_, Arc<Mutex<Vec<Uuid>>>) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.set_drop_delay(LONG);
    databases.create_table(table("t"), false, false).await.expect("created");
    databases.drop_table_for_now("default", "t", false).await.expect("dropped");
    assert_eq!((databases.purge_dropped().await, disk.lock().len()), (1, 1), "not yet");
    let dropped = databases.dropped_tables().remove(0).definition.as_ref().clone();
    drop(databases);
    let metadata = MetadataStore::on(store.clone());
    metadata.apply(Change { put: vec![Record::Dropped(dropped, 1)], delete: vec![] }).await.expect("written");
    let databases = open_on(&store, &disk).await;
    assert!(disk.lock().is_empty() && databases.dropped_tables().is_empty());
    assert_eq!(databases.undrop_table("default", "t", None).await.expect_err("gone").code(), ErrorCode::UNKNOWN_TABLE);
    drop(databases);
    assert!(open_on(&store, &disk).await.dropped_tables().is_empty(), "the note is gone too");
}

#[tokio::test]
async fn a_table_that_cannot_be_opened_does_not_keep_the_others_closed() {
    let store = Arc::new(InMemory::new());
    open_on(&store, &Arc::default()).await.create_table(table("t"), false, false).await.expect("created");
    let metadata = MetadataStore::on(store.clone());
    let broken = definition("default", "b", "Broken");
    metadata.apply(Change { put: vec![Record::Table(broken)], delete: vec![] }).await.expect("written");
    let databases = open_on(&store, &Arc::default()).await;
    assert_eq!(names(&databases, "default"), ["t"]);
    assert_eq!(databases.table("default", "b").expect_err("broken").code(), ErrorCode::S3_ERROR);
    databases.drop_table("default", "b", false).await.expect("dropped all the same");
}

#[tokio::test]
async fn the_servers_own_databases_cannot_be_changed() {
    let databases = open().await;
    let one = definition("system", "one", "SystemOne");
    databases.register_system(Arc::new(MemoryTable::new(Arc::new(one))));
    assert_eq!(databases.database_names(), ["default", "system"]);
    assert!(databases.table("system", "one").is_ok());
    assert_eq!(databases.drop_database("system", false).await.expect_err("ours").code(), ErrorCode::READONLY);
    let error = databases.create_table(definition("system", "x", "Memory"), false, false).await.expect_err("ours");
    assert_eq!(error.code(), ErrorCode::READONLY);
    let error = databases.drop_table("system", "one", false).await.expect_err("ours");
    assert_eq!(error.code(), ErrorCode::READONLY);
    let error = databases.rename_table(("default", "t"), ("system", "t")).await.expect_err("ours or nothing");
    assert_eq!(error.code(), ErrorCode::UNKNOWN_TABLE);
    databases.create_table(table("t"), false, false).await.expect("created");
    let error = databases.rename_table(("default", "t"), ("system", "t")).await.expect_err("ours");
    assert_eq!(error.code(), ErrorCode::READONLY);
}

#[tokio::test]
async fn a_log_lasts_and_may_be_changed() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.register_system(Arc::new(MemoryTable::new(Arc::new(definition("system", "one", "SystemOne")))));
    databases.create_own_table(definition("system", "log", "Memory")).await.expect("created");
    databases.rename_table(("system", "log"), ("system", "log_0")).await.expect("renamed");
    databases.create_own_table(definition("system", "log", "Memory")).await.expect("created");
    let databases = open_on(&store, &disk).await;
    assert_eq!(names(&databases, "system"), ["log", "log_0"], "and no table that is made anew");
    databases.register_system_unless_kept(Arc::new(MemoryTable::new(Arc::new(definition("system", "log", "Other")))));
    assert_eq!(databases.table("system", "log").expect("kept").definition().engine.name, "Memory");
    assert_eq!(databases.drop_database("system", false).await.expect_err("ours").code(), ErrorCode::READONLY);
    databases.rename_table(("system", "log_0"), ("default", "old")).await.expect("it may leave");
    databases.drop_table("system", "log", false).await.expect("dropped");
    let databases = open_on(&store, &disk).await;
    assert_eq!((databases.database_names(), names(&databases, "default")), (vec!["default".into()], vec!["old".into()]));
}

#[tokio::test]
async fn of_statements_that_create_the_same_name_at_once_one_wins() {
    let databases = open().await;
    let creating = (0..8).map(|_| {
        let databases = databases.clone();
        tokio::spawn(async move { databases.create_table(table("t"), false, false).await.is_ok() })
    });
    let won: Vec<bool> = futures::future::join_all(creating).await.into_iter().map(|done| done.expect("ran")).collect();
    assert_eq!(won.iter().filter(|won| **won).count(), 1);
}

#[tokio::test]
async fn one_process_has_a_data_path_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |path: &Path| MetadataStore::local(path);
    let databases = Databases::open(open(folder.path()).expect("free"), Arc::new(Disk::default())).await.expect("opens");
    databases.create_table(table("t"), false, false).await.expect("created");
    let error = open(folder.path()).expect_err("in use");
    assert!(error.message().contains("in use by another process"), "{error}");
    drop(databases);
    let databases = Databases::open(open(folder.path()).expect("free"), Arc::new(Disk::default())).await.expect("opens");
    assert_eq!(names(&databases, "default"), ["t"]);
}

#[tokio::test]
async fn an_altered_definition_lasts_and_one_that_is_refused_changes_nothing() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    databases.create_table(table("t"), false, false).await.expect("created");
    let change = |table: Arc<dyn Table>| async move {
        let mut definition = (*table.definition()).clone();
        definition.column_keys.renew("b", &definition.columns.clone());
        definition.comment = "altered".to_string();
        table.renamed(Arc::new(definition)).map(Some)
    };
    databases.alter_table("default", "t", change).await.expect("altered");
    let refuse = |_: Arc<dyn Table>| async { Err(Error::new(ErrorCode::BAD_ARGUMENTS, "no")) };
    databases.alter_table("default", "t", refuse).await.expect_err("refused");
    databases.alter_table("default", "t", |_| async { Ok(None) }).await.expect("nothing to do");
    for databases in [databases, open_on(&store, &disk).await] {
        let definition = databases.table("default", "t").expect("t").definition();
        assert_eq!((definition.comment.as_str(), definition.column_keys.of("b")), ("altered", vec!["b#1".to_string()]));
    }
    let nowhere = open().await.alter_table("default", "t", |_| async { Ok(None) }).await;
    assert_eq!(nowhere.expect_err("no table").code(), ErrorCode::UNKNOWN_TABLE);
}

/// A materialized view over `default.t` with a table of its own, and that table.
fn view(name: &str) -> (TableDefinition, TableDefinition) {
    let spec = crate::MaterializedView {
        query: "SELECT a FROM t".into(),
        database: "default".into(),
        source: ("default".into(), "t".into()),
        target: crate::ViewTarget::Inner(crate::EngineSpec { name: "Memory".into(), arguments: vec![] }),
    };
    let mut view = table(name);
    view.engine = spec.spec();
    let inner = table(&view.inner_name().expect("has one"));
    (view, inner)
}

#[tokio::test]
async fn a_materialized_view_comes_moves_and_goes_with_its_own_table() {
    let (store, disk) = (Arc::default(), Arc::<Mutex<Vec<Uuid>>>::default());
    let databases = open_on(&store, &disk).await;
    databases.create_database("other", false, "").await.expect("created");
    let (definition, inner) = view("v");
    let inner_name = inner.name.clone();
    databases.create_view(definition, Some(inner.clone()), false, false).await.expect("created");
    assert_eq!(names(&databases, "default"), [inner_name.as_str(), "v"]);
    assert_eq!(databases.stored("default", "v").expect("has a target").definition().uuid, inner.uuid);
    databases.rename_table(("default", "v"), ("other", "w")).await.expect("renamed");
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert_eq!(names(&databases, "other"), [inner_name.as_str(), "w"]);
    assert_eq!(databases.stored("other", "w").expect("has a target").definition().uuid, inner.uuid);
    assert_eq!(databases.views_of("default", "t").len(), 1, "it is fed by the same table");
    databases.drop_table("other", "w", false).await.expect("dropped");
    assert!(names(&databases, "other").is_empty() && disk.lock().is_empty());
    drop(databases);
    let databases = open_on(&store, &disk).await;
    assert!(names(&databases, "other").is_empty());
}

#[tokio::test]
async fn a_view_that_is_replaced_takes_its_own_table_along() {
    let databases = open().await;
    let (old, old_inner) = view("v");
    databases.create_view(old, Some(old_inner), false, false).await.expect("created");
    let (new, new_inner) = view("v");
    let inner_name = new_inner.name.clone();
    databases.create_view(new, Some(new_inner), false, true).await.expect("replaced");
    assert_eq!(names(&databases, "default"), [inner_name.as_str(), "v"]);
}

#[tokio::test]
async fn a_view_whose_table_cannot_be_made_is_not_there_and_leaves_nothing() {
    let disk = Arc::<Mutex<Vec<Uuid>>>::default();
    let databases = open_on(&Arc::default(), &disk).await;
    let (definition, mut inner) = view("v");
    inner.engine.name = "Broken".into();
    let error = databases.create_view(definition, Some(inner), false, false).await.expect_err("cannot be opened");
    assert_eq!(error.code(), ErrorCode::S3_ERROR);
    assert!(names(&databases, "default").is_empty() && disk.lock().is_empty());
}

#[tokio::test]
async fn views_are_told_oldest_first_and_a_target_that_is_gone_is_named() {
    let databases = open().await;
    databases.create_table(table("t"), false, false).await.expect("created");
    assert!(databases.views_of("default", "t").is_empty());
    assert_eq!(databases.stored("default", "t").expect("keeps its rows").definition().name, "t");
    let (definition, inner) = view("v");
    let inner_name = inner.name.clone();
    databases.create_view(definition, Some(inner), false, false).await.expect("created");
    databases.drop_table("default", &inner_name, false).await.expect("dropped");
    let error = databases.stored("default", "v").expect_err("has no target");
    assert_eq!(error.code(), ErrorCode::UNKNOWN_TABLE);
    assert!(error.to_string().contains("target of view default.v"), "{error}");
}

#[tokio::test]
async fn of_a_table_without_data_that_could_not_be_made_nothing_is_left() {
    let (store, disk) = (Arc::default(), Arc::default());
    let databases = open_on(&store, &disk).await;
    for (engine, left) in [("Refused", 0), ("Broken", 1)] {
        databases.create_table(definition("default", "a", engine), false, false).await.expect_err("cannot be opened");
        let loaded = MetadataStore::on(store.clone()).load().await.expect("loads");
        assert_eq!((loaded.tables.len(), loaded.unowned.len()), (0, left), "{engine}");
    }
}
