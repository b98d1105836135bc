//! Rules by which the rows of a key become one: SummingMergeTree, AggregatingMergeTree and CoalescingMergeTree.
//!
//! Columns that are folded get the sum, the aggregate, or the last that is not NULL, of the key's values; the others keep the value of its first row.
//! Every batch is folded as a whole, by the functions that GROUP BY uses, each key being a group; the row that the last
//! key has so far is held back and is the first of the next batch. (Values that were folded can be folded again.)

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, Result};
use gristmill_functions::aggregates::{Prepared, stored};
use gristmill_types::default::default_array;
use gristmill_types::{Columns, SqlType, nested};

use super::choose::{Place, gather};
use super::nested_maps::{self, NestedMap};
use super::{Rule, Shape, detached};

/// A column whose values of one key become one value.
pub struct Fold {
    /// The place of the stored column.
    pub column: usize,
    kind: SqlType,
    function: Prepared,
}

/// What a table folds: worked out once, when it is opened.
pub struct Folding {
    folds: Vec<Fold>,
    maps: Vec<NestedMap>,
    /// A row of which all sums are zero goes.
    drops_zeroes: bool,
}

impl fmt::Debug for Folding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<usize> = self.folds.iter().map(|fold| fold.column).collect();
        write!(f, "Folding(columns {columns:?}, maps {:?}, drops zeroes {})", self.maps, self.drops_zeroes)
    }
}

impl Folding {
    /// SummingMergeTree. `chosen`: the columns to sum, all numbers where there are none; `in_keys`: columns that keys use,
    /// which stay.
    pub fn summing(columns: &Columns, chosen: &[String], in_keys: &[String]) -> Result<Folding> {
        let mut folds = Vec::new();
        let mut only_sums = true;
        for (place, column) in columns.iter().enumerate().filter(|(_, column)| !in_keys.contains(&column.name)) {
            let aggregate = stored::of_column(&column.kind)?;
            let is_sum = aggregate.is_none();
            if !chosen.is_empty() && !chosen.contains(&column.name) {
                continue;
            }
            let function = match aggregate {
                Some(function) => function,
                None if column.kind.is_number() => stored::sum_within(&column.kind)?,
                None => continue,
            };
            only_sums &= is_sum;
            folds.push(Fold { column: place, kind: column.kind.clone(), function });
        }
        let maps = nested_maps::find(columns, in_keys)?;
        let drops_zeroes = only_sums && !folds.is_empty() && maps.is_empty();
        Ok(Folding { folds, maps, drops_zeroes })
    }

    /// CoalescingMergeTree: of each column the last value that is not NULL. `chosen`: the columns, all where there are none;
    /// `in_keys`: columns that keys use, which stay.
    pub fn coalescing(columns: &Columns, chosen: &[String], in_keys: &[String]) -> Result<Folding> {
        let mut folds = Vec::new();
        for (place, column) in columns.iter().enumerate().filter(|(_, column)| !in_keys.contains(&column.name)) {
            let is_chosen = chosen.is_empty()
                || chosen.iter().any(|name| column.name == *name || nested::table_of(&column.name) == Some(name));
            if is_chosen {
                let function = match stored::of_column(&column.kind)? {
                    Some(function) => function,
                    None => stored::last_within(&column.kind)?,
                };
                folds.push(Fold { column: place, kind: column.kind.clone(), function });
            }
        }
        Ok(Folding { folds, maps: Vec::new(), drops_zeroes: false })
    }

    /// AggregatingMergeTree: the columns that hold aggregates.
    pub fn aggregating(columns: &Columns, in_keys: &[String]) -> Result<Folding> {
        let mut folds = Vec::new();
        for (place, column) in columns.iter().enumerate().filter(|(_, column)| !in_keys.contains(&column.name)) {
            if let Some(function) = stored::of_column(&column.kind)? {
                folds.push(Fold { column: place, kind: column.kind.clone(), function });
            }
        }
        Ok(Folding { folds, maps: Vec::new(), drops_zeroes: false })
    }

    pub fn is_empty(&self) -> bool {
        self.folds.is_empty() && self.maps.is_empty()
    }

    /// Whether rows go of which all sums are zero.
    pub fn drops_zeroes(&self) -> bool {
        self.drops_zeroes
    }

    /// Whether the column gets new values.
    pub fn changes(&self, column: usize) -> bool {
        self.folds.iter().any(|fold| fold.column == column) || self.maps.iter().any(|map| map.contains(column))
    }

    /// Columns without which those that are wanted cannot be told: of a map all, and all sums where zeroes go.
    pub fn needed(&self, wanted: &[usize]) -> Vec<usize> {
        let mut needed: Vec<usize> = Vec::new();
        if self.drops_zeroes {
            needed.extend(self.folds.iter().map(|fold| fold.column));
        }
        for map in &self.maps {
            if wanted.iter().any(|column| map.contains(*column)) {
                needed.extend(map.columns());
            }
        }
        needed
    }
}

/// A fold of a column that the rows carry.
struct Carried {
    place: usize,
    kind: SqlType,
    function: Prepared,
    zero: Option<Zero>,
}

pub struct FoldingRows {
    shape: Arc<Shape>,
    folds: Vec<Carried>,
    /// With where the rows carry the columns.
    maps: Vec<(NestedMap, Vec<usize>)>,
    /// One row: what the key under way has so far.
    held: Option<RecordBatch>,
}

impl FoldingRows {
    pub fn new(shape: &Arc<Shape>, folding: &Folding) -> Result<FoldingRows> {
        let mut folds = Vec::new();
        for fold in &folding.folds {
            let Some(place) = shape.find(fold.column) else { continue };
            let zero = folding.drops_zeroes.then(|| Zero::of(&fold.kind)).transpose()?;
            folds.push(Carried { place, kind: fold.kind.clone(), function: fold.function.clone(), zero });
        }
        let mut maps = Vec::new();
        for map in &folding.maps {
            let places: Option<Vec<usize>> = map.columns().map(|column| shape.find(column)).collect();
            if let Some(places) = places {
                maps.push((map.clone(), places));
            }
        }
        Ok(FoldingRows { shape: shape.clone(), folds, maps, held: None })
    }

    /// One row a key. `keys[i]`: the number of the key of the batch's row `i`; the held row, where there is one, is of key
    /// 0.
    fn fold(&self, batch: &RecordBatch, keys: &[usize], count: usize) -> Result<RecordBatch> {
        let empty = RecordBatch::new_empty(self.shape.schema.clone());
        let held = self.held.as_ref().unwrap_or(&empty);
        let mut firsts: Vec<Place> = Vec::with_capacity(count);
        if self.held.is_some() {
            firsts.push(Place::Held(0));
        }
        for (row, key) in keys.iter().enumerate() {
            if *key == firsts.len() {
                firsts.push(Place::Batch(row));
            }
        }
        let mut columns = gather(held, batch, &firsts)?.columns().to_vec();
        for fold in &self.folds {
            columns[fold.place] = fold.values(held, batch, keys, count)?;
        }
        for (map, places) in &self.maps {
            let pick = |from: &RecordBatch| places.iter().map(|place| from.column(*place).clone()).collect::<Vec<_>>();
            let summed = map.sum(&pick(held), &pick(batch), keys, count)?;
            for (place, column) in places.iter().zip(summed) {
                columns[*place] = column;
            }
        }
        Ok(RecordBatch::try_new(self.shape.schema.clone(), columns)?)
    }

    /// Without the rows whose sums are all zero.
    fn without_zeroes(&self, rows: RecordBatch) -> Result<RecordBatch> {
        let sums: Option<Vec<_>> = self.folds.iter().map(|fold| Some((fold.place, fold.zero.as_ref()?))).collect();
        match sums {
            Some(sums) => without_zeroes(rows, sums),
            None => Ok(rows),
        }
    }
}

/// Without the rows that are zero in all of the columns, by their places.
fn without_zeroes<'z>(rows: RecordBatch, sums: impl IntoIterator<Item = (usize, &'z Zero)>) -> Result<RecordBatch> {
    let mut all_zero: Option<Vec<bool>> = None;
    for (place, Zero { converter, row }) in sums {
        let values = converter.convert_columns(std::slice::from_ref(rows.column(place)))?;
        let zeroes = all_zero.get_or_insert_with(|| vec![true; rows.num_rows()]);
        for (known, value) in zeroes.iter_mut().zip(&values) {
            *known &= value.data() == row.as_slice();
        }
    }
    match all_zero {
        Some(zeroes) if zeroes.contains(&true) => {
            Ok(filter_record_batch(&rows, &BooleanArray::from_iter(zeroes.into_iter().map(|zero| Some(!zero))))?)
        }
        _ => Ok(rows),
    }
}

/// What a sum that does not count is, normalised: the type's default, so NULL of Nullable; -0.0 is none.
struct Zero {
    converter: RowConverter,
    row: Vec<u8>,
}

impl Zero {
    fn of(kind: &SqlType) -> Result<Zero> {
        let converter = RowConverter::new(vec![SortField::new(kind.arrow())])?;
        let rows = converter.convert_columns(&[default_array(kind, 1)])?;
        let row = rows.row(0).data().to_vec();
        Ok(Zero { converter, row })
    }
}

/// Rows of a table without a sorting key, of which only those go whose sums are all zero.
pub struct NonZeroRows {
    schema: SchemaRef,
    sums: Vec<(usize, Zero)>,
}

impl NonZeroRows {
    pub fn new(shape: &Arc<Shape>, folding: &Folding) -> Result<NonZeroRows> {
        let sum = |fold: &Fold| Ok((shape.place(fold.column)?, Zero::of(&fold.kind)?));
        Ok(NonZeroRows { schema: shape.schema.clone(), sums: folding.folds.iter().map(sum).collect::<Result<_>>()? })
    }
}

impl Rule for NonZeroRows {
    fn push(&mut self, batch: &RecordBatch, _begins: &[bool]) -> Result<RecordBatch> {
        without_zeroes(batch.clone(), self.sums.iter().map(|(place, zero)| (*place, zero)))
    }

    fn finish(&mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::new_empty(self.schema.clone()))
    }
}

impl Carried {
    fn values(&self, held: &RecordBatch, batch: &RecordBatch, keys: &[usize], count: usize) -> Result<ArrayRef> {
        let mut groups = (self.function.make)();
        groups.resize(count);
        if held.num_rows() > 0 {
            groups.update(&[self.argument(held)?], &[0])?;
        }
        if batch.num_rows() > 0 {
            groups.update(&[self.argument(batch)?], keys)?;
        }
        typed(groups.finish(count)?, &self.kind)
    }

    fn argument(&self, rows: &RecordBatch) -> Result<ArrayRef> {
        let wanted = self.function.arguments.first().ok_or_else(|| Error::logical("An aggregate without arguments"))?;
        typed(rows.column(self.place).clone(), wanted)
    }
}

/// Types that are carried alike, or Bool and the number that it is.
pub(super) fn typed(values: ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let wanted = kind.arrow();
    if *values.data_type() == wanted { Ok(values) } else { Ok(arrow::compute::cast(&values, &wanted)?) }
}

impl Rule for FoldingRows {
    fn push(&mut self, batch: &RecordBatch, begins: &[bool]) -> Result<RecordBatch> {
        let mut count = usize::from(self.held.is_some());
        let keys: Vec<usize> = begins
            .iter()
            .map(|begins| {
                count += usize::from(*begins || count == 0);
                count - 1
            })
            .collect();
        let folded = self.fold(batch, &keys, count)?;
        self.held = Some(detached(&folded.slice(count - 1, 1))?);
        self.without_zeroes(folded.slice(0, count - 1))
    }

    fn finish(&mut self) -> Result<RecordBatch> {
        match self.held.take() {
            Some(held) => self.without_zeroes(held),
            None => Ok(RecordBatch::new_empty(self.shape.schema.clone())),
        }
    }
}
