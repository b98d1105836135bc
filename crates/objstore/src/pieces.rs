//! Bytes that wait to be sent together, in the pieces that they came in: what is large is never copied to make one run of it.

use bytes::{Bytes, BytesMut};
use object_store::PutPayload;

/// Smaller pieces are copied behind one another: a request of thousands costs more than that.
const COPIED_BELOW: usize = 64 << 10;

#[derive(Default)]
pub struct Pieces {
    whole: Vec<Bytes>,
    /// Small ones behind those.
    small: BytesMut,
    bytes: usize,
}

impl Pieces {
    pub fn push(&mut self, piece: Bytes) {
        self.bytes += piece.len();
        if piece.len() < COPIED_BELOW {
            self.small.extend_from_slice(&piece);
            return;
        }
        self.end_small();
        self.whole.push(piece);
    }

    fn end_small(&mut self) {
        if !self.small.is_empty() {
            self.whole.push(self.small.split().freeze());
        }
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// All of them; none are left.
    pub fn take(&mut self) -> PutPayload {
        self.end_small();
        self.bytes = 0;
        std::mem::take(&mut self.whole).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_are_sent_where_they_lie_and_small_ones_together() {
        let mut pieces = Pieces::default();
        let large = Bytes::from(vec![7; COPIED_BELOW]);
        for piece in [Bytes::from_static(b"head"), Bytes::from_static(b"er"), large.clone(), Bytes::from_static(b"end")] {
            pieces.push(piece);
        }
        assert_eq!(pieces.len(), COPIED_BELOW + 9);
        let sent: Vec<Bytes> = pieces.take().into_iter().collect();
        assert_eq!(sent.iter().map(Bytes::len).collect::<Vec<_>>(), [6, COPIED_BELOW, 3]);
        assert_eq!(sent[1].as_ptr(), large.as_ptr());
        assert!(pieces.is_empty() && pieces.take().content_length() == 0);
    }
}
