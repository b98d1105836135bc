//! A Bloom filter over 64-bit hashes of values.
//!
//! The bits of a value are by double hashing (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006): the i-th is
//! `(h + i·g + i²) mod bits`, `h` the value's hash and `g` another made of it by SplitMix64's last steps. A filter of values
//! is sized by how many there are: `m = -n·ln p / ln²2` bits and `k = m/n·ln 2` hashes keep wrong answers at `p`. That is so
//! of large filters; in one of a byte or two the bits of a value fall on one another, so a filter has some bytes at least.
//! Readers go by the length that a filter has.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The hash by which a value is known in filters of this seed.
pub fn hash(value: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(value, seed)
}

fn second(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) | 1
}

fn positions(hash: u64, hashes: u32, bits: u64) -> impl Iterator<Item = usize> {
    let step = second(hash);
    (0..u64::from(hashes)).map(move |i| (hash.wrapping_add(i.wrapping_mul(step)).wrapping_add(i * i) % bits) as usize)
}

pub fn add(filter: &mut [u8], hashes: u32, hash: u64) {
    let bits = filter.len() as u64 * 8;
    for bit in positions(hash, hashes, bits) {
        filter[bit / 8] |= 1 << (bit % 8);
    }
}

/// False: the value was not added. An empty filter has nothing.
pub fn contains(filter: &[u8], hashes: u32, hash: u64) -> bool {
    let bits = filter.len() as u64 * 8;
    bits > 0 && positions(hash, hashes, bits).all(|bit| filter[bit / 8] & (1 << (bit % 8)) != 0)
}

/// Hash functions of a filter with this share of wrong answers.
pub fn hashes_for(false_positives: f64) -> u32 {
    (-false_positives.log2()).round().clamp(1.0, 32.0) as u32
}

/// Of a filter that holds any value: what has few bits set compresses to few bytes.
const BYTES_MIN: usize = 16;

/// Bytes of a filter of so many values.
pub fn bytes_for(values: usize, false_positives: f64) -> usize {
    if values == 0 {
        return 0;
    }
    let bits_per_value = -false_positives.ln() / (std::f64::consts::LN_2 * std::f64::consts::LN_2);
    ((values as f64 * bits_per_value).ceil() as usize).div_ceil(8).max(BYTES_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_little_else() {
        for rate in [0.1, 0.025, 0.001] {
            let hashes = hashes_for(rate);
            let mut filter = vec![0; bytes_for(10_000, rate)];
            for value in 0..10_000u64 {
                add(&mut filter, hashes, hash(&value.to_le_bytes(), 0));
            }
            assert!((0..10_000u64).all(|value| contains(&filter, hashes, hash(&value.to_le_bytes(), 0))));
            let wrong = (10_000..110_000u64).filter(|value| contains(&filter, hashes, hash(&value.to_le_bytes(), 0)));
            let wrong = wrong.count() as f64 / 100_000.0;
            assert!(wrong < rate * 1.5, "{wrong} of answers are wrong, {rate} were to be");
        }
        assert!(!contains(&[], 3, 7));
    }

    #[test]
    fn filters_of_few_values_are_not_wrong_more_often() {
        for (rate, values) in [(0.025, 1), (0.025, 3), (0.01, 1), (0.01, 3), (0.01, 8)] {
            let hashes = hashes_for(rate);
            let key = |value: u64| hash(&value.to_le_bytes(), 0);
            let filter = |first: u64| {
                let mut filter = vec![0; bytes_for(values, rate)];
                (first..first + values as u64).for_each(|value| add(&mut filter, hashes, key(value)));
                filter
            };
            let filters: Vec<Vec<u8>> = (0..1000).map(|at| filter(at * 100)).collect();
            for absent in 1_000_000..1_000_050 {
                let wrong = filters.iter().filter(|filter| contains(filter, hashes, key(absent))).count();
                assert!(wrong <= 60, "{wrong} of 1000 filters of {values} values at {rate}");
            }
        }
    }
}
