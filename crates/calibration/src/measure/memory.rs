//! Memory: reading in order by one core and by all, from each cache and from memory, copying, and the time that one dependent
//! read takes in working sets from the nearest cache to memory.
//!
//! A cache is read over and over, in a working set that fills half of it: the rest is everybody else's. Where several
//! cores share one, each has its part. What is read is added up, by the instructions that this build has for that.
//!
//! The latency is that of a pointer chase: one cycle through all lines of the working set in no order (Sattolo's shuffle), so
//! that neither the processor's prefetcher nor its out-of-order execution can hide anything. What is read in order is several
//! times as large as the last cache.

use std::hint::black_box;

use gristmill_base::{Result, allocations, machine};

use super::cores::Run;
use super::data::Scatter;
use super::{Bench, Figures, cores};
use crate::figures::{ALL_CORES, ONE_CORE, Resource};

/// Of a cache line.
const LINE_BYTES: usize = 64;
/// Of steps of a chase at a time.
const STEPS: u64 = 1 << 15;
/// Of the buffer that is read in order, and the share that it may be of the memory that the machine has or queries may hold.
const BUFFER_BYTES_MAX: usize = 512 << 20;
const MEMORY_SHARE: u64 = 16;
/// What is read of it in one run.
const RUN_BYTES: usize = 32 << 20;

pub fn measure(bench: &Bench<'_>, figures: &mut Figures) -> Result<()> {
    let allowed = Some(allocations::process_limit()).filter(|limit| *limit > 0);
    let memory = machine::memory_bytes().into_iter().chain(allowed).min();
    let memory_share = memory.map_or(usize::MAX, |bytes| (bytes / MEMORY_SHARE) as usize);
    let wanted = bench.sized(4 * last_cache_bytes(), 8 * last_cache_bytes()).max(2 * RUN_BYTES);
    let bytes = wanted.min(BUFFER_BYTES_MAX).min(memory_share.max(2 * RUN_BYTES));
    let buffer: Vec<u64> = (0..bytes as u64 / 8).collect();
    let mut at = 0;
    // Each run reads on where the last one ended, so that nothing is in a cache yet.
    let mut next = |bytes: usize| {
        let words = (bytes / 8).min(buffer.len());
        if at + words > buffer.len() {
            at = 0;
        }
        at += words;
        &buffer[at - words..at]
    };
    let one = bench.rate(|| Ok(summed(next(RUN_BYTES))))?;
    figures.add(Resource::MemoryRead, ONE_CORE, 0, one);
    let all = bench.rate_of_runs(|| {
        let all = &buffer[..];
        let share = all.len() / machine::cores();
        cores::on_all(|core| summed(&all[core * share..(core + 1) * share]))
    })?;
    // Threads are woken in each run: of one core alone that may be more than it brings.
    figures.add(Resource::MemoryRead, ALL_CORES, 0, all.max(one));
    caches(bench, figures)?;
    let far = size_of_val(&buffer[..]) as u64;
    figures.add(Resource::CacheRead, &format!("memory {ONE_CORE}"), far, one);
    figures.add(Resource::CacheRead, &format!("memory {ALL_CORES}"), far, all.max(one));
    let mut copy = vec![0u64; RUN_BYTES / 8];
    let copied = bench.rate(|| {
        let source = next(RUN_BYTES);
        copy[..source.len()].copy_from_slice(source);
        black_box(&copy);
        Ok(size_of_val(source) as u64)
    })?;
    figures.add(Resource::MemoryCopy, ONE_CORE, 0, copied);
    drop((buffer, copy));
    for size in [16 << 10, 128 << 10, 1 << 20, 8 << 20, 64 << 20] {
        let chain = chain(size);
        let mut place = 0u32;
        let steps_a_second = bench.rate(|| {
            for _ in 0..STEPS {
                place = chain[place as usize * WORDS_OF_LINE];
            }
            black_box(place);
            Ok(STEPS)
        })?;
        figures.add(Resource::MemoryLatency, "", size as u64, 1e9 / steps_a_second.max(1.0));
    }
    Ok(())
}

/// What is read of a cache in one run.
const CACHE_RUN_BYTES: usize = 128 << 20;

fn caches(bench: &Bench<'_>, figures: &mut Figures) -> Result<()> {
    for cache in Cache::of_machine() {
        let sharing = cache.cores.clamp(1, machine::cores());
        let mut best = 0.0f64;
        for (cores, level, bytes) in
            [(1, ONE_CORE, cache.bytes / 2), (machine::cores(), ALL_CORES, cache.bytes / 2 / sharing)]
        {
            let words = (bytes / 8).max(LINE_BYTES);
            let sets: Vec<Vec<u64>> = (0..cores).map(|_| (0..words as u64).collect()).collect();
            let passes = (CACHE_RUN_BYTES / 8 / words).max(1);
            let read = |set: &[u64]| (0..passes).map(|_| summed(black_box(set))).sum::<u64>();
            let rate = bench.rate_of_runs(|| match &sets[..] {
                [one] => Run::of(|| Ok(read(one))),
                all => cores::on_all(|core| read(&all[core])),
            })?;
            // As above: all cores bring no less than one.
            best = best.max(rate);
            figures.add(Resource::CacheRead, &format!("L{} {level}", cache.level), words as u64 * 8, best);
        }
    }
    Ok(())
}

/// A cache of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cache {
    level: u32,
    bytes: usize,
    /// That share it.
    cores: usize,
}

/// What processors of today have at the least, where the system does not tell.
const USUAL_CACHES: [Cache; 3] = [
    Cache { level: 1, bytes: 32 << 10, cores: 1 },
    Cache { level: 2, bytes: 512 << 10, cores: 1 },
    Cache { level: 3, bytes: 32 << 20, cores: usize::MAX },
];

impl Cache {
    /// The nearest first.
    fn of_machine() -> Vec<Cache> {
        let of_index = |index: usize| {
            let told = |what: &str| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
                std::fs::read_to_string(path).ok().map(|text| text.trim().to_string())
            };
            let is_of_data = told("type")? != "Instruction";
            let size = gristmill_base::units::parse_size(&told("size")?.replace('K', "Ki").replace('M', "Mi"))?;
            let level = told("level")?.parse().ok()?;
            let cores = listed(&told("shared_cpu_list").unwrap_or_default());
            is_of_data.then_some(Cache { level, bytes: size as usize, cores })
        };
        let mut caches: Vec<Cache> = (0..8).filter_map(of_index).collect();
        caches.sort_by_key(|cache| cache.level);
        caches.dedup_by_key(|cache| cache.level);
        if caches.is_empty() { USUAL_CACHES.to_vec() } else { caches }
    }
}

/// How many numbers a list such as `0-3,8` has.
fn listed(list: &str) -> usize {
    let of_part = |part: &str| match part.split_once('-') {
        Some((from, to)) => Some(to.parse::<usize>().ok()?.checked_sub(from.parse().ok()?)? + 1),
        None => part.parse::<usize>().ok().map(|_| 1),
    };
    list.split(',').filter_map(of_part).sum()
}

/// Reads words in order, and gives their bytes.
fn summed(words: &[u64]) -> u64 {
    black_box(words.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
    size_of_val(words) as u64
}

const WORDS_OF_LINE: usize = LINE_BYTES / size_of::<u32>();

/// Lines whose first word is the number of the next one, all in one cycle.
fn chain(bytes: usize) -> Vec<u32> {
    let lines = (bytes / LINE_BYTES).max(2);
    let mut order: Vec<u32> = (0..lines as u32).collect();
    let mut scatter = Scatter::new();
    for at in (1..lines).rev() {
        order.swap(at, scatter.below(at as u64) as usize);
    }
    let mut chain = vec![0u32; lines * WORDS_OF_LINE];
    for (line, next) in order.into_iter().enumerate() {
        chain[line * WORDS_OF_LINE] = next;
    }
    chain
}

/// Of the largest cache.
fn last_cache_bytes() -> usize {
    Cache::of_machine().iter().map(|cache| cache.bytes).max().unwrap_or(32 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_data_are_told_from_the_nearest_on() {
        let caches = Cache::of_machine();
        assert!(caches.windows(2).all(|two| two[0].level < two[1].level && two[0].bytes <= two[1].bytes), "{caches:?}");
        assert!(caches.iter().all(|cache| cache.bytes >= 4 << 10 && cache.level >= 1), "{caches:?}");
        assert_eq!([listed("0-3,8"), listed("5"), listed(""), listed("3-1")], [5, 1, 0, 0]);
    }

    #[test]
    fn a_chain_goes_through_all_lines_once() {
        let chain = chain(64 << 10);
        let (mut at, mut steps) = (0u32, 0);
        loop {
            at = chain[at as usize * WORDS_OF_LINE];
            steps += 1;
            if at == 0 {
                break;
            }
        }
        assert_eq!(steps, 1024);
    }
}
