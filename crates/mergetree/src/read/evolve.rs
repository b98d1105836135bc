//! Reads a part as the table is now, whatever ALTER changed since the part was written.
//!
//! A part says of each of its columns by a key what it is (`ColumnKeys`). For each column of the table there are three
//! cases: the part has it in its type; the part has it in another type, and it is cast while it is read, through all types that
//! the column had since (`CastWay`); the part does
//! not have it, and its rows have the column's default, which may be computed from other columns of the row, which may
//! be missing again. What a part has besides is left alone until a merge or a mutation writes the rows anew, in the
//! table's layout of that time.
//!
//! Rejected: rewriting parts in ALTER (ClickHouse does, for a changed type and for CLEAR COLUMN), which costs as much as
//! the table is large and leaves it half changed where it is stopped.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{CastWay, ColumnExpression, Wanted};
use gristmill_introspect::QueryContext;
use gristmill_types::default::{column_default, default_array};
use gristmill_types::{Columns, DefaultKind, SqlType, nested};
use parking_lot::Mutex;

use crate::environment::MergeTreeEnvironment;
use crate::layout::Layout;
use crate::part::OpenPart;
use crate::part::v1::header::PartHeader;
use crate::part::v1::storage_type::{from_storage, has_strings};

/// Where a column of the table is in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundColumn {
    /// Its place there.
    Stored(usize),
    /// Its place there, where it is of another type, or the column was of another since.
    Cast(usize),
    Missing,
}

impl FoundColumn {
    /// Its place there; `None`: it is missing.
    pub fn place(self) -> Option<usize> {
        match self {
            FoundColumn::Stored(at) | FoundColumn::Cast(at) => Some(at),
            FoundColumn::Missing => None,
        }
    }
}

/// By column of a layout.
#[derive(Debug)]
pub struct FoundColumns {
    pub columns: Vec<FoundColumn>,
}

impl FoundColumns {
    pub fn new(header: &PartHeader, part: &Columns, layout: &Layout) -> FoundColumns {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let find = |place: usize| {
            // Mostly nothing was altered: the part has the column where the table has it.
            let same = header.columns.get(place).is_some_and(|column| column.key() == layout.key(place));
            let found = if same {
                Some(place)
            } else {
                if places.is_empty() {
                    places.extend(header.columns.iter().enumerate().map(|(at, column)| (column.key(), at)));
                }
                layout.keys[place].iter().find_map(|key| places.get(key.as_str()).copied())
            };
            match found {
                Some(at) => {
                    let (kind, key) = (&part.0[at].kind, header.columns[at].key());
                    let is_of_today = key == layout.key(place) && *kind == layout.columns.0[place].kind;
                    match is_of_today || layout.cast_way(place, kind, key).is_empty() {
                        true => FoundColumn::Stored(at),
                        false => FoundColumn::Cast(at),
                    }
                }
                None => FoundColumn::Missing,
            }
        };
        FoundColumns { columns: (0..layout.columns.len()).map(find).collect() }
    }
}

/// What a part's header says of a column, for a part that is written from it: all its strings are text; a dictionary
/// pays.
pub fn traits_of(open: &OpenPart, layout: &Arc<Layout>, place: usize) -> (bool, bool) {
    let column = &layout.columns.0[place];
    match open.find_columns(layout).columns[place] {
        FoundColumn::Stored(at) => (open.header.columns[at].text, open.header.columns[at].dictionary),
        // Numbers and times become text; strings stay what they are.
        FoundColumn::Cast(at) => {
            let header = &open.header.columns[at];
            let is_text = header.text || !has_strings(&open.columns.0[at].kind) && !is_bytes(&open.columns.0[at].kind);
            let way = layout.cast_way(place, &open.columns.0[at].kind, header.key());
            // A type between may have cut a letter in two.
            (is_text && !way.replaces_null() && way.between().is_empty(), header.dictionary)
        }
        FoundColumn::Missing => {
            let constant = column.default.as_ref().is_none_or(|(_, text)| text.is_empty());
            (constant || !has_strings(&column.kind), constant)
        }
    }
}

fn is_bytes(kind: &SqlType) -> bool {
    matches!(kind.plain(), SqlType::FixedString(_))
}

/// Makes of what is decoded of parts what a scan is asked for. One a scan: expressions are compiled once.
#[derive(Debug)]
pub struct Evolution {
    layout: Arc<Layout>,
    environment: Arc<MergeTreeEnvironment>,
    /// Of defaults by the column's place; of casts with the types that lead to the column's as well.
    compiled: Mutex<HashMap<CompiledKey, Arc<ColumnExpression>>>,
}

type CompiledKey = (usize, Option<CastWay>);

/// How to get columns out of one part.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Places in the part of what has to be decoded, ascending.
    pub roots: Vec<usize>,
    /// By column asked for.
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Stored { place: usize, kind: SqlType },
    Default(SqlType),
    Computed { expression: Arc<ColumnExpression>, inputs: Vec<Step>, schema: SchemaRef },
}

impl Evolution {
    pub fn new(layout: Arc<Layout>, environment: Arc<MergeTreeEnvironment>) -> Evolution {
        Evolution { layout, environment, compiled: Mutex::default() }
    }

    /// `wanted`: places in the table.
    pub fn projection(&self, context: &QueryContext, open: &OpenPart, wanted: &[usize]) -> Result<Projection> {
        let found = open.find_columns(&self.layout);
        let mut roots = BTreeSet::new();
        let steps = wanted
            .iter()
            .map(|&place| self.step(context, open, &found, place, &mut roots, 0))
            .collect::<Result<Vec<_>>>()?;
        Ok(Projection { roots: roots.into_iter().collect(), steps })
    }

    fn step(
        &self,
        context: &QueryContext,
        open: &OpenPart,
        found: &FoundColumns,
        place: usize,
        roots: &mut BTreeSet<usize>,
        depth: usize,
    ) -> Result<Step> {
        let column = &self.layout.columns.0[place];
        match found.columns[place] {
            FoundColumn::Stored(at) => {
                roots.insert(at);
                Ok(Step::Stored { place: at, kind: column.kind.clone() })
            }
            FoundColumn::Cast(at) => {
                roots.insert(at);
                let from = &open.columns.0[at].kind;
                let way = self.layout.cast_way(place, from, open.header.columns[at].key());
                let expression = self.compiled((place, Some(way.clone())), || {
                    let single = Columns::of([(column.name.clone(), from.clone())]);
                    let text = format!("`{}`", column.name.replace('\\', "\\\\").replace('`', "\\`"));
                    self.environment.compile(&way.expression(&text), Wanted::Value(&column.kind), &single, context)
                })?;
                let inputs = vec![Step::Stored { place: at, kind: from.clone() }];
                Ok(Step::Computed { expression, inputs, schema: Arc::new(Schema::new(vec![from.field(&column.name)])) })
            }
            FoundColumn::Missing => {
                let sized = || {
                    let stored = |name: &str| {
                        let place = self.layout.columns.index_of(name);
                        place.is_some_and(|place| !matches!(found.columns[place], FoundColumn::Missing))
                    };
                    nested::sized_default(column, &self.layout.columns, stored)
                };
                let (text, is_of_part) = match &column.default {
                    Some((DefaultKind::Default | DefaultKind::Materialized, text)) if !text.is_empty() => {
                        (text.clone(), false)
                    }
                    _ => match sized() {
                        Some(text) => (text, true),
                        None => return Ok(Step::Default(column.kind.clone())),
                    },
                };
                if depth > self.layout.columns.len() {
                    return Err(Error::new(
                        ErrorCode::BAD_ARGUMENTS,
                        format!("The default of column {} needs itself", column.name),
                    ));
                }
                let compile =
                    || self.environment.compile(&text, Wanted::Value(&column.kind), &self.layout.declared, context);
                // Which array it goes by is another in each part.
                let expression = match is_of_part {
                    true => compile().map(Arc::new),
                    false => self.compiled((place, None), compile),
                };
                let expression = expression.context(|| format!("in the default of column {}", column.name))?;
                let (mut inputs, mut fields) = (Vec::new(), Vec::new());
                for name in &expression.inputs {
                    let input = self.layout.columns.index_of(name).ok_or_else(|| {
                        let text = format!("The default of column {} uses {name}, which is not stored", column.name);
                        Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text)
                    })?;
                    inputs.push(self.step(context, open, found, input, roots, depth + 1)?);
                    fields.push(self.layout.columns.0[input].kind.field(name));
                }
                Ok(Step::Computed { expression, inputs, schema: Arc::new(Schema::new(fields)) })
            }
        }
    }

    fn compiled(
        &self,
        key: CompiledKey,
        compile: impl FnOnce() -> Result<ColumnExpression>,
    ) -> Result<Arc<ColumnExpression>> {
        if let Some(known) = self.compiled.lock().get(&key) {
            return Ok(known.clone());
        }
        let compiled = Arc::new(compile()?);
        self.compiled.lock().insert(key, compiled.clone());
        Ok(compiled)
    }
}

impl Projection {
    /// The columns asked for. `stored`: those at `roots`, and perhaps others behind them.
    pub fn build(&self, stored: &RecordBatch) -> Result<Vec<ArrayRef>> {
        self.steps.iter().map(|step| self.column(step, stored)).collect()
    }

    fn column(&self, step: &Step, stored: &RecordBatch) -> Result<ArrayRef> {
        let rows = stored.num_rows();
        match step {
            Step::Stored { place, kind } => {
                let at = self.roots.binary_search(place).map_err(|_| Error::logical("A column was not decoded"))?;
                from_storage(kind, stored.column(at))
            }
            Step::Default(kind @ SqlType::Date32) => Ok(column_default(kind).to_array_of_size(rows)?),
            Step::Default(kind) => Ok(default_array(kind, rows)),
            Step::Computed { expression, inputs, schema } => {
                let inputs = inputs.iter().map(|step| self.column(step, stored)).collect::<Result<Vec<_>>>()?;
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                expression.evaluate(&RecordBatch::try_new_with_options(schema.clone(), inputs, &options)?)
            }
        }
    }
}
