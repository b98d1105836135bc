//! Projections: the rows of a part in another order, or aggregated, in an object of their own beside the part.
//!
//! The data of a projection is a part like any other, only of other columns: the same Parquet object with the same sparse
//! index, under a `Layout` of its own. So a scan reads it (`read/projected.rs`), a merge merges it (`merge`) and other
//! programs open it as they do with parts. It lies in `projections/`, not among the parts, so that whoever reads all
//! of `parts/` has each row once. The manifest names it in the entry of its part (`PartEntry::projections`): one commit makes a
//! part visible with its projections, takes it out with them, and a part that lacks one is read itself.
//!
//! The rows of an aggregate projection are one a group, with the states of its aggregates: what an AggregatingMergeTree of
//! these columns would hold, and merged by the same rule.
//!
//! A normal projection with `_part_offset` keeps besides where in the part each of its rows is, which makes it an index: its key
//! says which rows of the part are wanted (`read/offsets.rs`). Where rows change their places it is made anew.
//!
//! A projection is known in the manifest by its *key*: its name and a fingerprint of its query and of the columns that it is
//! made of. After an ALTER that changes what it would hold it has another key, and what older parts have of it
//! counts for nothing; a merge makes it anew.

pub mod build;
pub mod merge;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::logical_expr::ident;
use datafusion::physical_expr::expressions::Column as PhysicalColumn;
use datafusion::physical_expr::utils::reassign_expr_columns;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{
    CompiledProjection, KeyExpression, ProjectedAggregate, ProjectionContents, ProjectionDefinition, TableDefinition,
};
use gristmill_types::{Column, Columns, SqlType};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::MergingEngine;
use crate::environment::MergeTreeEnvironment;
use crate::layout::Layout;
use crate::manifest::PartEntry;
use crate::merge::rules::fold::Folding;
use crate::settings::TableSettings;

/// Where the data of projections lies in the table's folder.
pub const FOLDER: &str = "projections/";
/// Characters of a projection's name that its objects are called by at most.
const NAME_CHARACTERS: usize = 80;
/// The column of a projection that says where in its part a row is: in the projection's own, `_part_offset` is another.
pub const PARENT_PART_OFFSET: &str = "_parent_part_offset";

/// A projection of a table, ready to be built, merged and read.
#[derive(Debug)]
pub struct Projection {
    pub definition: ProjectionDefinition,
    pub key: String,
    /// Of its data.
    pub layout: Arc<Layout>,
    /// Places of the stored columns of the table that it is made of, ascending.
    pub inputs: Vec<usize>,
    input_schema: SchemaRef,
    /// What it is sorted or grouped by, over batches of the inputs.
    keys: Vec<KeyExpression>,
    pub contents: Contents,
    /// Whether its last column is where in the part a row is.
    pub has_offsets: bool,
}

#[derive(Debug)]
pub enum Contents {
    /// Its columns are the inputs, and the places of rows.
    Normal,
    /// Its columns are the keys, then the states.
    Aggregate {
        /// Over the table's columns.
        keys: Vec<KeyExpression>,
        aggregates: Vec<ProjectedAggregate>,
    },
}

impl Projection {
    /// The projections of a table over the columns that it stores. `keys`: see `Layout::keys`. Errors: ILLEGAL_PROJECTION, and
    /// those of the expressions.
    pub fn of_table(
        definition: &TableDefinition,
        columns: &Columns,
        keys: &[Vec<String>],
        environment: &MergeTreeEnvironment,
    ) -> Result<Vec<Arc<Projection>>> {
        let mut seen = BTreeSet::new();
        let projection = |projection: &ProjectionDefinition| {
            if !seen.insert(projection.name.clone()) {
                return Err(Error::new(
                    ErrorCode::ILLEGAL_PROJECTION,
                    format!("Cannot add projection {}: projection with this name already exists", projection.name),
                ));
            }
            let compiled = environment.compile_projection(projection, &definition.columns)?;
            Projection::new(projection, compiled, columns, keys).map(Arc::new)
        };
        definition.projections.iter().map(projection).collect()
    }

    fn new(
        definition: &ProjectionDefinition,
        compiled: CompiledProjection,
        columns: &Columns,
        column_keys: &[Vec<String>],
    ) -> Result<Projection> {
        let mut names: BTreeSet<&str> =
            compiled.keys.iter().flat_map(|key| key.logical.column_refs()).map(|column| column.name.as_str()).collect();
        match &compiled.contents {
            ProjectionContents::Normal { columns, .. } => names.extend(columns.iter().map(String::as_str)),
            ProjectionContents::Aggregate(aggregates) => {
                names.extend(aggregates.iter().flat_map(|aggregate| &aggregate.state.inputs).map(String::as_str));
            }
        }
        let inputs: Vec<usize> = (0..columns.len()).filter(|at| names.contains(columns.0[*at].name.as_str())).collect();
        if inputs.len() != names.len() {
            return Err(Error::logical(format!("Projection {} is made of columns that are not stored", definition.name)));
        }
        let input = Columns::new(inputs.iter().map(|at| columns.0[*at].clone()).collect());
        let input_schema = input.arrow();
        let over_inputs = |key: &KeyExpression| -> Result<KeyExpression> {
            Ok(KeyExpression { physical: reassign_expr_columns(key.physical.clone(), &input_schema)?, ..key.clone() })
        };
        let keys = compiled.keys.iter().map(over_inputs).collect::<Result<Vec<_>>>()?;
        // Errors are those of the table's.
        TableSettings::default().with(&definition.settings)?;
        let mut fingerprint = definition.query();
        for (at, column) in inputs.iter().zip(input.iter()) {
            let default = column.default.as_ref().map(|(kind, text)| (kind.name(), text));
            fingerprint.push_str(&format!("\n{:?} {} {default:?}", column_keys[*at].first(), column.kind));
        }
        let has_offsets = matches!(compiled.contents, ProjectionContents::Normal { has_offsets: true, .. });
        let (layout, contents) = match compiled.contents {
            ProjectionContents::Normal { .. } => {
                let offset = has_offsets.then(|| Column::new(PARENT_PART_OFFSET, SqlType::UInt64));
                let key_of_offset = has_offsets.then(|| vec![PARENT_PART_OFFSET.to_string()]);
                let keys_of_columns = inputs.iter().map(|at| column_keys[*at].clone()).chain(key_of_offset).collect();
                let shape = (Columns::new(input.iter().cloned().chain(offset).collect()), keys_of_columns);
                (Layout::of_projection(&definition.name, shape, keys.clone(), MergingEngine::Ordinary)?, Contents::Normal)
            }
            ProjectionContents::Aggregate(aggregates) => {
                let of_keys = compiled.keys.iter().map(|key| Column::new(column_name(key), key.kind.clone()));
                let of_states = aggregates.iter().map(|aggregate| Column::new(&aggregate.name, aggregate.kind.clone()));
                let own = Columns::new(of_keys.chain(of_states).collect());
                let names: Vec<String> = own.names();
                let sorting = compiled.keys.iter().enumerate().map(|(at, key)| KeyExpression {
                    text: key.text.clone(),
                    kind: key.kind.clone(),
                    descending: false,
                    logical: ident(column_name(key)),
                    physical: Arc::new(PhysicalColumn::new(column_name(key), at)),
                });
                let folding = Folding::aggregating(&own, &names[..compiled.keys.len()])?;
                let engine = MergingEngine::Aggregating(folding);
                let shape = (own, names.into_iter().map(|name| vec![name]).collect());
                let layout = Layout::of_projection(&definition.name, shape, sorting.collect(), engine)?;
                (layout, Contents::Aggregate { keys: compiled.keys, aggregates })
            }
        };
        let key = format!("{}#{:016x}", definition.name, xxh3_64(fingerprint.as_bytes()));
        Ok(Projection { definition: definition.clone(), key, layout, inputs, input_schema, keys, contents, has_offsets })
    }

    /// The settings of its data: the table's, but for those that it has of its own.
    pub fn settings(&self, of_table: &Arc<TableSettings>) -> Arc<TableSettings> {
        if self.definition.settings.is_empty() {
            return of_table.clone();
        }
        // They were checked when it was made.
        of_table.with(&self.definition.settings).map_or_else(|_| of_table.clone(), Arc::new)
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self.contents, Contents::Aggregate { .. })
    }

    /// A column of the table in the projection, whose columns are the table's.
    pub fn place_of(&self, table_place: usize) -> Option<usize> {
        match self.contents {
            Contents::Normal => self.inputs.binary_search(&table_place).ok(),
            Contents::Aggregate { .. } => None,
        }
    }

    /// The schema of its data.
    pub fn schema(&self) -> &SchemaRef {
        &self.layout.schema
    }

    /// That of what it is made of.
    pub fn input_schema(&self) -> &Arc<Schema> {
        &self.input_schema
    }
}

/// The column of an aggregate projection that a key is.
pub fn column_name(key: &KeyExpression) -> &str {
    key.column().unwrap_or(&key.text)
}

/// The name in a projection's key.
pub fn name_of(key: &str) -> &str {
    key.rsplit_once('#').map_or(key, |(name, _)| name)
}

/// Whether the part has data of a projection of this name, of whatever definition.
pub fn has_any(part: &PartEntry, name: &str) -> bool {
    part.projections.keys().any(|key| name_of(key) == name)
}

/// The object of a projection beside an object that is called so; `run`: a piece of it that is sorted by itself.
pub fn object_beside(part_object: &str, projection: &str, run: Option<usize>) -> String {
    let file = part_object.rsplit('/').next().unwrap_or(part_object);
    let stem = file.strip_suffix(".parquet").unwrap_or(file);
    let run = run.map_or_else(String::new, |run| format!(".{run}"));
    format!("{FOLDER}{stem}.{}{run}.parquet", in_key(projection))
}

/// A name as a piece of an object's key.
fn in_key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    if plain == name && name.len() <= NAME_CHARACTERS {
        return plain;
    }
    let begin: String = plain.chars().take(NAME_CHARACTERS).collect();
    format!("{begin}-{:016x}", xxh3_64(name.as_bytes()))
}

/// What becomes of projections where rows of equal key become fewer (`deduplicate_merge_projection_mode`), or where DELETE
/// FROM takes rows away (`lightweight_mutation_projection_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Throw,
    Drop,
    Rebuild,
}

impl Mode {
    /// Errors: BAD_ARGUMENTS. `ignore`, by which ClickHouse keeps data of rows that are gone, is `rebuild` here.
    pub fn parse(setting: &str, value: &str) -> Result<Mode> {
        match value {
            "throw" => Ok(Mode::Throw),
            "drop" => Ok(Mode::Drop),
            "rebuild" => Ok(Mode::Rebuild),
            "ignore" if setting == "deduplicate_merge_projection_mode" => Ok(Mode::Rebuild),
            other => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Unexpected value of {setting}: '{other}'. Must be one of ['throw', 'drop', 'rebuild']"),
            )),
        }
    }

    pub fn of_merges(settings: &TableSettings) -> Result<Mode> {
        Mode::parse("deduplicate_merge_projection_mode", &settings.deduplicate_merge_projection_mode)
    }

    pub fn of_deletes(settings: &TableSettings) -> Result<Mode> {
        Mode::parse("lightweight_mutation_projection_mode", &settings.lightweight_mutation_projection_mode)
    }
}

/// Whether the table may have its projections. Errors: SUPPORT_IS_DISABLED, LIMIT_EXCEEDED.
pub fn check(definition: &TableDefinition, layout: &Layout, settings: &TableSettings) -> Result<()> {
    let (merges, _) = (Mode::of_merges(settings)?, Mode::of_deletes(settings)?);
    if definition.projections.is_empty() {
        return Ok(());
    }
    if definition.projections.len() as u64 > settings.max_projections {
        return Err(Error::new(
            ErrorCode::LIMIT_EXCEEDED,
            format!("Maximum limit of {} projection(s) exceeded (max_projections)", settings.max_projections),
        ));
    }
    if layout.engine.merges_rows() && merges == Mode::Throw {
        return Err(Error::new(
            ErrorCode::SUPPORT_IS_DISABLED,
            format!(
                "Projections are not supported for {} with deduplicate_merge_projection_mode = throw. Please set setting \
                 'deduplicate_merge_projection_mode' to 'drop' or 'rebuild'",
                definition.engine.name
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_after_part_and_projection() {
        let beside = |name: &str| object_beside("parts/all_0_abc.parquet", name, None);
        assert_eq!(beside("by_user"), "projections/all_0_abc.by_user.parquet");
        assert_eq!(object_beside("parts/p.parquet", "q", Some(2)), "projections/p.q.2.parquet");
        // Names that would be written alike stay apart.
        assert_ne!(beside("a/b"), beside("a b"));
        assert!(beside(&"ö".repeat(500)).len() < 200);
        assert_eq!(name_of("a#b#0123456789abcdef"), "a#b");
    }
}
