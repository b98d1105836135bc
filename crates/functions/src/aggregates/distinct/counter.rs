//! What `uniqCombined` and `uniqHLL12` keep: a short list of keys, then (`uniqCombined` only) a set of them, then the registers
//! of HyperLogLog, which take about as much memory as the largest set does.

use gristmill_base::Result;
use gristmill_types::binary::{varuint, write_varuint};

use super::registers::{Form, Registers};
use super::table::Table;
use super::{Sketch, incorrect};

/// Keys of a list.
const FEW_MAX: usize = 16;

/// How keys are kept.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Bytes of a key in a state.
    pub key_bytes: usize,
    /// Keys of a set at most; none where registers follow the list.
    pub set_max: Option<usize>,
    pub form: Form,
    /// The hash of a key, of which the registers learn.
    pub hash: fn(u64) -> u64,
}

#[derive(Clone)]
pub enum Counter {
    Few(Vec<u64>),
    Set(Table<u64, 0, 8>),
    Registers(Box<Registers>),
}

impl Counter {
    fn keys(&self) -> Vec<u64> {
        match self {
            Counter::Few(keys) => keys.clone(),
            Counter::Set(keys) => keys.iter().collect(),
            Counter::Registers(_) => Vec::new(),
        }
    }

    fn become_set(&mut self, set_max: usize) {
        if let Counter::Few(keys) = self {
            let mut set = Table::new();
            keys.iter().for_each(|key| set.insert(*key, slots_max(set_max)));
            *self = Counter::Set(set);
        }
    }

    fn become_registers(&mut self, shape: &Shape) {
        if !matches!(self, Counter::Registers(_)) {
            let mut registers = Registers::new(shape.form);
            self.keys().into_iter().for_each(|key| registers.insert((shape.hash)(key), shape.form));
            *self = Counter::Registers(Box::new(registers));
        }
    }

    /// The key does not go where the others are.
    #[cold]
    fn outgrow(&mut self, key: u64, shape: &Shape) {
        let is_few = matches!(self, Counter::Few(_));
        match shape.set_max {
            Some(set_max) if is_few => self.become_set(set_max),
            _ => self.become_registers(shape),
        }
        self.insert(key, shape);
    }
}

/// Slots of a set that is never more than half full.
fn slots_max(set_max: usize) -> usize {
    2 * set_max.next_power_of_two().max(1 << 7)
}

impl Sketch for Counter {
    type Shape = Shape;

    fn new(_shape: &Shape) -> Self {
        Counter::Few(Vec::new())
    }

    #[inline]
    fn insert(&mut self, key: u64, shape: &Shape) {
        match self {
            Counter::Registers(registers) => registers.insert((shape.hash)(key), shape.form),
            Counter::Few(keys) if keys.contains(&key) => {}
            Counter::Few(keys) if keys.len() < FEW_MAX => keys.push(key),
            Counter::Set(keys) if shape.set_max.is_some_and(|most| keys.len() < most) => {
                keys.insert(key, slots_max(shape.set_max.unwrap_or_default()));
            }
            _ => self.outgrow(key, shape),
        }
    }

    fn estimate(&self, shape: &Shape) -> u64 {
        match self {
            Counter::Few(keys) => keys.len() as u64,
            Counter::Set(keys) => keys.len() as u64,
            Counter::Registers(registers) => registers.estimate(shape.form),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Counter::Few(keys) => keys.capacity() * 8,
            Counter::Set(keys) => keys.bytes(),
            Counter::Registers(registers) => registers.bytes(),
        }
    }

    fn merge(&mut self, other: &Self, shape: &Shape) {
        match other {
            Counter::Registers(registers) => {
                self.become_registers(shape);
                if let Counter::Registers(own) = self {
                    own.merge(registers);
                }
            }
            Counter::Set(keys) => {
                let set_max = shape.set_max.unwrap_or_default();
                self.become_set(set_max);
                if let Counter::Set(own) = self {
                    own.reserve(own.len() + keys.len(), slots_max(set_max));
                }
                keys.iter().for_each(|key| self.insert(key, shape));
            }
            Counter::Few(keys) => keys.iter().for_each(|key| self.insert(*key, shape)),
        }
    }

    fn write(&self, shape: &Shape, out: &mut Vec<u8>) {
        // `uniqHLL12` says whether there are registers, `uniqCombined` which of the three it is.
        out.push(match (self, shape.set_max) {
            (Counter::Few(_), None) => 0,
            (Counter::Few(_), Some(_)) | (_, None) => 1,
            (Counter::Set(_), _) => 2,
            (Counter::Registers(_), _) => 3,
        });
        if let Counter::Registers(registers) = self {
            return registers.write(shape.form, out);
        }
        let keys = self.keys();
        write_varuint(keys.len() as u64, out);
        for key in keys {
            out.extend(key.to_le_bytes().into_iter().chain(std::iter::repeat(0)).take(shape.key_bytes));
        }
    }

    fn read(bytes: &[u8], shape: &Shape) -> Result<Self> {
        let failure = || incorrect("uniqCombined or uniqHLL12");
        let (Some(&mark), mut at) = (bytes.first(), 1) else { return Err(failure()) };
        let (mut read, most) = match (mark, shape.set_max) {
            (0, None) | (1, Some(_)) => (Counter::Few(Vec::new()), FEW_MAX),
            (2, Some(most)) => (Counter::Set(Table::new()), most),
            (1, None) | (3, Some(_)) => {
                return Ok(Counter::Registers(Box::new(Registers::read(&bytes[1..], shape.form)?)));
            }
            _ => return Err(failure()),
        };
        let count = varuint(bytes, &mut at)?.ok_or_else(failure)?;
        let keys = &bytes[at..];
        if count > most as u64 || keys.len() != count as usize * shape.key_bytes {
            return Err(failure());
        }
        for key in keys.chunks_exact(shape.key_bytes) {
            let mut word = [0; 8];
            let width = shape.key_bytes.min(8);
            word[..width].copy_from_slice(&key[..width]);
            read.insert(u64::from_le_bytes(word), shape);
        }
        Ok(read)
    }
}
