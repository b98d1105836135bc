//! What a query may ask of the server's configuration, and of its own connection: `getServerSetting`, `getMacro`, `connectionId`,
//! `getClientHTTPHeader`,
//! and what tools that know MySQL and PostgreSQL ask (`globalVariable`, for `@@version`; `currentSchemas`).
//! (What needs the catalog or the folders of a server is the engine's: `server_functions` there.)

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, UInt64Array};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{macros, server_settings};
use gristmill_types::SqlType;
use gristmill_types::supertype::{integer_constant, literal_integer_type};

use crate::columns::{Bytes, list, strings};
use crate::define::{arity, bad_argument, constant_bytes, expect_string, has_null, illegal, need_constant_text, of_query};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "getServerSetting",
        of_query(|name, arguments, _| {
            let setting = setting_name(name, arguments)?;
            match server_settings::find(&setting) {
                Some(known) => value_of_setting(known.kind, &known.value()),
                None => Err(unknown_setting(&setting, server_settings::nearest_name(&setting))),
            }
        }),
    );
    registry.scalar(
        "getMacro",
        of_query(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind.is_null_literal() {
                return Ok(Bound::null());
            }
            let macro_name = need_constant_text(name, arguments, 0)?;
            let text = macros::substitution(&macro_name).ok_or_else(|| {
                Error::new(ErrorCode::NO_ELEMENTS_IN_CONFIG, format!("No macro {macro_name} in config: name it in <macros>"))
            })?;
            Ok(constant(T::String, ScalarValue::BinaryView(Some(text.into_bytes()))))
        }),
    );
    registry.scalar(
        "connectionId",
        of_query(|name, arguments, env| {
            arity(name, arguments, 0..=0)?;
            let connection = env.asker.client.connection;
            Ok(Bound::new(T::UInt64, move |_, rows| Ok(Arc::new(UInt64Array::from_value(connection, rows)) as ArrayRef)))
        }),
    );
    registry.any_case("connectionId");
    registry.alias("connection_id", "connectionID");
    registry.any_case("connection_id");
    registry.scalar(
        "getClientHTTPHeader",
        of_query(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            let client = env.asker.client.clone();
            let name = name.to_string();
            Ok(Bound::new(T::String, move |args, rows| {
                let wanted = Bytes::of(&args[0])?;
                strings(rows, |row, out| {
                    let wanted = String::from_utf8_lossy(wanted.get(row)).to_ascii_lowercase();
                    if is_secret_header(&wanted) {
                        return Err(bad_argument(&name, format!("the header '{wanted}' says who asks: it is not told")));
                    }
                    let found = client.http_headers.iter().find(|(known, _)| *known == wanted);
                    out.extend_from_slice(found.map_or("", |(_, value)| value).as_bytes());
                    Ok(())
                })
            }))
        }),
    );
    registry.scalar("globalVariable", of_query(|name, arguments, _| global_variable(name, arguments)));
    registry.scalar(
        "currentSchemas",
        of_query(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind.is_null_literal() {
                return Ok(Bound::null());
            }
            // Whether schemas that nobody named count as well, says PostgreSQL: there are none.
            if arguments[0].kind != T::Bool {
                return Err(illegal(name, arguments, 0, "Bool"));
            }
            let database = env.database.clone();
            Ok(Bound::new(T::Array(Box::new(T::String)), move |_, rows| {
                let names = strings(rows, |_, out| {
                    out.extend_from_slice(database.as_bytes());
                    Ok(())
                })?;
                list(names, &vec![1; rows])
            }))
        }),
    );
    registry.any_case("currentSchemas");
    registry.alias("current_schemas", "currentSchemas");
    registry.any_case("current_schemas");
}

/// Whether a header, in lower case, has credentials in it.
pub fn is_secret_header(name: &str) -> bool {
    matches!(name, "authorization" | "authentication") || name.starts_with("x-clickhouse-")
}

/// The variables of MySQL that its clients ask for, with ClickHouse's answers.
fn variable(name: &str) -> Option<Bound> {
    let text = |value: &str| constant(T::String, ScalarValue::BinaryView(Some(value.as_bytes().to_vec())));
    Some(match name {
        "max_allowed_packet" => constant(T::Int32, ScalarValue::Int32(Some(64 << 20))),
        "version" => text("5.7.30"),
        "version_comment" => text(""),
        "sql_mode" => text(
            "ALLOW_INVALID_DATES,ANSI_QUOTES,IGNORE_SPACE,NO_AUTO_VALUE_ON_ZERO,NO_DIR_IN_CREATE,ONLY_FULL_GROUP_BY,\
             PAD_CHAR_TO_FULL_LENGTH,PIPES_AS_CONCAT,REAL_AS_FLOAT",
        ),
        "transaction_isolation" => text("READ-UNCOMMITTED"),
        _ => return None,
    })
}

/// 0 where nobody knows the variable: tools ask for many that they can do without. Error: BAD_ARGUMENTS.
fn global_variable(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if has_null(arguments) {
        return Ok(Bound::null());
    }
    let asked = Some(&arguments[0]).filter(|argument| argument.kind == T::String).and_then(constant_bytes);
    let asked = asked.ok_or_else(|| bad_argument(name, "the argument must be a constant string"))?;
    let found = variable(&String::from_utf8_lossy(&asked).to_ascii_lowercase());
    Ok(found.unwrap_or_else(|| constant(T::Int32, ScalarValue::Int32(Some(0)))))
}

/// The only argument of a function of settings. Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, ILLEGAL_TYPE_OF_ARGUMENT,
/// ILLEGAL_COLUMN where it is not constant.
pub fn setting_name(name: &str, arguments: &[Argument]) -> Result<String> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let constant = constant_bytes(&arguments[0]).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    constant.ok_or_else(|| {
        let text = format!("The argument of function {name} should be a constant string with the name of a setting");
        Error::new(ErrorCode::ILLEGAL_COLUMN, text)
    })
}

/// UNKNOWN_SETTING
pub fn unknown_setting(name: &str, near: Option<&str>) -> Error {
    let hint = near.map_or_else(String::new, |near| format!(": Maybe you meant ['{near}']"));
    Error::new(ErrorCode::UNKNOWN_SETTING, format!("Unknown setting '{name}'{hint}"))
}

/// A setting's value as a constant of the type that its own type has in SQL: a Bool, the least integer that holds it, Float64,
/// else a String. `kind`: ClickHouse's word for the setting's type.
pub fn value_of_setting(kind: &str, text: &str) -> Result<Bound> {
    let float = || text.parse::<f64>().map(|value| constant(T::Float64, ScalarValue::Float64(Some(value))));
    let found = match kind {
        "Bool" => Ok(constant(T::Bool, ScalarValue::Boolean(Some(matches!(text, "1" | "true"))))),
        "Float" | "Double" | "Seconds" | "Milliseconds" => float(),
        "UInt64" | "UInt32" | "NonZeroUInt64" | "Int64" | "Int32" => match text.parse::<i128>() {
            Ok(number) => return integer(number, kind.starts_with('I')),
            Err(_) => float(),
        },
        _ => Ok(constant(T::String, ScalarValue::BinaryView(Some(text.as_bytes().to_vec())))),
    };
    found.map_err(|_| Error::logical(format!("The value of a setting of type {kind} is '{text}'")))
}

fn integer(value: i128, is_signed: bool) -> Result<Bound> {
    // The least that holds its opposite too, which has a sign.
    let kind = if is_signed && value >= 0 { literal_integer_type(-value - 1) } else { literal_integer_type(value) };
    let scalar = integer_constant(value, &kind);
    let scalar = scalar.ok_or_else(|| Error::logical(format!("A setting of 64 bits became {kind}")))?;
    Ok(constant(kind, scalar))
}

fn constant(kind: SqlType, value: ScalarValue) -> Bound {
    Bound::new(kind, move |_, rows| Ok(value.to_array_of_size(rows)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_the_least_type_that_holds_it() {
        let kind = |kind: &str, text: &str| value_of_setting(kind, text).expect("a value").result.to_string();
        assert_eq!(kind("UInt64", "8192"), "UInt16");
        assert_eq!(kind("UInt64", "200"), "UInt8");
        assert_eq!(kind("Int32", "200"), "Int16");
        assert_eq!(kind("Int32", "100"), "Int8");
        assert_eq!(kind("Int64", "-1"), "Int8");
        assert_eq!(kind("Seconds", "30"), "Float64");
        assert_eq!(kind("Bool", "1"), "Bool");
        assert_eq!(kind("String", ""), "String");
        assert!(value_of_setting("UInt64", "many").is_err());
    }
}
