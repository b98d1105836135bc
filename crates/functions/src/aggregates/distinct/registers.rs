//! HyperLogLog (Flajolet and others, AOFA 2007): the low bits of a hash choose a register, which keeps the largest rank (one
//! more than the zero bits that follow) that was seen there.
//!
//! Few values are counted by the registers that are still zero. With 2^17 registers the estimate is corrected before by what it
//! was found to be too large by (`biases.tsv`: estimate, then how many values there were; the numbers are ClickHouse's, by
//! whose results users know these functions), as HyperLogLog++ does (Heule and others, EDBT 2013).

use std::sync::LazyLock;

use gristmill_base::Result;

use super::incorrect;

/// Where the correction ends, and counting by empty registers with it.
const CORRECTED_MAX: f64 = 177_700.0;
const CORRECTED_PRECISION: u8 = 17;
/// More values than this have too many equal hashes of 32 bits for a correction.
const RAW_MIN: f64 = 4_294_967_296.0 / 30.0;

static BIASES: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let numbers = |line: &str| {
        let (estimate, values) = line.split_once('\t')?;
        let (estimate, values): (f64, f64) = (estimate.parse().ok()?, values.parse().ok()?);
        Some((estimate, estimate - values))
    };
    include_str!("biases.tsv").lines().filter_map(numbers).collect()
});

/// 2^`precision` registers of hashes of `hash_bits` bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    pub precision: u8,
    pub hash_bits: u8,
}

impl Form {
    fn count(self) -> usize {
        1 << self.precision
    }

    fn rank_max(self) -> u8 {
        self.hash_bits - self.precision + 1
    }

    /// Bits of a rank in a state.
    fn rank_bits(self) -> usize {
        if self.hash_bits == 32 { 5 } else { 6 }
    }

    /// Bytes of a state: the ranks, how many registers have each rank, how many are zero.
    pub fn state_bytes(self) -> usize {
        self.count() * self.rank_bits() / 8 + (usize::from(self.rank_max()) + 1) * 4 + self.zero_bytes()
    }

    fn zero_bytes(self) -> usize {
        if self.precision < 16 { 2 } else { 4 }
    }
}

#[derive(Clone)]
pub struct Registers {
    ranks: Vec<u8>,
    /// Registers of each rank.
    counts: Vec<u32>,
}

impl Registers {
    pub fn new(form: Form) -> Self {
        let mut counts = vec![0; usize::from(form.rank_max()) + 1];
        counts[0] = form.count() as u32;
        Registers { ranks: vec![0; form.count()], counts }
    }

    pub fn bytes(&self) -> usize {
        self.ranks.len() + self.counts.len() * 4
    }

    /// A hash of no more bits than the form has.
    #[inline]
    pub fn insert(&mut self, hash: u64, form: Form) {
        let register = hash as usize & (form.count() - 1);
        let rank = ((hash >> form.precision).trailing_zeros() as u8).saturating_add(1).min(form.rank_max());
        self.update(register, rank);
    }

    #[inline]
    fn update(&mut self, register: usize, rank: u8) {
        let now = &mut self.ranks[register];
        if rank > *now {
            self.counts[usize::from(*now)] -= 1;
            self.counts[usize::from(rank)] += 1;
            *now = rank;
        }
    }

    pub fn merge(&mut self, other: &Registers) {
        for (register, rank) in other.ranks.iter().enumerate() {
            self.update(register, *rank);
        }
    }

    pub fn estimate(&self, form: Form) -> u64 {
        let registers = form.count() as f64;
        // The sum of 2^-rank, exactly.
        let top = self.counts.len() - 1;
        let sum: u128 = self.counts.iter().enumerate().map(|(rank, count)| u128::from(*count) << (top - rank)).sum();
        let sum = sum as f64 / (1_u128 << top) as f64;
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        (self.corrected(raw, form) + 0.5) as u64
    }

    fn corrected(&self, raw: f64, form: Form) -> f64 {
        let registers = form.count() as f64;
        let by_zeros = |otherwise: f64| match self.counts[0] {
            0 => otherwise,
            zeros => registers * (registers.ln() - f64::from(zeros).ln()),
        };
        if raw > RAW_MIN {
            return raw;
        }
        if form.precision != CORRECTED_PRECISION {
            return if raw <= 2.5 * registers { by_zeros(raw) } else { raw };
        }
        let fixed = if raw <= 5.0 * registers { raw - bias(raw) } else { raw };
        let few = by_zeros(fixed);
        if few < CORRECTED_MAX { few } else { fixed }
    }

    pub fn write(&self, form: Form, out: &mut Vec<u8>) {
        let width = form.rank_bits();
        // Bits of a register that do not fill a byte yet.
        let (mut bits, mut held) = (0_u32, 0);
        for rank in &self.ranks {
            bits |= u32::from(*rank) << held;
            held += width;
            while held >= 8 {
                out.push(bits as u8);
                bits >>= 8;
                held -= 8;
            }
        }
        self.counts.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
        out.extend_from_slice(&self.counts[0].to_le_bytes()[..form.zero_bytes()]);
    }

    /// Error: INCORRECT_DATA where bytes are missing or a rank is too large.
    pub fn read(bytes: &[u8], form: Form) -> Result<Self> {
        let width = form.rank_bits();
        if bytes.len() != form.state_bytes() {
            return Err(incorrect("HyperLogLog"));
        }
        let mut read = Registers::new(form);
        for register in 0..form.count() {
            let at = register * width;
            let pair = u32::from(bytes[at / 8]) | u32::from(bytes[at / 8 + 1]) << 8;
            let rank = (pair >> (at % 8)) as u8 & ((1 << width) - 1);
            if rank > form.rank_max() {
                return Err(incorrect("HyperLogLog"));
            }
            read.update(register, rank);
        }
        Ok(read)
    }
}

/// What an estimate is too large by: between two that were measured in proportion.
fn bias(estimate: f64) -> f64 {
    let biases = &*BIASES;
    let above = biases.partition_point(|(known, _)| *known < estimate);
    match (above.checked_sub(1).and_then(|below| biases.get(below)), biases.get(above)) {
        (Some((low, low_bias)), Some((high, high_bias))) => {
            low_bias + (high_bias - low_bias) / (high - low) * (estimate - low)
        }
        (Some((_, bias)), None) | (None, Some((_, bias))) => *bias,
        (None, None) => 0.0,
    }
}
