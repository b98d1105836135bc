//! Parts as they are opened: what their tails say, kept in memory under the object that changes whenever they do; and
//! objects that no version names, which go from there and from the store.

use std::sync::Arc;

use futures::stream::StreamExt;
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::{Event, QueryContext};
use xxhash_rust::xxh3::xxh3_64;

use crate::manifest::PartEntry;
use crate::part::OpenPart;
use crate::table::Core;

/// Objects removed at the same time: each is a round trip.
const DISCARDED_AT_ONCE: usize = 16;

impl Core {
    /// A part's header, index and footer, from memory or by one read of its tail.
    pub async fn open_part(&self, context: &Arc<QueryContext>, part: &PartEntry) -> Result<Arc<OpenPart>> {
        let location = self.opened_as(part);
        if let Some(open) = self.environment.parts.get(&location) {
            context.counters.add(Event::MarkCacheHits, 1);
            return Ok(open);
        }
        context.counters.add(Event::MarkCacheMisses, 1);
        let open = Arc::new(self.read_tail(context, part).await?);
        context.counters.add(Event::LoadedPrimaryIndexFiles, 1);
        context.counters.add(Event::LoadedPrimaryIndexRows, part.granules);
        context.counters.add(Event::LoadedPrimaryIndexBytes, open.memory_bytes);
        self.environment.parts.put(location, open.clone());
        Ok(open)
    }

    /// Opens a part from what lies in the store now. Errors: CHECKSUM_DOESNT_MATCH, CORRUPTED_DATA.
    pub async fn read_tail(&self, context: &Arc<QueryContext>, part: &PartEntry) -> Result<OpenPart> {
        let location = self.store.location(&part.key);
        let tail_bytes = part.bytes.saturating_sub(part.tail_offset) as usize;
        if tail_bytes >= ASKED_FOR_BYTES {
            // Keys of megabytes: they are there as bytes, as values and as what is compared.
            check_room(tail_bytes.saturating_mul(3)).context(|| format!("opening part {location}"))?;
        }
        let mut read = self.store.read(context, &part.key, &[part.tail_offset..part.bytes]).await?;
        let tail = read.pop().ok_or_else(|| Error::logical("A store returned no bytes for a range"))?;
        if part.tail_hash != 0 && part.tail_hash != xxh3_64(&tail) {
            return Err(Error::new(
                ErrorCode::CHECKSUM_DOESNT_MATCH,
                format!(
                    "The index of part {location} is not what was written: the object is damaged. Restore it, or drop its partition"
                ),
            ));
        }
        let open = OpenPart::parse(&part.key, part.bytes, tail, &self.layout)?;
        let Some(deleted) = &part.deleted else { return Ok(open) };
        let data = self.store.read_whole(context, &deleted.key).await?.ok_or_else(|| {
            let text = format!("{} is gone, which says which rows of part {location} are deleted", deleted.key);
            Error::new(ErrorCode::FILE_DOESNT_EXIST, text)
        })?;
        open.without(&self.store.location(&deleted.key), &data)
    }

    /// Where opened parts are kept: by the object that changes whenever they do.
    fn opened_as(&self, part: &PartEntry) -> String {
        self.store.location(part.deleted.as_ref().map_or(&part.key, |deleted| &deleted.key))
    }

    pub fn opened(&self, part: &PartEntry) -> Option<Arc<OpenPart>> {
        self.environment.parts.get(&self.opened_as(part))
    }

    /// No longer keeps what was read of a part. Whoever reads it goes on.
    pub fn close_part(&self, part: &PartEntry) {
        self.environment.parts.remove(&self.opened_as(part));
    }

    /// As `discard`, of all these objects.
    pub async fn discard_all(&self, keys: impl Iterator<Item = &str>) {
        futures::stream::iter(keys).for_each_concurrent(DISCARDED_AT_ONCE, |key| self.discard(key)).await;
    }

    /// Removes an object that no version names; what fails is left to the sweeper.
    pub async fn discard(&self, key: &str) {
        self.environment.parts.remove(&self.store.location(key));
        let context = self.environment.context("discard");
        if let Err(error) = self.store.delete(&context, key).await {
            tracing::warn!("object {} was not removed: {error}", self.store.location(key));
        }
    }
}
