//! A part of one table as a part of another of the same columns.
//!
//! Where the object would be the same, it is copied as it is: a second name of the file on a disk, by the bucket itself
//! there. It would not be where rows are deleted, where the tables know their columns, indexes or projections by other keys (ALTER gave new
//! ones), where their TTL differs, or where the part is older than an ALTER: then its rows are read and written anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use serde_json::Value;

use crate::insert::block::object_key;
use crate::insert::writer::entry;
use crate::layout::Layout;
use crate::manifest::{PartEntry, ProjectionEntry, State};
use crate::part::{OpenPart, PartPlan, PartWriter, Sorted};
use crate::projection::build::Building;
use crate::projection::{Projection, has_any};
use crate::read::evolve::{FoundColumn, traits_of};
use crate::read::output::Output;
use crate::read::stream::{ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;

/// Bytes (as values in memory) that the reading of a part holds ahead, about.
const READ_BYTES: u64 = 64 << 20;

/// The tables that parts go to and come from.
pub struct Tables<'a> {
    to: &'a Arc<Core>,
    from: &'a Arc<Core>,
    /// Of the table that they come from.
    state: Arc<State>,
    /// An object that either table would write today is one of the other.
    same_keys: bool,
}

fn same_keys(to: &Layout, from: &Layout) -> bool {
    let indexes = |layout: &Layout| layout.skip_indexes.iter().map(|index| index.definition.clone()).collect::<Vec<_>>();
    let rules = |layout: &Layout| layout.ttl.rules.iter().map(|rule| rule.key.clone()).collect::<Vec<_>>();
    // Of those that only the one has, the parts of the other have nothing.
    let same_projection = |own: &Arc<Projection>| {
        let alike = |known: &&Arc<Projection>| known.key == own.key;
        to.projections.iter().find(alike).is_some_and(|known| known.definition == own.definition)
    };
    to.keys == from.keys
        && indexes(to) == indexes(from)
        && rules(to) == rules(from)
        && from.projections.iter().all(same_projection)
}

/// The places in one table of the columns of another, in that one's order.
fn places_of(to: &Layout, from: &Layout) -> Result<Vec<usize>> {
    let place = |name: &str| {
        let missing = || Error::logical(format!("A table that parts come from has no column {name}"));
        from.columns.index_of(name).ok_or_else(missing)
    };
    to.columns.iter().map(|column| place(&column.name)).collect()
}

/// What the manifest says of the columns of the partition key, in the other table's order of these.
fn ranges_of(part: &PartEntry, to: &Layout, from: &Layout) -> Vec<(Value, Value)> {
    let name = |layout: &Layout, place: &usize| layout.columns.0[*place].name.clone();
    let range = |place: &usize| {
        let at = from.partition_columns.iter().position(|known| name(from, known) == name(to, place))?;
        part.ranges.get(at).cloned()
    };
    // Behind the columns' ranges stand the values of the key, whose expressions are the same.
    let values = part.ranges.iter().skip(from.partition_columns.len()).cloned();
    to.partition_columns.iter().filter_map(range).chain(values).collect()
}

impl<'a> Tables<'a> {
    pub fn new(to: &'a Arc<Core>, from: &'a Arc<Core>, state: Arc<State>) -> Tables<'a> {
        Tables { to, from, state, same_keys: same_keys(&to.layout, &from.layout) }
    }

    /// The part as one of the other table, under the block number that it had.
    pub async fn carry(&self, context: &Arc<QueryContext>, part: &Arc<PartEntry>) -> Result<PartEntry> {
        let open = context.cancellable(self.from.open_part(context, part)).await?;
        let (min_block, max_block) = (part.min_block, part.max_block);
        let carried = match self.is_as_written_today(part, &open) {
            true => self.copy(context, part).await?,
            false => self.rewrite(context, part, open).await?,
        };
        Ok(PartEntry { min_block, max_block, ..carried })
    }

    fn is_as_written_today(&self, part: &PartEntry, open: &OpenPart) -> bool {
        let layout = &self.to.layout;
        let found = open.find_columns(layout);
        let known = |index: &String| layout.skip_indexes.iter().any(|known| known.definition.key == *index);
        self.same_keys
            && part.deleted.is_none()
            // What a dropped column left could be taken for a later one of the other table.
            && open.header.columns.len() == layout.columns.len()
            && found.columns.iter().all(|column| matches!(column, FoundColumn::Stored(_)))
            && part.skip_indexes.keys().all(known)
            // What a dropped projection left could be taken for one that the other table alone has.
            && part.projections.keys().all(|key| self.from.layout.projections.iter().any(|known| known.key == *key))
    }

    async fn copy(&self, context: &Arc<QueryContext>, part: &PartEntry) -> Result<PartEntry> {
        let mut copied = PartEntry {
            key: object_key(context, &part.partition_id, part.level),
            mutation: 0,
            created_ms: context.env.now_ms(),
            projections: BTreeMap::new(),
            ..part.clone()
        };
        let done = self.copy_objects(context, part, &mut copied).await;
        if let Err(error) = done {
            self.to.discard_all(copied.objects()).await;
            return Err(error);
        }
        Ok(copied)
    }

    /// Whatever it began to copy stands in `copied`, also where it fails.
    async fn copy_objects(&self, context: &Arc<QueryContext>, part: &PartEntry, copied: &mut PartEntry) -> Result<()> {
        let (to, from) = (&self.to.store, self.from.store.as_ref());
        to.copy(context, from, &part.key, part.bytes, &copied.key).await?;
        for (name, data) in &part.projections {
            let projection = self.to.layout.projections.iter().find(|known| known.key == *name);
            let projection = projection.ok_or_else(|| Error::logical(format!("no projection has the key {name}")))?;
            let key = projection.layout.new_object(context, &part.partition_id, part.level);
            copied.projections.insert(name.clone(), ProjectionEntry { key: key.clone(), ..data.clone() });
            to.copy(context, from, &data.key, data.bytes, &key).await?;
        }
        Ok(())
    }

    async fn rewrite(&self, context: &Arc<QueryContext>, part: &Arc<PartEntry>, open: Arc<OpenPart>) -> Result<PartEntry> {
        let (to, from, state) = (self.to, self.from, &self.state);
        let places = places_of(&to.layout, &from.layout)?;
        let (text, dictionaries) = places.iter().map(|place| traits_of(&open, &from.layout, *place)).unzip();
        let plan = PartPlan {
            key: object_key(context, &part.partition_id, part.level),
            partition_id: part.partition_id.clone(),
            partition: part.partition.clone(),
            level: part.level,
            codec: from.layout.ttl.codec_of_part(part).unwrap_or_else(|| to.settings.codec(part.level)),
            granule_rows: open.header.granule_rows as usize,
            row_group_rows: open.header.row_group_rows as usize,
            text,
            dictionaries,
            lanes: context.threads(),
        };
        let whole = PartSelection::of(part.clone(), open.clone(), Vec::from([0..open.granules()]));
        let outputs = places.iter().map(|place| Output::Stored(*place)).collect();
        let limits = UnitLimits { granules: 16, bytes: READ_BYTES / 2, streams: 1 };
        let shared = ScanShared::of_merge(from, state, whole, (outputs, to.layout.schema.clone()), (limits, None));
        let mut rows = stream(shared, context.clone()).boxed();
        let mut writer = PartWriter::create(context, &to.store, to.layout.clone(), plan).await?;
        let projections = to.layout.projections.iter().filter(|projection| has_any(part, &projection.definition.name));
        let projections = projections.cloned().collect();
        let building = Building { settings: to.settings.clone(), core: Some(to.clone()), projections };
        writer.build_projections(context, &to.store, building);
        let copied = async {
            while let Some(batch) = rows.next().await.transpose()? {
                context.check()?;
                let keys = to.layout.primary().iter().map(|key| key.evaluate(&batch)).collect::<Result<Vec<_>>>()?;
                let rows = batch.num_rows();
                writer.write(&Sorted { columns: batch.columns().to_vec(), keys, order: None, rows }).await?;
            }
            Ok::<(), Error>(())
        };
        if let Err(error) = copied.await {
            writer.abort().await;
            return Err(error);
        }
        let written = writer.finish().await?;
        let ranges = ranges_of(part, &to.layout, &from.layout);
        let entry = entry(&written, ranges, 0, 0, context.env.now_ms());
        Ok(PartEntry { codec: part.codec.clone(), ..entry })
    }
}
