//! How a table's rows are laid out: its stored columns, its sorting key with the primary key as a prefix, its
//! partition key. Shared by everything that writes and reads parts.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{CastWay, KeyExpression, TableDefinition};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, DefaultKind, SqlType};
use xxhash_rust::xxh3::Xxh3;

use crate::engine::MergingEngine;
use crate::environment::MergeTreeEnvironment;
use crate::index::order::KeyOrder;
use crate::index::skip::SkipIndex;
use crate::insert::block::object_key;
use crate::projection::{self, Projection};
use crate::ttl::older::Kept;
use crate::ttl::{self, Ttl};

/// Columns whose bounds stand in the manifest at most: every part of every version carries them.
const STATISTICS_COLUMNS_MAX: usize = 16;

#[derive(Debug)]
pub struct Layout {
    /// The columns that parts hold, in the table's order.
    pub columns: Columns,
    /// By column, the keys under which parts have it, newest first: see `ColumnKeys`.
    pub keys: Vec<Vec<String>>,
    /// By key, what stands for NULL in values under it: see `ColumnKeys`.
    pub null_values: BTreeMap<String, String>,
    /// By key, the type that values under it had: see `ColumnKeys`.
    pub kinds: BTreeMap<String, SqlType>,
    /// All declared columns: what expressions may name.
    pub declared: Columns,
    /// The Arrow schema in memory of `columns`.
    pub schema: SchemaRef,
    pub sorting: Vec<KeyExpression>,
    /// How many of the sorting key's expressions the sparse index keeps.
    pub primary_key_length: usize,
    pub partition: Vec<KeyExpression>,
    /// Positions (in `columns`) of the columns that the partition key is computed from, ascending.
    pub partition_columns: Vec<usize>,
    /// Positions of the columns whose least and greatest values the manifest keeps besides, ascending.
    pub statistics_columns: Vec<usize>,
    pub sorting_order: KeyOrder,
    pub primary_order: KeyOrder,
    /// What merges make of rows of equal sorting key.
    pub engine: MergingEngine,
    pub skip_indexes: Vec<Arc<SkipIndex>>,
    /// What becomes of rows that grow old.
    pub ttl: Ttl,
    pub projections: Vec<Arc<Projection>>,
    /// The projection whose data is laid out so; `None`: a table's.
    pub of_projection: Option<String>,
    columns_hash: OnceLock<u128>,
}

impl Layout {
    /// Errors: BAD_ARGUMENTS where a key is of a type that has no order, DATA_TYPE_CANNOT_BE_USED_IN_KEY where it is a state
    /// of an aggregate; those of the engine's parameters.
    pub fn new(
        definition: &TableDefinition,
        sorting: Vec<KeyExpression>,
        partition: Option<Vec<KeyExpression>>,
        environment: &MergeTreeEnvironment,
    ) -> Result<Arc<Layout>> {
        let columns = stored_columns(&definition.columns);
        let schema = columns.arrow();
        let partition = partition.unwrap_or_default();
        let primary_key_length = definition.primary_key.len().min(sorting.len());
        if columns.is_empty() {
            return Err(Error::new(
                ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED,
                format!("Table {}.{} stores no column: declare at least one", definition.database, definition.name),
            ));
        }
        for key in sorting.iter().chain(&partition) {
            for name in referenced_columns(key) {
                if columns.index_of(&name).is_none() {
                    return Err(Error::new(
                        ErrorCode::UNKNOWN_IDENTIFIER,
                        format!("Key expression {} uses column {name}, which the table does not store", key.text),
                    ));
                }
            }
        }
        if let Some(key) = sorting.iter().chain(&partition).find(|key| matches!(key.kind, SqlType::AggregateFunction(..))) {
            return Err(Error::new(
                ErrorCode::DATA_TYPE_CANNOT_BE_USED_IN_KEY,
                format!("{} of type {} cannot be part of a key: states have no order", key.text, key.kind),
            ));
        }
        let engine = MergingEngine::of(definition, &columns, &sorting, &partition)?;
        let mut partition_columns: Vec<usize> =
            partition.iter().flat_map(referenced_columns).filter_map(|name| columns.index_of(&name)).collect();
        partition_columns.sort_unstable();
        partition_columns.dedup();
        let is_time = |kind: &SqlType| {
            matches!(kind, SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..))
        };
        let statistics_columns: Vec<usize> = (0..columns.len())
            .filter(|place| is_time(&columns.0[*place].kind) && !partition_columns.contains(place))
            .take(STATISTICS_COLUMNS_MAX)
            .collect();
        let skip_indexes = SkipIndex::of_table(definition, &columns, environment)?;
        let kinds: Vec<(&SqlType, bool)> = sorting.iter().map(|key| (&key.kind, key.descending)).collect();
        let keys: Vec<Vec<String>> = columns.iter().map(|column| definition.column_keys.of(&column.name)).collect();
        let ttl = {
            let kept = |place: usize| match partition_columns.iter().position(|known| *known == place) {
                Some(at) => is_time(&columns.0[place].kind).then_some(Kept::Range(at)),
                None => statistics_columns
                    .contains(&place)
                    .then(|| Kept::Statistics(keys[place].first().cloned().unwrap_or_default())),
            };
            let kept: Vec<Option<Kept>> = (0..columns.len()).map(kept).collect();
            let shape = ttl::Shape { columns: &columns, sorting: &sorting, kept: &kept };
            Ttl::compile(definition, &shape, environment, &environment.context("TTL"))?
        };
        let projections = Projection::of_table(definition, &columns, &keys, environment)?;
        Ok(Arc::new(Layout {
            sorting_order: KeyOrder::directed(&kinds)?,
            primary_order: KeyOrder::directed(&kinds[..primary_key_length])?,
            keys,
            declared: definition.columns.clone(),
            columns,
            schema,
            sorting,
            primary_key_length,
            partition,
            partition_columns,
            statistics_columns,
            engine,
            skip_indexes,
            ttl,
            projections,
            null_values: definition.column_keys.null_values.clone(),
            kinds: definition.column_keys.kinds.clone(),
            of_projection: None,
            columns_hash: OnceLock::new(),
        }))
    }

    /// Of the data of a projection: its columns with their keys, sorted, with no partition key, no indexes and no TTL.
    /// Errors: those of a sorting key.
    pub fn of_projection(
        name: &str,
        (columns, keys): (Columns, Vec<Vec<String>>),
        sorting: Vec<KeyExpression>,
        engine: MergingEngine,
    ) -> Result<Arc<Layout>> {
        let kinds: Vec<(&SqlType, bool)> = sorting.iter().map(|key| (&key.kind, key.descending)).collect();
        let order = || KeyOrder::directed(&kinds);
        Ok(Arc::new(Layout {
            sorting_order: order()?,
            primary_order: order()?,
            keys,
            declared: columns.clone(),
            schema: columns.arrow(),
            columns,
            primary_key_length: sorting.len(),
            sorting,
            partition: Vec::new(),
            partition_columns: Vec::new(),
            statistics_columns: Vec::new(),
            engine,
            skip_indexes: Vec::new(),
            ttl: Ttl::default(),
            projections: Vec::new(),
            null_values: BTreeMap::new(),
            kinds: BTreeMap::new(),
            of_projection: Some(name.to_string()),
            columns_hash: OnceLock::new(),
        }))
    }

    /// The key of a new object for rows of the partition: unique, so that writers never meet.
    pub fn new_object(&self, context: &QueryContext, partition_id: &str, level: u32) -> String {
        let object = object_key(context, partition_id, level);
        match &self.of_projection {
            Some(name) => projection::object_beside(&object, name, None),
            None => object,
        }
    }

    /// Of all that the values of columns follow from, beside the parts' data.
    pub fn columns_hash(&self) -> u128 {
        *self.columns_hash.get_or_init(|| {
            let mut hasher = Xxh3::new();
            for (column, keys) in self.columns.iter().zip(&self.keys) {
                column.name.hash(&mut hasher);
                column.kind.to_string().hash(&mut hasher);
                format!("{:?}", column.default).hash(&mut hasher);
                keys.hash(&mut hasher);
            }
            self.null_values.hash(&mut hasher);
            self.kinds.hash(&mut hasher);
            hasher.digest128()
        })
    }

    /// The projection of this name.
    pub fn projection(&self, name: &str) -> Option<&Arc<Projection>> {
        self.projections.iter().find(|projection| projection.definition.name == name)
    }

    /// What values of a part under one of a column's keys go through until they are of its type.
    pub fn cast_way(&self, place: usize, from: &SqlType, key: &str) -> CastWay {
        CastWay::new((from, key), (&self.columns.0[place].kind, &self.keys[place]), &self.kinds, &self.null_values)
    }

    /// The key under which a column is written.
    pub fn key(&self, place: usize) -> &str {
        self.keys.get(place).and_then(|keys| keys.first()).map_or("", String::as_str)
    }

    pub fn primary(&self) -> &[KeyExpression] {
        &self.sorting[..self.primary_key_length]
    }
}

/// The columns that are kept in parts: no ALIAS, no EPHEMERAL.
pub fn stored_columns(columns: &Columns) -> Columns {
    let stored = |kind: &DefaultKind| !matches!(kind, DefaultKind::Alias | DefaultKind::Ephemeral);
    Columns::new(
        columns.iter().filter(|column| column.default.as_ref().is_none_or(|(kind, _)| stored(kind))).cloned().collect(),
    )
}

pub fn referenced_columns(key: &KeyExpression) -> Vec<String> {
    let mut names: Vec<String> = key.logical.column_refs().into_iter().map(|column| column.name.clone()).collect();
    names.sort();
    names
}
