//! The changes of one or more mutations, compiled, and what they do to the rows of a part.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::filter_record_batch;
use gristmill_base::{Result, ResultExt};
use gristmill_catalog::{ColumnExpression, RowChange, Wanted};
use gristmill_introspect::QueryContext;
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

use super::of_part::{nameable, with_constants};
use crate::layout::Layout;
use crate::located::{Located, place, scatter};
use crate::manifest::PartEntry;
use crate::part::OpenPart;
use crate::part::v1::storage_type::has_strings;
use crate::projection::{Projection, has_any, name_of};
use crate::read::PART_OFFSET;
use crate::read::evolve::FoundColumn;
use crate::table::Core;

enum Step {
    Delete(Located),
    /// The columns that are set, by their places, and the condition.
    Update(Vec<(usize, Located)>, Located),
    /// MATERIALIZED columns, by their places, that follow from what the step before set: of all rows, because those that
    /// were not changed come out the same.
    Follow(Vec<(usize, Located)>),
    Materialize(usize),
    /// Where the part has the skip index of this key, or has it not, as the flag says, it is written anew with the other.
    Index {
        key: String,
        wanted: bool,
    },
    /// Parts get, or lose, the projection of this name: an object beside them, for which no part is written anew.
    Projection {
        name: String,
        wanted: bool,
    },
    /// A part of which rows are deleted is written anew: who reads it leaves them out.
    Mask,
    /// The table's TTL is applied to the rows that come out, by who writes them.
    Ttl,
}

pub struct Program {
    layout: Arc<Layout>,
    steps: Vec<Step>,
}

impl Program {
    /// Errors: those of the expressions, by the columns that the table has now.
    pub fn compile(core: &Core, part: &PartEntry, changes: &[RowChange], context: &QueryContext) -> Result<Program> {
        let layout = &core.layout;
        let nameable = nameable(&layout.declared);
        let counted = with_offset(&layout.columns);
        let compile = |text: &str, wanted: Wanted<'_>| -> Result<Located> {
            let expression = core.environment.compile(text, wanted, &nameable, context)?;
            Located::new(with_constants(expression, &layout.declared, part)?, &counted)
        };
        let steps = changes
            .iter()
            .map(|change| {
                Ok(match change {
                    RowChange::Delete { condition } => Step::Delete(compile(condition, Wanted::Condition)?),
                    RowChange::Materialize { column } => Step::Materialize(place(&layout.columns, column)?),
                    RowChange::MaterializeIndex { key } => Step::Index { key: key.clone(), wanted: true },
                    RowChange::ClearIndex { key } => Step::Index { key: key.clone(), wanted: false },
                    RowChange::MaterializeProjection { name } => Step::Projection { name: name.clone(), wanted: true },
                    RowChange::ClearProjection { name } => Step::Projection { name: name.clone(), wanted: false },
                    RowChange::MaterializeTtl => Step::Ttl,
                    RowChange::ApplyDeletedMask => Step::Mask,
                    RowChange::Update { assignments, condition } => {
                        let mut set = Vec::new();
                        for (name, text) in assignments {
                            let at = place(&layout.columns, name)?;
                            let located = compile(text, Wanted::Value(&layout.columns.0[at].kind))
                                .context(|| format!("in the new value of column {name}"))?;
                            set.push((at, located));
                        }
                        Step::Update(set, compile(condition, Wanted::Condition)?)
                    }
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let mut program = Program { layout: layout.clone(), steps };
        program.follow_materialized(&compile)?;
        Ok(program)
    }

    /// Whether an expression asks for the numbers of rows: batches have them behind the stored columns then.
    pub fn counts_rows(&self) -> bool {
        let behind = self.layout.columns.len();
        let counts = |located: &Located| located.places.contains(&behind);
        self.steps.iter().any(|step| match step {
            Step::Delete(condition) => counts(condition),
            Step::Update(set, condition) => counts(condition) || set.iter().any(|(_, value)| counts(value)),
            Step::Follow(set) => set.iter().any(|(_, value)| counts(value)),
            _ => false,
        })
    }

    /// MATERIALIZED columns are computed anew after the columns that they are computed from: after all of them, as a column
    /// may be computed from one that was set and from one that follows it.
    fn follow_materialized(&mut self, compile: &dyn Fn(&str, Wanted<'_>) -> Result<Located>) -> Result<()> {
        if !self.steps.iter().any(|step| matches!(step, Step::Update(..))) {
            return Ok(());
        }
        let mut computed = Vec::new();
        for (at, column) in self.layout.columns.iter().enumerate() {
            if let Some((DefaultKind::Materialized, text)) = &column.default {
                computed.push((at, compile(text, Wanted::Value(&column.kind))?));
            }
        }
        let mut steps = Vec::new();
        for step in std::mem::take(&mut self.steps) {
            let follow = match &step {
                Step::Update(set, _) => following(set.iter().map(|(at, _)| *at).collect(), &computed),
                _ => Vec::new(),
            };
            steps.push(step);
            steps.extend(follow.into_iter().map(Step::Follow));
        }
        self.steps = steps;
        Ok(())
    }

    /// The conditions of which one at least must hold for a row to change. `None`: whatever the rows are, the part has to be written anew.
    pub fn conditions(&self, open: &OpenPart) -> Option<Vec<&ColumnExpression>> {
        let found = open.find_columns(&self.layout);
        let mut conditions = Vec::new();
        for step in &self.steps {
            match step {
                Step::Delete(condition) | Step::Update(_, condition) => conditions.push(&condition.expression),
                Step::Mask if open.deleted.is_some() => return None,
                Step::Follow(_) | Step::Ttl | Step::Mask | Step::Projection { .. } => {}
                // An index that is dropped meanwhile is nobody's any more.
                Step::Index { key, wanted } => {
                    let index = self.layout.skip_indexes.iter().find(|index| index.definition.key == *key);
                    if index.is_some_and(|index| open.skip_index(index).is_some() != *wanted) {
                        return None;
                    }
                }
                Step::Materialize(at) if found.columns[*at] != FoundColumn::Missing => {}
                Step::Materialize(_) => return None,
            }
        }
        Some(conditions)
    }

    /// Whether the part loses the skip index of this key.
    pub fn clears_index(&self, key: &str) -> bool {
        let last = self.steps.iter().rev().find_map(|step| match step {
            Step::Index { key: known, wanted } if known == key => Some(*wanted),
            _ => None,
        });
        last == Some(false)
    }

    /// The projections that a part has when its rows are written anew.
    pub fn projections_of(&self, part: &PartEntry) -> Vec<Arc<Projection>> {
        let stays = |projection: &&Arc<Projection>| {
            let name = &projection.definition.name;
            self.wants_projection(name).unwrap_or_else(|| has_any(part, name))
        };
        self.layout.projections.iter().filter(stays).cloned().collect()
    }

    /// Whether parts get, or lose, the projection; `None`: neither.
    fn wants_projection(&self, name: &str) -> Option<bool> {
        self.steps.iter().rev().find_map(|step| match step {
            Step::Projection { name: known, wanted } if known == name => Some(*wanted),
            _ => None,
        })
    }

    /// The projections that a part lacks and is to have, and the keys of those that it is to lose.
    pub fn changed_projections(&self, part: &PartEntry) -> (Vec<Arc<Projection>>, Vec<String>) {
        let lacks = |projection: &&Arc<Projection>| {
            self.wants_projection(&projection.definition.name) == Some(true)
                && !part.projections.contains_key(&projection.key)
        };
        let goes = |key: &&String| self.wants_projection(name_of(key)) == Some(false);
        (
            self.layout.projections.iter().filter(lacks).cloned().collect(),
            part.projections.keys().filter(goes).cloned().collect(),
        )
    }

    pub fn applies_ttl(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Ttl))
    }

    /// Columns of strings whose new values are not known to be text.
    pub fn sets_strings(&self) -> Vec<usize> {
        let mut places: Vec<usize> = self
            .steps
            .iter()
            .flat_map(|step| match step {
                Step::Update(set, _) | Step::Follow(set) => set.iter().map(|(at, _)| *at).collect(),
                _ => Vec::new(),
            })
            .filter(|at| has_strings(&self.layout.columns.0[*at].kind))
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The rows as they are afterwards. `batch`: all columns of the layout, in their order; perhaps with the rows' numbers.
    pub fn run(&self, mut batch: RecordBatch) -> Result<RecordBatch> {
        for step in &self.steps {
            match step {
                Step::Materialize(_) | Step::Index { .. } | Step::Projection { .. } | Step::Ttl | Step::Mask => {}
                Step::Follow(set) => {
                    let mut columns = batch.columns().to_vec();
                    for (at, value) in set {
                        columns[*at] = value.evaluate(&batch)?;
                    }
                    batch = with_columns(&batch, columns)?;
                }
                Step::Delete(condition) => {
                    let goes = condition.mask(&batch)?;
                    if goes.true_count() > 0 {
                        batch = filter_record_batch(&batch, &arrow::compute::not(&goes)?)?;
                    }
                }
                Step::Update(set, condition) => {
                    let changes = condition.mask(&batch)?;
                    let count = changes.true_count();
                    if count == 0 {
                        continue;
                    }
                    let rows =
                        if count == batch.num_rows() { batch.clone() } else { filter_record_batch(&batch, &changes)? };
                    let mut columns = batch.columns().to_vec();
                    for (at, value) in set {
                        let new = value.evaluate(&rows)?;
                        columns[*at] = if count == batch.num_rows() { new } else { scatter(&columns[*at], &new, &changes)? };
                    }
                    batch = with_columns(&batch, columns)?;
                }
            }
        }
        let stored = self.layout.columns.len();
        if batch.num_columns() > stored {
            batch = batch.project(&(0..stored).collect::<Vec<_>>())?;
        }
        Ok(batch)
    }
}

/// The columns of batches that have the numbers of rows.
fn with_offset(stored: &Columns) -> Columns {
    let offset = Column::new(PART_OFFSET, SqlType::UInt64);
    Columns::new(stored.iter().cloned().chain(stored.get(PART_OFFSET).is_none().then_some(offset)).collect())
}

fn with_columns(batch: &RecordBatch, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

/// Of the columns that are `computed`, with what they are computed from, those that follow the columns that are set, in the order in
/// which they can be computed: what is in one list is computed from no other in it.
fn following(set: Vec<usize>, computed: &[(usize, Located)]) -> Vec<Vec<(usize, Located)>> {
    let is_from = |located: &Located, columns: &[usize]| located.places.iter().any(|place| columns.contains(place));
    let mut changed = set.clone();
    while let Some((at, _)) = computed.iter().find(|(at, from)| !changed.contains(at) && is_from(from, &changed)) {
        changed.push(*at);
    }
    let mut waiting: Vec<usize> = changed.split_off(set.len());
    let mut lists = Vec::new();
    while !waiting.is_empty() {
        let is_next = |(at, from): &&(usize, Located)| waiting.contains(at) && !is_from(from, &waiting);
        let next: Vec<_> = computed.iter().filter(is_next).cloned().collect();
        if next.is_empty() {
            // Columns that are computed from each other, which CREATE and ALTER refuse.
            break;
        }
        waiting.retain(|at| next.iter().all(|(done, _)| done != at));
        lists.push(next);
    }
    lists
}
