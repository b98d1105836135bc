//! Chooses parts and granules by the conditions of a query, in three steps, each asked only of what the one before left:
//! parts by what the manifest keeps of them, granules by the sparse index, granules by the bounds of every column. (What
//! skip indexes leave out of the rest has to be read: `skip::select`.)

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Expr, ExprSchemable, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::KeyExpression;
use gristmill_functions::prewhere;
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::SqlType;

use super::analyze::{Base, analyze};
use super::condition::{Condition, End, Slot, SlotValues};
use super::interval::{Dim, Mask};
use super::inverse::equal_tuple;
use super::of_granules::{Chosen, GranuleConditions, column_base, key_base};
use super::skip::{SkipSelector, Useful};
use crate::layout::Layout;
use crate::manifest::v1::value;
use crate::manifest::{PartEntry, State};
use crate::part::OpenPart;
use crate::read::{PART, PARTITION_ID, PARTITION_VALUE, virtual_columns};
use crate::table::Core;

/// What one step of choosing did, for EXPLAIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexUse {
    /// `Min-Max`, `Partition`, `PrimaryKey`, `Statistics`, `Skip`, `Projection` or `QueryConditionCache`.
    pub kind: &'static str,
    /// Name and description of a skip index, or of a projection that is one.
    pub index: Option<(String, String)>,
    pub keys: Vec<String>,
    /// `None`: it cannot be shown.
    pub condition: Option<String>,
    /// Left over, and before.
    pub parts: (u64, u64),
    pub granules: (u64, u64),
}

/// Where the manifest keeps a base's range.
#[derive(Clone, Debug)]
enum Kept {
    /// A place in `PartEntry::ranges`.
    Range(usize),
    /// In `PartEntry::statistics`, by the column's key.
    Statistics(String),
    PartitionId,
    Name,
}

pub struct Selector {
    layout: Arc<Layout>,
    parts: Condition,
    kept: Vec<(Kept, SqlType)>,
    /// What `parts` says of columns alone, and of the partition key alone: for EXPLAIN.
    by_columns: Condition,
    by_partition: Condition,
    of_granules: GranuleConditions,
    /// What the conditions are over, and they themselves.
    schema: DFSchema,
    filters: Vec<Expr>,
}

impl Selector {
    /// `filters` must all hold.
    pub fn new(layout: Arc<Layout>, filters: &[Expr]) -> Result<Selector> {
        let filters =
            filters.iter().map(|filter| by_partition_key(unqualified(filter)?, &layout)).collect::<Result<Vec<_>>>()?;
        let virtual_schema = virtual_columns(&layout).arrow();
        let fields = layout.schema.fields().iter().chain(virtual_schema.fields());
        let fields: Vec<Field> = fields.map(|field| field.as_ref().clone()).collect();
        let schema = DFSchema::try_from(Schema::new(fields))?;
        let (bases, kept): (Vec<Base>, Vec<(Kept, SqlType)>) = kept_bases(&layout).into_iter().unzip();
        let parts = analyze(&bases, &schema, &filters);
        let partition: Vec<Base> = layout.partition.iter().map(key_base).collect();
        let by_partition = analyze(&partition, &schema, &filters);
        let columns_alone: Vec<Base> = bases
            .iter()
            .zip(&kept)
            .filter(|(_, (kept, _))| kept.is_of_column(&layout))
            .map(|(base, _)| base.clone())
            .collect();
        let by_columns = analyze(&columns_alone, &schema, &filters);
        let of_granules = GranuleConditions::new(&layout, &schema, &filters);
        Ok(Selector { layout, parts, kept, by_columns, by_partition, of_granules, schema, filters })
    }

    /// Errors: INDEX_NOT_USED where a setting demands one that the filters do not ask.
    pub fn check_forced(&self, settings: &Settings) -> Result<()> {
        let refused = |what: String, setting: &str| {
            let text = format!("{what} is not used and setting '{setting}' is set: add a condition on it");
            Err(Error::new(ErrorCode::INDEX_NOT_USED, text))
        };
        let texts = |keys: &[KeyExpression]| keys.iter().map(|key| key.text.as_str()).collect::<Vec<_>>().join(", ");
        let layout = &self.layout;
        if settings.force_primary_key && self.of_granules.key.is_unknown() && !layout.primary().is_empty() {
            return refused(format!("Primary key ({})", texts(layout.primary())), "force_primary_key");
        }
        let dated = !layout.partition.is_empty();
        if settings.force_index_by_date && dated && self.by_partition.is_unknown() && self.by_columns.is_unknown() {
            return refused(format!("Partition key ({})", texts(&layout.partition)), "force_index_by_date");
        }
        Ok(())
    }

    /// The skip indexes that can leave out granules.
    pub fn skip_indexes(&self, core: &Core, state: &State, context: &QueryContext) -> Result<SkipSelector> {
        SkipSelector::new(core, state, &self.schema, &self.filters, context)
    }

    /// Whether parts have to be opened to choose granules of them.
    pub fn needs_parts_open(&self) -> bool {
        !self.of_granules.is_unknown()
    }

    /// The parts in which a row may pass, by what the manifest keeps of them.
    pub fn parts(&self, parts: Vec<Arc<PartEntry>>) -> Result<Vec<Arc<PartEntry>>> {
        if self.parts.is_unknown() || parts.is_empty() {
            return Ok(parts);
        }
        let masks = masks(&self.parts, &self.kept, &parts)?;
        Ok(parts.into_iter().zip(masks).filter(|(_, mask)| mask.can_be_true).map(|(part, _)| part).collect())
    }

    /// Of these, the parts and granules that the bounds of columns leave, without the partition key: for EXPLAIN.
    pub fn left_by_columns(&self, parts: &[Arc<PartEntry>]) -> Result<(u64, u64)> {
        if self.by_columns.is_unknown() || parts.is_empty() {
            return Ok(parts.iter().fold((0, 0), |sum, part| (sum.0 + 1, sum.1 + part.granules)));
        }
        let kept: Vec<_> = self.kept.iter().filter(|(kept, _)| kept.is_of_column(&self.layout)).cloned().collect();
        let masks = masks(&self.by_columns, &kept, parts)?;
        let left = parts.iter().zip(masks).filter(|(_, mask)| mask.can_be_true);
        Ok(left.fold((0, 0), |sum, (part, _)| (sum.0 + 1, sum.1 + part.granules)))
    }

    pub fn granules(&self, part: &OpenPart) -> Chosen {
        self.of_granules.choose(part, &self.layout)
    }

    /// What was done, for EXPLAIN: steps that could leave something out, with the parts and granules before the first
    /// step and after each.
    pub fn uses(&self, counts: [(u64, u64); 5]) -> Vec<IndexUse> {
        let text_keys = |condition: &Condition, text: &dyn Fn(usize) -> String| -> Vec<String> {
            condition.bases().into_iter().map(text).collect()
        };
        let of_columns = |base: usize| {
            let kept = self.kept.iter().filter(|(kept, _)| kept.is_of_column(&self.layout)).nth(base);
            kept.map_or_else(String::new, |(kept, _)| kept.text(&self.layout))
        };
        let partition_text = |base: usize| self.layout.partition[base].text.clone();
        let key_text = |base: usize| self.layout.sorting[base].text.clone();
        let GranuleConditions { key, columns, places } = &self.of_granules;
        let column_text = |base: usize| self.layout.columns.0[places[base]].name.clone();
        let steps = [
            ("Min-Max", &self.by_columns, text_keys(&self.by_columns, &of_columns)),
            ("Partition", &self.by_partition, text_keys(&self.by_partition, &partition_text)),
            ("PrimaryKey", key, text_keys(key, &key_text)),
            ("Statistics", columns, text_keys(columns, &column_text)),
        ];
        let is_shown = |kind: &str, condition: &Condition| match kind {
            "PrimaryKey" => true,
            "Min-Max" | "Partition" if !self.layout.partition.is_empty() => true,
            _ => !condition.is_unknown(),
        };
        steps
            .into_iter()
            .zip(counts.windows(2))
            .filter(|((kind, condition, _), counts)| is_shown(kind, condition) || counts[0] != counts[1])
            .map(|((kind, condition, keys), counts)| IndexUse {
                kind,
                index: None,
                keys,
                condition: Some(condition.text()),
                parts: (counts[1].0, counts[0].0),
                granules: (counts[1].1, counts[0].1),
            })
            .collect()
    }
}

impl Kept {
    /// Whether it is the range of a column, rather than of what partitions are told apart by.
    fn is_of_column(&self, layout: &Layout) -> bool {
        match self {
            Kept::Range(at) => *at < layout.partition_columns.len(),
            Kept::Statistics(_) => true,
            Kept::PartitionId | Kept::Name => false,
        }
    }

    /// The column's name.
    fn text(&self, layout: &Layout) -> String {
        let place = match self {
            Kept::Range(at) => layout.partition_columns.get(*at).copied(),
            Kept::Statistics(key) => (0..layout.columns.len()).find(|place| layout.key(*place) == key),
            Kept::PartitionId | Kept::Name => None,
        };
        place.map_or_else(String::new, |place| layout.columns.0[place].name.clone())
    }
}

/// What can be said of a condition for the rows of each part, by what the manifest keeps of the parts.
fn masks(condition: &Condition, kept: &[(Kept, SqlType)], parts: &[Arc<PartEntry>]) -> Result<Vec<Mask>> {
    let mut slots: Vec<Option<(SlotValues, SlotValues, Vec<bool>)>> = Vec::with_capacity(condition.slots.len());
    for slot in &condition.slots {
        let (kept, kind) = &kept[slot.base];
        let (least, greatest, known) = kept_values(kept, kind, parts)?;
        slots.push(slot.values(&least).zip(slot.values(&greatest)).map(|(least, greatest)| (least, greatest, known)));
    }
    let mask = |at: usize| {
        condition.check(&|slot| match &slots[slot] {
            Some((least, greatest, known)) if known[at] => {
                let (least, greatest) = (End::closed(least, at), End::closed(greatest, at));
                condition.slots[slot].range(Some(least), Some(greatest), false)
            }
            _ => Dim::ANY,
        })
    };
    Ok((0..parts.len()).map(mask).collect())
}

/// For each filter whether every row of the parts fulfils it for certain, by what the manifest keeps of the parts: such a
/// filter need not be computed. Only values that cannot be NULL are asked, of filters that cannot be: `NOT` of NULL is not true.
pub fn fulfilled(layout: &Arc<Layout>, filters: &[Expr], parts: &[Arc<PartEntry>]) -> Result<Vec<bool>> {
    let (bases, kept): (Vec<Base>, Vec<(Kept, SqlType)>) =
        kept_bases(layout).into_iter().filter(|(_, (_, kind))| !kind.is_nullable()).unzip();
    let schema = DFSchema::try_from(layout.schema.as_ref().clone())?;
    let is_fulfilled = |filter: &Expr| {
        let filter = unqualified(filter)?;
        let condition = analyze(&bases, &schema, std::slice::from_ref(&filter));
        if condition.slots.is_empty() || parts.is_empty() || may_be_null(&filter, &schema) {
            return Ok(false);
        }
        Ok(masks(&condition, &kept, parts)?.iter().all(|mask| !mask.can_be_false))
    };
    filters.iter().map(is_fulfilled).collect()
}

/// What a filter says of the primary key, where the sparse index may tell that all rows of granules fulfil it (see
/// `granules::all_pass`).
pub fn of_key(layout: &Layout, filter: &Expr) -> Result<Option<Condition>> {
    let bases: Vec<Base> = layout.primary().iter().map(key_base).collect();
    let schema = DFSchema::try_from(layout.schema.as_ref().clone())?;
    let filter = unqualified(filter)?;
    if may_be_null(&filter, &schema) {
        return Ok(None);
    }
    let condition = analyze(&bases, &schema, &[filter]);
    let is_usable = |slot: &Slot| slot.function.is_none() && !layout.primary()[slot.base].kind.is_nullable();
    Ok((!condition.slots.is_empty() && condition.slots.iter().all(is_usable)).then_some(condition))
}

/// Whether the filter may be NULL for some row. What is known of a key does not tell: that of `ORDER BY ifNull(n, 0)` is never
/// NULL, where `n != 1` is. A constant NULL makes it so over columns that never are: `n IN (1, 2) AND NULL`.
fn may_be_null(filter: &Expr, schema: &DFSchema) -> bool {
    let is_nullable = |expr: &Expr| match expr {
        Expr::Column(column) => schema.field_with_unqualified_name(&column.name).is_ok_and(|field| field.is_nullable()),
        Expr::Literal(value, _) => value.is_null(),
        _ => false,
    };
    filter.exists(|expr| Ok(is_nullable(expr))).unwrap_or(true) && filter.nullable(schema).unwrap_or(true)
}

fn kept_bases(layout: &Layout) -> Vec<(Base, (Kept, SqlType))> {
    let mut bases = Vec::new();
    let columns = layout.partition_columns.iter().map(|&place| &layout.columns.0[place]);
    for (at, column) in columns.enumerate() {
        bases.push((column_base(&column.name, &column.kind), (Kept::Range(at), column.kind.clone())));
    }
    for (at, key) in layout.partition.iter().enumerate() {
        if key.column().is_none() {
            let at = layout.partition_columns.len() + at;
            bases.push((key_base(key), (Kept::Range(at), key.kind.clone())));
        }
    }
    for &place in &layout.statistics_columns {
        let column = &layout.columns.0[place];
        bases.push((
            column_base(&column.name, &column.kind),
            (Kept::Statistics(layout.key(place).to_string()), column.kind.clone()),
        ));
    }
    // A declared column of the same name is another.
    for (name, kept) in [(PARTITION_ID, Kept::PartitionId), (PART, Kept::Name)] {
        if layout.declared.get(name).is_none() {
            bases.push((column_base(name, &SqlType::String), (kept, SqlType::String)));
        }
    }
    bases
}

/// Least and greatest values of a base by part, and whether they are known.
fn kept_values(kept: &Kept, kind: &SqlType, parts: &[Arc<PartEntry>]) -> Result<(ArrayRef, ArrayRef, Vec<bool>)> {
    let texts = |text: fn(&PartEntry) -> &str| -> (ArrayRef, ArrayRef, Vec<bool>) {
        let array: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(parts.iter().map(|part| text(part))));
        (array.clone(), array, vec![true; parts.len()])
    };
    let range = |part: &PartEntry| match kept {
        Kept::Range(at) => part.ranges.get(*at).cloned(),
        Kept::Statistics(name) => part.statistics.get(name).cloned(),
        Kept::PartitionId | Kept::Name => None,
    };
    Ok(match kept {
        Kept::PartitionId => texts(|part| &part.partition_id),
        Kept::Name => texts(|part| &part.name),
        Kept::Range(_) | Kept::Statistics(_) => {
            let ranges: Vec<_> = parts.iter().map(|part| range(part)).collect();
            let known = ranges.iter().map(Option::is_some).collect();
            let ranges: Vec<_> = ranges.into_iter().map(Option::unwrap_or_default).collect();
            let least = value::from_json(&kind.arrow(), ranges.iter().map(|(least, _)| least))?;
            let greatest = value::from_json(&kind.arrow(), ranges.iter().map(|(_, greatest)| greatest))?;
            (least, greatest, known)
        }
    })
}

/// What skip indexes did, for EXPLAIN: parts and granules before the first of them, and after each step.
pub fn skip_uses(selector: &SkipSelector, before: (u64, u64), counts: &[(u64, u64)]) -> Vec<IndexUse> {
    let index = |useful: &Useful| ((useful.index.definition.name.clone(), useful.index.description()), useful.condition());
    let combined = || {
        let name = ("<Combined skip indexes>".to_string(), "Final set of granules after AND/OR processing".to_string());
        (name, None)
    };
    let steps = selector.useful.iter().map(index).chain(selector.combines().then(combined));
    let befores = std::iter::once(&before).chain(counts);
    steps
        .zip(befores.zip(counts))
        .map(|((name, condition), (before, after))| IndexUse {
            kind: "Skip",
            index: Some(name),
            keys: Vec::new(),
            condition,
            parts: (after.0, before.0),
            granules: (after.1, before.1),
        })
        .collect()
}

/// The conditions that must all hold.
pub fn conjuncts(filters: &[Expr]) -> Vec<Expr> {
    let parts = filters.iter().flat_map(split_conjunction);
    parts.flat_map(|part| prewhere::marked(part).map_or_else(|| vec![part], split_conjunction)).cloned().collect()
}

/// The same expression over columns without a table's name.
pub fn unqualified(filter: &Expr) -> Result<Expr> {
    let rewritten = filter.clone().transform(|part| {
        Ok(match part {
            Expr::Column(column) if column.relation.is_some() => {
                Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
            }
            other => Transformed::no(other),
        })
    })?;
    Ok(rewritten.data)
}

/// With `_partition_value` and its elements as the expressions of the partition key that they are the values of.
fn by_partition_key(filter: Expr, layout: &Layout) -> Result<Expr> {
    let rewritten = filter.transform_down(|part| {
        Ok(match partition_element(&part, layout).or_else(|| equal_partition(&part, layout)) {
            Some(key) => Transformed::new(key, true, TreeNodeRecursion::Jump),
            None => Transformed::no(part),
        })
    })?;
    Ok(rewritten.data)
}

/// `_partition_value.1`
fn partition_element(expr: &Expr, layout: &Layout) -> Option<Expr> {
    let Expr::ScalarFunction(call) = expr else { return None };
    let ("tupleElement", [Expr::Column(tuple), Expr::Literal(place, _)]) = (call.func.name(), &call.args[..]) else {
        return None;
    };
    let place = place.cast_to(&DataType::Int64).ok().filter(|_| tuple.name == PARTITION_VALUE)?;
    let ScalarValue::Int64(Some(place)) = place else { return None };
    layout.partition.get(usize::try_from(place - 1).ok()?).map(|key| key.logical.clone())
}

/// `_partition_value = tuple(…)`: each key equals its element.
fn equal_partition(expr: &Expr, layout: &Layout) -> Option<Expr> {
    let Expr::ScalarFunction(call) = expr else { return None };
    let (Expr::Column(column), Expr::Literal(constant, _)) = (match (call.func.name(), &call.args[..]) {
        ("equals", [left @ Expr::Column(_), right] | [right, left @ Expr::Column(_)]) => (left, right),
        _ => return None,
    }) else {
        return None;
    };
    let kinds = layout.partition.iter().map(|key| Field::new(&key.text, key.kind.arrow(), true));
    let data_type = DataType::Struct(kinds.collect());
    let ScalarValue::Struct(tuple) = equal_tuple(constant, &data_type).filter(|_| column.name == PARTITION_VALUE)? else {
        return None;
    };
    let values = tuple.columns().iter().map(|value| ScalarValue::try_from_array(value, 0).ok());
    let equal = layout.partition.iter().zip(values).map(|(key, value)| Some(key.logical.clone().eq(lit(value?))));
    conjunction(equal.collect::<Option<Vec<_>>>()?)
}
