//! Cuts what is read in the order of the sorting key into segments: stretches of that order that follow one another, so that
//! several are read at the same time and given one after the other.
//!
//! Parts whose ranges of keys do not meet are never compared. They fall into clusters of parts that do meet, by a sweep over
//! their ends. A cluster of one part is cut between granules. One of several is cut at keys at which granules begin; a
//! granule that a border cuts is read for both sides, each of which leaves out the other's rows. Inside of a segment the
//! parts are put into clusters again, as most meet in a few places only.
//!
//! Segments grow: the first holds about the rows that are wanted at first, each next one twice the granules, up to a limit.
//!
//! Rejected: one merge of all parts. It compares every row with its neighbours in other parts even where a part is alone for
//! millions of rows, and decodes and merges on one core.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::row::Rows;
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::order_match::OrderMatch;
use super::unit::PartSelection;
use crate::index::order::KeyOrder;
use crate::index::runs;
use crate::layout::Layout;

/// A stretch of the order.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Parts that are merged with one another. All rows of a group come before those of the next.
    pub groups: Vec<Vec<PartSelection>>,
    /// Rows outside of it belong to other segments; `None`: all rows are its own.
    pub range: Option<KeyRange>,
}

/// From a normalised key on, and up to another; `None`: without that end.
#[derive(Clone, Debug, Default)]
pub struct KeyRange {
    from: Option<Arc<[u8]>>,
    to: Option<Arc<[u8]>>,
}

/// How large segments are, in granules.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSizes {
    pub first: usize,
    pub most: usize,
}

/// The keys of rows by which segments are told apart.
#[derive(Debug)]
pub struct SegmentKeys {
    order: KeyOrder,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
}

impl SegmentKeys {
    /// `schema`: of the scan's output, which has the columns of all keys without a fixed value.
    pub fn new(layout: &Layout, found: &OrderMatch, schema: &SchemaRef) -> Result<SegmentKeys> {
        let kinds: Vec<(&SqlType, bool)> = free(layout, found).map(|at| directed(layout, at)).collect();
        let exprs = free(layout, found)
            .map(|at| Ok(reassign_expr_columns(layout.sorting[at].physical.clone(), schema)?))
            .collect::<Result<Vec<_>>>()?;
        Ok(SegmentKeys { order: KeyOrder::directed(&kinds)?, exprs })
    }

    /// The rows, which are in order, that lie in the range. `backwards`: in reverse order.
    pub fn within(&self, batch: RecordBatch, range: &KeyRange, backwards: bool) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        if rows == 0 || self.exprs.is_empty() {
            return Ok(batch);
        }
        // Most batches lie in the segment as wholes, which their first and last rows tell.
        let (first, last) = (self.keys(&batch.slice(0, 1))?, self.keys(&batch.slice(rows - 1, 1))?);
        let ends = [&first, &last].map(|keys| keys.as_ref().is_none_or(|keys| range.holds(keys.row(0).data())));
        if ends == [true, true] {
            return Ok(batch);
        }
        let Some(keys) = self.keys(&batch)? else { return Ok(batch) };
        let key = |row: usize| keys.row(row).data();
        let all = 0..rows;
        let kept = match backwards {
            false => {
                partition(&all, |row| range.from.as_deref().is_some_and(|from| key(row) < from))..partition(&all, |row| {
                    range.to.as_deref().is_none_or(|to| key(row) < to)
                })
            }
            true => {
                partition(&all, |row| range.to.as_deref().is_some_and(|to| key(row) >= to))..partition(&all, |row| {
                    range.from.as_deref().is_none_or(|from| key(row) >= from)
                })
            }
        };
        Ok(batch.slice(kept.start, kept.end.saturating_sub(kept.start)))
    }

    fn keys(&self, batch: &RecordBatch) -> Result<Option<Rows>> {
        let columns = self.exprs.iter().map(|key| Ok(key.evaluate(batch)?.into_array(batch.num_rows())?));
        self.order.rows(&columns.collect::<Result<Vec<_>>>()?)
    }
}

impl KeyRange {
    fn holds(&self, key: &[u8]) -> bool {
        self.from.as_deref().is_none_or(|from| from <= key) && self.to.as_deref().is_none_or(|to| key < to)
    }
}

/// The first number of the range of which `before` is false, where it is true of those before it.
fn partition(range: &Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The keys that segments are cut by, those without a fixed value among them.
fn free<'a>(layout: &Layout, found: &'a OrderMatch) -> impl Iterator<Item = usize> + 'a {
    (0..cutting(layout, found)).filter(|at| found.fixed[*at].is_none())
}

/// How many keys segments are cut by: those that the sparse index has.
fn cutting(layout: &Layout, found: &OrderMatch) -> usize {
    found.keys.min(layout.primary_key_length)
}

fn directed(layout: &Layout, at: usize) -> (&SqlType, bool) {
    (&layout.sorting[at].kind, layout.sorting[at].descending)
}

/// A part's keys at the beginnings of its granules, and of its last row.
struct PartKeys<'a> {
    part: &'a PartSelection,
    /// The granules that are read, ascending.
    granules: Vec<usize>,
    whole: Rows,
    /// Without those of a fixed value, where there are such.
    free: Option<Rows>,
    /// By row of the index, whether the fixed keys have their values there.
    fits: Option<Vec<bool>>,
}

impl PartKeys<'_> {
    fn key(&self, row: usize) -> &[u8] {
        self.whole.row(row).data()
    }

    fn free_key(&self, row: usize) -> &[u8] {
        self.free.as_ref().unwrap_or(&self.whole).row(row).data()
    }

    /// What the keys of granules, places in `granules`, lie between, both ends included.
    fn ends(&self, places: &Range<usize>) -> (&[u8], &[u8]) {
        (self.key(self.granules[places.start]), self.key(self.granules[places.end - 1] + 1))
    }

    fn selection(&self, places: &Range<usize>) -> PartSelection {
        self.part.only(runs::of(self.granules[places.clone()].iter().copied()))
    }
}

/// Some granules of a part: its place among the parts, and places in `granules`.
type Piece = (usize, Range<usize>);

/// A border between segments: as it is compared with other keys of parts, and with keys of rows.
struct Border<'a> {
    whole: &'a [u8],
    free: &'a [u8],
}

struct Cutter<'a> {
    parts: Vec<PartKeys<'a>>,
    sizes: SegmentSizes,
    wanted: usize,
    backwards: bool,
    /// Rows of equal keys may lie in two segments.
    splits_equal: bool,
}

/// The segments, in the order in which they are given. `whole_order`: the order wants no more than the keys give; otherwise
/// rows of equal keys stay in one segment, and no groups are made. `None`: a part is not open, or nothing can be cut.
pub fn segments(
    layout: &Layout,
    parts: &[PartSelection],
    found: &OrderMatch,
    whole_order: bool,
    sizes: SegmentSizes,
) -> Option<Vec<Segment>> {
    let cutting = cutting(layout, found);
    if cutting == 0 {
        return None;
    }
    let order_of = |keys: &mut dyn Iterator<Item = usize>| {
        let kinds: Vec<(&SqlType, bool)> = keys.map(|at| directed(layout, at)).collect();
        KeyOrder::directed(&kinds).ok()
    };
    let whole = order_of(&mut (0..cutting))?;
    let has_fixed = found.fixed[..cutting].iter().any(Option::is_some);
    let rest = if has_fixed { Some(order_of(&mut free(layout, found))?) } else { None };
    let parts = parts
        .iter()
        .filter(|part| part.marks() > 0)
        .map(|part| {
            let index = &part.open.as_ref()?.index;
            let columns = index.keys.get(..cutting)?;
            let whole = whole.rows(columns).ok()??;
            let free_columns: Vec<_> = free(layout, found).map(|at| columns[at].clone()).collect();
            let free = match &rest {
                Some(rest) => Some(rest.rows(&free_columns).ok()??),
                None => None,
            };
            let fits = has_fixed.then(|| fits(found, layout, columns)).flatten();
            let granules = part.granules.iter().flat_map(Clone::clone).collect();
            Some(PartKeys { part, granules, whole, free, fits })
        })
        .collect::<Option<Vec<_>>>()?;
    // Without a free key there is nothing to tell rows apart by.
    if has_fixed && (parts.iter().any(|part| part.fits.is_none()) || free(layout, found).next().is_none()) {
        return None;
    }
    let splits_equal = whole_order && cutting == found.keys;
    let wanted = sizes.first.clamp(1, sizes.most.max(1));
    Some(Cutter { parts, sizes, wanted, backwards: found.backwards, splits_equal }.cut(whole_order))
}

/// By row of the index, whether fixed keys have their values.
fn fits(found: &OrderMatch, layout: &Layout, columns: &[arrow::array::ArrayRef]) -> Option<Vec<bool>> {
    let mut fits = vec![true; columns.first()?.len()];
    for (at, value) in found.fixed.iter().enumerate().take(columns.len()) {
        let Some(value) = value else { continue };
        let order = KeyOrder::directed(&[directed(layout, at)]).ok()?;
        let (value, keys) = (order.rows(&[value.to_array().ok()?]).ok()??, order.rows(&columns[at..=at]).ok()??);
        fits.iter_mut().enumerate().for_each(|(row, fits)| *fits &= keys.row(row) == value.row(0));
    }
    Some(fits)
}

impl Cutter<'_> {
    fn cut(mut self, whole_order: bool) -> Vec<Segment> {
        let pieces = (0..self.parts.len()).map(|part| (part, 0..self.parts[part].granules.len())).collect();
        let mut clusters = self.clusters(pieces);
        if self.backwards {
            clusters.reverse();
        }
        let mut segments = Vec::new();
        for cluster in clusters {
            match &cluster[..] {
                [only] if self.splits_equal => self.cut_part(only.clone(), &mut segments),
                _ => self.cut_cluster(&cluster, whole_order, &mut segments),
            }
        }
        segments
    }

    fn grown(&mut self) -> usize {
        let wanted = self.wanted;
        self.wanted = (wanted * 2).min(self.sizes.most.max(1));
        wanted
    }

    /// Pieces of parts whose keys meet, directly or by way of others. Clusters ascend.
    fn clusters(&self, mut pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
        let ends = |(part, places): &Piece| self.parts[*part].ends(places);
        pieces.sort_by(|a, b| ends(a).cmp(&ends(b)));
        let mut clusters: Vec<Vec<Piece>> = Vec::new();
        let mut greatest: &[u8] = &[];
        for piece in &pieces {
            let (least, last) = ends(piece);
            let meets = if self.splits_equal { least < greatest } else { least <= greatest };
            match clusters.last_mut().filter(|_| meets) {
                Some(cluster) => cluster.push(piece.clone()),
                None => clusters.push(vec![piece.clone()]),
            }
            greatest = greatest.max(last);
        }
        clusters
    }

    /// Between granules: no other part has rows between these.
    fn cut_part(&mut self, (part, places): Piece, segments: &mut Vec<Segment>) {
        let mut left = places;
        while !left.is_empty() {
            let taken = self.grown().min(left.len());
            let now = match self.backwards {
                false => left.start..left.start + taken,
                true => left.end - taken..left.end,
            };
            left = if self.backwards { left.start..now.start } else { now.end..left.end };
            segments.push(Segment { groups: vec![vec![self.parts[part].selection(&now)]], range: None });
        }
    }

    /// At keys at which granules begin.
    fn cut_cluster(&mut self, cluster: &[Piece], whole_order: bool, segments: &mut Vec<Segment>) {
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (part, places) in cluster {
            let keys = &self.parts[*part];
            let fits = |row: usize| keys.fits.as_ref().is_none_or(|fits| fits[row]);
            starts.extend(keys.granules[places.clone()].iter().filter(|row| fits(**row)).map(|row| (*part, *row)));
        }
        starts.sort_by(|a, b| self.parts[a.0].key(a.1).cmp(self.parts[b.0].key(b.1)));
        // As many granules as parts have begun when the first of them has ended.
        let lead = cluster.len() - 1;
        // Borders, each greater than the keys before it, by their places among `starts`.
        let mut places: Vec<usize> = Vec::new();
        let mut at = if self.backwards { starts.len() } else { 0 };
        loop {
            let step = self.grown() + lead;
            at = if self.backwards { at.saturating_sub(step) } else { at + step };
            let same = |at: usize| {
                let [before, this] = [starts[at - 1], starts[at]].map(|(part, row)| self.parts[part].key(row));
                before == this
            };
            while at > 0 && at < starts.len() && same(at) {
                at = if self.backwards { at - 1 } else { at + 1 };
            }
            if at == 0 || at >= starts.len() {
                break;
            }
            places.push(at);
        }
        if self.backwards {
            places.reverse();
        }
        let mut cut = Vec::with_capacity(places.len() + 1);
        for segment in 0..=places.len() {
            let border = |place: usize| {
                let (part, row) = starts[place];
                Border { whole: self.parts[part].key(row), free: self.parts[part].free_key(row) }
            };
            let from = segment.checked_sub(1).map(|before| border(places[before]));
            let to = places.get(segment).map(|place| border(*place));
            cut.extend(self.segment(cluster, from.as_ref(), to.as_ref(), whole_order));
        }
        if self.backwards {
            cut.reverse();
        }
        segments.extend(cut);
    }

    fn segment(
        &self,
        cluster: &[Piece],
        from: Option<&Border<'_>>,
        to: Option<&Border<'_>>,
        whole_order: bool,
    ) -> Option<Segment> {
        let mut pieces = Vec::new();
        for (part, places) in cluster {
            let keys = &self.parts[*part];
            // A granule ends with, at most, the key that the next begins with.
            let start =
                from.map_or(places.start, |from| partition(places, |place| keys.key(keys.granules[place] + 1) < from.whole));
            let end = to.map_or(places.end, |to| partition(places, |place| keys.key(keys.granules[place]) < to.whole));
            if start < end {
                pieces.push((*part, start..end));
            }
        }
        if pieces.is_empty() {
            return None;
        }
        // What is sorted afterwards need not be merged.
        let mut groups =
            if whole_order { self.clusters(pieces) } else { pieces.into_iter().map(|piece| vec![piece]).collect() };
        if self.backwards {
            groups.reverse();
        }
        let select = |group: Vec<Piece>| group.iter().map(|(part, places)| self.parts[*part].selection(places)).collect();
        let range = KeyRange { from: from.map(|from| Arc::from(from.free)), to: to.map(|to| Arc::from(to.free)) };
        let is_cut = range.from.is_some() || range.to.is_some();
        Some(Segment { groups: groups.into_iter().map(select).collect(), range: is_cut.then_some(range) })
    }
}

/// Parts that are merged with one another in one place, at most.
pub fn merged_at_once(segments: &[Segment]) -> usize {
    segments.iter().flat_map(|segment| &segment.groups).map(Vec::len).max().unwrap_or(0)
}
