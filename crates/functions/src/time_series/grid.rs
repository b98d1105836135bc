//! `timeSeriesRange`: points in time from one to another by a step of seconds. `timeSeriesFromGrid`: values at such points.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Decimal128Type};
use gristmill_base::Result;
use gristmill_base::allocations::check_room;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use std::sync::Arc;

use crate::arrays::Lists;
use crate::columns::{at, list, too_large};
use crate::datetime::moments::{from_ticks, ticks};
use crate::define::{arity, bad_argument, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "timeSeriesRange",
        plain(|name, arguments, _| {
            arity(name, arguments, 3..=3)?;
            let grid = Grid::of(name, arguments)?;
            Ok(Bound::cast(grid.casts(), SqlType::array(grid.kind.clone()), move |args, rows| {
                let (points, lengths) = grid.points(args, rows, |_| None)?;
                list(points, &lengths)
            }))
        }),
    );
    registry.scalar(
        "timeSeriesFromGrid",
        plain(|name, arguments, _| {
            arity(name, arguments, 4..=4)?;
            let grid = Grid::of(name, arguments)?;
            let T::Array(element) = &arguments[3].kind else {
                return Err(illegal(name, arguments, 3, "an array of values"));
            };
            let value = match element.as_ref() {
                T::Nullable(inner) => inner.as_ref().clone(),
                other => other.clone(),
            };
            let pair = T::Tuple(vec![(None, grid.kind.clone()), (None, value)]);
            let mut casts = grid.casts();
            casts.push(arguments[3].kind.clone());
            Ok(Bound::cast(casts, SqlType::array(pair.clone()), move |args, rows| grid.filled(args, rows, &pair)))
        }),
    );
}

struct Grid {
    name: String,
    /// The type of the points, and the digits of their seconds.
    kind: SqlType,
    scale: u8,
    arguments: Vec<SqlType>,
}

impl Grid {
    /// Begin, end and step are the first three arguments.
    fn of(name: &str, arguments: &[Argument]) -> Result<Grid> {
        let (mut scale, mut zone, mut has_zone) = (0, None, false);
        let (mut is_time, mut has_digits) = (false, false);
        for (i, argument) in arguments.iter().take(2).enumerate() {
            match &argument.kind {
                T::DateTime64(digits, _) => (scale, has_digits) = (scale.max(*digits), true),
                T::DateTime(_) => is_time = true,
                T::UInt32 => continue,
                _ => return Err(illegal(name, arguments, i, "DateTime64 or DateTime or UInt32")),
            }
            if !has_zone {
                (zone, has_zone) = (argument.kind.timezone().cloned(), true);
            }
        }
        let step = match &arguments[2].kind {
            T::Decimal { precision: ..=18, scale: digits } => {
                has_digits = true;
                *digits
            }
            kind if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) => 0,
            _ => return Err(illegal(name, arguments, 2, "an integer or a Decimal of up to 64 bits")),
        };
        scale = scale.max(step);
        if scale > 9 {
            return Err(illegal(name, arguments, 2, "a step of no more than nine digits"));
        }
        let kind = match (has_digits, is_time) {
            (true, _) => T::DateTime64(scale, zone),
            (false, true) => T::DateTime(zone),
            (false, false) => T::UInt32,
        };
        let arguments = arguments.iter().take(3).map(|argument| argument.kind.clone()).collect();
        Ok(Grid { name: name.to_string(), kind, scale, arguments })
    }

    fn casts(&self) -> Vec<SqlType> {
        self.arguments.clone()
    }

    /// The ticks of an argument, in the grid's digits.
    fn ticks(&self, array: &ArrayRef, i: usize) -> Result<Vec<i128>> {
        let kind = &self.arguments[i];
        let (digits, values): (u8, Vec<i128>) = match kind {
            T::DateTime64(digits, _) => (*digits, ticks(array)?.iter().map(|tick| i128::from(*tick)).collect()),
            T::DateTime(_) => (0, ticks(array)?.iter().map(|tick| i128::from(*tick)).collect()),
            _ => {
                let scale = if let T::Decimal { scale, .. } = kind { *scale } else { 0 };
                let wide = cast(array, kind, &T::Decimal { precision: 38, scale }, &CastOptions::default())?;
                (scale, wide.as_primitive::<Decimal128Type>().values().to_vec())
            }
        };
        let factor = 10i128.pow(u32::from(self.scale - digits));
        Ok(values.into_iter().map(|value| value * factor).collect())
    }

    /// The points of all rows, and how many each row has. `wanted`: how many it must have. Errors: BAD_ARGUMENTS.
    fn points(
        &self,
        args: &[ArrayRef],
        rows: usize,
        wanted: impl Fn(usize) -> Option<usize>,
    ) -> Result<(ArrayRef, Vec<usize>)> {
        let columns = (0..3).map(|i| self.ticks(&args[i], i)).collect::<Result<Vec<_>>>()?;
        let value = |i: usize, row: usize| columns[i][at(columns[i].len(), row)];
        let (mut points, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let (start, end, step) = (value(0, row), value(1, row), value(2, row));
            let wrong = |text: &str| Err(bad_argument(&self.name, text));
            if end < start {
                return wrong("end timestamp is less than start timestamp");
            }
            if start != end && step <= 0 {
                return wrong("step should be greater than zero");
            }
            let count = if start == end { 1 } else { (end - start) / step + 1 };
            if let Some(wanted) = wanted(row).filter(|wanted| *wanted as i128 != count) {
                return wrong(&format!("number of values ({wanted}) doesn't match number of steps ({count})"));
            }
            let count = usize::try_from(count).ok().filter(|count| points.len() + count <= i32::MAX as usize);
            let count = count.ok_or_else(|| too_large(usize::MAX))?;
            check_room(count * size_of::<i64>())?;
            points.extend((0..count as i128).map(|i| (start + i * step) as i64));
            lengths.push(count);
        }
        let points = match &self.kind {
            T::UInt32 => Arc::new(points.iter().map(|point| *point as u32).collect::<UInt32Array>()) as ArrayRef,
            kind => from_ticks(points, kind)?,
        };
        Ok((points, lengths))
    }

    /// Points with their values, but for those that are NULL.
    fn filled(&self, args: &[ArrayRef], rows: usize, pair: &SqlType) -> Result<ArrayRef> {
        let lists = Lists::of(&args[3])?;
        let (points, mut lengths) = self.points(args, rows, |row| Some(lists.range(row).len()))?;
        let (mut kept_points, mut kept_values) = (Vec::new(), Vec::new());
        let (values, mut point) = (lists.values(), 0);
        let is_nothing = *values.data_type() == DataType::Null;
        for (row, length) in lengths.iter_mut().enumerate() {
            let before = kept_points.len();
            for index in lists.range(row) {
                if !is_nothing && values.is_valid(index) {
                    kept_points.push(point);
                    kept_values.push(index as u32);
                }
                point += 1;
            }
            *length = kept_points.len() - before;
        }
        let count = kept_points.len();
        let points = take(&points, &UInt32Array::from(kept_points), None)?;
        let values = take(values, &UInt32Array::from(kept_values), None)?;
        list(struct_array(pair, vec![points, values], count)?, &lengths)
    }
}
