//! `multipart/form-data`: parameters, and tables that only this query sees.
//!
//! A part without a file name is a parameter, as in the URL. One with a file name is a table of the part's name; its format
//! and columns are told by the parameters `<name>_format` and `<name>_structure` or `<name>_types`.

use bytes::Bytes;
use futures::stream::BoxStream;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_engine::{ExternalData, ExternalTable};
use gristmill_formats::native::BLOCK_BYTES_MAX;
use gristmill_introspect::Settings;
use multer::{Constraints, Multipart, SizeLimit};

use super::request::Parameters;

/// The boundary of such a body; `None` for others.
pub fn boundary(content_type: Option<&str>) -> Option<String> {
    multer::parse_boundary(content_type?).ok()
}

/// A table as it came.
pub struct Part {
    name: String,
    data: Bytes,
}

/// Reads a form: its parameters are added to those of the URL. Errors: INCORRECT_DATA, those of reading the body.
pub async fn read_form(
    body: BoxStream<'static, Result<Bytes>>,
    boundary: String,
    parameters: &mut Parameters,
) -> Result<Vec<Part>> {
    let limits = Constraints::new().size_limit(SizeLimit::new().whole_stream(BLOCK_BYTES_MAX));
    let mut form = Multipart::with_constraints(body, boundary, limits);
    let wrong = |error: multer::Error| match error {
        multer::Error::StreamReadFailed(inner) => inner
            .downcast::<Error>()
            .map_or_else(|other| Error::new(ErrorCode::INCORRECT_DATA, other.to_string()), |ours| *ours),
        other => Error::new(ErrorCode::INCORRECT_DATA, format!("Cannot read the form: {other}")),
    };
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(wrong)? {
        let name = field.name().unwrap_or_default().to_string();
        let is_file = field.file_name().is_some();
        let data = field.bytes().await.map_err(wrong)?;
        if is_file {
            parts.push(Part { name, data });
        } else {
            parameters.add(&name, data.to_vec());
        }
    }
    Ok(parts)
}

/// The parts as tables.
pub fn tables(parts: Vec<Part>, parameters: &Parameters, settings: &Settings) -> Result<Vec<ExternalTable>> {
    let table = |part: Part| -> Result<ExternalTable> {
        let told = |what: &str| parameters.of_tables.get(&format!("{}_{what}", part.name)).map(String::as_str);
        let data =
            ExternalData { name: &part.name, format: told("format"), structure: told("structure"), types: told("types") };
        ExternalTable::read(data, &part.data, settings).context(|| format!("in the external table {}", part.name))
    };
    parts.into_iter().map(table).collect()
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nSELECT 1\r\n\
        --x\r\nContent-Disposition: form-data; name=\"ids\"; filename=\"ids.tsv\"\r\n\r\n1\ta\n2\tb\n\r\n--x--\r\n";

    #[test]
    fn a_form_has_parameters_and_tables() {
        let mut parameters = Parameters::of(Some("ids_types=UInt8,Nullable(String)"));
        let chunks: Vec<Result<Bytes>> = FORM.as_bytes().chunks(10).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let body = futures::stream::iter(chunks).boxed();
        let parts = futures::executor::block_on(read_form(body, "x".to_string(), &mut parameters)).expect("a form");
        assert_eq!(parameters.query.as_deref(), Some(&b"SELECT 1"[..]));
        let tables = tables(parts, &parameters, &Settings::default()).expect("a table");
        assert_eq!(tables[0].columns.structure(), "_1 UInt8, _2 Nullable(String)");
        assert_eq!(tables[0].batches[0].num_rows(), 2);
    }
}
