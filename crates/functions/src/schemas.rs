//! `structureToProtobufSchema` and `structureToCapnProtoSchema`: the structure of a table as a schema of another format.
//!
//! What has parts of its own (a tuple, an enum, an array in an array, a value of a map that is no plain one) gets a type of its own,
//! which is written before the field that has it and is named after it. Columns of a Nested structure are put together.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::strings;
use crate::define::{arity, constant_bytes, illegal, not_constant, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const DEFAULT_MESSAGE: &str = "Message";

pub fn register(registry: &mut Registry) {
    registry.scalar("structureToProtobufSchema", volatile(|name, arguments, _| bind(name, arguments, protobuf)));
    registry.scalar("structureToCapnProtoSchema", volatile(|name, arguments, _| bind(name, arguments, capn_proto)));
}

type Fields = Vec<(String, SqlType)>;

fn bind(name: &str, arguments: &[Argument], write: fn(&str, Fields) -> Result<String>) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let text = |i: usize| -> Result<String> {
        if !arguments[i].kind.is_string() {
            return Err(illegal(name, arguments, i, "a constant string"));
        }
        let bytes = constant_bytes(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let structure = text(0)?;
    let columns = gristmill_types::parse::structure_with_nested(&structure)?;
    let message = if arguments.len() > 1 { text(1)? } else { DEFAULT_MESSAGE.to_string() };
    let mut fields: Fields = Vec::new();
    for column in &columns {
        match &column.kind {
            // Nested is the arrays that it stands for in a table.
            nested @ T::Nested(_) => {
                let part = |(name, kind): &(Option<String>, SqlType)| {
                    (format!("{}.{}", column.name, name.as_deref().unwrap_or_default()), SqlType::array(kind.clone()))
                };
                fields.extend(nested.nested_fields().iter().map(part));
            }
            kind => fields.push((column.name.clone(), kind.clone())),
        }
    }
    let schema = write(&message, fields)?;
    Ok(Bound::new(T::String, move |_, rows| {
        strings(rows, |_, out| {
            out.extend_from_slice(schema.as_bytes());
            Ok(())
        })
    }))
}

/// Fields whose names have a part before one of the marks become one tuple of that name, behind the others.
fn gathered(fields: Fields, marks: &[char]) -> Fields {
    let mut plain = Vec::new();
    let mut groups: Vec<(String, Fields)> = Vec::new();
    for (name, kind) in fields {
        let Some((first, rest)) = name.split_once(marks).filter(|(first, rest)| !first.is_empty() && !rest.is_empty())
        else {
            plain.push((name, kind));
            continue;
        };
        let field = (rest.to_string(), kind);
        match groups.iter_mut().find(|(known, _)| known == first) {
            Some((_, group)) => group.push(field),
            None => groups.push((first.to_string(), vec![field])),
        }
    }
    plain.extend(groups.into_iter().map(|(name, group)| {
        let parts = gathered(group, marks).into_iter().map(|(name, kind)| (Some(name), kind));
        (name, T::Tuple(parts.collect()))
    }));
    plain
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

fn parts(fields: &[(Option<String>, SqlType)]) -> Fields {
    let named = |(i, (name, kind)): (usize, &(Option<String>, SqlType))| {
        (name.clone().unwrap_or_else(|| format!("e{}", i + 1)), kind.clone())
    };
    fields.iter().enumerate().map(named).collect()
}

fn unsupported(kind: &SqlType, format: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Type {kind} is not supported for conversion into {format} schema"))
}

/// Lines, each as deep as the braces that are open.
#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open(&mut self, head: &str) {
        self.line(head);
        self.line("{");
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
}

fn protobuf(message: &str, fields: Fields) -> Result<String> {
    let mut lines = Lines::default();
    lines.line("syntax = \"proto3\";");
    lines.line("");
    protobuf_message(&mut lines, &capitalized(message), gathered(fields, &['.']))?;
    Ok(lines.text)
}

fn protobuf_message(lines: &mut Lines, name: &str, fields: Fields) -> Result<()> {
    lines.open(format!("message {name}").trim_end());
    for (i, (name, kind)) in fields.iter().enumerate() {
        let kind = protobuf_type(lines, name, kind)?;
        lines.line(&format!("{kind} {name} = {};", i + 1));
    }
    lines.close();
    Ok(())
}

/// The name of the type of a field, after what has to be written before it.
fn protobuf_type(lines: &mut Lines, name: &str, kind: &SqlType) -> Result<String> {
    Ok(match kind.plain() {
        T::Array(element) => match element.plain() {
            T::Array(_) | T::Map(..) => {
                let message = capitalized(name);
                protobuf_message(lines, &message, vec![(name.to_string(), element.plain().clone())])?;
                format!("repeated {message}")
            }
            element => format!("repeated {}", protobuf_type(lines, name, element)?),
        },
        T::Map(key, value) => {
            let key = match key.is_string() {
                // Bytes are no key.
                true => "string".to_string(),
                false => protobuf_type(lines, &format!("{name}Key"), key)?,
            };
            let inner = format!("{name}Value");
            let value = match value.plain() {
                value @ (T::Array(_) | T::Map(..)) => {
                    protobuf_message(lines, &capitalized(&inner), vec![(inner.clone(), value.clone())])?;
                    capitalized(&inner)
                }
                value => protobuf_type(lines, &inner, value)?,
            };
            format!("map<{key}, {value}>")
        }
        T::Tuple(fields) => {
            protobuf_message(lines, &capitalized(name), parts(fields))?;
            capitalized(name)
        }
        T::Enum8(values) | T::Enum16(values) => {
            lines.open(&format!("enum {}", capitalized(name)));
            for (i, (value, _)) in values.0.iter().enumerate() {
                lines.line(&format!("{value} = {i};"));
            }
            lines.close();
            capitalized(name)
        }
        T::Int8 | T::Int16 | T::Int32 | T::Date32 => "int32".to_string(),
        T::UInt8 | T::UInt16 | T::UInt32 | T::IPv4 | T::Date | T::DateTime(_) => "uint32".to_string(),
        T::Int64 => "int64".to_string(),
        T::UInt64 | T::DateTime64(..) => "uint64".to_string(),
        T::Float32 => "float".to_string(),
        T::Float64 => "double".to_string(),
        T::Bool => "bool".to_string(),
        T::String | T::FixedString(_) | T::Uuid | T::IPv6 | T::Decimal { .. } => "bytes".to_string(),
        T::Int128 | T::UInt128 | T::Int256 | T::UInt256 => "bytes".to_string(),
        _ => return Err(unsupported(kind, "Protobuf")),
    })
}

fn capn_proto(message: &str, fields: Fields) -> Result<String> {
    let mut lines = Lines::default();
    // An id of one's own: the highest bit is set in each.
    lines.line(&format!("@0x{:016x};", rand::random::<u64>() | 1 << 63));
    lines.line("");
    capn_proto_struct(&mut lines, &capitalized(message), gathered(fields, &['.', '_']))?;
    Ok(lines.text)
}

fn capn_proto_struct(lines: &mut Lines, name: &str, fields: Fields) -> Result<()> {
    lines.open(format!("struct {name}").trim_end());
    for (i, (name, kind)) in fields.iter().enumerate() {
        let kind = capn_proto_type(lines, name, kind)?;
        lines.line(&format!("{} @{i} : {kind};", lowered(name)));
    }
    lines.close();
    Ok(())
}

/// With its leading capitals in lower case: names of fields begin so.
fn lowered(name: &str) -> String {
    let capitals = name.chars().take_while(char::is_ascii_uppercase).count();
    name.chars().enumerate().map(|(i, c)| if i < capitals { c.to_ascii_lowercase() } else { c }).collect()
}

fn capn_proto_type(lines: &mut Lines, name: &str, kind: &SqlType) -> Result<String> {
    let kind = kind.without_low_cardinality();
    Ok(match &kind {
        T::Nullable(inner) => {
            let inner = capn_proto_type(lines, name, inner)?;
            lines.open(&format!("struct {}", capitalized(name)));
            lines.open("union");
            lines.line(&format!("value @0 : {inner};"));
            lines.line("null @1 : Void;");
            lines.close();
            lines.close();
            capitalized(name)
        }
        T::Array(element) => format!("List({})", capn_proto_type(lines, name, element)?),
        T::Map(key, value) => {
            lines.open(&format!("struct {}", capitalized(name)));
            let entry = vec![("key".to_string(), key.as_ref().clone()), ("value".to_string(), value.as_ref().clone())];
            capn_proto_struct(lines, "Entry", entry)?;
            lines.line("entries @0 : List(Entry);");
            lines.close();
            capitalized(name)
        }
        T::Tuple(fields) => {
            capn_proto_struct(lines, &capitalized(name), parts(fields))?;
            capitalized(name)
        }
        T::Enum8(values) | T::Enum16(values) => {
            lines.open(&format!("enum {}", capitalized(name)));
            for (i, (value, _)) in values.0.iter().enumerate() {
                lines.line(&format!("{value} @{i};"));
            }
            lines.close();
            capitalized(name)
        }
        T::Date => "UInt16".to_string(),
        T::Date32 | T::Decimal { precision: ..=9, .. } => "Int32".to_string(),
        T::DateTime(_) | T::IPv4 => "UInt32".to_string(),
        T::DateTime64(..) | T::Decimal { precision: 10..=18, .. } => "Int64".to_string(),
        T::Bool | T::Float32 | T::Float64 => kind.to_string(),
        T::String | T::FixedString(_) | T::Uuid | T::IPv6 | T::Decimal { .. } => "Data".to_string(),
        _ => match kind.integer_bits() {
            Some((..=64, _)) => kind.to_string(),
            Some(_) => "Data".to_string(),
            None => return Err(unsupported(&kind, "CapnProto")),
        },
    })
}
