//! Short strings of which a few come back all the time (countries, versions, states) as codes in their order.
//!
//! Such a value lies in its view, with its length, so two are equal where their views are: a small table of views finds the
//! code of a row in a few instructions, and a code takes as many bits as there are values, not a byte for each letter.

/// Values beyond which this does not pay.
const VALUES_MAX: usize = 256;
/// Places of the table: a quarter full at most.
const PLACES: usize = 4 * VALUES_MAX;
const INLINE_BYTES: u32 = 12;

pub(super) struct FewValues {
    /// Of each row, in the order that the values were found in.
    found: Vec<u8>,
    /// By that, the code.
    codes: Vec<u8>,
}

impl FewValues {
    /// Of a view each row. `None`: a value is long, or there are too many.
    pub fn of(views: &[u128]) -> Option<FewValues> {
        let mut table: Vec<(u128, u16)> = vec![(0, u16::MAX); PLACES];
        let mut values: Vec<u128> = Vec::new();
        let mut found = Vec::with_capacity(views.len());
        for &view in views {
            if view as u32 > INLINE_BYTES {
                return None;
            }
            let mut at = place(view);
            let number = loop {
                match table[at] {
                    (_, u16::MAX) if values.len() == VALUES_MAX => return None,
                    (_, u16::MAX) => {
                        table[at] = (view, values.len() as u16);
                        values.push(view);
                        break values.len() - 1;
                    }
                    (known, number) if known == view => break number as usize,
                    _ => at = (at + 1) % PLACES,
                }
            };
            found.push(number as u8);
        }
        let mut in_order: Vec<usize> = (0..values.len()).collect();
        // The bytes of the value, then its length: a value comes before one that goes on with zeros.
        in_order.sort_unstable_by_key(|&number| (values[number].swap_bytes() << 32, values[number] as u32));
        let mut codes = vec![0; values.len()];
        for (code, number) in in_order.into_iter().enumerate() {
            codes[number] = code as u8;
        }
        Some(FewValues { found, codes })
    }

    /// Bits of a code.
    pub fn bits(&self) -> u32 {
        usize::BITS - self.codes.len().saturating_sub(1).leading_zeros()
    }

    /// Of each row.
    pub fn codes(&self) -> impl Iterator<Item = u128> {
        self.found.iter().map(|&number| u128::from(self.codes[usize::from(number)]))
    }
}

fn place(view: u128) -> usize {
    // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4) of both halves.
    let folded = (view as u64).rotate_left(29) ^ (view >> 64) as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use arrow::array::BinaryViewArray;

    use super::*;

    fn codes(values: &[&str]) -> Option<(u32, Vec<u128>)> {
        let array = BinaryViewArray::from_iter_values(values.iter().map(|value| value.as_bytes()));
        let few = FewValues::of(array.views())?;
        Some((few.bits(), few.codes().collect()))
    }

    #[test]
    fn codes_are_in_the_order_of_the_values() {
        assert_eq!(codes(&["US", "DE", "", "US", "D", "D\0"]), Some((3, vec![4, 3, 0, 4, 1, 2])));
        assert_eq!(codes(&["US", "US"]), Some((0, vec![0, 0])));
        assert_eq!(codes(&[]), Some((0, vec![])));
    }

    #[test]
    fn long_values_and_many_values_have_none() {
        assert_eq!(codes(&["twelve bytes", "thirteen byte"]), None);
        let many: Vec<String> = (0..257).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(codes(&many), None);
        assert_eq!(codes(&many[..256]).map(|codes| codes.0), Some(8));
    }
}
