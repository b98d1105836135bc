//! The parts of a column that can be read by a name of their own: sizes of arrays and strings, keys and values of maps, elements
//! of tuples, and where a value is NULL; in ClickHouse's order. `getSubcolumn` reads them.

use crate::SqlType;

use SqlType as T;

#[derive(Clone, Debug, PartialEq)]
pub struct Subcolumn {
    /// Behind the column's own name and a dot.
    pub name: String,
    pub kind: SqlType,
    /// It is kept under the codec of the column; sizes of arrays and marks of NULL have one of their own.
    pub has_codec: bool,
}

/// Of a column of that type.
pub fn of(kind: &SqlType) -> Vec<Subcolumn> {
    let mut all = Vec::new();
    add(kind, "", 0, false, &mut all);
    all
}

/// `before`: the name so far; `level`: arrays around the type; `may_lack`: NULL may stand for it.
fn add(kind: &SqlType, before: &str, level: usize, may_lack: bool, all: &mut Vec<Subcolumn>) {
    let within = |kind: SqlType| (0..level).fold(kind, |kind, _| T::array(kind));
    let named = |name: &str| if before.is_empty() { name.to_string() } else { format!("{before}.{name}") };
    let mut push = |name: &str, kind: SqlType, has_codec: bool| {
        all.push(Subcolumn { name: named(name), kind: within(kind), has_codec });
    };
    match kind {
        T::Nullable(inner) => {
            push("null", T::UInt8, false);
            add(inner, before, level, true, all);
        }
        T::String => push("size", if may_lack { T::UInt64.nullable() } else { T::UInt64 }, true),
        T::Array(element) => {
            push(&format!("size{level}"), T::UInt64, false);
            add(element, before, level + 1, false, all);
        }
        T::Map(key, value) => {
            push(&format!("size{level}"), T::UInt64, false);
            for (name, part) in [("keys", key), ("values", value)] {
                all.push(Subcolumn { name: named(name), kind: within(T::array(part.as_ref().clone())), has_codec: true });
                add(part, &named(name), level + 1, false, all);
            }
        }
        T::Tuple(fields) => {
            for (at, (name, field)) in fields.iter().enumerate() {
                let name = name.clone().unwrap_or_else(|| (at + 1).to_string());
                all.push(Subcolumn { name: named(&name), kind: within(field.clone()), has_codec: true });
                add(field, &named(&name), level, false, all);
            }
        }
        T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
            add(inner, before, level, may_lack, all);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: &str) -> Vec<String> {
        let kind = crate::parse::structure(&format!("c {kind}")).expect("a type").0[0].kind.clone();
        of(&kind).into_iter().map(|part| format!("{} {}", part.name, part.kind)).collect()
    }

    #[test]
    fn parts_are_those_of_clickhouse() {
        assert_eq!(shown("Nullable(String)"), ["null UInt8", "size Nullable(UInt64)"]);
        assert_eq!(
            shown("Array(Array(Nullable(UInt8)))"),
            ["size0 UInt64", "size1 Array(UInt64)", "null Array(Array(UInt8))"]
        );
        assert_eq!(
            shown("Array(Tuple(p UInt8, q Array(UInt8)))"),
            ["size0 UInt64", "p Array(UInt8)", "q Array(Array(UInt8))", "q.size1 Array(UInt64)"]
        );
        assert_eq!(
            shown("Map(String, Tuple(z UInt8))"),
            [
                "size0 UInt64",
                "keys Array(String)",
                "keys.size Array(UInt64)",
                "values Array(Tuple(z UInt8))",
                "values.z Array(UInt8)"
            ]
        );
        assert!(shown("LowCardinality(Nullable(String))").is_empty() && shown("FixedString(4)").is_empty());
    }
}
