//! Makes the data of an index while a part is written: rows come in the part's order, units end at borders of granules,
//! and units are put into chunks, which are taken at the end of each row group.
//!
//! A chunk ends with its row group, so that what a writer holds is bounded by one (and by a unit that goes on behind it),
//! or when it has grown to what a query would rather not read as a whole.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow::compute::take;
use bytes::Bytes;
use gristmill_base::Result;
use gristmill_types::measure::value_bytes;

use super::bloom;
use super::chunk::{EncodedChunk, Units, joined};
use super::definition::{FilterShape, SkipIndex, SkipKind};
use super::terms::{Anchored, Terms};
use super::text::Dictionary;
use super::values::each_value;
use crate::index::order::KeyOrder;
use crate::index::sparse::compact;

/// Of the data of a chunk, about.
const CHUNK_BYTES: u64 = 256 << 10;
const CHUNK_UNITS: usize = 8192;
/// Of a token beside its own bytes, about.
const TOKEN_BYTES: usize = 8;

/// The values of one unit.
enum Unit {
    /// By expression: the least and the greatest value, each with its normalised bytes; `None` while all are NULL.
    MinMax(Vec<Option<[(Vec<u8>, ArrayRef); 2]>>),
    /// Normalised rows, and the rows themselves in pieces, by expression. `None`: too many.
    Set(Option<(HashSet<Box<[u8]>>, Vec<Vec<ArrayRef>>)>),
    /// Hashes of values, by expression.
    Hashes(Vec<HashSet<u64>>),
    /// Filters of a fixed size, by expression.
    Filters(Vec<Vec<u8>>),
    /// Tokens, and their bytes, about.
    Tokens(HashSet<Box<[u8]>>, u64),
}

/// Units that are done, for the next chunk.
struct Open {
    units: Vec<Unit>,
    bytes: u64,
}

pub struct SkipBuilder {
    index: Arc<SkipIndex>,
    /// By expression, for `minmax`; of the whole row, for `set`.
    orders: Vec<KeyOrder>,
    unit_rows: usize,
    /// Rows of the unit under way.
    rows: usize,
    unit: Unit,
    open: Open,
    done: Vec<EncodedChunk>,
}

impl SkipBuilder {
    pub fn new(index: Arc<SkipIndex>, granule_rows: usize) -> Result<SkipBuilder> {
        let kinds: Vec<_> = index.expressions.iter().map(|expression| &expression.kind).collect();
        let orders = match index.kind {
            SkipKind::MinMax => kinds.iter().map(|kind| KeyOrder::new(&[kind])).collect::<Result<_>>()?,
            SkipKind::Set { .. } => vec![KeyOrder::of_bits(&kinds)?],
            _ => Vec::new(),
        };
        let unit_rows = granule_rows.max(1).saturating_mul(index.unit_granules() as usize);
        let unit = Unit::new(&index);
        Ok(SkipBuilder {
            index,
            orders,
            unit_rows,
            rows: 0,
            unit,
            open: Open { units: Vec::new(), bytes: 0 },
            done: Vec::new(),
        })
    }

    pub fn index(&self) -> &Arc<SkipIndex> {
        &self.index
    }

    /// Takes the next rows: values of each expression, in the part's order.
    pub fn push(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = values.first().map_or(0, |values| values.len());
        let mut from = 0;
        while from < rows {
            let taken = (self.unit_rows - self.rows).min(rows - from);
            let values: Vec<ArrayRef> = values.iter().map(|values| values.slice(from, taken)).collect();
            self.unit.push(&self.index, &self.orders, &values)?;
            self.rows += taken;
            from += taken;
            if self.rows == self.unit_rows {
                self.end_unit()?;
            }
        }
        Ok(())
    }

    fn end_unit(&mut self) -> Result<()> {
        let unit = std::mem::replace(&mut self.unit, Unit::new(&self.index));
        self.rows = 0;
        self.open.bytes += unit.bytes(&self.index);
        self.open.units.push(unit);
        if self.open.bytes >= CHUNK_BYTES || self.open.units.len() >= CHUNK_UNITS {
            self.end_chunk()?;
        }
        Ok(())
    }

    fn end_chunk(&mut self) -> Result<()> {
        let units = std::mem::take(&mut self.open.units);
        self.open.bytes = 0;
        if !units.is_empty() {
            let count = units.len();
            self.done.push(data(&self.index, units)?.encode(count)?);
        }
        Ok(())
    }

    /// The chunks of what has come so far. `ends`: nothing more comes.
    pub fn take(&mut self, ends: bool) -> Result<Vec<EncodedChunk>> {
        if ends && self.rows > 0 {
            self.end_unit()?;
        }
        self.end_chunk()?;
        Ok(std::mem::take(&mut self.done))
    }

    /// Bytes held, about.
    pub fn memory_bytes(&self) -> u64 {
        let done: usize = self.done.iter().map(|chunk| chunk.data.len()).sum();
        done as u64 + self.open.bytes + self.unit.bytes(&self.index)
    }
}

impl Unit {
    fn new(index: &SkipIndex) -> Unit {
        let expressions = index.expressions.len();
        match index.kind {
            SkipKind::MinMax => Unit::MinMax(vec![None; expressions]),
            SkipKind::Set { .. } => Unit::Set(Some((HashSet::new(), vec![Vec::new(); expressions]))),
            SkipKind::Bloom { .. } => Unit::Hashes(vec![HashSet::new(); expressions]),
            SkipKind::Tokens(shape) | SkipKind::Ngrams(_, shape) => Unit::Filters(vec![vec![0; shape.bytes]; expressions]),
            SkipKind::Text(_) => Unit::Tokens(HashSet::new(), 0),
        }
    }

    fn push(&mut self, index: &SkipIndex, orders: &[KeyOrder], values: &[ArrayRef]) -> Result<()> {
        match self {
            Unit::MinMax(bounds) => {
                for ((bounds, values), order) in bounds.iter_mut().zip(values).zip(orders) {
                    widen(bounds, values, order)?;
                }
                Ok(())
            }
            Unit::Set(known) => {
                let SkipKind::Set { rows_max } = index.kind else { return Ok(()) };
                let (Some((rows, pieces)), Some(order)) = (known.as_mut(), orders.first()) else { return Ok(()) };
                let Some(keys) = order.rows(values)? else { return Ok(()) };
                let new = (0..keys.num_rows()).filter(|row| rows.insert(keys.row(*row).data().into()));
                let new = UInt32Array::from_iter_values(new.map(|row| row as u32));
                if rows_max > 0 && rows.len() > rows_max {
                    *known = None;
                    return Ok(());
                }
                if !new.is_empty() {
                    for (pieces, values) in pieces.iter_mut().zip(values) {
                        pieces.push(compact(&take(values, &new, None)?)?);
                    }
                }
                Ok(())
            }
            Unit::Hashes(hashes) => {
                for (hashes, values) in hashes.iter_mut().zip(values) {
                    each_value(values, &mut |value| {
                        hashes.insert(bloom::hash(value, 0));
                    })?;
                }
                Ok(())
            }
            Unit::Tokens(known, bytes) => {
                let SkipKind::Text(tokens) = &index.kind else { return Ok(()) };
                for values in values {
                    each_value(values, &mut |value| {
                        tokens.each(value, |token| {
                            if !known.contains(token) {
                                *bytes += (token.len() + TOKEN_BYTES) as u64;
                                known.insert(token.into());
                            }
                        });
                    })?;
                }
                Ok(())
            }
            Unit::Filters(filters) => {
                let Some((terms, shape)) = index.kind.terms() else { return Ok(()) };
                for (filter, values) in filters.iter_mut().zip(values) {
                    each_value(values, &mut |value| {
                        terms.each(value, Anchored::WHOLE, |term| {
                            bloom::add(filter, shape.hashes, bloom::hash(term, shape.seed));
                        });
                    })?;
                }
                Ok(())
            }
        }
    }

    /// As data, about.
    fn bytes(&self, index: &SkipIndex) -> u64 {
        match self {
            Unit::MinMax(bounds) => bounds.iter().flatten().flatten().map(|(key, _)| key.len() as u64 + 16).sum(),
            Unit::Set(None) => 1,
            Unit::Set(Some((_, pieces))) => pieces.iter().flatten().map(value_bytes).sum(),
            Unit::Hashes(hashes) => match index.kind {
                SkipKind::Bloom { false_positives } => {
                    hashes.iter().map(|hashes| bloom::bytes_for(hashes.len(), false_positives) as u64).sum()
                }
                _ => 0,
            },
            Unit::Filters(filters) => filters.iter().map(|filter| filter.len() as u64).sum(),
            Unit::Tokens(_, bytes) => *bytes,
        }
    }
}

/// Makes the bounds those of these values too.
fn widen(bounds: &mut Option<[(Vec<u8>, ArrayRef); 2]>, values: &ArrayRef, order: &KeyOrder) -> Result<()> {
    let Some(keys) = order.rows(std::slice::from_ref(values))? else { return Ok(()) };
    let rows = || (0..values.len()).filter(|row| values.is_valid(*row));
    let key = |row: &usize| keys.row(*row).data().to_vec();
    let least = rows().min_by(|a, b| keys.row(*a).cmp(&keys.row(*b)));
    let greatest = rows().max_by(|a, b| keys.row(*a).cmp(&keys.row(*b)));
    let (Some(least), Some(greatest)) = (least, greatest) else { return Ok(()) };
    let found = |row: usize| -> Result<(Vec<u8>, ArrayRef)> { Ok((key(&row), compact(&values.slice(row, 1))?)) };
    match bounds {
        None => *bounds = Some([found(least)?, found(greatest)?]),
        Some([low, high]) => {
            if keys.row(least).data() < low.0.as_slice() {
                *low = found(least)?;
            }
            if keys.row(greatest).data() > high.0.as_slice() {
                *high = found(greatest)?;
            }
        }
    }
    Ok(())
}

fn data(index: &SkipIndex, units: Vec<Unit>) -> Result<Units> {
    let expressions = index.expressions.len();
    let kind = |expression: usize| index.expressions[expression].kind.arrow();
    Ok(match index.kind {
        SkipKind::MinMax => {
            let mut ends = vec![[Vec::new(), Vec::new()]; expressions];
            for unit in units {
                let Unit::MinMax(bounds) = unit else { continue };
                for (expression, bounds) in bounds.into_iter().enumerate() {
                    let values = match bounds {
                        Some([low, high]) => [low.1, high.1],
                        None => [new_null_array(&kind(expression), 1), new_null_array(&kind(expression), 1)],
                    };
                    ends[expression].iter_mut().zip(values).for_each(|(ends, value)| ends.push(value));
                }
            }
            let bounds = |(expression, ends): (usize, &[Vec<ArrayRef>; 2])| -> Result<(ArrayRef, ArrayRef)> {
                Ok((joined(&ends[0], &kind(expression))?, joined(&ends[1], &kind(expression))?))
            };
            Units::MinMax(ends.iter().enumerate().map(bounds).collect::<Result<_>>()?)
        }
        SkipKind::Set { .. } => {
            let mut values = vec![Vec::new(); expressions];
            let (mut runs, mut rows) = (Vec::with_capacity(units.len()), 0);
            for unit in units {
                let Unit::Set(Some((distinct, pieces))) = unit else {
                    runs.push(None);
                    continue;
                };
                runs.push(Some(rows..rows + distinct.len()));
                rows += distinct.len();
                values.iter_mut().zip(pieces).for_each(|(values, pieces)| values.extend(pieces));
            }
            let values = values.iter().enumerate().map(|(at, values)| joined(values, &kind(at)));
            Units::Set(values.collect::<Result<_>>()?, runs)
        }
        SkipKind::Bloom { false_positives } => {
            let hashes = bloom::hashes_for(false_positives);
            let mut filters = vec![Vec::with_capacity(units.len()); expressions];
            for unit in units {
                let Unit::Hashes(values) = unit else { continue };
                for (filters, values) in filters.iter_mut().zip(values) {
                    let mut filter = vec![0; bloom::bytes_for(values.len(), false_positives)];
                    values.into_iter().for_each(|value| bloom::add(&mut filter, hashes, value));
                    filters.push(Bytes::from(filter));
                }
            }
            Units::Filters(filters)
        }
        SkipKind::Tokens(_) | SkipKind::Ngrams(..) => {
            let mut all = vec![Vec::with_capacity(units.len()); expressions];
            for unit in units {
                let Unit::Filters(filters) = unit else { continue };
                all.iter_mut().zip(filters).for_each(|(all, filter)| all.push(Bytes::from(filter)));
            }
            Units::Filters(all)
        }
        SkipKind::Text(_) => {
            let tokens =
                units.into_iter().map(|unit| if let Unit::Tokens(tokens, _) = unit { tokens } else { HashSet::new() });
            Units::Tokens(Dictionary::of(tokens.collect())?)
        }
    })
}

impl SkipKind {
    /// What a token or n-gram filter holds.
    pub fn terms(&self) -> Option<(Terms, FilterShape)> {
        match *self {
            SkipKind::Tokens(shape) => Some((Terms::Tokens, shape)),
            SkipKind::Ngrams(length, shape) => Some((Terms::Ngrams(length), shape)),
            _ => None,
        }
    }
}
