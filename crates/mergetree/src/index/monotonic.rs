//! Functions whose result never falls while their argument rises: from the range of the one follows that of the other.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;
use gristmill_functions::FunctionUdf;
use gristmill_types::SqlType;

/// Over dates and times.
const OF_TIME: &[&str] = &[
    "toDate",
    "toDate32",
    "toDateTime",
    "toYear",
    "toISOYear",
    "toYYYYMM",
    "toYYYYMMDD",
    "toStartOfSecond",
    "toStartOfMinute",
    "toStartOfFiveMinutes",
    "toStartOfTenMinutes",
    "toStartOfFifteenMinutes",
    "toStartOfHour",
    "toStartOfDay",
    "toStartOfWeek",
    "toMonday",
    "toStartOfMonth",
    "toStartOfQuarter",
    "toStartOfYear",
    "toStartOfISOYear",
    "toStartOfInterval",
    "timeSlot",
    "toUnixTimestamp",
    "toRelativeYearNum",
    "toRelativeQuarterNum",
    "toRelativeMonthNum",
    "toRelativeWeekNum",
    "toRelativeDayNum",
    "toRelativeHourNum",
    "toRelativeMinuteNum",
    "toRelativeSecondNum",
];

/// The place of the argument that the call rises with; all its other arguments are constants.
pub fn rises_with(call: &ScalarFunction) -> Option<usize> {
    let udf = function_udf(call)?;
    let kinds: Vec<&SqlType> = udf.arguments().iter().map(|argument| argument.kind.plain()).collect();
    let name = call.func.name();
    let place = if OF_TIME.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        kinds.first().filter(|kind| is_time(kind)).map(|_| 0)
    } else if name.eq_ignore_ascii_case("dateTrunc") || name.eq_ignore_ascii_case("date_trunc") {
        kinds.get(1).filter(|kind| is_time(kind)).map(|_| 1)
    } else if name == "CAST" {
        let widens = |from: &&&SqlType| match (from, udf.result().plain()) {
            (SqlType::Date, SqlType::DateTime(_) | SqlType::DateTime64(..)) => true,
            (SqlType::DateTime(_), SqlType::DateTime64(..) | SqlType::Date) => true,
            _ => false,
        };
        kinds.first().filter(widens).map(|_| 0)
    } else if name.eq_ignore_ascii_case("intDiv") {
        let divisor = call.args.get(1).and_then(positive);
        kinds.first().filter(|kind| kind.integer_bits().is_some_and(|(bits, _)| bits <= 64)).and(divisor).map(|()| 0)
    } else {
        None
    }?;
    let constant = |(at, argument): (usize, &Expr)| at == place || matches!(argument, Expr::Literal(..));
    call.args.iter().enumerate().all(constant).then_some(place)
}

/// A call of a function of ours.
pub fn function_udf(call: &ScalarFunction) -> Option<&FunctionUdf> {
    (call.func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<FunctionUdf>()
}

fn is_time(kind: &SqlType) -> bool {
    matches!(kind, SqlType::Date | SqlType::DateTime(_) | SqlType::DateTime64(..))
}

fn positive(expr: &Expr) -> Option<()> {
    let Expr::Literal(value, _) = expr else { return None };
    let value = value.cast_to(&arrow::datatypes::DataType::Int64).ok()?;
    matches!(value, ScalarValue::Int64(Some(number)) if number > 0).then_some(())
}
