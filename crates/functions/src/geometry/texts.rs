//! Functions from shapes to texts and bytes, and back.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, BinaryViewBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Shape, SqlType};

use super::shapes::{Geometries, Geometry, column, shape_of};
use super::{bad, null};
use crate::columns::{Bytes, at};
use crate::define::{arity, expect_string, own_nulls, plain};
use crate::scalar::{Bound, ScalarFunction};

/// Error: BAD_ARGUMENTS where it is another shape.
pub fn expected(shape: Shape, geometry: Geometry) -> Result<Geometry> {
    if geometry.shape == shape {
        return Ok(geometry);
    }
    Err(bad(format!("Expected geometry type {}, got {}", shape.name(), geometry.shape.name())))
}

/// A function from a shape, and a text where it takes two arguments, to a text.
pub fn written(
    arguments_max: usize,
    refusal: &'static str,
    is_allowed: impl Fn(&SqlType) -> bool + Send + Sync + 'static,
    write: impl Fn(&Geometry, &[u8], &mut Vec<u8>) + Clone + Send + Sync + 'static,
) -> Arc<dyn ScalarFunction> {
    own_nulls(move |name, arguments, _| {
        arity(name, arguments, 1..=arguments_max)?;
        if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
            return Ok(null());
        }
        let kind = &arguments[0].kind;
        let Some(shape) = shape_of(kind).filter(|_| is_allowed(kind)) else {
            return Err(bad(format!("{refusal} {kind}")));
        };
        if arguments.len() == 2 {
            expect_string(name, arguments, 1)?;
        }
        let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
        let result = if nullable { T::String.nullable() } else { T::String };
        // Bytes may be of any number; texts only of what is one.
        let checked = name != "wkb";
        let write = write.clone();
        Ok(Bound::new(result, move |args, rows| {
            let nulls: Vec<_> = args.iter().map(|array| array.logical_nulls()).collect();
            let is_null = |row: usize| nulls.iter().flatten().any(|nulls| nulls.is_null(at(nulls.len(), row)));
            let geometries = Geometries::of(&args[0], shape)?;
            let styles = args.get(1).map(Bytes::of).transpose()?;
            let mut builder = BinaryViewBuilder::with_capacity(rows);
            let mut text = Vec::new();
            for row in 0..rows {
                if is_null(row) {
                    builder.append_null();
                    continue;
                }
                let geometry = geometries.get(row);
                if checked {
                    geometry.check()?;
                }
                text.clear();
                write(&geometry, styles.as_ref().map_or(&[], |styles| styles.get(row)), &mut text);
                builder.append_value(&text);
            }
            Ok(Arc::new(builder.finish()))
        }))
    })
}

/// A function from a text to a shape.
pub fn read(
    shape: Shape,
    read: impl Fn(&[u8]) -> Result<Geometry> + Clone + Send + Sync + 'static,
) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        if *arguments[0].kind.plain() != T::String {
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, "First argument should be String"));
        }
        let read = read.clone();
        Ok(Bound::new(shape.kind(), move |args, rows| {
            let texts = Bytes::of(&args[0])?;
            column(shape, &(0..rows).map(|row| read(texts.get(row))).collect::<Result<Vec<_>>>()?)
        }))
    })
}
