//! Bits of keys, 96 at a time, that compare like the values.
//!
//! Integers, dates and times count from the least of the block and take the bits that their range needs, so several columns
//! go at once. Floats take all of theirs, turned so that they compare like integers. Short strings of which there are few take the bits of a code in their order. Other strings go in pieces of up to
//! twelve bytes; where some values end within a piece, the last byte of it counts those that were there, which
//! tells a value from a longer one that goes on with zeros.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, ByteView};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use super::SortKey;
use super::few_values::FewValues;

/// Bits of a number that are the key's; the others are the position.
const KEY_BITS: u32 = 96;
pub(super) const POSITION_BITS: u32 = 32;
const POSITION: u128 = u32::MAX as u128;
/// Bytes of a string that lie in its view.
const INLINE_BYTES: usize = 12;
/// Bytes of a longer one that its view has as well.
const PREFIX_BYTES: usize = 4;

/// How far the key was taken: `done` bits of the column, of strings bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub column: usize,
    done: usize,
}

/// What was taken of a column.
enum Taken {
    All,
    /// Bits or bytes, with those taken before.
    Until(usize),
    /// There is no room, or the column has no such bits.
    Nothing,
}

/// A number a row, under way.
pub(super) struct Packed {
    pub numbers: Vec<u128>,
    free_bits: u32,
    /// Negative zero comes before the other.
    zeroes_apart: bool,
}

impl Packed {
    pub fn new(subset: Option<&[u32]>, rows: usize) -> Packed {
        let numbers = match subset {
            Some(subset) => subset.iter().map(|&row| u128::from(row)).collect(),
            None => (0..rows as u128).collect(),
        };
        Packed { numbers, free_bits: 0, zeroes_apart: false }
    }

    /// Gives the rows of these runs the bits of the key from `place` on, which moves on. `false`: the column there has none.
    pub fn fill(&mut self, key: &SortKey<'_>, runs: &[Range<usize>], place: &mut Place) -> bool {
        for run in runs {
            self.numbers[run.clone()].iter_mut().for_each(|number| *number &= POSITION);
        }
        self.free_bits = KEY_BITS;
        self.zeroes_apart = key.order.zeroes_apart();
        let begin = *place;
        while self.free_bits > 0
            && let Some(column) = key.columns.get(place.column)
        {
            match self.push(column, key.descending[place.column], runs, place.done) {
                Taken::All => *place = Place { column: place.column + 1, done: 0 },
                Taken::Until(done) => {
                    place.done = done;
                    break;
                }
                Taken::Nothing => break,
            }
        }
        *place != begin
    }

    fn push(&mut self, column: &ArrayRef, descending: bool, runs: &[Range<usize>], done: usize) -> Taken {
        if column.null_count() > 0 {
            return Taken::Nothing;
        }
        macro_rules! integers {
            ($kind:ty) => {
                self.push_integers::<$kind>(column, descending, runs, done)
            };
        }
        match column.data_type() {
            DataType::UInt8 => integers!(UInt8Type),
            DataType::UInt16 => integers!(UInt16Type),
            DataType::UInt32 => integers!(UInt32Type),
            DataType::UInt64 => integers!(UInt64Type),
            DataType::Int8 => integers!(Int8Type),
            DataType::Int16 => integers!(Int16Type),
            DataType::Int32 => integers!(Int32Type),
            DataType::Int64 => integers!(Int64Type),
            DataType::Date32 => integers!(Date32Type),
            DataType::Timestamp(TimeUnit::Second, _) => integers!(TimestampSecondType),
            DataType::Timestamp(TimeUnit::Millisecond, _) => integers!(TimestampMillisecondType),
            DataType::Timestamp(TimeUnit::Microsecond, _) => integers!(TimestampMicrosecondType),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => integers!(TimestampNanosecondType),
            DataType::Float32 => {
                let (values, apart) = (column.as_primitive::<Float32Type>().values(), self.zeroes_apart);
                self.push_bits(32, descending, runs, done, |row| ordered_32(values[row], apart))
            }
            DataType::Float64 => {
                let (values, apart) = (column.as_primitive::<Float64Type>().values(), self.zeroes_apart);
                self.push_bits(64, descending, runs, done, |row| ordered_64(values[row], apart))
            }
            DataType::FixedSizeBinary(width @ 1..=16) => {
                let (values, width) = (column.as_fixed_size_binary(), *width as usize);
                self.push_bits(width as u32 * 8, descending, runs, done, |row| first_bytes(values.value(row), width))
            }
            DataType::BinaryView => self.push_strings(column.as_binary_view(), descending, runs, done),
            _ => Taken::Nothing,
        }
    }

    /// Numbers count from the least of them, so they take the bits that their range needs.
    fn push_integers<P: ArrowPrimitiveType<Native: Into<i128>>>(
        &mut self,
        column: &ArrayRef,
        descending: bool,
        runs: &[Range<usize>],
        done: usize,
    ) -> Taken {
        let values = column.as_primitive::<P>();
        let (Some(least), Some(greatest)) = (arrow::compute::min(values), arrow::compute::max(values)) else {
            return Taken::All;
        };
        let least: i128 = least.into();
        let bits = 128 - (greatest.into() - least).leading_zeros();
        let values = values.values();
        self.push_bits(bits, descending, runs, done, |row| (values[row].into() - least) as u128)
    }

    /// Adds what there is room for of values of so many bits, of which the first `done` were taken before.
    fn push_bits(
        &mut self,
        bits: u32,
        descending: bool,
        runs: &[Range<usize>],
        done: usize,
        value: impl Fn(usize) -> u128,
    ) -> Taken {
        let left = bits - done as u32;
        let kept = left.min(self.free_bits);
        self.add(kept, descending, runs, |row| value(row) >> (left - kept));
        if kept == left { Taken::All } else { Taken::Until(done + kept as usize) }
    }

    fn push_strings(&mut self, values: &BinaryViewArray, descending: bool, runs: &[Range<usize>], done: usize) -> Taken {
        let views = self.gathered(values.views(), runs);
        if done == 0
            && let Some(few) = FewValues::of(&views)
        {
            if few.bits() > self.free_bits {
                return Taken::Nothing;
            }
            let mut codes = few.codes();
            self.add(few.bits(), descending, runs, |_| codes.next().unwrap_or_default());
            return Taken::All;
        }
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for view in &views {
            let left = length(*view).saturating_sub(done);
            (shortest, longest) = (shortest.min(left), longest.max(left));
        }
        let room = self.free_bits as usize / 8;
        // Where all have as many bytes as are taken, none has to be counted.
        let (bytes, counts) = match () {
            () if shortest >= longest.min(room) => (longest.min(room), false),
            () => (longest.min(room.saturating_sub(1)), true),
        };
        if bytes == 0 && longest > 0 {
            return Taken::Nothing;
        }
        let mut in_turn = views.iter();
        self.add((bytes + usize::from(counts)) as u32 * 8, descending, runs, |_| {
            let view = in_turn.next().copied().unwrap_or_default();
            let piece = piece(values, view, done, bytes);
            if !counts {
                return piece;
            }
            let left = length(view).saturating_sub(done);
            piece << 8 | left.min(bytes + 1) as u128
        });
        if longest <= bytes { Taken::All } else { Taken::Until(done + bytes) }
    }

    /// Of each row of the runs, in their order. Sorted rows lie anywhere: what is looked at more than once is fetched once, by reads
    /// that do not wait for one another.
    fn gathered(&self, views: &[u128], runs: &[Range<usize>]) -> Vec<u128> {
        let mut gathered = Vec::with_capacity(runs.iter().map(Range::len).sum());
        for run in runs {
            gathered.extend(self.numbers[run.clone()].iter().map(|number| views[*number as u32 as usize]));
        }
        gathered
    }

    /// Adds the lowest so many bits of the values.
    fn add(&mut self, bits: u32, descending: bool, runs: &[Range<usize>], mut value: impl FnMut(usize) -> u128) {
        if bits == 0 {
            return;
        }
        self.free_bits -= bits;
        let shift = POSITION_BITS + self.free_bits;
        let all = u128::MAX >> (128 - bits);
        let flipped = if descending { all } else { 0 };
        for run in runs {
            for number in &mut self.numbers[run.clone()] {
                let bits = (value(*number as u32 as usize) & all) ^ flipped;
                *number |= bits << shift;
            }
        }
    }
}

/// Whether values of the type have bits.
pub(super) fn has_bits(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float32 | DataType::Float64 | DataType::Date32 | DataType::Timestamp(..) | DataType::BinaryView => true,
        DataType::FixedSizeBinary(width) => (1..=16).contains(width),
        data_type => data_type.is_integer(),
    }
}

/// A float as a number that compares as `total_cmp` has it, but that zero has no sign where they are not `zeroes_apart`: negative ones
/// turned, the others behind them.
fn ordered_32(value: f32, zeroes_apart: bool) -> u128 {
    let bits = if value == 0.0 && !zeroes_apart { 0 } else { value.to_bits() };
    u128::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
}

fn ordered_64(value: f64, zeroes_apart: bool) -> u128 {
    let bits = if value == 0.0 && !zeroes_apart { 0 } else { value.to_bits() };
    u128::from(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
}

/// The length of a string that has this view.
fn length(view: u128) -> usize {
    view as u32 as usize
}

/// The `bytes` bytes of a string behind the first `done`, the first as the highest; zeros where there are fewer.
fn piece(values: &BinaryViewArray, view: u128, done: usize, bytes: usize) -> u128 {
    if bytes == 0 {
        return 0;
    }
    if length(view) > INLINE_BYTES && done + bytes > PREFIX_BYTES {
        return first_bytes(long_value(values, view).get(done..).unwrap_or_default(), bytes);
    }
    // The value lies behind its length in the view, filled up with zeros; of a long one its first bytes do.
    let value = view.swap_bytes() << POSITION_BITS;
    value.checked_shl(8 * done as u32).unwrap_or_default() >> (128 - 8 * bytes)
}

/// The value of a view that has none within.
fn long_value(values: &BinaryViewArray, view: u128) -> &[u8] {
    let view = ByteView::from(view);
    let (start, length) = (view.offset as usize, view.length as usize);
    &values.data_buffers()[view.buffer_index as usize][start..start + length]
}

/// The first bytes of a value, 1 to 16, as a number whose highest the first is; zeros where it has fewer.
pub(super) fn first_bytes(value: &[u8], bytes: usize) -> u128 {
    let whole = match value.first_chunk::<16>() {
        Some(first) => u128::from_be_bytes(*first),
        None => {
            let mut filled = [0u8; 16];
            filled[..value.len()].copy_from_slice(value);
            u128::from_be_bytes(filled)
        }
    };
    whole >> (128 - 8 * bytes)
}
