//! The persisted form of a definition, version 1. Once released it never changes: a field that is added must be
//! optional here, anything else is `v2.rs` beside this file.
//!
//! Types are kept as their canonical text, expressions as the text of the statement. The golden files in `v1/` are read
//! by a test for ever.
//!
//! The last field is a checksum: xxh3-64, in hexadecimal, of the object without it as compact JSON. A flipped byte would else
//! be another type, or a field that nobody knows and that is passed over. Without a checksum are objects of older
//! programs, and what was mended by hand.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_types::{Column, Columns, DefaultKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use super::{Change, Key, Record};
use crate::column_keys::ColumnKeys;
use crate::databases::DatabaseInfo;
use crate::definition::{
    ConstraintDefinition, ConstraintKind, EngineSpec, SkipIndexDefinition, TableDefinition, WrittenKeys,
};
use crate::projection::ProjectionDefinition;
use crate::ttl::TtlSpec;

const FORMAT: u32 = 1;

/// Of the objects of older programs too.
const FIELDS: [&str; 5] = ["version", "database", "table", "put", "delete"];
const CHECKSUM: &str = "checksum";

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    body: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Body {
    Database(Database),
    Table(Box<Table>),
}

#[derive(Serialize, Deserialize)]
struct Database {
    name: String,
    uuid: Id,
    #[serde(default)]
    comment: String,
}

#[derive(Serialize, Deserialize)]
struct Table {
    uuid: Id,
    database: String,
    name: String,
    engine: Engine,
    columns: Vec<ColumnText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition_by: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order_by: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    primary_key: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sample_by: Option<String>,
    #[serde(default, skip_serializing_if = "WrittenKeys::is_empty")]
    written_keys: WrittenKeys,
    /// Names and texts, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    settings: Map<String, Value>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    column_keys: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    next_column_key: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    null_values: BTreeMap<String, String>,
    /// By key, the type of values under it, of columns that have another since.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    key_types: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skip_indexes: Vec<SkipIndex>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    projections: Vec<ProjectionDefinition>,
    #[serde(default, skip_serializing_if = "TtlSpec::is_empty")]
    ttl: TtlSpec,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<Constraint>,
    /// DETACH … PERMANENTLY
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    detached: bool,
    /// Of a dropped table: until when it is kept, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dropped_until_ms: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Constraint {
    name: String,
    kind: ConstraintWord,
    expression: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ConstraintWord {
    Check,
    Assume,
}

#[derive(Serialize, Deserialize)]
struct SkipIndex {
    name: String,
    expression: String,
    #[serde(rename = "type")]
    kind: String,
    granularity: u64,
    key: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, Deserialize)]
struct Engine {
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ColumnText {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Default>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    codec: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    statistics: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    settings: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
struct Default {
    kind: String,
    expression: String,
}

#[derive(Serialize, Deserialize)]
struct Intent {
    put: Vec<Put>,
    delete: Vec<Name>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Put {
    Database(Database),
    Table(Table),
    Unowned(Table),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Database(String),
    Table(String, Id),
    Unowned(Id),
}

/// A UUID in its text form.
#[derive(Clone, Copy)]
struct Id(Uuid);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Id(text.parse().map_err(serde::de::Error::custom)?))
    }
}

pub(super) fn newer(version: &str) -> Error {
    Error::new(
        ErrorCode::NOT_IMPLEMENTED,
        format!(
            "The metadata was written in format {version} by a newer release, and this one knows format {FORMAT}: \
             start the newer release on this data path"
        ),
    )
}

fn to_json<T: Serialize>(body: T) -> Result<Vec<u8>> {
    let unwritable = |error| Error::logical(format!("A definition cannot be written as JSON: {error}"));
    let mut versioned = Versioned { version: FORMAT, body, checksum: None };
    versioned.checksum = Some(checksum(&serde_json::to_value(&versioned).map_err(unwritable)?));
    let mut bytes = serde_json::to_vec_pretty(&versioned).map_err(unwritable)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn checksum(object: &Value) -> String {
    format!("{:016x}", xxh3_64(object.to_string().as_bytes()))
}

/// The version is looked at when the object is known to be whole, and the rest when the version is known.
fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let damaged = |what: String| Error::new(ErrorCode::CORRUPTED_DATA, format!("The definition is damaged: {what}"));
    let not_one = |error: serde_json::Error| damaged(error.to_string());
    let mut object: Value = serde_json::from_slice(bytes).map_err(not_one)?;
    let fields = object.as_object_mut().ok_or_else(|| damaged("it is no object".to_string()))?;
    let unknown = fields.keys().find(|field| !FIELDS.contains(&field.as_str())).cloned();
    match fields.remove(CHECKSUM) {
        Some(written) if written != checksum(&object).as_str() => {
            return Err(damaged("its checksum does not fit; mended by hand, it is read without the checksum".to_string()));
        }
        Some(_) => {}
        None => {
            if let Some(unknown) = unknown {
                return Err(damaged(format!("it has a field {unknown}, which is none of a definition")));
            }
        }
    }
    match object.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(FORMAT) => {}
        Some(version) => return Err(newer(&version.to_string())),
        None => return Err(damaged("it has no version".to_string())),
    }
    Ok(serde_json::from_value::<Versioned<T>>(object).map_err(not_one)?.body)
}

pub(super) fn write(record: &Record) -> Result<Vec<u8>> {
    to_json(match record {
        Record::Database(database) => Body::Database(database.into()),
        Record::Table(table) | Record::Unowned(table) => Body::Table(Box::new(table.into())),
        Record::Detached(table) => Body::Table(Box::new(detached(table))),
        Record::Dropped(table, until_ms) => Body::Table(Box::new(dropped(table, *until_ms))),
    })
}

/// `unowned`: the object lies among those.
pub(super) fn read(bytes: &[u8], unowned: bool) -> Result<Record> {
    Ok(match from_json(bytes)? {
        Body::Database(database) => Record::Database(database.into()),
        Body::Table(table) if unowned => ownerless(*table)?,
        Body::Table(table) => owned(*table)?,
    })
}

fn detached(table: &TableDefinition) -> Table {
    Table { detached: true, ..table.into() }
}

fn dropped(table: &TableDefinition, until_ms: u64) -> Table {
    Table { dropped_until_ms: Some(until_ms), ..table.into() }
}

/// Data without a table.
fn ownerless(table: Table) -> Result<Record> {
    let until_ms = table.dropped_until_ms;
    let table: TableDefinition = table.try_into()?;
    Ok(match until_ms {
        Some(until_ms) => Record::Dropped(table, until_ms),
        None => Record::Unowned(table),
    })
}

/// A table of the catalog.
fn owned(table: Table) -> Result<Record> {
    let is_detached = table.detached;
    let table: TableDefinition = table.try_into()?;
    Ok(if is_detached { Record::Detached(table) } else { Record::Table(table) })
}

pub(super) fn write_intent(change: &Change) -> Result<Vec<u8>> {
    let put = |record: &Record| match record {
        Record::Database(database) => Put::Database(database.into()),
        Record::Table(table) => Put::Table(table.into()),
        Record::Detached(table) => Put::Table(detached(table)),
        Record::Unowned(table) => Put::Unowned(table.into()),
        Record::Dropped(table, until_ms) => Put::Unowned(dropped(table, *until_ms)),
    };
    let name = |key: &Key| match key.clone() {
        Key::Database(name) => Name::Database(name),
        Key::Table(database, uuid) => Name::Table(database, Id(uuid)),
        Key::Unowned(uuid) => Name::Unowned(Id(uuid)),
    };
    to_json(Intent { put: change.put.iter().map(put).collect(), delete: change.delete.iter().map(name).collect() })
}

pub(super) fn read_intent(bytes: &[u8]) -> Result<Change> {
    let intent: Intent = from_json(bytes)?;
    let put = |put| {
        Ok(match put {
            Put::Database(database) => Record::Database(database.into()),
            Put::Table(table) => owned(table)?,
            Put::Unowned(table) => ownerless(table)?,
        })
    };
    let key = |name| match name {
        Name::Database(name) => Key::Database(name),
        Name::Table(database, uuid) => Key::Table(database, uuid.0),
        Name::Unowned(uuid) => Key::Unowned(uuid.0),
    };
    Ok(Change {
        put: intent.put.into_iter().map(put).collect::<Result<_>>()?,
        delete: intent.delete.into_iter().map(key).collect(),
    })
}

impl From<&DatabaseInfo> for Database {
    fn from(database: &DatabaseInfo) -> Self {
        Database { name: database.name.clone(), uuid: Id(database.uuid), comment: database.comment.clone() }
    }
}

impl From<Database> for DatabaseInfo {
    fn from(database: Database) -> Self {
        DatabaseInfo { name: database.name, uuid: database.uuid.0, comment: database.comment, system: false }
    }
}

impl From<&TableDefinition> for Table {
    fn from(table: &TableDefinition) -> Self {
        let column = |column: &Column| ColumnText {
            name: column.name.clone(),
            kind: column.kind.to_string(),
            default: column
                .default
                .as_ref()
                .map(|(kind, expression)| Default { kind: kind.name().to_string(), expression: expression.clone() }),
            comment: column.comment.clone(),
            codec: column.codec.clone(),
            statistics: column.statistics.clone(),
            settings: column.settings.clone(),
        };
        Table {
            uuid: Id(table.uuid),
            database: table.database.clone(),
            name: table.name.clone(),
            engine: Engine { name: table.engine.name.clone(), arguments: table.engine.arguments.clone() },
            columns: table.columns.iter().map(column).collect(),
            partition_by: table.partition_by.clone(),
            order_by: table.order_by.clone(),
            primary_key: table.primary_key.clone(),
            sample_by: table.sample_by.clone(),
            written_keys: table.written_keys.clone(),
            settings: table.settings.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect(),
            comment: table.comment.clone(),
            column_keys: table.column_keys.keys.clone(),
            next_column_key: table.column_keys.next,
            null_values: table.column_keys.null_values.clone(),
            key_types: table.column_keys.kinds.iter().map(|(key, kind)| (key.clone(), kind.to_string())).collect(),
            skip_indexes: table.skip_indexes.iter().cloned().map(SkipIndex::from).collect(),
            projections: table.projections.clone(),
            ttl: table.ttl.clone(),
            constraints: table.constraints.iter().cloned().map(Constraint::from).collect(),
            detached: false,
            dropped_until_ms: None,
        }
    }
}

impl TryFrom<Table> for TableDefinition {
    type Error = Error;

    fn try_from(table: Table) -> Result<Self> {
        let column = |column: ColumnText| {
            let kind = column.kind.parse().context(|| format!("in column '{}' of the definition", column.name))?;
            let default = match column.default {
                Some(default) => Some((default_kind(&default.kind)?, default.expression)),
                None => None,
            };
            let (statistics, settings) = (column.statistics, column.settings);
            Ok(Column {
                name: column.name,
                kind,
                default,
                comment: column.comment,
                codec: column.codec,
                statistics,
                settings,
            })
        };
        let key_types = table.key_types.into_iter().map(|(key, kind)| {
            let kind = kind.parse().context(|| format!("in the type of values under the key '{key}'"))?;
            Ok((key, kind))
        });
        let settings = table.settings.into_iter().map(|(name, value)| match value {
            Value::String(value) => Ok((name, value)),
            other => Err(Error::new(
                ErrorCode::CORRUPTED_DATA,
                format!("The value of the setting {name} of a definition is {other}, which is no text"),
            )),
        });
        Ok(TableDefinition {
            uuid: table.uuid.0,
            database: table.database,
            name: table.name,
            engine: EngineSpec { name: table.engine.name, arguments: table.engine.arguments },
            columns: Columns::new(table.columns.into_iter().map(column).collect::<Result<_>>()?),
            partition_by: table.partition_by,
            order_by: table.order_by,
            primary_key: table.primary_key,
            sample_by: table.sample_by,
            written_keys: table.written_keys,
            settings: settings.collect::<Result<_>>()?,
            comment: table.comment,
            temporary: false,
            column_keys: ColumnKeys {
                keys: table.column_keys,
                next: table.next_column_key,
                null_values: table.null_values,
                kinds: key_types.collect::<Result<_>>()?,
            },
            skip_indexes: table.skip_indexes.into_iter().map(SkipIndexDefinition::from).collect(),
            projections: table.projections,
            ttl: table.ttl,
            constraints: table.constraints.into_iter().map(ConstraintDefinition::from).collect(),
        })
    }
}

impl From<ConstraintDefinition> for Constraint {
    fn from(constraint: ConstraintDefinition) -> Self {
        let kind = match constraint.kind {
            ConstraintKind::Check => ConstraintWord::Check,
            ConstraintKind::Assume => ConstraintWord::Assume,
        };
        Constraint { name: constraint.name, kind, expression: constraint.expression }
    }
}

impl From<Constraint> for ConstraintDefinition {
    fn from(constraint: Constraint) -> Self {
        let kind = match constraint.kind {
            ConstraintWord::Check => ConstraintKind::Check,
            ConstraintWord::Assume => ConstraintKind::Assume,
        };
        ConstraintDefinition { name: constraint.name, kind, expression: constraint.expression }
    }
}

impl From<SkipIndexDefinition> for SkipIndex {
    fn from(index: SkipIndexDefinition) -> Self {
        let SkipIndexDefinition { name, expression, kind, granularity, key } = index;
        SkipIndex { name, expression, kind, granularity, key }
    }
}

impl From<SkipIndex> for SkipIndexDefinition {
    fn from(index: SkipIndex) -> Self {
        let SkipIndex { name, expression, kind, granularity, key } = index;
        SkipIndexDefinition { name, expression, kind, granularity, key }
    }
}

fn default_kind(name: &str) -> Result<DefaultKind> {
    [DefaultKind::Default, DefaultKind::Materialized, DefaultKind::Ephemeral, DefaultKind::Alias]
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| Error::new(ErrorCode::CORRUPTED_DATA, format!("Unknown kind of default '{name}' in a definition")))
}
