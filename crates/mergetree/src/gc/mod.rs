//! The sweeper: removes objects that no version names (M-4).
//!
//! - A replaced part: `old_parts_lifetime` after the commit that replaced it, when no query of this process reads a
//!   version that names it. (A query of another process that begins to read later finds it gone and takes the newest
//!   version.)
//! - An object in `parts/` or `projections/` that neither the newest version nor its lists of replaced and detached parts name: what a killed insert or
//!   merge left. It goes when it is older than `orphan_grace_seconds`; inserts and merges give up committing long before
//!   that age.
//! - A version of the manifest: an hour after a later one with a snapshot was written. A writer reads the list of
//!   versions anew when what it knows is older than half of that.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

use crate::manifest::log::STALE_AFTER;
use crate::manifest::v1::record::{FOLDER, SNAPSHOT_INTERVAL, key, version_of};
use crate::manifest::{PartEntry, State};
use crate::merge::log;
use crate::projection;
use crate::store::StoredObject;
use crate::table::Core;

/// From one listing of the table's folder to the next.
const LISTING_INTERVAL: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub struct Sweeper {
    listed: Mutex<Option<Instant>>,
}

/// Removes what is due.
pub async fn sweep(core: &Core) -> Result<()> {
    let context = core.environment.context("sweep");
    let now = context.env.instant();
    let known = *core.sweeper.listed.lock();
    let is_listing_due = known.is_none_or(|listed| now.saturating_duration_since(listed) >= LISTING_INTERVAL);
    if is_listing_due && (known.is_some() || !due(core, &core.manifest.current(), &context).is_empty()) {
        list(core, &context).await?;
        *core.sweeper.listed.lock() = Some(now);
    } else if known.is_none() {
        // Nothing is due yet: a folder that was just opened is listed after an interval, or when something is.
        core.sweeper.listed.lock().get_or_insert(now);
    }
    let state = core.manifest.current();
    for (key, part) in due(core, &state, &context) {
        core.store.delete(&context, &key).await?;
        core.environment.parts.remove(&core.store.location(&key));
        core.manifest.note_swept([key]);
        if let Some(part) = part {
            log::removed(core, &context, &part);
        }
    }
    let named = removed(&state);
    core.manifest.retain_swept(&named);
    Ok(())
}

/// Objects that were named, and are kept for those who may still read them.
fn removed(state: &State) -> HashSet<&str> {
    let of_parts = state.removed.iter().flat_map(|removed| removed.part.objects());
    of_parts.chain(state.removed_objects.iter().map(|removed| removed.key.as_str())).collect()
}

/// Objects of replaced parts whose time has come, each with the part whose rows go with it.
fn due(core: &Core, state: &State, context: &QueryContext) -> Vec<(String, Option<Arc<PartEntry>>)> {
    let now = context.env.now_ms();
    let lifetime_ms = core.settings.old_parts_lifetime * 1000;
    let objects = state
        .removed_objects
        .iter()
        .filter(|removed| removed.removed_ms + lifetime_ms <= now && !is_read(core, &removed.key))
        .map(|removed| removed.key.as_str());
    state
        .removed
        .iter()
        .filter(|removed| removed.removed_ms + lifetime_ms <= now)
        .filter(|removed| !core.is_pinned(&removed.part))
        .flat_map(|removed| {
            let of_part = |key: &str| (key == removed.part.key).then(|| removed.part.clone());
            removed.part.objects().map(move |key| (key.to_string(), of_part(key)))
        })
        .chain(objects.map(|key| (key.to_string(), None)))
        .filter(|(key, _)| !core.manifest.is_swept(key))
        .collect()
}

/// Looks at all objects of the table: removes those without a name and old versions.
pub async fn list(core: &Core, context: &Arc<QueryContext>) -> Result<()> {
    // The objects first, the names after them: whatever was committed between is named.
    let mut objects = core.store.list(context, "parts/").await?;
    objects.extend(core.store.list(context, projection::FOLDER).await?);
    let versions = core.store.list(context, FOLDER).await?;
    let state = core.manifest.newest(context).await?;
    let now = context.env.now_ms();
    let live: HashSet<&str> = state.parts.values().chain(&state.detached).flat_map(|part| part.objects()).collect();
    let removed = removed(&state);
    let there: HashSet<&str> = objects.iter().map(|object| object.key.as_str()).collect();
    let gone = removed.iter().filter(|key| !there.contains(*key)).map(|key| key.to_string());
    core.manifest.note_swept(gone);
    let grace_ms = core.settings.orphan_grace_seconds * 1000;
    for object in &objects {
        let is_named = live.contains(object.key.as_str()) || removed.contains(object.key.as_str());
        if !is_named && object.modified_ms + grace_ms < now && !is_read(core, &object.key) {
            tracing::info!("removing {}, which no version names", core.store.location(&object.key));
            core.store.delete(context, &object.key).await?;
        }
    }
    for version in old_versions(&versions, now) {
        core.store.delete(context, &key(version)).await?;
    }
    Ok(())
}

/// Whether a query reads a version that names the object, however old that version is.
fn is_read(core: &Core, key: &str) -> bool {
    core.pinned_states().iter().any(|state| state.parts.values().any(|part| part.objects().any(|object| object == key)))
}

/// Versions that no reader and no writer needs any more.
fn old_versions(listed: &[StoredObject], now_ms: u64) -> Vec<u64> {
    let written: HashMap<u64, u64> =
        listed.iter().filter_map(|object| Some((version_of(&object.key)?, object.modified_ms))).collect();
    let wait_ms = 2 * STALE_AFTER.as_millis() as u64;
    let is_snapshot = |version: u64| version.is_multiple_of(SNAPSHOT_INTERVAL);
    let kept = written
        .iter()
        .filter(|(version, modified_ms)| is_snapshot(**version) && **modified_ms + wait_ms < now_ms)
        .map(|(version, _)| *version)
        .max();
    let mut old: Vec<u64> = written.into_keys().filter(|version| kept.is_some_and(|kept| *version < kept)).collect();
    // The newest last: a reader that goes back from the newest version never finds a hole below what is left.
    old.sort_unstable();
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_go_an_hour_after_a_later_snapshot() {
        let listed: Vec<StoredObject> = (1..=70)
            .map(|version| StoredObject { key: key(version), size_bytes: 1, modified_ms: version * 60_000 })
            .collect();
        assert_eq!(old_versions(&listed, 70 * 60_000), Vec::<u64>::new());
        assert_eq!(old_versions(&listed, 93 * 60_000), (1..32).collect::<Vec<_>>());
        assert_eq!(old_versions(&listed, 1000 * 60_000), (1..64).collect::<Vec<_>>());
    }
}
