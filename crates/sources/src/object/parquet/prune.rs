//! Leaving out row groups (and pages) by their statistics.
//!
//! DataFusion's `PruningPredicate` rewrites the filter into one over minima, maxima and counts of NULL. It is given those
//! in the table's types, and only where that is sure to be right. A bound is dropped (unknown) where
//! - the conversion from the file's type to the table's does not keep the order, or may change or refuse values;
//! - NULLs of the file become defaults of a column that is not Nullable: the default is not among the file's values;
//! - the writer's statistics are of the old kind, whose order was never said for bytes and unsigned numbers;
//! - the column is a float whose minimum is its maximum: NaN is in neither, and `x != 5` is true for it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, UInt64Array, new_null_array};
use arrow::compute::{cast_with_options, nullif};
use arrow::datatypes::{DataType, Date32Type, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::common::pruning::PruningStatistics;
use datafusion::physical_expr::expressions::lit;
use datafusion::physical_expr_common::physical_expr::snapshot_physical_expr;
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use gristmill_types::SqlType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::RowGroupMetaData;

use super::columns::{FileColumns, Place, repeat};
use super::footer::Footer;
use crate::object::filter::{Conjunct, ScanFilter};

/// Which of the row groups may hold rows that pass.
pub fn surviving_groups(footer: &Footer, columns: &FileColumns, filter: &ScanFilter, groups: Vec<usize>) -> Vec<usize> {
    let mut surviving = groups;
    for conjunct in &filter.conjuncts {
        if surviving.is_empty() {
            break;
        }
        let Some(predicate) = pruning_predicate(conjunct, columns) else {
            continue;
        };
        let statistics = GroupStatistics { footer, columns, groups: &surviving };
        // A predicate that cannot be evaluated prunes nothing.
        if let Ok(keep) = predicate.prune(&statistics) {
            surviving = surviving.iter().zip(keep).filter(|(_, keep)| *keep).map(|(group, _)| *group).collect();
        }
    }
    surviving
}

/// The conjunct over statistics, where that can ever leave anything out.
pub fn pruning_predicate(conjunct: &Conjunct, columns: &FileColumns) -> Option<PruningPredicate> {
    let expression = snapshot_physical_expr(conjunct.expression.clone()).ok()?;
    if expression.to_string() == lit(true).to_string() {
        return None;
    }
    let schema = columns.layout().schema.clone();
    let predicate = PruningPredicateBuilder::new().with_file_schema(schema).try_build(expression).ok()?;
    (!predicate.always_true()).then_some(predicate)
}

struct GroupStatistics<'a> {
    footer: &'a Footer,
    columns: &'a FileColumns,
    groups: &'a [usize],
}

impl GroupStatistics<'_> {
    fn metadata(&self) -> impl Iterator<Item = &RowGroupMetaData> {
        self.groups.iter().map(|&group| self.footer.metadata().row_group(group))
    }

    fn bounds(&self, name: &str, upper: bool) -> Option<ArrayRef> {
        let index = self.columns.layout().columns.index_of(name)?;
        let kind = self.columns.layout().kind(index);
        match self.columns.place(index)? {
            Place::Constant(value) => repeat(value, self.groups.len()).ok(),
            // A flag, which is either; and a part of what has statistics of its own.
            Place::Omitted { .. } | Place::Nested { .. } => None,
            Place::Missing => {
                let value = gristmill_types::default::default_array(kind, 1);
                repeat(&value, self.groups.len()).ok()
            }
            Place::File(at) => {
                let bounds = Bounds::of(self.footer, *at, kind)?;
                let converter = bounds.converter(self.footer)?;
                let (values, other) = if upper {
                    (converter.row_group_maxes(self.metadata()).ok()?, converter.row_group_mins(self.metadata()).ok()?)
                } else {
                    (converter.row_group_mins(self.metadata()).ok()?, converter.row_group_maxes(self.metadata()).ok()?)
                };
                let unsure: BooleanArray = self
                    .metadata()
                    .map(|group| {
                        let column = group.column(bounds.leaf);
                        let statistics = column.statistics();
                        let nulls = statistics.and_then(|s| s.null_count_opt());
                        Some(
                            bounds.nulls_become_defaults && nulls != Some(0)
                                || statistics.is_some_and(|s| s.is_min_max_deprecated()) && !bounds.order_was_always_said,
                        )
                    })
                    .collect();
                bounds.finish(values, other, &unsure)
            }
        }
    }
}

impl PruningStatistics for GroupStatistics<'_> {
    fn min_values(&self, column: &datafusion::common::Column) -> Option<ArrayRef> {
        self.bounds(&column.name, false)
    }

    fn max_values(&self, column: &datafusion::common::Column) -> Option<ArrayRef> {
        self.bounds(&column.name, true)
    }

    fn num_containers(&self) -> usize {
        self.groups.len()
    }

    fn null_counts(&self, column: &datafusion::common::Column) -> Option<ArrayRef> {
        let index = self.columns.layout().columns.index_of(&column.name)?;
        let Some(Place::File(at)) = self.columns.place(index) else {
            return None;
        };
        let bounds = Bounds::of(self.footer, *at, self.columns.layout().kind(index))?;
        if bounds.nulls_become_defaults {
            // The table's column has no NULLs, whatever the file has.
            return Some(Arc::new(UInt64Array::from(vec![0; self.groups.len()])));
        }
        let counts: UInt64Array = self
            .metadata()
            .map(|group| group.column(bounds.leaf).statistics().and_then(|statistics| statistics.null_count_opt()))
            .collect();
        Some(Arc::new(counts))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(self.metadata().map(|group| Some(group.num_rows() as u64)).collect::<UInt64Array>()))
    }

    fn contained(&self, _: &datafusion::common::Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// How the statistics of one column of a file are read as values of the table's column.
pub struct Bounds {
    /// Index among the leaves of the file.
    pub leaf: usize,
    root: usize,
    target: DataType,
    date_of_16_bits: bool,
    pub nulls_become_defaults: bool,
    pub order_was_always_said: bool,
}

impl Bounds {
    /// `None` where statistics of the column say nothing about the table's column.
    pub fn of(footer: &Footer, root: usize, kind: &SqlType) -> Option<Bounds> {
        let parquet = footer.reader.parquet_schema();
        let leaf = (0..parquet.num_columns()).find(|&leaf| parquet.get_column_root_idx(leaf) == root)?;
        let descriptor = parquet.column(leaf);
        let field = footer.schema().field(root);
        if field.data_type().is_nested() || descriptor.max_rep_level() > 0 {
            return None;
        }
        let target = kind.arrow();
        if !keeps_order(field.data_type(), &target, kind) {
            return None;
        }
        let signed = matches!(
            descriptor.physical_type(),
            PhysicalType::INT32 | PhysicalType::INT64 | PhysicalType::FLOAT | PhysicalType::DOUBLE | PhysicalType::BOOLEAN
        ) && !matches!(
            field.data_type(),
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64
        );
        Some(Bounds {
            leaf,
            root,
            target,
            date_of_16_bits: *kind.plain() == SqlType::Date,
            nulls_become_defaults: field.is_nullable() && !kind.is_nullable(),
            order_was_always_said: signed,
        })
    }

    pub fn converter<'a>(&self, footer: &'a Footer) -> Option<StatisticsConverter<'a>> {
        StatisticsConverter::from_column_index(self.leaf, footer.schema().field(self.root), footer.reader.parquet_schema())
            .ok()
    }

    /// Values in the table's type; NULL where they are unknown. `other` are the bounds of the other side.
    pub fn finish(&self, values: ArrayRef, other: ArrayRef, unsure: &BooleanArray) -> Option<ArrayRef> {
        let mut values = nullif(&values, unsure).ok()?;
        if values.data_type().is_floating() {
            let same = arrow::compute::kernels::cmp::eq(&values, &other).ok()?;
            values = nullif(&values, &same).ok()?;
        }
        if self.date_of_16_bits {
            let days = values.as_primitive_opt::<Date32Type>()?;
            let outside: BooleanArray =
                days.iter().map(|day| Some(day.is_some_and(|day| !(0..=65_535).contains(&day)))).collect();
            values = nullif(&values, &outside).ok()?;
        }
        if values.data_type() == &self.target {
            return Some(values);
        }
        let exact = arrow::compute::CastOptions { safe: true, ..Default::default() };
        let converted = cast_with_options(&values, &self.target, &exact).ok()?;
        (converted.data_type() == &self.target).then_some(converted)
    }

    pub fn unknown(&self, count: usize) -> ArrayRef {
        new_null_array(&self.target, count)
    }
}

/// Whether reading the file's type as the table's keeps every value and their order.
fn keeps_order(from: &DataType, to: &DataType, kind: &SqlType) -> bool {
    use DataType::*;
    match (from, to) {
        // An enum read from numbers has the order of its numbers; read from text it is never pruned.
        _ if from == to => !kind.is_enum(),
        (Int8, Int16 | Int32 | Int64) | (Int16, Int32 | Int64) | (Int32, Int64) => true,
        (UInt8, UInt16 | UInt32 | UInt64 | Int16 | Int32 | Int64) => true,
        (UInt16, UInt32 | UInt64 | Int32 | Int64) => true,
        (UInt32, UInt64 | Int64) => true,
        (Float32, Float64) => true,
        (Timestamp(unit, zone), Timestamp(finer, None)) => {
            zone.as_deref().is_none_or(|zone| zone == "UTC" || zone == "+00:00") && rank(*unit) <= rank(*finer)
        }
        _ => false,
    }
}

fn rank(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    }
}
