//! Which field of a row goes into which column, for formats whose rows are lists of fields, and the headers that say so.

use gristmill_base::{ErrorCode, Result};
use gristmill_types::SqlType;

use super::Rows;

/// The fields of a row, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapping {
    /// The leaf that each field goes into; `None`: no column takes it, or nobody asked for the one that does.
    pub fields: Vec<Option<usize>>,
    /// The leaf that each field belongs to.
    leaves: Vec<Option<usize>>,
    /// How many of them no column takes.
    pub unknown: u64,
}

impl Mapping {
    /// Every leaf in order: data without a header.
    pub fn positional(rows: &Rows) -> Mapping {
        Mapping::of((0..rows.leaves.len()).map(Some).collect(), rows)
    }

    fn of(leaves: Vec<Option<usize>>, rows: &Rows) -> Mapping {
        let fields = leaves.iter().map(|leaf| leaf.filter(|leaf| rows.leaves[*leaf].wanted)).collect();
        let unknown = leaves.iter().filter(|leaf| leaf.is_none()).count() as u64;
        Mapping { fields, leaves, unknown }
    }

    /// By the names of a header. A tuple that is spread may stand as one name or as the names of its leaves, and takes as
    /// many fields either way.
    pub fn named(names: &[Vec<u8>], rows: &Rows) -> Result<Mapping> {
        let mut fields = Vec::with_capacity(names.len());
        let mut taken = vec![false; rows.leaves.len()];
        for name in names {
            let leaves: Vec<usize> = match rows.find(name) {
                Some(column) => rows.leaves_of(column).collect(),
                None => rows.leaves.iter().position(|leaf| leaf.name.as_bytes() == name.as_slice()).into_iter().collect(),
            };
            if leaves.is_empty() {
                rows.check_unknown(name)?;
                fields.push(None);
            }
            for leaf in leaves {
                if std::mem::replace(&mut taken[leaf], true) {
                    let name = String::from_utf8_lossy(name);
                    return Err(rows.wrong(ErrorCode::INCORRECT_DATA, format!("The header names column '{name}' twice")));
                }
                fields.push(Some(leaf));
            }
        }
        Ok(Mapping::of(fields, rows))
    }
}

/// Whether a first row is a header: every field names another column, or every column is named by one field.
pub(crate) fn looks_like_names(fields: &[Vec<u8>], rows: &Rows) -> bool {
    let named_once = |name: &str| fields.iter().filter(|field| field.as_slice() == name.as_bytes()).count() == 1;
    if !rows.columns().is_empty() && rows.columns().iter().all(|column| named_once(&column.name)) {
        return true;
    }
    let mut seen = vec![false; rows.leaves.len()];
    !fields.is_empty()
        && fields.iter().all(|field| {
            let leaf = rows
                .columns()
                .iter()
                .position(|column| column.name.as_bytes() == field.as_slice())
                .map(|column| rows.leaves_of(column).start)
                .or_else(|| rows.leaves.iter().position(|leaf| leaf.name.as_bytes() == field.as_slice()));
            leaf.is_some_and(|leaf| leaf < seen.len() && !std::mem::replace(&mut seen[leaf], true))
        })
}

/// Whether a row holds the types of the columns that its fields go into.
pub(crate) fn looks_like_types(fields: &[Vec<u8>], mapping: &Mapping, rows: &Rows) -> bool {
    fields.len() == mapping.leaves.len()
        && fields.iter().zip(&mapping.leaves).all(|(field, leaf)| {
            let kind = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
            match (leaf, kind) {
                (Some(leaf), Some(kind)) => *rows.leaves[*leaf].builder.kind() == kind,
                _ => false,
            }
        })
}

/// Checks the types of a header against those of the columns.
pub(crate) fn check_types(fields: &[Vec<u8>], mapping: &Mapping, rows: &Rows) -> Result<()> {
    for (field, leaf) in fields.iter().zip(&mapping.leaves) {
        let Some(leaf) = leaf else { continue };
        let leaf = &rows.leaves[*leaf];
        let text = String::from_utf8_lossy(field);
        let same = text.parse().is_ok_and(|kind: gristmill_types::SqlType| kind == *leaf.builder.kind());
        if !same {
            return Err(rows.wrong(
                ErrorCode::INCORRECT_DATA,
                format!(
                    "The header says column '{}' is of type {text}, it is {}; set input_format_with_types_use_header = 0 to ignore the header's types",
                    leaf.name,
                    leaf.builder.kind()
                ),
            ));
        }
    }
    Ok(())
}

/// The names of columns under `meta` of a JSON document, whose types have to be those of the columns unless settings say otherwise.
pub(crate) fn names_of_metadata(meta: &[u8], validates: bool, rows: &Rows) -> Result<Vec<Vec<u8>>> {
    #[derive(serde::Deserialize)]
    struct Described {
        name: String,
        #[serde(rename = "type", default)]
        kind: String,
    }
    let described: Vec<Described> = serde_json::from_slice(meta)
        .map_err(|error| rows.wrong(ErrorCode::INCORRECT_DATA, format!("The key 'meta' does not list columns: {error}")))?;
    for column in described.iter().filter(|_| validates) {
        let known = rows.columns().iter().find(|known| known.name == column.name);
        let (Some(known), Ok(kind)) = (known, column.kind.parse::<SqlType>()) else { continue };
        if !is_same(&kind, &known.kind) {
            let text = format!(
                "Type {kind} of column '{}' from metadata is not the same as type in header {}; set \
                 input_format_json_validate_types_from_metadata = 0 to ignore the metadata's types",
                known.name, known.kind
            );
            return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
        }
    }
    Ok(described.into_iter().map(|column| column.name.into_bytes()).collect())
}

/// Whether data of one type is data of the other: zones are only for show.
fn is_same(a: &SqlType, b: &SqlType) -> bool {
    match (a, b) {
        (SqlType::DateTime(_), SqlType::DateTime(_)) => true,
        (SqlType::DateTime64(a, _), SqlType::DateTime64(b, _)) => a == b,
        _ => a == b,
    }
}

/// The UTF-8 byte order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";
