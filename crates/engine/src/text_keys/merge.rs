//! The groups of all streams, merged: those of an output stream are parted by their hashes into buckets that fit into the processor's
//! cache, and one bucket is merged after the other.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_arrays;
use datafusion::common::Result;
use datafusion::logical_expr::EmitTo;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::groups::Finished;
use super::table::TextTable;

const BITS_MAX: u32 = 10;
/// Groups of a bucket: with texts and states some hundred bytes each, in a processor's second cache.
const BUCKET_GROUPS: usize = 8 << 10;

/// The groups of one output stream, in the order of their buckets, by input stream.
pub struct Buckets {
    streams: Arc<Vec<Finished>>,
    parted: Vec<Parted>,
    count: usize,
}

/// The groups of a stream by bucket.
struct Parted {
    groups: Vec<u32>,
    /// Where each bucket begins, and the end.
    starts: Vec<u32>,
}

impl Buckets {
    /// Those of the output stream `partition` of so many.
    pub fn new(streams: Arc<Vec<Finished>>, partition: usize, partitions: usize) -> Buckets {
        let groups: usize = streams.iter().map(Finished::len).sum();
        let buckets = (groups / partitions / BUCKET_GROUPS).max(1).next_power_of_two();
        let bits = buckets.trailing_zeros().min(BITS_MAX);
        let parted = streams.iter().map(|stream| Parted::new(stream.hashes(), partition, partitions, bits)).collect();
        Buckets { streams, parted, count: 1 << bits }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The results of a bucket; `last`: merges states into results.
    pub fn merged(&self, bucket: usize, last: &AggregateExec) -> Result<RecordBatch> {
        let functions = last.aggr_expr();
        let mut accumulators =
            functions.iter().map(|function| function.create_groups_accumulator()).collect::<Result<Vec<_>>>()?;
        let mut table = TextTable::default();
        let (mut hashes, mut numbers) = (Vec::new(), Vec::new());
        for (stream, parted) in self.streams.iter().zip(&self.parted) {
            let groups = parted.of(bucket);
            if groups.is_empty() {
                continue;
            }
            hashes.clear();
            hashes.extend(groups.iter().map(|group| stream.hashes()[*group as usize]));
            table.number(&stream.texts(groups), &hashes, &mut numbers);
            let places = UInt32Array::from(groups.to_vec());
            for (function, accumulator) in accumulators.iter_mut().enumerate() {
                let states = take_arrays(stream.states(function), &places, None)?;
                accumulator.merge_batch(&states, &numbers, table.len())?;
            }
        }
        if table.len() == 0 {
            return Ok(RecordBatch::new_empty(last.schema()));
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(table.take().into_array())];
        for accumulator in &mut accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        Ok(RecordBatch::try_new(last.schema(), columns)?)
    }
}

impl Parted {
    /// A counting sort of the stream's groups that belong to the partition, by the highest bits of their hashes.
    fn new(hashes: &[u64], partition: usize, partitions: usize, bits: u32) -> Parted {
        let is_ours = |hash: u64| (hash % partitions as u64) as usize == partition;
        // Shifted in two steps: of all 64 bits, where there is one bucket, is not allowed.
        let bucket = |hash: u64| (hash >> 1 >> (63 - bits)) as usize;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for &hash in hashes.iter().filter(|hash| is_ours(**hash)) {
            starts[bucket(hash) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut groups = vec![0_u32; starts[starts.len() - 1] as usize];
        for (group, &hash) in hashes.iter().enumerate().filter(|(_, hash)| is_ours(**hash)) {
            let next = &mut next[bucket(hash)];
            groups[*next as usize] = group as u32;
            *next += 1;
        }
        Parted { groups, starts }
    }

    fn of(&self, bucket: usize) -> &[u32] {
        &self.groups[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}
