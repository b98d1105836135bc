//! Builds arrays of byte strings that can take back what was appended last.
//!
//! A reader that leaves out faulty rows must be able to truncate; Arrow's builder of views cannot. Values of up to 12
//! bytes live in their view, longer ones in blocks that grow from 8 KiB to 2 MiB.

use arrow::array::BinaryViewArray;
use arrow::array::builder::make_view;
use arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};

const FIRST_BLOCK_BYTES: usize = 8 << 10;
const LAST_BLOCK_BYTES: usize = 2 << 20;

#[derive(Default)]
pub struct BytesBuilder {
    views: Vec<u128>,
    block: Vec<u8>,
    full: Vec<Buffer>,
    full_bytes: usize,
}

impl BytesBuilder {
    pub fn with_capacity(rows: usize) -> Self {
        BytesBuilder { views: Vec::with_capacity(rows), ..Default::default() }
    }

    #[inline]
    pub fn append(&mut self, value: &[u8]) {
        if value.len() <= 12 {
            self.views.push(make_view(value, 0, 0));
            return;
        }
        if self.block.capacity() - self.block.len() < value.len() {
            self.next_block(value.len());
        }
        self.views.push(make_view(value, self.full.len() as u32, self.block.len() as u32));
        self.block.extend_from_slice(value);
    }

    fn next_block(&mut self, least: usize) {
        let size = (self.block.capacity() * 2).clamp(FIRST_BLOCK_BYTES, LAST_BLOCK_BYTES).max(least);
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(size));
        if !block.is_empty() {
            self.full_bytes += block.capacity();
            self.full.push(Buffer::from_vec(block));
        }
    }

    pub fn len(&self) -> usize {
        self.views.len()
    }

    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Forgets the values from `len` on. Their bytes stay in their block until it is dropped.
    pub fn truncate(&mut self, len: usize) {
        self.views.truncate(len);
    }

    pub fn memory_bytes(&self) -> usize {
        self.views.capacity() * 16 + self.block.capacity() + self.full_bytes
    }

    /// `nulls` has the length of the values.
    pub fn finish(&mut self, nulls: Option<NullBuffer>) -> BinaryViewArray {
        let mut buffers = std::mem::take(&mut self.full);
        if !self.block.is_empty() {
            buffers.push(Buffer::from_vec(std::mem::take(&mut self.block)));
        }
        self.full_bytes = 0;
        let views = ScalarBuffer::from(std::mem::take(&mut self.views));
        debug_assert!(nulls.as_ref().is_none_or(|nulls| nulls.len() == views.len()));
        // SAFETY: every view was made by `append`, which either inlined the value or wrote its bytes at that place of
        // the block with that number; blocks are only ever appended to.
        unsafe { BinaryViewArray::new_unchecked(views, buffers, nulls) }
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for BytesBuilder {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut builder = BytesBuilder::default();
        for value in values {
            builder.append(value.as_ref());
        }
        builder
    }
}

/// A column of the same bytes in every row.
pub fn repeated(value: &[u8], rows: usize) -> BinaryViewArray {
    let mut builder = BytesBuilder::default();
    builder.append(value);
    let one = builder.finish(None);
    let views = ScalarBuffer::from(vec![one.views()[0]; rows]);
    // SAFETY: each view is that of the one value, whose block comes along.
    unsafe { BinaryViewArray::new_unchecked(views, one.data_buffers().to_vec(), None) }
}

#[cfg(test)]
mod tests {
    use arrow::array::Array;

    use super::*;

    #[test]
    fn values_outlive_a_truncation() {
        let mut builder = BytesBuilder::default();
        builder.append(b"a string of more than twelve bytes");
        builder.append(b"taken back, though it is long too");
        builder.truncate(1);
        builder.append(b"short");
        let array = builder.finish(None);
        let values: Vec<_> = array.iter().flatten().collect();
        assert_eq!(values, [&b"a string of more than twelve bytes"[..], b"short"]);
        assert!(array.to_data().validate_full().is_ok());
        assert_eq!(repeated(b"another string beyond twelve", 3).value(2), b"another string beyond twelve");
    }
}
