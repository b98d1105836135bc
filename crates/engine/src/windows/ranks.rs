//! `row_number`, `rank` and `dense_rank`, row by row over what begins where.

use super::chunk::Chunk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    RowNumber,
    Rank,
    DenseRank,
}

/// Those of the row before the next chunk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranks {
    row: u64,
    rank: u64,
    dense: u64,
}

impl Ranks {
    /// Of each row of the chunk that follows.
    pub fn follow(&mut self, chunk: &Chunk, ranking: Ranking) -> Vec<u64> {
        let mut ranks = Vec::with_capacity(chunk.rows);
        let (mut partitions, mut peers) = (chunk.partitions.iter().peekable(), chunk.peers.iter().peekable());
        for row in 0..chunk.rows {
            if partitions.next_if_eq(&&row).is_some() {
                *self = Ranks::default();
            }
            self.row += 1;
            if peers.next_if_eq(&&row).is_some() {
                (self.rank, self.dense) = (self.row, self.dense + 1);
            }
            ranks.push(match ranking {
                Ranking::RowNumber => self.row,
                Ranking::Rank => self.rank,
                Ranking::DenseRank => self.dense,
            });
        }
        ranks
    }
}
