//! States of aggregate functions in an INSERT of texts: each is a text of the format, and what that says is told by
//! `aggregate_function_input_format`.

use arrow::array::RecordBatch;
use gristmill_base::{Result, ResultExt};
use gristmill_formats::Format;
use gristmill_functions::aggregates::stored::{StateText, states_of_texts};
use gristmill_introspect::Settings;
use gristmill_types::cast::CastOptions;
use gristmill_types::{Column, Columns, SqlType};

use crate::engine::timezone;

/// Columns of which some hold states that come as texts.
pub(super) struct StateTexts {
    given: Columns,
    read: Columns,
    form: StateText,
    options: CastOptions,
}

impl StateTexts {
    /// `None` where no column holds states, or the format has them in bytes of its own.
    pub(super) fn of(format: Format, given: &Columns, settings: &Settings) -> Result<Option<StateTexts>> {
        if format.is_binary() || !given.iter().any(|column| is_state(&column.kind)) {
            return Ok(None);
        }
        let as_text = |column: &Column| {
            let mut column = column.clone();
            if is_state(&column.kind) {
                column.kind = SqlType::String.nullable();
            }
            column
        };
        Ok(Some(StateTexts {
            read: Columns::new(given.iter().map(as_text).collect()),
            given: given.clone(),
            form: StateText::by_name(&settings.aggregate_function_input_format),
            options: CastOptions { timezone: timezone(settings)?, ..CastOptions::default() },
        }))
    }

    /// As `of`, where the texts are not the states' bytes.
    pub(super) fn of_values(given: &Columns, settings: &Settings) -> Result<Option<StateTexts>> {
        Ok(StateTexts::of(Format::Values, given, settings)?.filter(|texts| texts.form != StateText::State))
    }

    /// The columns with texts in the place of states.
    pub(super) fn read(&self) -> &Columns {
        &self.read
    }

    /// The given columns out of those that were read.
    pub(super) fn states(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.given.iter().zip(batch.columns()).map(|(column, values)| match is_state(&column.kind) {
            true => states_of_texts(&column.kind, values, self.form, &self.options)
                .context(|| format!("in column {}", column.name)),
            false => Ok(values.clone()),
        });
        Ok(RecordBatch::try_new(self.given.arrow(), columns.collect::<Result<Vec<_>>>()?)?)
    }
}

const fn is_state(kind: &SqlType) -> bool {
    matches!(kind, SqlType::AggregateFunction(..))
}
