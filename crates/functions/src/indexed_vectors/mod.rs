//! Vectors of numbers by index, which are states of `groupNumericIndexedVector`. `numericIndexedVectorBuild` makes one of a
//! map; the others combine two of them, or one and a number, index by index (`pointwise`), and ask what is in them.

pub mod building;
pub mod numbers;
pub mod pointwise;

use std::sync::Arc;

use SqlType as T;
use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewBuilder, Float64Array, Int32Array, UInt32Array, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::vectors::{Bits, IndexWidth, IndexedVector};
use gristmill_types::states::{pack, unpack};

use self::building::Building;
use self::numbers::{Numbers, ValueKind};
use self::pointwise::{OPERATIONS, Operation};
use crate::columns::at;
use crate::define::{arity, plain};
use crate::maps::map_array;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub const AGGREGATE: &str = "groupNumericIndexedVector";

pub fn register(registry: &mut Registry) {
    registry.scalar("numericIndexedVectorBuild", plain(|name, arguments, _| build(name, arguments)));
    registry.scalar("numericIndexedVectorToMap", plain(|name, arguments, _| to_map(name, arguments)));
    registry.scalar("numericIndexedVectorGetValue", plain(|name, arguments, _| get_value(name, arguments)));
    registry.scalar("numericIndexedVectorCardinality", plain(|name, arguments, _| cardinality(name, arguments)));
    registry.scalar("numericIndexedVectorAllValueSum", plain(|name, arguments, _| all_value_sum(name, arguments)));
    registry.scalar("numericIndexedVectorShortDebugString", plain(|name, arguments, _| debug_string(name, arguments)));
    for (suffix, operation) in OPERATIONS {
        registry.scalar(
            &format!("numericIndexedVectorPointwise{suffix}"),
            plain(move |name, arguments, _| pointwise(name, arguments, operation)),
        );
    }
}

fn illegal(text: String) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

/// What vectors of indexes and values of these types are like.
#[derive(Clone, Debug)]
pub struct VectorType {
    pub index: SqlType,
    pub value: SqlType,
    pub width: IndexWidth,
    pub kind: ValueKind,
    /// Of vectors that nothing was said of.
    pub bits: Bits,
}

impl VectorType {
    /// Error: ILLEGAL_TYPE_OF_ARGUMENT.
    pub fn of(index: &SqlType, value: &SqlType) -> Result<VectorType> {
        let is_plain = |kind: &SqlType| kind == kind.plain();
        let Some(width) = IndexWidth::of(index).filter(|_| is_plain(index)) else {
            return Err(illegal(format!(
                "The first argument type must be one of Int8, Int16, Int32, UInt8, UInt16, UInt32 in BSI, not {index}"
            )));
        };
        let (Some(bits), Some(kind)) = (Bits::of(value).filter(|_| is_plain(value)), ValueKind::of(value)) else {
            return Err(illegal(format!(
                "The second argument type must be one of Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, \
                 Float64, not {value}"
            )));
        };
        Ok(VectorType { index: index.clone(), value: value.clone(), width, kind, bits })
    }

    /// Of an argument that is a vector.
    fn of_argument(name: &str, arguments: &[Argument], i: usize) -> Result<VectorType> {
        let place = ["First", "Second"][i.min(1)];
        let wrong = |kind: &SqlType| {
            let text = format!("{place} argument for function {name} must be a NumericIndexedVector but it has type {kind}");
            Err(illegal(text))
        };
        match arguments[i].kind.plain() {
            T::AggregateFunction(function, kinds) if is_vector(function) => match kinds.as_slice() {
                [index, value] => VectorType::of(index, value),
                _ => wrong(arguments[i].kind.plain()),
            },
            other => wrong(other),
        }
    }

    /// The vectors of a column.
    pub fn vectors(&self, array: &ArrayRef) -> Result<Vec<IndexedVector>> {
        let states = array
            .as_binary_opt::<i32>()
            .ok_or_else(|| Error::logical(format!("A vector came as Arrow's {}", array.data_type())))?;
        let is_filled = |row: &usize| states.is_valid(*row) && !states.value(*row).is_empty();
        let filled = (0..states.len()).filter(is_filled).map(|row| states.value(row));
        let columns = unpack(&[DataType::Binary], filled)?;
        let mut saved = columns.first().and_then(|column| column.as_binary_opt::<i32>()).into_iter().flatten();
        (0..states.len())
            .map(|row| match is_filled(&row).then(|| saved.next().flatten()).flatten() {
                Some(bytes) => IndexedVector::read(bytes, self.width, &mut 0),
                None => Ok(IndexedVector::new(self.bits)),
            })
            .collect()
    }

    /// Vectors in bytes, as they are held within a state.
    pub fn saved<'a>(&self, vectors: impl Iterator<Item = &'a IndexedVector>) -> BinaryArray {
        let bytes = vectors.map(|vector| {
            let mut bytes = Vec::new();
            vector.write(self.width, &mut bytes);
            bytes
        });
        BinaryArray::from_iter_values(bytes)
    }

    /// A column of vectors.
    fn states(&self, vectors: &[IndexedVector]) -> Result<ArrayRef> {
        pack(&[DataType::Binary], &[Arc::new(self.saved(vectors.iter()))])
    }

    /// Indexes as their type has them.
    fn indexes(&self, indexes: &[u32]) -> Result<ArrayRef> {
        let wide: ArrayRef = match self.width.signed {
            true => Arc::new(Int32Array::from_iter_values(indexes.iter().map(|index| *index as i32))),
            false => Arc::new(UInt32Array::from_iter_values(indexes.iter().copied())),
        };
        Ok(cast(&wide, &self.index.arrow())?)
    }
}

/// Whether states of a function, which has parameters, are vectors.
fn is_vector(function: &str) -> bool {
    function.split('(').next().map(str::trim) == Some(AGGREGATE)
}

fn build(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let T::Map(index, value) = arguments[0].kind.plain() else {
        return Err(illegal(format!("The argument for function {name} must be Map type")));
    };
    let shape = VectorType::of(index, value)?;
    let kind = T::AggregateFunction(AGGREGATE.to_string(), vec![shape.index.clone(), shape.value.clone()]);
    Ok(Bound::new(kind, move |args, _| {
        let map = args[0].as_map();
        let keys = cast(map.keys(), &DataType::Int64)?;
        let keys = keys.as_primitive::<Int64Type>();
        let values = Numbers::of(map.values(), &shape.value)?;
        let vectors = (0..map.len()).map(|row| {
            let mut vector = Building::new(shape.bits);
            for entry in map.offsets()[row] as usize..map.offsets()[row + 1] as usize {
                vector.add(keys.value(entry) as u32, values.get(entry))?;
            }
            Ok(vector.vector().clone())
        });
        shape.states(&vectors.collect::<Result<Vec<_>>>()?)
    }))
}

fn pointwise(name: &str, arguments: &[Argument], operation: Operation) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    let (one, other) = (arguments[0].kind.plain().clone(), arguments[1].kind.plain().clone());
    if let T::AggregateFunction(function, _) = &other {
        if !is_vector(function) {
            let text = format!("Second argument for function {name} must be a NumericIndexedVector or Numeric Value");
            return Err(illegal(text));
        }
        let second = VectorType::of_argument(name, arguments, 1)?;
        if (&second.index, &second.value) != (&shape.index, &shape.value) {
            let text = format!(
                "The nested types in NumericIndexedVector must be the same, but one is ({}, {}), and the other is ({}, {})",
                shape.index, shape.value, second.index, second.value
            );
            return Err(illegal(text));
        }
        return Ok(Bound::new(one, move |args, rows| {
            let (one, other) = (shape.vectors(&args[0])?, shape.vectors(&args[1])?);
            let of_row = |row: usize| {
                pointwise::of_vectors(operation, shape.kind, &one[at(one.len(), row)], &other[at(other.len(), row)])
            };
            shape.states(&(0..rows).map(of_row).collect::<Result<Vec<_>>>()?)
        }));
    }
    Ok(Bound::cast(vec![one.clone(), shape.value.clone()], one, move |args, rows| {
        let (vectors, numbers) = (shape.vectors(&args[0])?, Numbers::of(&args[1], &shape.value)?);
        let of_row =
            |row: usize| pointwise::with_number(operation, shape.kind, &vectors[at(vectors.len(), row)], numbers.get(row));
        shape.states(&(0..rows).map(of_row).collect::<Result<Vec<_>>>()?)
    }))
}

fn to_map(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    let kind = T::Map(Box::new(shape.index.clone()), Box::new(shape.value.clone()));
    Ok(Bound::new(kind.clone(), move |args, _| {
        let (mut indexes, mut values, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for vector in shape.vectors(&args[0])? {
            let mut entries = vector.entries;
            match shape.width.signed {
                true => entries.sort_unstable_by_key(|(index, _)| *index as i32),
                false => entries.sort_unstable(),
            }
            // A vector without bits has indexes and no values.
            if vector.bits.total() == 0 {
                entries.clear();
            }
            lengths.push(entries.len());
            indexes.extend(entries.iter().map(|(index, _)| *index));
            values.extend(entries.iter().map(|(_, value)| (*value, vector.bits)));
        }
        map_array(&kind, shape.indexes(&indexes)?, shape.kind.shown(&values, &shape.value)?, &lengths)
    }))
}

fn get_value(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    if !arguments[1].kind.is_number() && *arguments[1].kind.plain() != T::Bool {
        return Err(crate::define::illegal(name, arguments, 1, "a number"));
    }
    let result = shape.value.clone();
    Ok(Bound::cast(vec![arguments[0].kind.plain().clone(), shape.index.clone()], result.clone(), move |args, rows| {
        let vectors = shape.vectors(&args[0])?;
        let asked = cast(&args[1], &DataType::Int64)?;
        let asked = asked.as_primitive::<Int64Type>();
        let values = (0..rows).map(|row| {
            let vector = &vectors[at(vectors.len(), row)];
            let index = asked.value(at(asked.len(), row)) as u32;
            (vector.entries.iter().find(|(known, _)| *known == index).map_or(0, |(_, value)| *value), vector.bits)
        });
        shape.kind.told(&values.collect::<Vec<_>>(), &result)
    }))
}

fn cardinality(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    Ok(Bound::new(T::UInt64, move |args, _| {
        let vectors = shape.vectors(&args[0])?;
        Ok(Arc::new(UInt64Array::from_iter_values(vectors.iter().map(|vector| vector.entries.len() as u64))))
    }))
}

fn all_value_sum(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    Ok(Bound::new(T::Float64, move |args, _| {
        let vectors = shape.vectors(&args[0])?;
        let sums = vectors.iter().map(|vector| shape.kind.sum(&vector.entries, vector.bits));
        Ok(Arc::new(Float64Array::from_iter_values(sums)))
    }))
}

/// The type's name in C++, as ClickHouse's compiler has it.
fn cpp_name(kind: &SqlType) -> &'static str {
    match kind {
        T::UInt8 | T::Bool => "char8_t",
        T::UInt16 => "unsigned short",
        T::UInt32 => "unsigned int",
        T::UInt64 => "unsigned long",
        T::Int8 => "_BitInt(8)",
        T::Int16 => "short",
        T::Int32 => "int",
        T::Int64 => "long",
        T::Float32 => "float",
        _ => "double",
    }
}

fn debug_string(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let shape = VectorType::of_argument(name, arguments, 0)?;
    Ok(Bound::new(T::String, move |args, _| {
        let vectors = shape.vectors(&args[0])?;
        let mut builder = BinaryViewBuilder::with_capacity(vectors.len());
        vectors.iter().for_each(|vector| builder.append_value(shape.described(vector)));
        Ok(Arc::new(builder.finish()))
    }))
}

impl VectorType {
    fn described(&self, vector: &IndexedVector) -> String {
        let (values, bits) = (&vector.entries, vector.bits);
        let count = |keep: &dyn Fn(u64) -> bool| values.iter().filter(|(_, value)| keep(*value)).count();
        let mut sum = Vec::new();
        gristmill_types::text::write_f64(self.kind.sum(values, bits), &mut sum);
        let cardinalities: Vec<String> =
            (0..bits.total()).map(|bit| format!("\"{bit}\":{}", count(&|value| value >> bit & 1 == 1))).collect();
        format!(
            "{{\"vector_type\":\"BSI\",\"index_type\":\"{}\",\"value_type\":\"{}\",\"integer_bit_num\":{},\
             \"fraction_bit_num\":{},\"zero_indexes_info\":{{\"cardinality\":{}}},\"non_zero_indexes_info\":\
             {{\"total_cardinality\":{},\"all_value_sum\":{},\"number_of_bitmaps\":{},\"bitmap_info\":\
             {{\"cardinality\":{{{}}}}}}}}}",
            cpp_name(&self.index),
            cpp_name(&self.value),
            bits.integer,
            bits.fraction,
            count(&|value| value == 0),
            values.len(),
            String::from_utf8_lossy(&sum),
            bits.total(),
            cardinalities.join(",")
        )
    }
}
