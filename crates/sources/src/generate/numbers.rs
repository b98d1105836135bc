//! `numbers(N)`, `numbers(offset, N[, step])`, the same with `_mt`, and `numbers()` without end.
//!
//! A filter on `number` by constants narrows the positions before any block is made: `numbers(1e9) WHERE number = 5` makes
//! one row.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Columns, SqlType};

use super::Sequence;
use crate::call::TableFunctionCall;
use crate::function_table::{unsigned, wrong_count};

#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    pub offset: u64,
    /// Rows; `None`: no end.
    pub count: Option<u64>,
    pub step: u64,
    /// `numbers_mt`: shared out at once, no order promised.
    pub eager: bool,
    /// The name of the column: `number`, or `generate_series`.
    pub column: &'static str,
}

impl Numbers {
    pub fn parse(call: &TableFunctionCall) -> Result<Numbers> {
        let name = call.name.as_str();
        let argument = |i: usize, what: &str| unsigned(name, what, call.positional[i].word());
        let (offset, length, step) = match call.positional.len() {
            0 => (0, None, 1),
            1 => (0, Some(argument(0, "length")?), 1),
            2 => (argument(0, "offset")?, Some(argument(1, "length")?), 1),
            3 => (argument(0, "offset")?, Some(argument(1, "length")?), argument(2, "step")?),
            given => return Err(wrong_count(name, given, "(), (length), (offset, length) or (offset, length, step)")),
        };
        if step == 0 {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Table function {name} requires step to be a positive number"),
            ));
        }
        let count = length.map(|length| length.div_ceil(step));
        Ok(Numbers { offset, count, step, eager: name.ends_with("_mt"), column: "number" })
    }

    /// `generate_series(start, stop[, step])`: both ends belong to it.
    pub fn parse_series(call: &TableFunctionCall) -> Result<Numbers> {
        let name = call.name.as_str();
        if !(2..=3).contains(&call.positional.len()) {
            return Err(wrong_count(name, call.positional.len(), "(start, stop[, step])"));
        }
        let argument = |i: usize, what: &str| unsigned(name, what, call.positional[i].word());
        let (start, stop) = (argument(0, "start")?, argument(1, "stop")?);
        let step = if call.positional.len() == 3 { argument(2, "step")? } else { 1 };
        if step == 0 {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Table function {name} requires step to be a positive number"),
            ));
        }
        let count = if stop < start { 0 } else { ((stop - start) / step).saturating_add(1) };
        Ok(Numbers { offset: start, count: Some(count), step, eager: false, column: "generate_series" })
    }

    /// Whether values grow with the position: they wrap around at 2^64.
    fn wraps(&self) -> bool {
        let last = self.count.and_then(|count| count.saturating_sub(1).checked_mul(self.step));
        last.and_then(|last| last.checked_add(self.offset)).is_none()
    }
}

impl Sequence for Numbers {
    fn describe(&self) -> String {
        match self.count {
            Some(count) => format!("numbers({}, {count}, {})", self.offset, self.step),
            None => format!("numbers from {}", self.offset),
        }
    }

    fn columns(&self) -> Columns {
        Columns::of([(self.column, SqlType::UInt64)])
    }

    fn rows(&self) -> Option<u64> {
        self.count
    }

    fn block(&self, rows: Range<u64>, projection: &[usize]) -> Result<RecordBatch> {
        let value = |position: u64| self.offset.wrapping_add(position.wrapping_mul(self.step));
        let columns = projection
            .iter()
            .map(|_| Arc::new(rows.clone().map(value).collect::<UInt64Array>()) as ArrayRef)
            .collect::<Vec<_>>();
        let schema = Arc::new(self.columns().arrow().project(projection)?);
        let options = RecordBatchOptions::new().with_row_count(Some((rows.end - rows.start) as usize));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }

    fn eager_partitions(&self) -> bool {
        self.eager
    }

    fn ascending(&self) -> Option<usize> {
        (!self.wraps()).then_some(0)
    }

    fn narrow(&self, filter: &Expr) -> Option<Range<u64>> {
        let end = self.count.unwrap_or(u64::MAX);
        if self.wraps() && self.count.is_some() {
            return None;
        }
        let (operator, bound) = comparison(filter, self.column)?;
        // Positions below which values are less than (or at most) the bound.
        let below = |inclusive: bool| -> u64 {
            if bound < 0 {
                return 0;
            }
            let bound = bound as u128 + u128::from(inclusive);
            let distance = bound.saturating_sub(u128::from(self.offset));
            u64::try_from(distance.div_ceil(u128::from(self.step))).unwrap_or(u64::MAX).min(end)
        };
        Some(match operator {
            Operator::Lt => 0..below(false),
            Operator::LtEq => 0..below(true),
            Operator::Gt => below(true)..end,
            Operator::GtEq => below(false)..end,
            Operator::Eq => below(false)..below(true),
            _ => return None,
        })
    }

    /// Of `number IN (1, 2, 3)`, and of what the optimizer makes of a short one: `number = 1 OR number = 2`.
    fn bounds(&self, filter: &Expr) -> Option<Range<u64>> {
        let around = |a: Range<u64>, b: Range<u64>| match (a.is_empty(), b.is_empty()) {
            (true, _) => b,
            (_, true) => a,
            _ => a.start.min(b.start)..a.end.max(b.end),
        };
        match filter {
            Expr::InList(InList { expr, list, negated: false }) => list
                .iter()
                .try_fold(0..0, |all, value| Some(around(all, self.narrow(&expr.as_ref().clone().eq(value.clone()))?))),
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
                let side = |filter: &Expr| self.narrow(filter).or_else(|| self.bounds(filter));
                Some(around(side(left)?, side(right)?))
            }
            _ => None,
        }
    }
}

/// `column op constant`, either way round.
fn comparison(filter: &Expr, column: &str) -> Option<(Operator, i128)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else {
        return None;
    };
    let is_column = |expression: &Expr| matches!(expression, Expr::Column(c) if c.name == column);
    if is_column(left) {
        Some((*op, constant(right)?))
    } else if is_column(right) {
        Some((op.swap()?, constant(left)?))
    } else {
        None
    }
}

fn constant(expression: &Expr) -> Option<i128> {
    let Expr::Literal(value, _) = expression else {
        return None;
    };
    Some(match value {
        ScalarValue::UInt8(Some(v)) => i128::from(*v),
        ScalarValue::UInt16(Some(v)) => i128::from(*v),
        ScalarValue::UInt32(Some(v)) => i128::from(*v),
        ScalarValue::UInt64(Some(v)) => i128::from(*v),
        ScalarValue::Int8(Some(v)) => i128::from(*v),
        ScalarValue::Int16(Some(v)) => i128::from(*v),
        ScalarValue::Int32(Some(v)) => i128::from(*v),
        ScalarValue::Int64(Some(v)) => i128::from(*v),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::UInt64Type;
    use datafusion::logical_expr::{col, lit};

    use super::*;
    use crate::call::CallArgument;

    fn parse(arguments: &[&str]) -> Result<Numbers> {
        Numbers::parse(&TableFunctionCall {
            name: "numbers".to_string(),
            positional: arguments.iter().map(|a| CallArgument::Number(a.to_string())).collect(),
            named: Vec::new(),
        })
    }

    fn values(numbers: &Numbers, rows: Range<u64>) -> Vec<u64> {
        let block = numbers.block(rows, &[0]).expect("a block");
        block.column(0).as_primitive::<UInt64Type>().values().to_vec()
    }

    #[test]
    fn arguments_are_length_then_offset_then_step() {
        assert_eq!(values(&parse(&["3"]).expect("length"), 0..3), vec![0, 1, 2]);
        assert_eq!(values(&parse(&["10", "2"]).expect("offset"), 0..2), vec![10, 11]);
        let stepped = parse(&["5", "10", "4"]).expect("step");
        assert_eq!(stepped.count, Some(3));
        assert_eq!(values(&stepped, 0..3), vec![5, 9, 13]);
        assert_eq!(parse(&["1e3"]).expect("a float that is whole").count, Some(1000));
        assert_eq!(parse(&["-1"]).expect_err("negative").code(), ErrorCode::BAD_ARGUMENTS);
        assert_eq!(parse(&["1", "2", "3", "4"]).expect_err("four").code(), ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    }

    #[test]
    fn narrowing_keeps_exactly_the_rows_that_pass() {
        let numbers = parse(&["7", "100", "3"]).expect("numbers");
        let all = values(&numbers, 0..34);
        for bound in 0..120i64 {
            let tests: [(Expr, &dyn Fn(i64) -> bool); 5] = [
                (col("number").lt(lit(bound)), &|v| v < bound),
                (col("number").lt_eq(lit(bound)), &|v| v <= bound),
                (col("number").gt(lit(bound)), &|v| v > bound),
                (col("number").gt_eq(lit(bound)), &|v| v >= bound),
                (col("number").eq(lit(bound)), &|v| v == bound),
            ];
            for (filter, passes) in tests {
                let range = numbers.narrow(&filter).expect("a range");
                let range = range.start.min(34)..range.end.min(34).max(range.start.min(34));
                let expected: Vec<u64> = all.iter().copied().filter(|v| passes(*v as i64)).collect();
                assert_eq!(values(&numbers, range), expected, "{filter}");
            }
        }
    }
}
