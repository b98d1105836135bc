//! Computes expressions with the functions of the registry.

use std::sync::{Arc, LazyLock};

use arrow::array::ArrayRef;
use arrow::datatypes::Field;
use chrono_tz::Tz;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};
use gristmill_base::{Error, Result};
use gristmill_functions::{Argument, FunctionEnv, Registry, scalar_udf};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::supertype::literal_integer_type;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use super::parse::{Tree, parse};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::standard().unwrap());

pub fn registry() -> &'static Registry {
    &REGISTRY
}

pub fn env() -> FunctionEnv {
    FunctionEnv {
        timezone: "Etc/UTC".into(),
        database: "default".into(),
        user: "default".into(),
        roles: Arc::default(),
        query_id: "q-1".into(),
        now_micros: 1_710_513_045_123_456,
        cast_keep_nullable: false,
        cast_string_to_date_time_mode: "basic".into(),
        addresses: gristmill_functions::AddressRules::default(),
        range_elements_max: gristmill_functions::RANGE_ELEMENTS_MAX,
        json: gristmill_functions::JsonRules::default(),
        limits: gristmill_functions::FunctionLimits::default(),
        asker: gristmill_functions::Asker::default(),
    }
}

pub struct Evaluator {
    rows: usize,
}

pub struct Value {
    pub kind: SqlType,
    pub array: ArrayRef,
    pub constant: bool,
}

impl Evaluator {
    pub fn new(rows: usize) -> Self {
        Evaluator { rows }
    }

    /// Type and value as text, or `ERR` and the error's name.
    pub fn answer(&self, expression: &str) -> String {
        match self.evaluate(&parse(expression)) {
            Ok(value) => {
                let writer =
                    ValueWriter::new(value.array.as_ref(), &value.kind, &TextOptions::new(Escaping::TsvEscaped, Tz::UTC))
                        .unwrap();
                let mut texts: Vec<String> = (0..value.array.len())
                    .map(|row| {
                        let mut out = Vec::new();
                        writer.write(row, &mut out);
                        String::from_utf8_lossy(&out).into_owned()
                    })
                    .collect();
                texts.dedup();
                format!("{} {}", value.kind, texts.join(" | "))
            }
            Err(error) => format!("ERR {}", error.code().name()),
        }
    }

    fn literal(&self, kind: SqlType, scalar: ScalarValue) -> Result<Value> {
        Ok(Value { array: scalar.to_array_of_size(1)?, kind, constant: true })
    }

    fn evaluate(&self, tree: &Tree) -> Result<Value> {
        match tree {
            Tree::Null => self.literal(SqlType::null(), ScalarValue::Null),
            Tree::Bool(value) => self.literal(SqlType::Bool, ScalarValue::Boolean(Some(*value))),
            Tree::Float(value) => self.literal(SqlType::Float64, ScalarValue::Float64(Some(*value))),
            Tree::Text(value) => self.literal(SqlType::String, ScalarValue::BinaryView(Some(value.clone()))),
            Tree::Integer(value) => {
                let kind = literal_integer_type(*value);
                let text: ArrayRef = ScalarValue::BinaryView(Some(value.to_string().into_bytes())).to_array_of_size(1)?;
                let array = cast(&text, &SqlType::String, &kind, &CastOptions::default())?;
                Ok(Value { array, kind, constant: true })
            }
            Tree::Call(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.evaluate(argument)).collect::<Result<Vec<_>>>()?;
                self.call(name, arguments)
            }
        }
    }

    pub fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value> {
        let function = REGISTRY.find_scalar(name).ok_or_else(|| REGISTRY.unknown(name))?;
        let described = arguments
            .iter()
            .map(|argument| {
                let constant = argument.constant.then(|| ScalarValue::try_from_array(&argument.array, 0)).transpose()?;
                Ok(Argument { kind: argument.kind.clone(), constant })
            })
            .collect::<Result<Vec<_>>>()?;
        let (udf, kind, casts) = scalar_udf(REGISTRY.canonical(name), function, described, &env())?;
        let mut columns = Vec::new();
        for (i, argument) in arguments.into_iter().enumerate() {
            let array = match casts.get(i) {
                Some(to) => {
                    cast(&argument.array, &argument.kind, to, &CastOptions { timezone: Tz::UTC, ..Default::default() })?
                }
                None => argument.array,
            };
            columns.push(if argument.constant {
                ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)
            } else {
                ColumnarValue::Array(array)
            });
        }
        let all_constant = columns.iter().all(|column| matches!(column, ColumnarValue::Scalar(_)));
        let arg_fields = columns.iter().map(|column| Arc::new(Field::new("c", column.data_type(), true))).collect();
        let args = ScalarFunctionArgs {
            args: columns,
            arg_fields,
            number_rows: self.rows,
            return_field: kind.field(name),
            config_options: Arc::new(ConfigOptions::default()),
        };
        let computed = udf.invoke_with_args(args).map_err(Error::from)?;
        // What constants give is a column here where two rows are wanted, save for intervals, which must be constants.
        let constant = all_constant
            && (self.rows == 1
                || name.starts_with("toInterval")
                || matches!(computed, ColumnarValue::Scalar(_)) && ["array", "tuple", "negate"].contains(&name));
        let array = computed.into_array(if constant { 1 } else { self.rows })?;
        Ok(Value { kind, array, constant })
    }
}
