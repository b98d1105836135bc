//! A vector that values are added to, one after another.

use std::collections::HashMap;

use gristmill_base::Result;
use gristmill_types::states::vectors::{Bits, IndexedVector};

use super::numbers::{Number, ValueKind};
use super::pointwise;

/// Indexes up to which they are looked through one by one.
const SEARCHED_MAX: usize = 32;

#[derive(Clone)]
pub struct Building {
    vector: IndexedVector,
    /// Where the entries of a longer vector are; empty while it is none.
    places: HashMap<u32, usize>,
}

impl Building {
    pub fn new(bits: Bits) -> Building {
        Building::of(IndexedVector::new(bits))
    }

    pub fn of(vector: IndexedVector) -> Building {
        Building { vector, places: HashMap::new() }
    }

    pub fn vector(&self) -> &IndexedVector {
        &self.vector
    }

    /// Adds to the value of an index. Error: INCORRECT_DATA for a number that cannot be in a vector.
    pub fn add(&mut self, index: u32, number: Number) -> Result<()> {
        let bits = self.vector.bits;
        let scaled = number.scaled(bits)? as u64;
        let entries = &mut self.vector.entries;
        if entries.len() > SEARCHED_MAX && self.places.is_empty() {
            self.places = entries.iter().enumerate().map(|(place, (index, _))| (*index, place)).collect();
        }
        let place = match self.places.is_empty() {
            true => entries.iter().position(|(known, _)| *known == index),
            false => self.places.get(&index).copied(),
        };
        match place {
            Some(place) => entries[place].1 = entries[place].1.wrapping_add(scaled) & bits.mask(),
            None => {
                if !self.places.is_empty() {
                    self.places.insert(index, entries.len());
                }
                entries.push((index, scaled & bits.mask()));
            }
        }
        Ok(())
    }

    /// Adds the values of another vector. Error: BAD_ARGUMENTS where no 64 bits have room for the values of both.
    pub fn merge(&mut self, kind: ValueKind, other: &IndexedVector) -> Result<()> {
        self.vector = pointwise::sum(kind, &self.vector, other)?;
        self.places.clear();
        Ok(())
    }
}
