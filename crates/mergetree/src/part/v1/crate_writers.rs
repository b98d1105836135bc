//! The Parquet crate's writers, for those columns alone that have no encoder of ours.
//!
//! The crate makes writers for all columns of the schema that it is shown, and each begins with a context to compress and one
//! to decompress, before it has seen a value. Of a part of a thousand columns and a few rows, as the tables of logs get every
//! few seconds, that was most of the work. So it is shown a schema of the columns that it is to write.

use gristmill_base::Result;
use gristmill_types::Columns;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;

use super::schema::{annotated_schema, storage_schema};

pub struct CrateWriters {
    /// `None`: there is no such column.
    factory: Option<ArrowRowGroupWriterFactory>,
}

impl CrateWriters {
    /// By column: whether all its strings are text, and whether the crate writes it. `properties`: of the whole file, which
    /// name columns by their paths.
    pub fn new(
        columns: &Columns,
        text: &[bool],
        by_crate: &[bool],
        properties: &WriterPropertiesPtr,
    ) -> Result<CrateWriters> {
        if !by_crate.contains(&true) {
            return Ok(CrateWriters { factory: None });
        }
        let taken = columns.iter().zip(text).zip(by_crate).filter(|(_, by_crate)| **by_crate);
        let (columns, text): (Vec<_>, Vec<_>) = taken.map(|((column, text), _)| (column.clone(), *text)).unzip();
        let columns = Columns::new(columns);
        let root = annotated_schema(&columns, &text)?;
        let file = SerializedFileWriter::new(std::io::sink(), root, properties.clone())?;
        Ok(CrateWriters { factory: Some(ArrowRowGroupWriterFactory::new(&file, storage_schema(&columns))) })
    }

    /// A writer for each leaf of those columns, for the next row group.
    pub fn row_group(&self, row_group: usize) -> Result<Vec<ArrowColumnWriter>> {
        Ok(match &self.factory {
            Some(factory) => factory.create_column_writers(row_group)?,
            None => Vec::new(),
        })
    }
}
