//! `groupFormat('JSONEachRow')(x, y)`: the rows of a group as text of a format, with the columns c1, c2 and so on.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_formats::output::{OutputContext, ResultSummary, writer};
use gristmill_introspect::Settings;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::{Columns, SqlType};

use super::collected::{Finish, collected};
use super::{Call, NullRule, Plan, family, text_parameter};
use crate::columns::retype;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("groupFormat", family(NullRule::Nullable, plan));
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=usize::MAX)?;
    let [parameter] = call.parameters else {
        let text = format!("Aggregate function {} requires exactly one parameter: the name of a format", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    };
    let Some(format) = text_parameter(parameter) else {
        let text = format!("The parameter of aggregate function {} should be the name of a format, a String", call.name);
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    };
    let format = Format::by_name(&String::from_utf8_lossy(&format))?;
    let names = (1..=call.kinds.len()).map(|at| format!("c{at}"));
    let columns = Columns::of(names.zip(call.kinds.iter().cloned()));
    // How long it took is no part of a value.
    let mut settings = Settings::default();
    settings.output_format_write_statistics = false;
    let context = OutputContext { settings: Arc::new(settings), timezone: chrono_tz::UTC, terminal: false, width: None };
    // Refused here where the format only reads.
    writer(format, &columns, context.clone())?;
    let kinds = call.kinds.clone();
    let count = kinds.len();
    let finish: Finish = Arc::new(move |list| {
        let values: Vec<ArrayRef> = match count {
            1 => vec![list.values().clone()],
            _ => list.values().as_struct().columns().to_vec(),
        };
        let schema = columns.arrow();
        let values = values.iter().zip(schema.fields()).map(|(array, field)| retype(array, field.data_type()));
        let values = values.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(list.values().len()));
        let all = RecordBatch::try_new_with_options(schema.clone(), values, &options)?;
        let mut builder = BytesBuilder::with_capacity(list.len());
        let mut out = Vec::new();
        for pair in list.offsets().windows(2) {
            let rows = (pair[1] - pair[0]) as usize;
            out.clear();
            let mut writer = writer(format, &columns, context.clone())?;
            writer.start(&mut out)?;
            if rows > 0 {
                writer.write(&all.slice(pair[0] as usize, rows), &mut out)?;
            }
            writer.finish(&ResultSummary { rows: rows as u64, ..ResultSummary::default() }, &mut out)?;
            builder.append(&out);
        }
        Ok(Arc::new(builder.finish(None)))
    });
    Ok(collected(SqlType::String, kinds.clone(), kinds, usize::MAX, false, finish))
}
