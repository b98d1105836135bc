//! `FROM t SAMPLE k [OFFSET m]`: the rows whose sampling key lies in a share of its type's range.
//!
//! The key is an unsigned number that is spread evenly (a hash, as a rule), so a range of it holds its share of the rows; and as
//! it stands in the primary key, what is outside is pruned and not read. The range is [m·U, (m + k)·U) for U = the number of
//! values of the key's type, in exact fractions, as ClickHouse cuts it. A k above 1 is a number of rows of the table.

use datafusion::logical_expr::LogicalPlanBuilder;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{BinaryOperator, Expr, TableSampleKind, Value};

use super::Analyzer;
use super::from::Relation;
use super::scope::Scope;
use crate::ast::{Literal, Node, call};

/// What a table can be sampled by.
#[derive(Clone, Debug)]
pub struct SamplingKey {
    pub expression: String,
    /// Rows of the table.
    pub rows: u64,
}

/// The column that tells how many rows of the table each row of a sample stands for.
pub const SAMPLE_FACTOR: &str = "_sample_factor";

/// A fraction, not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };
    const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    fn is_above_one(self) -> bool {
        self.numerator > self.denominator
    }

    fn reduced(numerator: u128, denominator: u128) -> Ratio {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Ratio { numerator: numerator / a.max(1), denominator: denominator / a.max(1) }
    }

    /// `0.1`, `1e6`, `1/10`.
    fn of(expr: &Expr) -> Result<Ratio> {
        let wrong = || Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: {expr}. Expected Sample ratio or offset"));
        let number = |expr: &Expr| match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => decimal(digits),
                _ => None,
            },
            _ => None,
        };
        let ratio = match expr {
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
                let (over, under) = (number(left).ok_or_else(wrong)?, number(right).ok_or_else(wrong)?);
                if under.numerator == 0 {
                    return Err(Error::new(ErrorCode::ILLEGAL_DIVISION, format!("SAMPLE {expr}: division by zero")));
                }
                let numerator = over.numerator.checked_mul(under.denominator);
                numerator.zip(over.denominator.checked_mul(under.numerator)).map(|(over, under)| Ratio::reduced(over, under))
            }
            one => Some(number(one).ok_or_else(wrong)?),
        };
        ratio.ok_or_else(|| too_long(expr))
    }

    /// As a share of the table where it is a number of rows.
    fn relative(self, rows: u64) -> Option<Ratio> {
        if !self.is_above_one() {
            return Some(self);
        }
        let share = Ratio::reduced(self.numerator, self.denominator.checked_mul(u128::from(rows.max(1)))?);
        Some(if share.is_above_one() { Ratio::ONE } else { share })
    }

    fn plus(self, other: Ratio) -> Option<Ratio> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Some(Ratio::reduced(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?))
    }

    /// Its share of so many, cut to a whole number.
    fn share_of(self, many: u128) -> Option<u128> {
        let whole = (self.numerator / self.denominator).checked_mul(many)?;
        let rest = (self.numerator % self.denominator).checked_mul(many)? / self.denominator;
        whole.checked_add(rest)
    }
}

/// Digits with a point and an exponent; `None` where they are too many.
fn decimal(text: &str) -> Option<Ratio> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let number: u128 = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent - i32::try_from(fraction.len()).ok()?;
    let power = 10u128.checked_pow(shift.unsigned_abs())?;
    Some(if shift < 0 { Ratio::reduced(number, power) } else { Ratio::reduced(number.checked_mul(power)?, 1) })
}

fn too_long(what: &impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, format!("SAMPLE {what}: a fraction of so many digits; round it"))
}

impl Analyzer<'_> {
    /// The rows of the sample, with its factor. `shown`: the table, for errors. Errors: SAMPLING_NOT_SUPPORTED where `key` is none,
    /// SYNTAX_ERROR where the ratio is no constant.
    pub(super) fn sampled(
        &self,
        relation: Relation,
        key: Option<&SamplingKey>,
        sample: &TableSampleKind,
        shown: &str,
    ) -> Result<Relation> {
        let Some(key) = key else { return Err(not_supported(shown)) };
        let (TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) = sample;
        let Some(quantity) = sample.quantity.as_ref().filter(|quantity| !quantity.parenthesized && quantity.unit.is_none())
        else {
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: {sample}. Expected Sample ratio")));
        };
        let offset = sample.offset.as_ref().map(Ratio::of).transpose()?.unwrap_or(Ratio::ZERO);
        let size = Ratio::of(&quantity.value)?.relative(key.rows).ok_or_else(|| too_long(&quantity.value))?;
        let offset = offset.relative(key.rows).ok_or_else(|| too_long(&sample))?;
        if size.numerator == 0 {
            return Ok(relation);
        }
        let scope = Scope { columns: relation.columns.clone(), ..Scope::default() };
        let node = crate::statement::parse_expression(&key.expression)?;
        let values = values_of(&self.expr(&node, &scope.rows())?.kind)?;
        let end = offset.plus(size).ok_or_else(|| too_long(&sample))?;
        let lower = offset.share_of(values).ok_or_else(|| too_long(&sample))?;
        let upper = end.share_of(values).ok_or_else(|| too_long(&sample))?;
        let number = |value: u128| Node::Literal(Literal::Integer(value as i128));
        let mut plan = LogicalPlanBuilder::from(relation.plan);
        for (function, bound) in [("greaterOrEquals", lower), ("less", upper)] {
            let cuts = if function == "less" { upper < values } else { lower > 0 };
            if cuts {
                let condition = self.expr(&call(function, vec![node.clone(), number(bound)]), &scope.rows())?;
                plan = plan.filter(self.as_predicate(condition, "SAMPLE")?)?;
            }
        }
        let mut columns = relation.columns;
        let factor = size.denominator as f64 / size.numerator as f64;
        for column in columns.iter_mut().filter(|column| column.name == SAMPLE_FACTOR) {
            column.expr = self.literal(&Literal::Float(factor))?.expr;
        }
        Ok(Relation { plan: plan.build()?, columns })
    }
}

pub(super) fn not_supported(shown: &str) -> Error {
    Error::new(
        ErrorCode::SAMPLING_NOT_SUPPORTED,
        format!(
            "Storage {shown} doesn't support sampling: declare SAMPLE BY, or filter by a hash of a column, such as cityHash64(k) % 10 = 0"
        ),
    )
}

/// How many values a sampling key may have. Error: ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER.
pub fn values_of(kind: &SqlType) -> Result<u128> {
    match kind {
        SqlType::UInt8 => Ok(1 << 8),
        SqlType::UInt16 => Ok(1 << 16),
        SqlType::UInt32 => Ok(1 << 32),
        SqlType::UInt64 => Ok(1 << 64),
        other => Err(Error::new(
            ErrorCode::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER,
            format!("Invalid sampling column type in storage parameters: {other}. Must be one unsigned integer type"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_exact() {
        let ratio = |text: &str| {
            let query = crate::statement::parse_expression(text);
            assert!(query.is_ok());
            decimal(text)
        };
        assert_eq!(ratio("0.10"), Some(Ratio { numerator: 1, denominator: 10 }));
        assert_eq!(ratio("1e3"), Some(Ratio { numerator: 1000, denominator: 1 }));
        assert_eq!(ratio("2.5e-1"), Some(Ratio { numerator: 1, denominator: 4 }));
        assert_eq!(ratio("0.1").and_then(|tenth| tenth.share_of(1 << 64)), Some((1u128 << 64) / 10));
        assert_eq!(Ratio { numerator: 2, denominator: 1 }.relative(10), Some(Ratio { numerator: 1, denominator: 5 }));
        assert_eq!(Ratio { numerator: 20, denominator: 1 }.relative(10), Some(Ratio::ONE));
        assert_eq!(decimal("0.0000000000000000000000000000000000000000001"), None);
    }
}
