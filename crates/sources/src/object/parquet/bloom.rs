//! Leaving out row groups by bloom filters: `column = value` and `column IN (…)` ask whether a row group can hold any of
//! the values at all. Filters are fetched only for such conjuncts, only where the file has them, and only where what they
//! may save is larger than they are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use arrow::array::{ArrayRef, BooleanArray};
use bytes::Bytes;
use datafusion::common::ScalarValue;
use datafusion::common::pruning::PruningStatistics;
use datafusion::physical_expr::utils::{Guarantee, LiteralGuarantee};
use gristmill_base::panics;
use parquet::bloom_filter::Sbbf;

use super::columns::{FileColumns, Place};
use super::footer::Footer;
use super::prune::{Bounds, pruning_predicate};
use crate::object::filter::ScanFilter;

/// A filter to fetch: of which row group and leaf, and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct BloomPlace {
    pub group: usize,
    pub leaf: usize,
    pub range: Range<u64>,
}

/// The filters that could leave out some of the row groups. `group_bytes` is what reading a row group costs.
pub fn wanted(
    footer: &Footer,
    columns: &FileColumns,
    filter: &ScanFilter,
    groups: &[usize],
    group_bytes: impl Fn(usize) -> u64,
) -> Vec<BloomPlace> {
    let leaves = leaves(footer, columns, filter);
    let mut places = Vec::new();
    for &group in groups {
        for &leaf in &leaves {
            let column = footer.metadata().row_group(group).column(leaf);
            let (Some(offset), Some(length)) = (column.bloom_filter_offset(), column.bloom_filter_length()) else {
                continue;
            };
            let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
                continue;
            };
            let inside = offset.checked_add(length).is_some_and(|end| end <= footer.file_bytes);
            if inside && length > 0 && length < group_bytes(group) {
                places.push(BloomPlace { group, leaf, range: offset..offset + length });
            }
        }
    }
    places
}

/// Leaves that the filter compares for equality with constants of the very type that the file has.
fn leaves(footer: &Footer, columns: &FileColumns, filter: &ScanFilter) -> Vec<usize> {
    let mut leaves = Vec::new();
    for conjunct in &filter.conjuncts {
        for guarantee in LiteralGuarantee::analyze(&conjunct.expression) {
            if guarantee.guarantee == Guarantee::In
                && let Some(leaf) = leaf_of(footer, columns, &guarantee.column.name)
                && !leaves.contains(&leaf)
            {
                leaves.push(leaf);
            }
        }
    }
    leaves
}

fn leaf_of(footer: &Footer, columns: &FileColumns, name: &str) -> Option<usize> {
    let index = columns.layout().columns.index_of(name)?;
    let Some(Place::File(at)) = columns.place(index) else {
        return None;
    };
    let kind = columns.layout().kind(index);
    let bounds = Bounds::of(footer, *at, kind)?;
    // Hashes are of the file's own values: the types must be the same, and NULL must not stand for the default.
    let same = footer.schema().field(*at).data_type() == &kind.arrow();
    (same && !bounds.nulls_become_defaults).then_some(bounds.leaf)
}

/// Which of the row groups may hold rows that pass, after the filters were fetched.
pub fn surviving_groups(
    footer: &Footer,
    columns: &FileColumns,
    filter: &ScanFilter,
    groups: Vec<usize>,
    fetched: &[(BloomPlace, Bytes)],
) -> Vec<usize> {
    let mut filters: HashMap<usize, HashMap<usize, Sbbf>> = HashMap::new();
    for (place, bytes) in fetched {
        // A filter that cannot be read leaves nothing out.
        if let Ok(Ok(filter)) = panics::caught(|| Sbbf::from_bytes(bytes)) {
            filters.entry(place.group).or_default().insert(place.leaf, filter);
        }
    }
    let predicates: Vec<_> = filter.conjuncts.iter().filter_map(|conjunct| pruning_predicate(conjunct, columns)).collect();
    groups
        .into_iter()
        .filter(|group| {
            let Some(filters) = filters.get(group) else {
                return true;
            };
            let statistics = BloomStatistics { footer, columns, filters };
            predicates
                .iter()
                .all(|predicate| predicate.prune(&statistics).is_ok_and(|keep| keep == [false]).then_some(()).is_none())
        })
        .collect()
}

struct BloomStatistics<'a> {
    footer: &'a Footer,
    columns: &'a FileColumns,
    filters: &'a HashMap<usize, Sbbf>,
}

impl PruningStatistics for BloomStatistics<'_> {
    fn min_values(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        None
    }

    fn max_values(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        None
    }

    fn num_containers(&self) -> usize {
        1
    }

    fn null_counts(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, column: &datafusion::common::Column, values: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        let filter = self.filters.get(&leaf_of(self.footer, self.columns, &column.name)?)?;
        let any = values.iter().any(|value| may_hold(filter, value));
        // "False" says that none of the values is there; nothing can say that all are.
        (!any).then(|| BooleanArray::from(vec![false]))
    }
}

/// Values are hashed as the physical type that holds them: small integers as four bytes.
fn may_hold(filter: &Sbbf, value: &ScalarValue) -> bool {
    match value {
        ScalarValue::BinaryView(Some(v)) => filter.check(v),
        ScalarValue::FixedSizeBinary(_, Some(v)) => filter.check(v),
        ScalarValue::Int8(Some(v)) => filter.check(&i32::from(*v)),
        ScalarValue::Int16(Some(v)) => filter.check(&i32::from(*v)),
        ScalarValue::Int32(Some(v)) => filter.check(v),
        ScalarValue::Int64(Some(v)) => filter.check(v),
        ScalarValue::UInt8(Some(v)) => filter.check(&i32::from(*v)),
        ScalarValue::UInt16(Some(v)) => filter.check(&i32::from(*v)),
        ScalarValue::UInt32(Some(v)) => filter.check(v),
        ScalarValue::UInt64(Some(v)) => filter.check(v),
        _ => true,
    }
}
