//! `timeSeriesMetricTypeToSuffixes`: what names of metrics of a type end with. `timeSeriesPrometheusValueToString`: a number as
//! Prometheus writes it in a label, in full and without an exponent.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::datatypes::Float64Type;
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, list, strings};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "timeSeriesMetricTypeToSuffixes",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            Ok(Bound::new(SqlType::array(T::String), |args, rows| {
                let types = Bytes::of(&args[0])?;
                let (mut endings, mut lengths) = (BinaryViewBuilder::new(), Vec::with_capacity(rows));
                for row in 0..rows {
                    let of_type = suffixes(types.get(row));
                    of_type.iter().for_each(|suffix| endings.append_value(suffix));
                    lengths.push(of_type.len());
                }
                list(Arc::new(endings.finish()) as ArrayRef, &lengths)
            }))
        }),
    );
    registry.scalar(
        "timeSeriesPrometheusValueToString",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if !matches!(arguments[0].kind, T::Float32 | T::Float64) {
                return Err(illegal(name, arguments, 0, "Float32 or Float64"));
            }
            Ok(Bound::cast(vec![T::Float64], T::String, |args, rows| {
                let values = Numbers::of::<Float64Type>(&args[0])?;
                strings(rows, |row, out| {
                    out.extend_from_slice(shown(values.get(row)).as_bytes());
                    Ok(())
                })
            }))
        }),
    );
}

fn suffixes(kind: &[u8]) -> &'static [&'static str] {
    match kind {
        b"counter" => &["", "_total"],
        b"info" => &["", "_info"],
        b"summary" => &["", "_count", "_sum"],
        b"histogram" => &["_bucket", "_count", "_sum"],
        b"gaugehistogram" => &["_bucket", "_gcount", "_gsum"],
        _ => &[""],
    }
}

fn shown(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_string(),
        f64::INFINITY => "+Inf".to_string(),
        f64::NEG_INFINITY => "-Inf".to_string(),
        value => value.to_string(),
    }
}
