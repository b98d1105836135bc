//! The schema of Avro data: JSON in the header of a file, here a tree in which types stand where their names did.
//!
//! A few names could stand for a tree without end, or of more nodes than there is memory (each record having twice the one
//! before it), so that is counted as the tree is built.

use std::collections::HashMap;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{EnumValues, SqlType};
use serde_json::Value;

/// Types within types.
const DEPTH_MAX: usize = 100;
/// Nodes of the whole tree.
const NODES_MAX: usize = 100_000;
/// Digits of the widest Decimal.
const PRECISION_MAX: u64 = 76;
/// Bytes of the longest FixedString.
const FIXED_STRING_BYTES_MAX: usize = 0xFF_FFFF;

#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    nodes: usize,
    depth: usize,
}

#[derive(Debug)]
pub enum Kind {
    Null,
    Boolean,
    Int,
    Date,
    Long,
    Millis,
    Micros,
    Float,
    Double,
    Bytes,
    String,
    Uuid,
    /// Digits, and those behind the point; in so many bytes, or with their number before them.
    Decimal {
        precision: u8,
        scale: u8,
        fixed: Option<usize>,
    },
    Fixed(usize),
    Enum(Arc<[String]>),
    Array(Arc<Node>),
    Map(Arc<Node>),
    Record(Vec<(String, Arc<Node>)>),
    Union(Vec<Arc<Node>>),
}

impl Node {
    fn new(kind: Kind) -> Result<Arc<Node>> {
        let within: &mut dyn Iterator<Item = &Arc<Node>> = match &kind {
            Kind::Array(item) | Kind::Map(item) => &mut std::iter::once(item),
            Kind::Record(fields) => &mut fields.iter().map(|(_, node)| node),
            Kind::Union(branches) => &mut branches.iter(),
            _ => &mut std::iter::empty(),
        };
        let (mut nodes, mut depth) = (1usize, 1);
        for node in within {
            nodes = nodes.saturating_add(node.nodes);
            depth = depth.max(node.depth + 1);
        }
        if nodes > NODES_MAX || depth > DEPTH_MAX {
            return Err(bad(format!(
                "its types are {nodes} in {depth} levels, and {NODES_MAX} in {DEPTH_MAX} are the most that is read"
            )));
        }
        Ok(Arc::new(Node { kind, nodes, depth }))
    }

    /// The null branch and the other, of a union of these two.
    pub fn nullable(&self) -> Option<(usize, &Arc<Node>)> {
        match &self.kind {
            Kind::Union(branches) => match &branches[..] {
                [null, other] if matches!(null.kind, Kind::Null) => Some((0, other)),
                [other, null] if matches!(null.kind, Kind::Null) => Some((1, other)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type that a column of it has where nobody gave one. Errors: NOT_IMPLEMENTED.
    pub fn sql_type(&self) -> Result<SqlType> {
        Ok(match &self.kind {
            Kind::Null => SqlType::null(),
            Kind::Boolean => SqlType::Bool,
            Kind::Int => SqlType::Int32,
            Kind::Date => SqlType::Date32,
            Kind::Long => SqlType::Int64,
            Kind::Millis => SqlType::DateTime64(3, None),
            Kind::Micros => SqlType::DateTime64(6, None),
            Kind::Float => SqlType::Float32,
            Kind::Double => SqlType::Float64,
            Kind::Bytes | Kind::String => SqlType::String,
            Kind::Uuid => SqlType::Uuid,
            Kind::Decimal { precision, scale, .. } => SqlType::Decimal { precision: *precision, scale: *scale },
            Kind::Fixed(bytes @ 1..=FIXED_STRING_BYTES_MAX) => SqlType::FixedString(*bytes),
            Kind::Fixed(bytes) => {
                return Err(Error::new(
                    ErrorCode::ARGUMENT_OUT_OF_BOUND,
                    format!("An Avro fixed of {bytes} bytes is no FixedString: read it as String"),
                ));
            }
            Kind::Enum(symbols) => enum_type(symbols)?,
            Kind::Array(item) => SqlType::array(item.sql_type()?),
            Kind::Map(value) => SqlType::Map(Box::new(SqlType::String), Box::new(value.sql_type()?)),
            Kind::Record(fields) => SqlType::Tuple(
                fields.iter().map(|(name, node)| Ok((Some(name.clone()), node.sql_type()?))).collect::<Result<_>>()?,
            ),
            Kind::Union(branches) => match (&branches[..], self.nullable()) {
                ([only], _) => only.sql_type()?,
                (_, Some((_, other))) => other.sql_type()?.nullable(),
                _ => return Err(self.is_variant()),
            },
        })
    }

    /// The error of a union that only a Variant could hold.
    pub fn is_variant(&self) -> Error {
        Error::not_implemented(format!(
            "Values of the Avro type {} need the type Variant, which is not there: give a structure without that column",
            self.name()
        ))
    }

    /// For errors.
    pub fn name(&self) -> String {
        let name = match &self.kind {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Int => "int",
            Kind::Date => "date",
            Kind::Long => "long",
            Kind::Millis => "timestamp-millis",
            Kind::Micros => "timestamp-micros",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Bytes => "bytes",
            Kind::String => "string",
            Kind::Uuid => "uuid",
            Kind::Decimal { precision, scale, .. } => return format!("decimal({precision}, {scale})"),
            Kind::Fixed(bytes) => return format!("fixed({bytes})"),
            Kind::Enum(_) => "enum",
            Kind::Array(_) => "array",
            Kind::Map(_) => "map",
            Kind::Record(_) => "record",
            Kind::Union(branches) => {
                return format!("union({})", branches.iter().map(|branch| branch.name()).collect::<Vec<_>>().join(", "));
            }
        };
        name.to_string()
    }
}

fn enum_type(symbols: &[String]) -> Result<SqlType> {
    if symbols.len() > 1 << 15 {
        return Err(Error::new(
            ErrorCode::ILLEGAL_COLUMN,
            format!("An Avro enum has {} symbols, and an Enum16 holds {}: read it as String", symbols.len(), 1 << 15),
        ));
    }
    let values = EnumValues(symbols.iter().zip(0i16..=i16::MAX).map(|(name, value)| (name.clone(), value)).collect());
    Ok(if symbols.len() < 128 { SqlType::Enum8(values) } else { SqlType::Enum16(values) })
}

/// The fields of the record that a schema is of. Errors: AVRO_EXCEPTION, TYPE_MISMATCH where it is of another type,
/// NOT_IMPLEMENTED for types that contain themselves.
pub fn parse(json: &[u8]) -> Result<Arc<Node>> {
    let value: Value = serde_json::from_slice(json).map_err(|error| bad(format!("it is no JSON: {error}")))?;
    let root = Names::default().node(&value, "")?;
    match &root.kind {
        Kind::Record(_) => Ok(root),
        _ => Err(Error::new(ErrorCode::TYPE_MISMATCH, format!("Root schema must be a record, and is {}", root.name()))),
    }
}

fn bad(why: String) -> Error {
    Error::new(ErrorCode::AVRO_EXCEPTION, format!("Not a valid Avro schema: {why}"))
}

/// Types by their full names; `None`: it is being read.
#[derive(Default)]
struct Names(HashMap<String, Option<Arc<Node>>>);

impl Names {
    fn node(&mut self, json: &Value, namespace: &str) -> Result<Arc<Node>> {
        match json {
            Value::String(name) => match primitive(name, json) {
                Some(kind) => Node::new(kind),
                None => self.named(name, namespace),
            },
            Value::Array(branches) => {
                let branches = branches.iter().map(|branch| self.node(branch, namespace)).collect::<Result<Vec<_>>>()?;
                match branches.is_empty() {
                    false => Node::new(Kind::Union(branches)),
                    true => Err(bad("a union has no types".to_string())),
                }
            }
            Value::Object(_) => self.object(json, namespace),
            other => Err(bad(format!("{other} is no type"))),
        }
    }

    fn named(&self, name: &str, namespace: &str) -> Result<Arc<Node>> {
        let known = self.0.get(&full_name(name, namespace)).or_else(|| self.0.get(name));
        match known {
            Some(Some(node)) => Ok(node.clone()),
            Some(None) => {
                Err(Error::not_implemented(format!("The Avro type '{name}' contains itself, which no column can hold")))
            }
            None => Err(bad(format!("'{name}' is no type"))),
        }
    }

    fn object(&mut self, json: &Value, namespace: &str) -> Result<Arc<Node>> {
        let kind = json.get("type").ok_or_else(|| bad("a type has no 'type'".to_string()))?;
        let Value::String(kind) = kind else {
            // The long form of a type: {"type": {"type": "array", …}}.
            return self.node(kind, namespace);
        };
        match &kind[..] {
            "array" => {
                let items = json.get("items").ok_or_else(|| bad("an array has no 'items'".to_string()))?;
                Node::new(Kind::Array(self.node(items, namespace)?))
            }
            "map" => {
                let values = json.get("values").ok_or_else(|| bad("a map has no 'values'".to_string()))?;
                Node::new(Kind::Map(self.node(values, namespace)?))
            }
            "record" | "error" | "enum" | "fixed" => {
                let name = text(json, "name").ok_or_else(|| bad(format!("a type {kind} has no 'name'")))?;
                let namespace = text(json, "namespace").unwrap_or(namespace);
                let name = full_name(name, namespace);
                let inner = name.rsplit_once('.').map_or("", |(namespace, _)| namespace).to_string();
                if self.0.insert(name.clone(), None).is_some() {
                    return Err(bad(format!("there are two types '{name}'")));
                }
                let node = match &kind[..] {
                    "enum" => enumeration(json, &name)?,
                    "fixed" => fixed(json, &name)?,
                    _ => self.record(json, &name, &inner)?,
                };
                let node = Node::new(node)?;
                self.0.insert(name, Some(node.clone()));
                Ok(node)
            }
            name => match primitive(name, json) {
                Some(kind) => Node::new(kind),
                None => self.named(name, namespace),
            },
        }
    }

    fn record(&mut self, json: &Value, name: &str, namespace: &str) -> Result<Kind> {
        let Some(Value::Array(fields)) = json.get("fields") else {
            return Err(bad(format!("the record '{name}' has no 'fields'")));
        };
        let fields = fields.iter().map(|field| {
            let (Some(name), Some(kind)) = (text(field, "name"), field.get("type")) else {
                return Err(bad(format!("a field of the record '{name}' has no 'name' and 'type'")));
            };
            Ok((name.to_string(), self.node(kind, namespace)?))
        });
        Ok(Kind::Record(fields.collect::<Result<_>>()?))
    }
}

fn text<'a>(json: &'a Value, key: &str) -> Option<&'a str> {
    json.get(key).and_then(Value::as_str)
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() { name.to_string() } else { format!("{namespace}.{name}") }
}

fn enumeration(json: &Value, name: &str) -> Result<Kind> {
    let symbols = json.get("symbols").and_then(Value::as_array).ok_or_else(|| bad(format!("'{name}' has no 'symbols'")))?;
    let symbols = symbols.iter().map(|symbol| {
        symbol.as_str().map(str::to_string).ok_or_else(|| bad(format!("{symbol} is no symbol of the enum '{name}'")))
    });
    Ok(Kind::Enum(symbols.collect::<Result<_>>()?))
}

fn fixed(json: &Value, name: &str) -> Result<Kind> {
    let bytes = json.get("size").and_then(Value::as_u64).filter(|bytes| i32::try_from(*bytes).is_ok());
    let bytes = bytes.ok_or_else(|| bad(format!("the fixed type '{name}' has no 'size' that can be")))? as usize;
    Ok(decimal(json, Some(bytes)).unwrap_or(Kind::Fixed(bytes)))
}

/// Types without a name. A logical type that does not go with its type says nothing, as Avro wants it.
fn primitive(name: &str, json: &Value) -> Option<Kind> {
    let logical = text(json, "logicalType").unwrap_or_default();
    Some(match (name, logical) {
        ("null", _) => Kind::Null,
        ("boolean", _) => Kind::Boolean,
        ("int", "date") => Kind::Date,
        ("int", _) => Kind::Int,
        ("long", "timestamp-millis") => Kind::Millis,
        ("long", "timestamp-micros") => Kind::Micros,
        ("long", _) => Kind::Long,
        ("float", _) => Kind::Float,
        ("double", _) => Kind::Double,
        ("bytes", _) => decimal(json, None).unwrap_or(Kind::Bytes),
        ("string", "uuid") => Kind::Uuid,
        ("string", _) => Kind::String,
        _ => return None,
    })
}

fn decimal(json: &Value, fixed: Option<usize>) -> Option<Kind> {
    let precision = json.get("precision")?.as_u64()?;
    let scale = json.get("scale").map_or(Some(0), Value::as_u64)?;
    let can_be = (1..=PRECISION_MAX).contains(&precision) && scale <= precision;
    (text(json, "logicalType") == Some("decimal") && can_be).then_some(Kind::Decimal {
        precision: precision as u8,
        scale: scale as u8,
        fixed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(json: &str) -> Result<String> {
        parse(json.as_bytes()).and_then(|node| node.sql_type()).map(|kind| kind.to_string())
    }

    fn of_field(kind: &str) -> String {
        let json = format!(r#"{{"type": "record", "name": "r", "fields": [{{"name": "f", "type": {kind}}}]}}"#);
        structure(&json).unwrap_or_else(|error| error.message())
    }

    #[test]
    fn types_are_those_of_clickhouse() {
        for (avro, kind) in [
            (r#""int""#, "Int32"),
            (r#"{"type": "int", "logicalType": "date"}"#, "Date32"),
            (r#"{"type": "long", "logicalType": "timestamp-micros"}"#, "DateTime64(6)"),
            (r#"{"type": "long", "logicalType": "no-such-type"}"#, "Int64"),
            (r#"{"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}"#, "Decimal(5, 2)"),
            (r#"{"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 6}"#, "String"),
            (r#"{"type": "fixed", "name": "x", "size": 3}"#, "FixedString(3)"),
            (r#"["null", "string"]"#, "Nullable(String)"),
            (r#"[{"type": "array", "items": "int"}, "null"]"#, "Array(Int32)"),
            (r#"{"type": "enum", "name": "e", "symbols": ["a", "b"]}"#, "Enum8('a' = 0, 'b' = 1)"),
            (
                r#"{"type": "map", "values": {"type": "array", "items": ["null", "long"]}}"#,
                "Map(String, Array(Nullable(Int64)))",
            ),
        ] {
            assert_eq!(of_field(avro), format!("Tuple(f {kind})"), "{avro}");
        }
    }

    #[test]
    fn names_stand_for_types_in_their_namespace() {
        let json = r#"{"type": "record", "name": "a.b.r", "fields": [
            {"name": "x", "type": {"type": "record", "name": "in", "fields": [{"name": "y", "type": "int"}]}},
            {"name": "z", "type": ["null", "a.b.in"]}, {"name": "w", "type": "in"}]}"#;
        let inner = "Tuple(y Int32)";
        let found = structure(json).expect("a schema");
        assert!(found.starts_with(&format!("Tuple(x {inner}, z ")) && found.ends_with(&format!("w {inner})")), "{found}");
    }

    #[test]
    fn trees_without_end_or_of_too_many_nodes_are_refused() {
        let own = r#"{"type": "record", "name": "r", "fields": [{"name": "next", "type": ["null", "r"]}]}"#;
        assert_eq!(parse(own.as_bytes()).expect_err("endless").code(), ErrorCode::NOT_IMPLEMENTED);
        let mut json = r#"{"type": "record", "name": "r0", "fields": []}"#.to_string();
        for level in 1..40 {
            let last = level - 1;
            json = format!(
                r#"{{"type": "record", "name": "r{level}", "fields": [{{"name": "a", "type": {json}}}, {{"name": "b", "type": "r{last}"}}]}}"#
            );
        }
        assert_eq!(parse(json.as_bytes()).expect_err("wide").code(), ErrorCode::AVRO_EXCEPTION);
        let deep = format!("{}\"int\"{}", "[".repeat(5000), "]".repeat(5000));
        assert!(parse(deep.as_bytes()).is_err());
    }
}
