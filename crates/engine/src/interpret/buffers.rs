//! What `ENGINE = Buffer(database, table, layers, …)` means: the table that rows go to, and limits at which they would.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::EngineSpec;
use gristmill_catalog::engines::buffer;
use gristmill_sources::CallArgument;
use gristmill_sql::ast::Node;
use gristmill_types::Columns;
use gristmill_types::sql_type::quote;

use super::Interpreter;
use crate::resolver::call_of;

impl Interpreter {
    /// The engine as a definition keeps it: the names of the table as literals, and the numbers, which mean nothing.
    /// Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
    pub(super) fn buffer_engine(&self, arguments: &[Node]) -> Result<EngineSpec> {
        let call = call_of(&self.engine, &self.context, buffer::ENGINE, arguments)?;
        let ([database, table, numbers @ ..], 9..=12) = (&call.positional[..], call.positional.len()) else {
            return Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Storage Buffer requires from 9 to 12 parameters: destination_database, destination_table, num_buckets, \
                 min_time, max_time, min_rows, max_rows, min_bytes, max_bytes[, flush_time, flush_rows, flush_bytes].",
            ));
        };
        let database = if database.word().is_empty() { self.context.database.as_str() } else { database.word() };
        let names = [database, table.word()].map(quote);
        let number = |argument: &CallArgument| argument.word().to_string();
        let arguments = names.into_iter().chain(numbers.iter().map(number)).collect();
        Ok(EngineSpec { name: buffer::ENGINE.to_string(), arguments })
    }

    /// The columns of a buffer that is declared without any: those of the table that its rows go to.
    pub(super) fn columns_of_buffer(&self, arguments: &[Node]) -> Result<Columns> {
        let Some((database, table)) = self.buffer_engine(arguments)?.buffer_target() else {
            return Err(Error::logical("A buffer without a table that rows go to"));
        };
        Ok(self.databases(&database).table(&database, &table)?.definition().columns.clone())
    }
}
