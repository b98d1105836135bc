//! Calls that may fail by what they meet in a row. AND and OR compute those only for rows that the operands before leave
//! open, as `s != '' AND toInt32(s) = 1` is written.

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::Expr;
use gristmill_types::SqlType;

use crate::scalar::Argument;
use crate::udf::FunctionUdf;

/// Conversions, which fail of texts that are none of the type.
const CONVERSIONS: &[&str] = &[
    "toInt",
    "toUInt",
    "toFloat",
    "toDate",
    "toDecimal",
    "toUUID",
    "toIPv",
    "toBool",
    "toTime",
    "toFixedString",
    "parseDateTime",
];

/// Ends of the names of conversions that never fail.
const FORGIVING: &[&str] = &["OrNull", "OrZero", "OrDefault"];

/// Whether something in the expression may fail by the values of a row.
pub fn may_fail(expr: &Expr) -> bool {
    let fails = |expr: &Expr| match expr {
        Expr::ScalarFunction(call) => (call.func.inner().as_ref() as &dyn std::any::Any)
            .downcast_ref::<FunctionUdf>()
            .is_some_and(|udf| call_may_fail(call.func.name(), udf.arguments(), udf.result())),
        _ => false,
    };
    expr.exists(|expr| Ok(fails(expr))).unwrap_or(false)
}

fn call_may_fail(name: &str, arguments: &[Argument], result: &SqlType) -> bool {
    let varies = |at: usize| arguments.get(at).is_some_and(|argument| argument.constant.is_none());
    let is_text = |at: usize| varies(at) && arguments[at].kind.is_string();
    match name {
        "throwIf" => true,
        "intDiv" | "modulo" | "moduloLegacy" | "positiveModulo" => may_be_zero(arguments.get(1)),
        "divide" => may_be_zero(arguments.get(1)) && arguments.iter().any(|argument| argument.kind.is_decimal()),
        "arrayElement" => varies(1) && !matches!(arguments[0].kind.plain(), SqlType::Map(..)),
        "CAST" | "_CAST" | "_read" | "accurateCast" => {
            is_text(0) && !result.is_string() || varies(0) && arguments[0].kind.is_nullable() && !result.is_nullable()
        }
        "isIPAddressInRange" | "IPv4StringToNum" | "IPv6StringToNum" | "MACStringToNum" | "base64Decode"
        | "base58Decode" | "base32Decode" | "parseReadableSize" | "parseTimeDelta" => is_text(0),
        name => {
            is_text(0)
                && CONVERSIONS.iter().any(|begin| name.starts_with(begin))
                && !FORGIVING.iter().any(|end| name.ends_with(end))
        }
    }
}

/// Whether a divisor may be zero.
fn may_be_zero(divisor: Option<&Argument>) -> bool {
    let known = divisor.and_then(|argument| argument.constant.as_ref());
    known.is_none_or(|value| ScalarValue::new_zero(&value.data_type()).is_ok_and(|zero| zero == *value))
}
