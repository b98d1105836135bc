//! Bits one after another, the highest of each byte first.

#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken; 0 where it is full.
    taken: u32,
}

impl BitWriter {
    /// Appends the low bits of a value, the highest of them first.
    pub fn write(&mut self, count: u32, value: u64) {
        let mut left = count;
        while left > 0 {
            if self.taken == 0 {
                self.bytes.push(0);
            }
            let now = left.min(8 - self.taken);
            left -= now;
            let piece = (value >> left) as u8 & (u8::MAX >> (8 - now));
            if let Some(last) = self.bytes.last_mut() {
                *last |= piece << (8 - self.taken - now);
            }
            self.taken = (self.taken + now) % 8;
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes_from_the_top() {
        let mut writer = BitWriter::default();
        writer.write(2, 0b10);
        writer.write(3, 0b1111);
        writer.write(12, 0xabc);
        assert_eq!(writer.finish(), [0b1011_1101, 0b0101_1110, 0]);
    }
}
