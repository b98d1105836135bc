use proptest::prelude::*;

use super::*;

fn combined_shape(precision: u8, key_bytes: usize) -> Shape {
    Shape {
        key_bytes,
        set_max: Some(1 << (precision - if key_bytes == 4 { 4 } else { 5 })),
        form: Form { precision, hash_bits: key_bytes as u8 * 8 },
        hash: same,
    }
}

fn of<S: Sketch>(shape: &S::Shape, values: impl Iterator<Item = u64>, mask: u64) -> S {
    let mut sketch = S::new(shape);
    values.for_each(|value| sketch.insert(int_hash_64(value) & mask, shape));
    sketch
}

/// The numbers that ClickHouse gives.
#[test]
fn estimates_are_those_of_clickhouse() {
    for (values, expected) in [(100_000, 100_315), (1_000_000, 1_001_943), (8193, 8193)] {
        assert_eq!(of::<Thinned>(&(), 0..values, u64::MAX).estimate(&()), expected, "uniq of {values}");
    }
    let combined = [
        (17, 4, 1_000_000, 1_001_148),
        (17, 4, 100_000, 100_314),
        (17, 4, 8191, 8191),
        (17, 4, 8193, 8218),
        (12, 4, 100_000, 98_160),
        (16, 4, 100_000, 100_150),
        (20, 4, 100_000, 100_088),
        (20, 8, 100_000, 100_088),
        (13, 8, 100_000, 99_542),
    ];
    for (precision, key_bytes, values, expected) in combined {
        let shape = combined_shape(precision, key_bytes);
        let mask = if key_bytes == 4 { 0xffff_ffff } else { u64::MAX };
        let estimate = of::<Counter>(&shape, 0..values, mask).estimate(&shape);
        assert_eq!(estimate, expected, "uniqCombined({precision}) of {values}, keys of {key_bytes} bytes");
    }
}

#[test]
fn states_have_the_bytes_of_clickhouse() {
    let written = |sketch: &Counter, shape: &Shape| {
        let mut bytes = Vec::new();
        sketch.write(shape, &mut bytes);
        bytes
    };
    let shape = combined_shape(17, 4);
    let three = of::<Counter>(&shape, 0..3, 0xffff_ffff);
    assert_eq!(written(&three, &shape), [1, 3, 0, 0, 0, 0, 0x2c, 0xcb, 0xc2, 0x34, 0xe7, 0x83, 0x06, 0x65]);
    for (precision, key_bytes, length) in [(17, 4, 81_993), (17, 8, 98_505), (12, 8, 3291)] {
        let shape = combined_shape(precision, key_bytes);
        let mask = if key_bytes == 4 { 0xffff_ffff } else { u64::MAX };
        assert_eq!(written(&of(&shape, 0..100_000, mask), &shape).len(), length);
    }
}

fn parted<S: Sketch>(shape: &S::Shape, parts: &[Vec<u64>], mask: u64) -> Result<(), TestCaseError> {
    let whole: S = of(shape, parts.iter().flatten().copied(), mask);
    let mut merged = S::new(shape);
    for part in parts {
        let mut bytes = Vec::new();
        of::<S>(shape, part.iter().copied(), mask).write(shape, &mut bytes);
        let read = S::read(&bytes, shape).map_err(|error| TestCaseError::fail(error.to_string()))?;
        merged.merge(&read, shape);
        prop_assert!(S::read(&bytes[..bytes.len() - 1], shape).is_err());
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    merged.write(shape, &mut a);
    let _ = S::read(&a, shape).map(|again| again.write(shape, &mut b));
    prop_assert_eq!(merged.estimate(shape), whole.estimate(shape));
    prop_assert_eq!(a.len(), b.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn parts_merge_into_what_the_whole_gives(
        starts in prop::collection::vec((0..100_u64, prop::sample::select(vec![0_u64, 3, 40, 300, 90_000])), 1..5),
    ) {
        let parts: Vec<Vec<u64>> = starts.iter().map(|(start, length)| (start * 1000..start * 1000 + length).collect()).collect();
        parted::<Thinned>(&(), &parts, u64::MAX)?;
        let narrow = combined_shape(12, 4);
        parted::<Counter>(&narrow, &parts, 0xffff_ffff)?;
        parted::<Counter>(&combined_shape(14, 8), &parts, u64::MAX)?;
        parted::<Counter>(&Shape { set_max: None, ..narrow }, &parts, 0xffff_ffff)?;
    }
}
