//! What ClickHouse gives for the same values.

use gristmill_base::Result;

use super::summaries::Summary;
use super::*;

fn answered<S: Summary>(mut summary: S, shape: S::Shape, levels: &[f64]) -> Vec<f64> {
    let mut found = Vec::new();
    summary.answer(levels, shape, &mut found);
    found
        .into_iter()
        .map(|answer| match answer {
            Answer::Value(value) => value.float(),
            Answer::Float(value) => value,
        })
        .collect()
}

/// The values in one summary, in two that are merged, and read from what was written.
fn each_way<S: Summary<Value = u64>>(shape: S::Shape, values: &[u64], levels: &[f64]) -> Result<[Vec<f64>; 3]> {
    let weights = std::any::type_name::<S>().contains("Timing");
    let of = |values: &[u64]| {
        let mut summary = S::new(shape);
        values.iter().try_for_each(|value| summary.add(*value, if weights { 1 } else { *value }, shape))?;
        Ok::<_, Error>(summary)
    };
    let (begin, end) = values.split_at(values.len() / 3);
    let mut merged = of(begin)?;
    merged.merge(of(end)?, shape)?;
    let mut words = Vec::new();
    of(values)?.write(shape, &mut words);
    let read = S::read(&words, shape)?;
    for length in 0..words.len().min(100) {
        let _ = S::read(&words[..length], shape);
    }
    Ok([answered(of(values)?, shape, levels), answered(merged, shape, levels), answered(read, shape, levels)])
}

#[test]
fn a_deterministic_sample_is_the_same_whatever_the_order() -> Result<()> {
    let values: Vec<u64> = (0..100_000).collect();
    let ways = each_way::<Deterministic<u64>>((), &values, &[0.3])?;
    assert!(ways.iter().flatten().all(|value| (value - 30_100.1).abs() < 1e-9), "{ways:?}");
    Ok(())
}

#[test]
fn ranks_of_greenwald_and_khanna_are_those_of_clickhouse() -> Result<()> {
    let ask = |accuracy: f64, values: u64, modulus: u64, levels: &[f64]| {
        let values: Vec<u64> = (0..values).map(|value| value % modulus).collect();
        each_way::<Greenwald<u64>>(1.0 / accuracy, &values, levels)
    };
    let [whole, _, read] = ask(100.0, 200_000, 1000, &[0.75, 0.1])?;
    assert_eq!([whole, read], [[744.0, 92.0], [744.0, 92.0]]);
    let [whole, _, read] = ask(10.0, 1000, 1000, &[0.5])?;
    assert_eq!([whole, read], [[412.0], [412.0]]);
    let [whole, merged, _] = ask(100.0, 200_000, 200_000, &[0.25, 0.5, 0.75, 0.0, 1.0])?;
    assert_eq!(whole, [49_999.0, 99_999.0, 149_999.0, 0.0, 199_999.0]);
    assert!(merged.iter().zip(whole).all(|(a, b)| (a - b).abs() <= 4000.0), "{merged:?}");
    Ok(())
}

#[test]
fn bins_are_told_as_clickhouse_tells_them() -> Result<()> {
    let values: Vec<u64> = (0..50).collect();
    let ways = each_way::<DdSketch<u64>>(Bins::new(0.01), &values, &[0.5])?;
    assert!(ways.iter().flatten().all(|value| (value - 23.808_809_768_044_55).abs() < 1e-12), "{ways:?}");
    Ok(())
}

#[test]
fn times_are_counted_as_clickhouse_counts_them() -> Result<()> {
    let values: Vec<u64> = (0..20_000).collect();
    for found in each_way::<Timing<u64>>(Weighted(false), &values, &[0.0, 0.1, 0.5, 1.0])? {
        assert_eq!(found, [0.0, 1991.0, 9991.0, 19_989.0]);
    }
    let few: Vec<u64> = (0..10_000).collect();
    for found in each_way::<Timing<u64>>(Weighted(false), &few, &[0.7])? {
        assert_eq!(found, [6990.0]);
    }
    Ok(())
}
