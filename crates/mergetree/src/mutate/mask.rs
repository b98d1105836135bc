//! DELETE FROM without writing the part anew: which rows are deleted is written beside it (`part::v1::deleted_rows`), and
//! whoever reads the part leaves them out. Merges and mutations write parts without them.
//!
//! Only the condition's columns are read, where the index does not tell that no row fulfils it. A part that would have
//! more deleted rows than others is written anew after all: each later scan would pay for them.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Field, Schema, UInt64Type};
use futures::StreamExt;
use gristmill_base::{Error, Result};
use gristmill_catalog::{ColumnExpression, RowChange};
use gristmill_introspect::{Event, QueryContext};

use super::part::{Mutated, READ_BYTES};
use super::program::Program;
use crate::index::select::{Selector, conjuncts};
use crate::insert::block::object_key;
use crate::layout::Layout;
use crate::manifest::{DeletedEntry, PartEntry, State};
use crate::merge::list::{self, Reason};
use crate::merge::log;
use crate::part::OpenPart;
use crate::part::v1::deleted_rows::DeletedRows;
use crate::read::PART_OFFSET;
use crate::read::filter::ScanFilter;
use crate::read::output::Output;
use crate::read::stream::{ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;

/// The part without the rows that fulfil the condition. `None`: it is better written anew.
pub async fn delete(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    change: &RowChange,
) -> Result<Option<Mutated>> {
    let program = Program::compile(core, part, std::slice::from_ref(change), context)?;
    if program.counts_rows() {
        return Ok(None);
    }
    let open = context.cancellable(core.open_part(context, part)).await?;
    let conditions = program.conditions(&open);
    let Some([condition]) = conditions.as_deref() else { return Ok(None) };
    let before = open.deleted.clone().unwrap_or_default();
    let deleted = with_rows_of(core, state, context, (part, &open), condition, before.clone()).await?;
    let found = deleted.rows() - before.rows();
    if found == 0 {
        return Ok(Some(Mutated::Same));
    }
    if deleted.rows() == open.header.rows {
        return Ok(Some(Mutated::Gone));
    }
    if deleted.rows() > open.header.rows / 2 {
        return Ok(None);
    }
    context.counters.add(Event::MutatedRows, found);
    context.counters.add(Event::DeleteNotedRows, found);
    let listed = list::begin(core, context, std::slice::from_ref(part), Reason::Mutation);
    log::began(core, &listed.running);
    let key = object_key(context, &part.partition_id, part.level).replace(".parquet", ".deleted");
    let data = deleted.encode()?;
    let (rows, bytes) = (deleted.rows(), data.len() as u64);
    let written = async {
        let mut upload = core.store.upload(context, &key).await?;
        match upload.write(data).await {
            Ok(()) => upload.finish().await,
            Err(error) => {
                upload.abort().await;
                Err(error)
            }
        }
    };
    if let Err(error) = written.await {
        log::ended(core, &listed.running, None, Some(&error));
        return Err(error);
    }
    Ok(Some(Mutated::Masked(DeletedEntry { key, rows, bytes }, listed)))
}

/// Bytes of the columns that a condition is computed from, of so many rows of a part: about, where these are not all.
fn bytes_of(layout: &Layout, open: &OpenPart, condition: &ColumnExpression, rows: u64) -> u64 {
    let of = |name: &String| {
        let key = layout.key(layout.columns.index_of(name)?);
        Some(open.header.columns.iter().find(|column| column.key() == key)?.uncompressed_bytes)
    };
    let of_all: u64 = condition.inputs.iter().filter_map(of).sum();
    (u128::from(of_all) * u128::from(rows) / u128::from(open.header.rows.max(1))) as u64
}

/// The deleted rows, and those that fulfil the condition.
async fn with_rows_of(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    (part, open): (&Arc<PartEntry>, &Arc<OpenPart>),
    condition: &ColumnExpression,
    mut deleted: DeletedRows,
) -> Result<DeletedRows> {
    let mut granules = Vec::from([0..open.granules()]);
    // A constant says the same of all rows.
    if !condition.inputs.is_empty() {
        let selector = Selector::new(core.layout.clone(), &conjuncts(std::slice::from_ref(&condition.logical)))?;
        if selector.parts(vec![part.clone()])?.is_empty() {
            return Ok(deleted);
        }
        granules = selector.granules(open).granules;
    }
    if granules.is_empty() {
        return Ok(deleted);
    }
    let chosen = PartSelection::of(part.clone(), open.clone(), granules);
    context.counters.add(Event::DeleteReadRows, chosen.rows);
    context.counters.add(Event::DeleteReadUncompressedBytes, bytes_of(&core.layout, open, condition, chosen.rows));
    let filters = vec![ScanFilter::new(&condition.physical, &core.layout.columns)?];
    let limits = UnitLimits { granules: 16, bytes: READ_BYTES / 2, streams: 1 };
    let schema = Arc::new(Schema::new(vec![Field::new(PART_OFFSET, DataType::UInt64, false)]));
    let shared = ScanShared::of_part(core, state, chosen, filters, (vec![Output::PartOffset], schema), limits);
    let mut rows = stream(shared, context.clone()).boxed();
    while let Some(batch) = rows.next().await.transpose()? {
        context.check()?;
        let offsets = batch.column(0).as_primitive_opt::<UInt64Type>();
        let offsets = offsets.ok_or_else(|| Error::logical("Numbers of rows are of another type"))?;
        deleted.add(offsets.values().iter().copied());
    }
    Ok(deleted)
}
