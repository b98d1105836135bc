//! `getSetting` and `getSettingOrDefault`: what the session's settings say.

use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result, machine};
use gristmill_introspect::{Settings, custom};
use gristmill_types::SqlType;

use super::operators::as_numbers;
use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Literal, Node};

impl Analyzer<'_> {
    /// The value of the setting that a constant names; without it the default. NULL where either is.
    pub(super) fn setting(&self, name: &Node, default: Option<&Node>, context: &Context<'_>) -> Result<Typed> {
        let (name, kind) = self.constant(name)?;
        let default = default.map(|default| self.fold(self.as_value(self.expr(default, context)?)?)).transpose()?;
        if kind.is_null_literal() || default.as_ref().is_some_and(|default| default.kind.is_null_literal()) {
            return self.literal(&Literal::Null);
        }
        let illegal = |text: &str| Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text);
        if default.as_ref().is_some_and(|default| default.constant().is_none()) {
            return Err(illegal("The default value of a setting must be a constant"));
        }
        let ScalarValue::BinaryView(Some(name)) = name else {
            return Err(illegal("The name of a setting is a constant string"));
        };
        let name = String::from_utf8_lossy(&name).into_owned();
        match (self.settings.get(&name), default) {
            (Some(value), _) => self.setting_value(&name, &value),
            (None, Some(default)) => self.setting_default(default),
            (None, None) => Err(Error::new(ErrorCode::UNKNOWN_SETTING, format!("Unknown setting '{name}'"))),
        }
    }

    fn setting_value(&self, name: &str, value: &str) -> Result<Typed> {
        if custom::is_custom(name) {
            let literal = match custom::Value::of(name, value)? {
                custom::Value::Null => Literal::Null,
                custom::Value::Bool(value) => Literal::Bool(value),
                custom::Value::UInt(value) => Literal::Integer(value.into()),
                custom::Value::Int(value) => Literal::Integer(value.into()),
                custom::Value::Float(value) => Literal::Float(value),
                custom::Value::Text(text) => Literal::Text(text.into_bytes()),
            };
            return self.literal(&literal);
        }
        let kind = Settings::declared().iter().find(|info| info.name == name).map_or("", |info| info.kind);
        self.literal(&match (kind, value.parse::<i128>(), value.parse::<f64>()) {
            ("Bool", Ok(number), _) => Literal::Bool(number != 0),
            ("MaxThreads", Ok(0) | Err(_), _) => Literal::Integer(machine::cores() as i128),
            ("Seconds" | "Float" | "Double", _, Ok(number)) => Literal::Float(number),
            (_, Ok(number), _) => Literal::Integer(number),
            _ => Literal::Text(value.as_bytes().to_vec()),
        })
    }

    /// A default as settings hold values: whole numbers in the least type that has them, days, times and enums as the numbers that
    /// they are.
    fn setting_default(&self, default: Typed) -> Result<Typed> {
        let number = match &default.kind {
            SqlType::Bool => SqlType::UInt8,
            SqlType::Date => SqlType::UInt16,
            SqlType::Date32 => SqlType::Int32,
            SqlType::DateTime(_) => SqlType::UInt32,
            SqlType::DateTime64(scale, _) => SqlType::Decimal { precision: 18, scale: *scale },
            SqlType::Float32 => SqlType::Float64,
            kind => kind.clone(),
        };
        let default = self.cast(default, &number)?;
        let default = if default.kind.is_enum() { as_numbers(default) } else { default };
        let signed = match default.kind {
            SqlType::UInt8 | SqlType::UInt16 | SqlType::UInt32 | SqlType::UInt64 => false,
            SqlType::Int8 | SqlType::Int16 | SqlType::Int32 | SqlType::Int64 => true,
            _ => return Ok(default),
        };
        let value = match self.cast(default.clone(), &SqlType::integer(64, signed))?.constant() {
            Some(ScalarValue::UInt64(Some(value))) => i128::from(*value),
            Some(ScalarValue::Int64(Some(value))) => i128::from(*value),
            _ => return Ok(default),
        };
        self.cast(default, &least_integer(value, signed))
    }
}

/// The least type with a sign, or without one, that has a number.
fn least_integer(value: i128, signed: bool) -> SqlType {
    let fits = |bits: &u16| match signed {
        true => (-(1_i128 << (bits - 1))..1_i128 << (bits - 1)).contains(&value),
        false => value < (1_i128 << bits),
    };
    SqlType::integer([8, 16, 32].into_iter().find(fits).unwrap_or(64), signed)
}
