//! Deflate streams without a header, as blocks of Avro and chunks of ORC are.
//!
//! The reader of flate2 takes the end of its input for the end of the stream, wherever that is; here one that is cut is told.

use flate2::{Decompress, FlushDecompress, Status};

const PIECE_BYTES: usize = 64 << 10;

/// Hands on what a stream has, piece by piece. Errors: those of `take`, and what `damaged` makes of what is wrong.
pub(crate) fn inflate<E>(
    packed: &[u8],
    damaged: impl Fn(String) -> E,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut state = Decompress::new(false);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let (taken, given) = (state.total_in(), state.total_out());
        let status = state.decompress(&packed[taken as usize..], &mut piece, FlushDecompress::None);
        let status = status.map_err(|error| damaged(error.to_string()))?;
        let fresh = (state.total_out() - given) as usize;
        take(&piece[..fresh])?;
        match status {
            Status::StreamEnd => return Ok(()),
            _ if fresh == 0 && state.total_in() == taken => return Err(damaged("it ends before its end".to_string())),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_stream_that_is_cut_is_told() {
        let bytes: Vec<u8> = (0..200_000u32).map(|at| (at / 100) as u8).collect();
        let mut packed = Vec::new();
        let mut encoder = flate2::read::DeflateEncoder::new(&bytes[..], flate2::Compression::default());
        encoder.read_to_end(&mut packed).expect("packed");
        let read = |packed: &[u8]| {
            let mut out = Vec::new();
            let kept = inflate(
                packed,
                |why| why,
                |piece| {
                    out.extend_from_slice(piece);
                    Ok::<_, String>(())
                },
            );
            kept.map(|()| out)
        };
        assert_eq!(read(&packed).expect("whole"), bytes);
        for cut in [0, 1, packed.len() / 2, packed.len() - 1] {
            assert!(read(&packed[..cut]).is_err(), "{cut}");
        }
        assert_eq!(inflate(&packed, |why| why, |_| Err("enough".to_string())), Err("enough".to_string()));
    }
}
