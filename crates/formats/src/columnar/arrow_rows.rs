//! Rows of Arrow data, whose text is bytes.
//!
//! A String is bytes, and other writers too call text what is no UTF-8, which the decoder of text refuses. Text and bytes have
//! the same layout in a message, so a schema is changed before the decoder sees it: the type of a field is one byte of it, and
//! what it could say of either type beside that is empty.

use std::fmt::Display;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::error::ArrowError;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::{Block, Field, Footer, Schema, Type, root_as_footer, root_as_message};
use gristmill_base::{Error, ErrorCode, Result};

use super::FileBytes;
use super::arrow_check::{self, CONTINUATION};
use super::file_bytes::ReadSeek;
use super::parquet_metadata::guarded;

/// Runs a step of the decoder.
pub fn guarded_arrow<T>(step: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    guarded(|| step().map_err(not_arrow))
}

fn not_arrow(what: impl Display) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, format!("Not valid Arrow data: {what}"))
}

/// Where a buffer has the type of a field that is text, and the type that is to stand there.
type TextType = (usize, u8);

fn text_types(schema: Schema<'_>) -> Vec<TextType> {
    let mut found = Vec::new();
    for field in schema.fields().into_iter().flatten() {
        add_text_types(field, &mut found);
    }
    found
}

fn add_text_types(field: Field<'_>, found: &mut Vec<TextType>) {
    let bytes = match field.type_type() {
        Type::Utf8 => Some(Type::Binary),
        Type::LargeUtf8 => Some(Type::LargeBinary),
        Type::Utf8View => Some(Type::BinaryView),
        _ => None,
    };
    if let Some(bytes) = bytes {
        let slot = field._tab.vtable().get(Field::VT_TYPE_TYPE);
        found.push((field._tab.loc() + usize::from(slot), bytes.0));
    }
    for child in field.children().into_iter().flatten() {
        add_text_types(child, found);
    }
}

fn set_types(types: &[TextType], buffer: &mut [u8]) {
    for (place, kind) in types {
        if let Some(byte) = buffer.get_mut(*place) {
            *byte = *kind;
        }
    }
}

/// Calls text bytes in a whole message of a stream, where it is the schema.
pub fn text_as_bytes(message: &mut [u8]) {
    let prefix = if message.starts_with(&CONTINUATION) { 8 } else { 4 };
    let Some(metadata) = message.get_mut(prefix..) else { return };
    let schema = root_as_message(metadata).ok().and_then(|message| message.header_as_schema());
    let Some(types) = schema.map(text_types) else { return };
    set_types(&types, metadata);
}

fn footer_of(bytes: &[u8]) -> Result<Footer<'_>> {
    root_as_footer(bytes).map_err(not_arrow)
}

/// The batches of a file, decoded as they are asked for.
pub struct ArrowRows {
    reader: Box<dyn ReadSeek>,
    decoder: FileDecoder,
    blocks: IntoIter<Block>,
}

impl ArrowRows {
    /// `file` is checked (`arrow_check::check_file`). Errors: INCORRECT_DATA.
    pub fn new(file: FileBytes) -> Result<Self> {
        let footer = arrow_check::footer(&file)?.ok_or_else(|| not_arrow("the file has no footer at its end"))?;
        let mut footer = footer.to_vec();
        let types = footer_of(&footer)?.schema().map(text_types).unwrap_or_default();
        set_types(&types, &mut footer);
        let footer = footer_of(&footer)?;
        let schema = footer.schema().ok_or_else(|| not_arrow("the footer has no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(not_arrow("its numbers have another byte order than this machine's"));
        }
        let mut decoder = FileDecoder::new(Arc::new(fb_to_schema(schema)), footer.version());
        let mut reader = file.reader()?;
        for block in footer.dictionaries().into_iter().flatten() {
            let bytes = block_bytes(&mut reader, block).map_err(not_arrow)?;
            decoder.read_dictionary(block, &bytes).map_err(not_arrow)?;
        }
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        Ok(ArrowRows { reader, decoder, blocks: blocks.into_iter() })
    }
}

impl Iterator for ArrowRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.blocks.next()?;
        let (reader, decoder) = (&mut self.reader, &self.decoder);
        guarded_arrow(|| decoder.read_record_batch(&block, &block_bytes(reader, &block)?)).transpose()
    }
}

/// The message and the body of a block.
fn block_bytes(reader: &mut (impl Read + Seek), block: &Block) -> std::result::Result<Buffer, ArrowError> {
    let lengths = (usize::try_from(block.metaDataLength()), usize::try_from(block.bodyLength()));
    let ((Ok(metadata), Ok(body)), Ok(offset)) = (lengths, u64::try_from(block.offset())) else {
        return Err(ArrowError::IpcError("a block has a length or a place below 0".to_string()));
    };
    reader.seek(SeekFrom::Start(offset))?;
    let mut bytes = MutableBuffer::from_len_zeroed(metadata.saturating_add(body));
    reader.read_exact(&mut bytes)?;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, AsArray, BinaryArray, BinaryViewArray, LargeBinaryArray, StructArray};
    use arrow::datatypes::{DataType, Field as ArrowField, Fields, Schema as ArrowSchema};
    use arrow::ipc::reader::StreamDecoder;
    use arrow::ipc::writer::{FileWriter, StreamWriter};

    use super::*;

    const BAD: &[u8] = b"\xff\x00\xfe";
    const GOOD: &[u8] = b"text";

    fn fields(types: [DataType; 3]) -> Fields {
        types.into_iter().enumerate().map(|(place, kind)| ArrowField::new(place.to_string(), kind, false)).collect()
    }

    /// A record whose schema says text, and whose values are none.
    fn written() -> (ArrowSchema, RecordBatch) {
        let plain: ArrayRef = Arc::new(BinaryArray::from_iter_values([BAD, GOOD]));
        let large: ArrayRef = Arc::new(LargeBinaryArray::from_iter_values([BAD, GOOD]));
        let views: ArrayRef = Arc::new(BinaryViewArray::from_iter_values([BAD, GOOD]));
        let held = fields([DataType::Binary, DataType::LargeBinary, DataType::BinaryView]);
        let record: ArrayRef = Arc::new(StructArray::new(held, vec![plain, large, views], None));
        let said = DataType::Struct(fields([DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View]));
        let schema = ArrowSchema::new(vec![ArrowField::new("r", said, false)]);
        (schema, RecordBatch::try_from_iter([("r", record)]).expect("a batch"))
    }

    fn check(batch: &RecordBatch) {
        let record = batch.column(0).as_struct();
        assert_eq!(record.column(0).as_binary::<i32>().value(0), BAD);
        assert_eq!(record.column(1).as_binary::<i64>().value(0), BAD);
        assert_eq!(record.column(2).as_binary_view().value(0), BAD);
    }

    #[test]
    fn text_of_a_file_is_bytes() {
        let (schema, batch) = written();
        let mut writer = FileWriter::try_new(Vec::new(), &schema).expect("a writer");
        writer.write(&batch).expect("written");
        writer.write(&batch).expect("written");
        writer.finish().expect("finished");
        let file = FileBytes::from(bytes::Bytes::from(writer.into_inner().expect("its bytes")));
        let read = ArrowRows::new(file).expect("a file").collect::<Result<Vec<_>>>().expect("rows");
        assert_eq!(read.len(), 2);
        read.iter().for_each(check);
    }

    #[test]
    fn text_of_a_stream_is_bytes() {
        let (schema, batch) = written();
        let mut writer = StreamWriter::try_new(Vec::new(), &schema).expect("a writer");
        writer.write(&batch).expect("written");
        writer.finish().expect("finished");
        let mut stream = writer.into_inner().expect("its bytes");
        text_as_bytes(&mut stream);
        let mut decoder = StreamDecoder::new();
        let read = decoder.decode(&mut Buffer::from_vec(stream)).expect("valid").expect("a batch");
        check(&read);
    }
}
