//! The functions that are computed by columns, and how.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt64Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{concat, is_not_null, take};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions_window::{lead_lag, nth_value, rank, row_number};
use datafusion::logical_expr::{WindowFrame, WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::window::{
    PlainAggregateWindowExpr, SlidingAggregateWindowExpr, StandardWindowExpr, StandardWindowFunctionExpr, WindowExpr,
};
use datafusion::physical_plan::windows::WindowUDFExpr;
use gristmill_functions::aggregates::frames::running;
use gristmill_functions::aggregates::groups::{Groups, Make};
use gristmill_functions::aggregates::udaf::states_of;

use super::chunk::Chunk;
use super::ranks::{Ranking, Ranks};

/// Rows of a moving frame, at most: each is added anew for every row.
const FRAME_ROWS_MAX: i64 = 256;
/// Rows that moving frames are written out to at a time.
const FRAME_ROWS_AT_A_TIME: usize = 256 << 10;

/// Where a frame that begins with the partition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Row,
    Peers,
    Partition,
}

pub enum Kind {
    Rank(Ranking),
    /// The value so many rows before, or behind where it is negative.
    Shift {
        rows: i64,
        default: ScalarValue,
    },
    /// The first or the last value that is not NULL.
    Value {
        last: bool,
        end: End,
    },
    /// An aggregate over a frame that begins with the partition.
    Growing {
        make: Make,
        end: End,
    },
    /// An aggregate over rows by their distance: from the first to the last.
    Moving {
        make: Make,
        first: i64,
        last: i64,
    },
}

pub struct Function {
    pub arguments: Vec<Arc<dyn PhysicalExpr>>,
    kind: Kind,
}

/// What is known of the rows before a chunk.
pub enum State {
    Nothing,
    Ranks(Ranks),
    /// One group: the frame so far.
    Running(Box<dyn Groups>),
}

impl Function {
    /// `None`: a function or a frame that is not computed by columns.
    pub fn of(expr: &Arc<dyn WindowExpr>) -> Option<Function> {
        let (frame, is_ordered) = (expr.get_window_frame(), !expr.order_by().is_empty());
        let any = expr.as_any();
        if let Some(plain) = any.downcast_ref::<PlainAggregateWindowExpr>() {
            return aggregate(plain.get_aggregate_expr(), frame, is_ordered);
        }
        if let Some(sliding) = any.downcast_ref::<SlidingAggregateWindowExpr>() {
            return aggregate(sliding.get_aggregate_expr(), frame, is_ordered);
        }
        let standard = any.downcast_ref::<StandardWindowExpr>()?.get_standard_func_expr();
        let kind = standard_kind(standard, frame, is_ordered)?;
        Some(Function { arguments: standard.expressions(), kind })
    }

    /// Where chunks may end for it.
    pub fn cut(&self) -> End {
        match &self.kind {
            Kind::Rank(_) => End::Row,
            Kind::Growing { end, .. } => *end,
            Kind::Shift { .. } | Kind::Value { .. } | Kind::Moving { .. } => End::Partition,
        }
    }

    pub fn state(&self) -> State {
        match &self.kind {
            Kind::Rank(_) => State::Ranks(Ranks::default()),
            Kind::Growing { make, end: End::Row | End::Peers } => running(make).map_or(State::Nothing, State::Running),
            _ => State::Nothing,
        }
    }

    /// The results of a chunk, which follows those that `state` has seen.
    pub fn compute(&self, chunk: &Chunk, arguments: &[ArrayRef], state: &mut State) -> Result<ArrayRef> {
        match (&self.kind, state) {
            (Kind::Rank(rank), State::Ranks(ranks)) => Ok(Arc::new(UInt64Array::from(ranks.follow(chunk, *rank)))),
            (Kind::Shift { rows, default }, _) => shifted(chunk, &arguments[0], *rows, default),
            (Kind::Value { last, end }, _) => value(chunk, &arguments[0], *last, *end),
            (Kind::Growing { end: End::Row, .. }, State::Running(states)) => {
                let starts: Vec<usize> = (0..chunk.rows).collect();
                grown(chunk, arguments, &starts, states.as_mut())
            }
            (Kind::Growing { end: End::Peers, .. }, State::Running(states)) => {
                let frames = grown(chunk, arguments, &chunk.peers, states.as_mut())?;
                of_each(&frames, chunk.numbers(&chunk.peers))
            }
            (Kind::Growing { make, end: End::Partition }, _) => whole(chunk, arguments, make),
            (Kind::Moving { make, first, last }, _) => moving(chunk, arguments, make, *first, *last),
            _ => internal_err!("A window function has no state"),
        }
    }
}

fn aggregate(expr: &AggregateFunctionExpr, frame: &WindowFrame, is_ordered: bool) -> Option<Function> {
    if expr.is_distinct() || !expr.order_bys().is_empty() {
        return None;
    }
    let make = states_of(expr.fun())?;
    let kind = match growing(frame, is_ordered) {
        Some(end) => {
            // States that cannot go on from one frame to the next are made for all of a partition alone.
            (end == End::Partition || running(&make).is_some()).then_some(Kind::Growing { make, end })?
        }
        None => {
            let (first, last) = distances(frame)?;
            Kind::Moving { make, first, last }
        }
    };
    Some(Function { arguments: expr.expressions(), kind })
}

/// The end of a frame that begins with the partition.
fn growing(frame: &WindowFrame, is_ordered: bool) -> Option<End> {
    if !frame.start_bound.is_unbounded() || matches!(frame.start_bound, WindowFrameBound::Following(_)) {
        return None;
    }
    match (&frame.end_bound, frame.units) {
        (bound, _) if bound.is_unbounded() && matches!(bound, WindowFrameBound::Following(_)) => Some(End::Partition),
        (WindowFrameBound::CurrentRow, WindowFrameUnits::Rows) => Some(End::Row),
        (WindowFrameBound::CurrentRow, _) => Some(if is_ordered { End::Peers } else { End::Partition }),
        _ => None,
    }
}

/// The bounds of a short frame of ROWS, as distances from its row.
fn distances(frame: &WindowFrame) -> Option<(i64, i64)> {
    let distance = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::CurrentRow => Some(0),
        WindowFrameBound::Preceding(ScalarValue::UInt64(Some(rows))) => i64::try_from(*rows).ok().map(|rows| -rows),
        WindowFrameBound::Following(ScalarValue::UInt64(Some(rows))) => i64::try_from(*rows).ok(),
        _ => None,
    };
    let (first, last) = (distance(&frame.start_bound)?, distance(&frame.end_bound)?);
    let rows = last.checked_sub(first)?.checked_add(1)?;
    (frame.units == WindowFrameUnits::Rows && (1..=FRAME_ROWS_MAX).contains(&rows)).then_some((first, last))
}

fn standard_kind(expr: &Arc<dyn StandardWindowFunctionExpr>, frame: &WindowFrame, is_ordered: bool) -> Option<Kind> {
    let call = expr.as_any().downcast_ref::<WindowUDFExpr>()?;
    let function = call.fun();
    let ranks = [
        (row_number::row_number_udwf(), Ranking::RowNumber),
        (rank::rank_udwf(), Ranking::Rank),
        (rank::dense_rank_udwf(), Ranking::DenseRank),
    ];
    if let Some((_, rank)) = ranks.iter().find(|(known, _)| known == function) {
        return Some(Kind::Rank(*rank));
    }
    if *function == lead_lag::lag_udwf() || *function == lead_lag::lead_udwf() {
        return shift(call);
    }
    // The query's functions leave NULL out, which their names say nothing of.
    let last = *function == nth_value::last_value_udwf();
    if last || *function == nth_value::first_value_udwf() {
        return growing(frame, is_ordered).map(|end| Kind::Value { last, end });
    }
    None
}

fn shift(call: &WindowUDFExpr) -> Option<Kind> {
    let literal = |at: usize| call.args().get(at).map(|expr| expr.downcast_ref::<Literal>().map(Literal::value));
    let rows = match literal(1) {
        None => 1,
        Some(Some(ScalarValue::Int64(Some(rows @ 1..)))) => *rows,
        Some(_) => return None,
    };
    let kind = call.field().ok()?.data_type().clone();
    let default = match literal(2) {
        None => ScalarValue::try_from(&kind).ok()?,
        Some(value) => value?.cast_to(&kind).ok()?,
    };
    // Of a window that is computed from its end, the function is the other one, which looks at what has come.
    let looks_back = call.create_evaluator().ok()?.is_causal();
    Some(Kind::Shift { rows: if looks_back { rows } else { -rows }, default })
}

/// The result of the frame that each row has.
fn of_each(frames: &ArrayRef, numbers: Vec<usize>) -> Result<ArrayRef> {
    let numbers = UInt64Array::from_iter_values(numbers.into_iter().map(|number| number as u64));
    Ok(take(frames, &numbers, None)?)
}

fn shifted(chunk: &Chunk, values: &ArrayRef, rows: i64, default: &ScalarValue) -> Result<ArrayRef> {
    let mut sources: Vec<Option<u64>> = Vec::with_capacity(chunk.rows);
    for (start, end) in chunk.whole_partitions() {
        let source = |row: usize| {
            let source = (row as i64).checked_sub(rows).and_then(|source| usize::try_from(source).ok());
            source.filter(|source| (start..end).contains(source)).map(|source| source as u64)
        };
        sources.extend((start..end).map(source));
    }
    let sources = UInt64Array::from(sources);
    let taken = take(values, &sources, None)?;
    if default.is_null() {
        return Ok(taken);
    }
    Ok(zip(&is_not_null(&sources)?, &taken, &default.to_scalar()?)?)
}

/// The first or the last value of a growing frame.
fn value(chunk: &Chunk, values: &ArrayRef, last: bool, end: End) -> Result<ArrayRef> {
    let mut sources: Vec<Option<u64>> = Vec::with_capacity(chunk.rows);
    let mut peers = chunk.peers.iter().skip(1).copied().peekable();
    for (start, stop) in chunk.whole_partitions() {
        let mut source = None;
        let (mut seen, mut row) = (start, start);
        while row < stop {
            // Rows from here on have the frame that ends here.
            let frame_end = match end {
                End::Row => row + 1,
                End::Partition => stop,
                End::Peers => {
                    while peers.next_if(|next| *next <= row).is_some() {}
                    peers.peek().copied().unwrap_or(stop).min(stop)
                }
            };
            while seen < frame_end && (last || source.is_none()) {
                if values.is_valid(seen) {
                    source = Some(seen as u64);
                }
                seen += 1;
            }
            sources.extend(std::iter::repeat_n(source, frame_end - row));
            row = frame_end;
        }
    }
    Ok(take(values, &UInt64Array::from(sources), None)?)
}

/// The results of frames that begin where their partition does, and grow by a stretch each.
fn grown(chunk: &Chunk, arguments: &[ArrayRef], starts: &[usize], states: &mut dyn Groups) -> Result<ArrayRef> {
    let frames = starts.len() + usize::from(starts.first() != Some(&0));
    let mut fresh = vec![false; frames + 1];
    let mut partitions = chunk.partitions.iter().peekable();
    let leads = frames - starts.len();
    for (number, start) in starts.iter().enumerate() {
        fresh[leads + number + 1] = partitions.next_if_eq(&start).is_some();
    }
    let groups: Vec<usize> = chunk.numbers(starts).into_iter().map(|number| number + 1).collect();
    states.resize(frames + 1);
    states.run(arguments, &groups, &fresh)?;
    let results = states.finish(frames + 1)?.slice(1, frames);
    states.drop_first(frames);
    Ok(results)
}

/// The results of all of each partition.
fn whole(chunk: &Chunk, arguments: &[ArrayRef], make: &Make) -> Result<ArrayRef> {
    let numbers = chunk.numbers(&chunk.partitions);
    let mut states = make();
    states.resize(chunk.partitions.len());
    states.update(arguments, &numbers)?;
    of_each(&states.finish(chunk.partitions.len())?, numbers)
}

/// The results of frames of the rows from `first` to `last`, counted from each row: written out, and grouped by their row.
fn moving(chunk: &Chunk, arguments: &[ArrayRef], make: &Make, first: i64, last: i64) -> Result<ArrayRef> {
    let mut frames: Vec<Range<usize>> = Vec::with_capacity(chunk.rows);
    for (start, end) in chunk.whole_partitions() {
        let within = |row: usize, distance: i64| (row as i64 + distance).clamp(start as i64, end as i64) as usize;
        frames.extend((start..end).map(|row| within(row, first)..within(row, last + 1)));
    }
    let mut results = Vec::new();
    let at_a_time = (FRAME_ROWS_AT_A_TIME / usize::try_from(last - first + 1).unwrap_or(1)).max(1);
    for frames in frames.chunks(at_a_time) {
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for (group, frame) in frames.iter().enumerate() {
            rows.extend(frame.clone().map(|row| row as u64));
            groups.extend(std::iter::repeat_n(group, frame.len()));
        }
        let rows = UInt64Array::from(rows);
        let values = arguments.iter().map(|column| take(column, &rows, None)).collect::<arrow::error::Result<Vec<_>>>()?;
        let mut states = make();
        states.resize(frames.len());
        if !groups.is_empty() {
            states.update(&values, &groups)?;
        }
        results.push(states.finish(frames.len())?);
    }
    let results: Vec<&dyn Array> = results.iter().map(|column| column.as_ref()).collect();
    Ok(concat(&results)?)
}
