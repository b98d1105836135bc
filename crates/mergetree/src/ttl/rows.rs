//! Leads rows, in the order of the sorting key, through the rules of a TTL.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::{concat_batches, filter_record_batch, not};
use gristmill_base::Result;
use gristmill_types::default::default_array;

use super::aggregate::AggregatedRows;
use super::{Action, Rule};
use crate::layout::Layout;
use crate::located::scatter;

pub struct TtlRows {
    layout: Arc<Layout>,
    /// Seconds since the Unix epoch.
    now: i64,
    /// By rule with GROUP BY, in their order: its place among the rules.
    aggregated: Vec<(usize, AggregatedRows)>,
}

impl TtlRows {
    pub fn new(layout: &Arc<Layout>, now: i64) -> Result<TtlRows> {
        let mut aggregated = Vec::new();
        for (at, rule) in layout.ttl.rules.iter().enumerate() {
            if let Action::Aggregate(aggregation) = &rule.action {
                aggregated.push((at, AggregatedRows::new(layout, aggregation)?));
            }
        }
        Ok(TtlRows { layout: layout.clone(), now, aggregated })
    }

    pub fn now(&self) -> i64 {
        self.now
    }

    /// Takes rows of all stored columns that follow those of earlier calls; gives those that no later row changes.
    pub fn push(&mut self, batch: RecordBatch) -> Result<RecordBatch> {
        let layout = self.layout.clone();
        let mut batch = batch;
        for rule in layout.ttl.rules.iter().filter(|rule| matches!(rule.action, Action::Delete)) {
            let expired = rule.expired(&batch, self.now)?;
            if expired.true_count() > 0 {
                batch = filter_record_batch(&batch, &not(&expired)?)?;
            }
        }
        for (at, rows) in &mut self.aggregated {
            let expired = layout.ttl.rules[*at].expired(&batch, self.now)?;
            batch = rows.push(&batch, &expired)?;
        }
        self.reset(batch)
    }

    /// The rows that are left, after the last call of `push`.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let layout = self.layout.clone();
        let mut rest = RecordBatch::new_empty(layout.schema.clone());
        for (at, rows) in &mut self.aggregated {
            let expired = layout.ttl.rules[*at].expired(&rest, self.now)?;
            rest = concat_batches(&layout.schema, [&rows.push(&rest, &expired)?, &rows.finish()?])?;
        }
        self.reset(rest)
    }

    fn reset(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let mut columns: Option<Vec<ArrayRef>> = None;
        let resets = self.layout.ttl.rules.iter().filter_map(|rule| match &rule.action {
            Action::Reset { place, default } => Some((rule, *place, default)),
            _ => None,
        });
        for (rule, place, default) in resets {
            let rule: &Rule = rule;
            let expired = rule.expired(&batch, self.now)?;
            let count = expired.true_count();
            if count == 0 {
                continue;
            }
            let new = match default {
                // Only of the rows concerned: of others it may fail.
                Some(default) => default.evaluate(&filter_record_batch(&batch, &expired)?)?,
                None => default_array(&self.layout.columns.0[place].kind, count),
            };
            let columns = columns.get_or_insert_with(|| batch.columns().to_vec());
            columns[place] = scatter(&columns[place], &new, &expired)?;
        }
        let Some(columns) = columns else { return Ok(batch) };
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
    }
}
