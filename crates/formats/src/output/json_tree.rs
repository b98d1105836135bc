//! Nested values as JSON over several lines, as the formats for people write them: an element of a tuple, of a map, and
//! of an array that holds more than plain values gets a line of its own. Leaves go through `ValueWriter`.

use arrow::array::{Array, AsArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter, write_json_string};

/// How deeper lines are indented.
#[derive(Clone, Copy)]
pub enum Indent {
    /// That many tabs, one more a level.
    Tabs(usize),
    /// Four spaces a level.
    Spaces(usize),
    /// Two spaces for the first level, then one: what Pretty tables show.
    Pretty(usize),
}

impl Indent {
    fn deeper(self) -> Indent {
        match self {
            Indent::Tabs(level) => Indent::Tabs(level + 1),
            Indent::Spaces(level) => Indent::Spaces(level + 1),
            Indent::Pretty(level) => Indent::Pretty(level + 1),
        }
    }

    fn line(self, out: &mut Vec<u8>) {
        let (byte, count) = match self {
            Indent::Tabs(level) => (b'\t', level),
            Indent::Spaces(level) => (b' ', level * 4),
            Indent::Pretty(0) => (b' ', 0),
            Indent::Pretty(level) => (b' ', level + 1),
        };
        out.push(b'\n');
        out.resize(out.len() + count, byte);
    }
}

/// A column, resolved for writing as a tree.
pub struct JsonTree {
    nulls: Option<NullBuffer>,
    node: Node,
}

enum Node {
    Leaf(ValueWriter),
    Object(Vec<(Vec<u8>, JsonTree)>),
    Tuple(Vec<JsonTree>),
    List(OffsetBuffer<i32>, Box<JsonTree>),
    Map(OffsetBuffer<i32>, ValueWriter, Box<JsonTree>),
}

impl JsonTree {
    /// `options` are those of JSON.
    pub fn new(array: &dyn Array, kind: &SqlType, options: &TextOptions) -> Result<JsonTree> {
        let node = match kind.plain() {
            SqlType::Tuple(fields) => {
                let children = array.as_struct().columns().iter().zip(fields);
                let children =
                    children.map(|(child, (_, kind))| JsonTree::new(child, kind, options)).collect::<Result<Vec<_>>>()?;
                let named = !fields.is_empty() && fields.iter().all(|(name, _)| name.is_some());
                if named && options.json_named_tuples_as_objects {
                    let keys = fields.iter().map(|(name, _)| {
                        let mut key = Vec::new();
                        let name = name.as_deref().unwrap_or_default();
                        write_json_string(name.as_bytes(), options.json_escape_forward_slashes, true, &mut key);
                        key
                    });
                    Node::Object(keys.zip(children).collect())
                } else {
                    Node::Tuple(children)
                }
            }
            SqlType::Array(element)
                if matches!(element.plain(), SqlType::Tuple(_) | SqlType::Array(_) | SqlType::Map(..)) =>
            {
                let list = array.as_list::<i32>();
                Node::List(list.offsets().clone(), Box::new(JsonTree::new(list.values(), element, options)?))
            }
            SqlType::Map(key, value) if options.json_maps_as_arrays => {
                let map = array.as_map();
                let keys = JsonTree::new(map.keys(), key, options)?;
                let values = JsonTree::new(map.values(), value, options)?;
                let node = match options.json_named_tuples_as_objects {
                    true => Node::Object(vec![(b"\"keys\"".to_vec(), keys), (b"\"values\"".to_vec(), values)]),
                    false => Node::Tuple(vec![keys, values]),
                };
                Node::List(map.offsets().clone(), Box::new(JsonTree { nulls: None, node }))
            }
            SqlType::Map(key, value) => {
                let map = array.as_map();
                let keys = ValueWriter::new(map.keys(), key, options)?;
                Node::Map(map.offsets().clone(), keys, Box::new(JsonTree::new(map.values(), value, options)?))
            }
            _ => Node::Leaf(ValueWriter::new(array, kind, options)?),
        };
        Ok(JsonTree { nulls: array.nulls().cloned(), node })
    }

    fn is_null(&self, row: usize) -> bool {
        match &self.node {
            Node::Leaf(writer) => writer.is_null(row),
            _ => self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// Appends the value; `indent` is that of the line it stands in.
    pub fn write(&self, row: usize, indent: Indent, options: &TextOptions, out: &mut Vec<u8>) {
        if let Node::Leaf(writer) = &self.node {
            return writer.write(row, out);
        }
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return out.extend_from_slice(b"null");
        }
        let deeper = indent.deeper();
        let lines = |brackets: &[u8; 2], count: usize, out: &mut Vec<u8>, each: &mut dyn FnMut(usize, &mut Vec<u8>)| {
            out.push(brackets[0]);
            for i in 0..count {
                if i > 0 {
                    out.push(b',');
                }
                deeper.line(out);
                each(i, out);
            }
            indent.line(out);
            out.push(brackets[1]);
        };
        match &self.node {
            Node::Leaf(_) => {}
            Node::Object(fields) => {
                let there: Vec<_> =
                    fields.iter().filter(|(_, value)| !options.json_leave_out_null_fields || !value.is_null(row)).collect();
                lines(b"{}", there.len(), out, &mut |i, out| {
                    let (key, value) = there[i];
                    out.extend_from_slice(key);
                    out.extend_from_slice(b": ");
                    value.write(row, deeper, options, out);
                });
            }
            // A tuple of nothing has an empty line between its brackets.
            Node::Tuple(fields) if fields.is_empty() => {
                out.extend_from_slice(b"[\n");
                indent.line(out);
                out.push(b']');
            }
            Node::Tuple(fields) => {
                lines(b"[]", fields.len(), out, &mut |i, out| fields[i].write(row, deeper, options, out));
            }
            Node::List(offsets, element) => {
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                if from == to {
                    return out.extend_from_slice(b"[]");
                }
                lines(b"[]", to - from, out, &mut |i, out| element.write(from + i, deeper, options, out));
            }
            Node::Map(offsets, keys, values) => {
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                if from == to {
                    return out.extend_from_slice(b"{}");
                }
                let mut key = Vec::new();
                lines(b"{}", to - from, out, &mut |i, out| {
                    key.clear();
                    keys.write_as(from + i, Escaping::Plain, &mut key);
                    write_json_string(&key, options.json_escape_forward_slashes, options.json_replace_invalid_utf8, out);
                    out.extend_from_slice(b": ");
                    values.write(from + i, deeper, options, out);
                });
            }
        }
    }
}
