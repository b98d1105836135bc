//! groupBitAnd, groupBitOr, groupBitXor.

use arrow::array::ArrayRef;
use arrow::datatypes::{ArrowNativeType, DataType, i256};
use gristmill_base::Result;
use gristmill_types::SqlType as T;

use super::groups::Groups;
use super::natives::{column, natives};
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    for (name, alias, operation) in [
        ("groupBitAnd", "BIT_AND", Operation::And),
        ("groupBitOr", "BIT_OR", Operation::Or),
        ("groupBitXor", "BIT_XOR", Operation::Xor),
    ] {
        registry.aggregate(name, family(NullRule::Nullable, move |call| bits(call, operation)));
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

#[derive(Clone, Copy)]
enum Operation {
    And,
    Or,
    Xor,
}

fn bits(call: &Call<'_>, operation: Operation) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = call.kinds[0].bool_as_integer();
    macro_rules! by_width {
        ($($kind:ident: $native:ty),*) => {
            match &kind {
                $(T::$kind => {
                    let carrier = T::$kind.arrow();
                    let kind = carrier.clone();
                    Ok(Plan::new(T::$kind, vec![T::$kind], vec![carrier], move || Bits::<$native> {
                        values: Vec::new(),
                        start: if matches!(operation, Operation::And) { <$native>::MIN | <$native>::MAX } else { 0 },
                        apply: match operation {
                            Operation::And => |a, b| a & b,
                            Operation::Or => |a, b| a | b,
                            Operation::Xor => |a, b| a ^ b,
                        },
                        kind: kind.clone(),
                    }))
                })*
                T::Int128 | T::UInt128 | T::Int256 | T::UInt256 => Ok(wide(&kind, operation)),
                _ => Err(call.illegal(0, "an integer")),
            }
        };
    }
    by_width!(UInt8: u8, UInt16: u16, UInt32: u32, UInt64: u64, Int8: i8, Int16: i16, Int32: i32, Int64: i64)
}

/// Integers of more than 64 bits, which are carried in 256.
fn wide(kind: &T, operation: Operation) -> Plan {
    let carrier = kind.arrow();
    let (state, ones) =
        (carrier.clone(), if *kind == T::UInt128 { i256::from_parts(u128::MAX, 0) } else { i256::MINUS_ONE });
    Plan::new(kind.clone(), vec![kind.clone()], vec![carrier], move || Bits::<i256> {
        values: Vec::new(),
        start: if matches!(operation, Operation::And) { ones } else { i256::ZERO },
        apply: match operation {
            Operation::And => |a, b| a & b,
            Operation::Or => |a, b| a | b,
            Operation::Xor => |a, b| a ^ b,
        },
        kind: state.clone(),
    })
}

struct Bits<N> {
    values: Vec<N>,
    /// What no rows give: the operation's neutral value.
    start: N,
    apply: fn(N, N) -> N,
    kind: DataType,
}

impl<N: ArrowNativeType> Groups for Bits<N> {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups, self.start);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (value, group) in natives::<N>(&args[0])?.iter().zip(groups) {
            self.values[*group] = (self.apply)(self.values[*group], *value);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.finish(groups)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.update(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        column(self.values[..groups].to_vec(), &self.kind)
    }

    fn drop_first(&mut self, groups: usize) {
        self.values.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<N>()
    }
}
