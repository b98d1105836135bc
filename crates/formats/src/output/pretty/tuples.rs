//! Values for a Pretty table: text, except that named tuples, wherever they are in a value, are objects over several lines.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::OffsetBuffer;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use crate::output::NULL_FOR_PEOPLE;
use crate::output::json_tree::{Indent, JsonTree};

pub struct PrettyValue {
    nulls: Option<arrow::buffer::NullBuffer>,
    node: Node,
}

enum Node {
    Text(ValueWriter),
    Object(JsonTree, TextOptions),
    Tuple(Vec<PrettyValue>),
    List(OffsetBuffer<i32>, Box<PrettyValue>),
    Map(OffsetBuffer<i32>, ValueWriter, Box<PrettyValue>),
}

fn is_named(fields: &[(Option<String>, SqlType)]) -> bool {
    !fields.is_empty() && fields.iter().all(|(name, _)| name.is_some())
}

fn holds_named_tuple(kind: &SqlType) -> bool {
    match kind.plain() {
        SqlType::Tuple(fields) => is_named(fields) || fields.iter().any(|(_, kind)| holds_named_tuple(kind)),
        SqlType::Array(element) => holds_named_tuple(element),
        SqlType::Map(_, value) => holds_named_tuple(value),
        _ => false,
    }
}

impl PrettyValue {
    pub fn new(array: &ArrayRef, kind: &SqlType, options: &TextOptions, as_json: bool) -> Result<PrettyValue> {
        let nulls = array.nulls().cloned();
        if !as_json || !holds_named_tuple(kind) {
            return Ok(PrettyValue { nulls, node: Node::Text(ValueWriter::new(array, kind, options)?) });
        }
        let inside = |array: &ArrayRef, kind: &SqlType| PrettyValue::new(array, kind, options, as_json);
        let node = match kind.plain() {
            SqlType::Tuple(fields) if is_named(fields) => {
                let options = TextOptions { escaping: Escaping::Json, ..options.clone() };
                Node::Object(JsonTree::new(array, kind, &options)?, options)
            }
            SqlType::Tuple(fields) => {
                let children = array.as_struct().columns().iter().zip(fields);
                Node::Tuple(children.map(|(child, (_, kind))| inside(child, kind)).collect::<Result<_>>()?)
            }
            SqlType::Array(element) => {
                let list = array.as_list::<i32>();
                Node::List(list.offsets().clone(), Box::new(inside(list.values(), element)?))
            }
            SqlType::Map(key, value) => {
                let map = array.as_map();
                let keys = ValueWriter::new(map.keys(), key, options)?;
                Node::Map(map.offsets().clone(), keys, Box::new(inside(map.values(), value)?))
            }
            _ => Node::Text(ValueWriter::new(array, kind, options)?),
        };
        Ok(PrettyValue { nulls, node })
    }

    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        self.value(row, Escaping::Plain, out);
    }

    fn value(&self, row: usize, escaping: Escaping, out: &mut Vec<u8>) {
        if let Node::Text(writer) = &self.node {
            return writer.write_as(row, escaping, out);
        }
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            let null = if escaping == Escaping::Plain { NULL_FOR_PEOPLE } else { "NULL" };
            return out.extend_from_slice(null.as_bytes());
        }
        match &self.node {
            Node::Text(_) => {}
            Node::Object(tree, options) => tree.write(row, Indent::Pretty(0), options, out),
            Node::Tuple(fields) => {
                out.push(b'(');
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    field.value(row, Escaping::Quoted, out);
                }
                out.push(b')');
            }
            Node::List(offsets, element) => {
                out.push(b'[');
                for i in offsets[row]..offsets[row + 1] {
                    if i > offsets[row] {
                        out.push(b',');
                    }
                    element.value(i as usize, Escaping::Quoted, out);
                }
                out.push(b']');
            }
            Node::Map(offsets, keys, values) => {
                out.push(b'{');
                for i in offsets[row]..offsets[row + 1] {
                    if i > offsets[row] {
                        out.push(b',');
                    }
                    keys.write_as(i as usize, Escaping::Quoted, out);
                    out.push(b':');
                    values.value(i as usize, Escaping::Quoted, out);
                }
                out.push(b'}');
            }
        }
    }
}
