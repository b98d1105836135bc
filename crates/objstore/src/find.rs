//! Finding the objects of a pattern with as few requests as it allows.
//!
//! - A name, or braces without wildcards: the names themselves, without asking. Size and ETag come with the first read.
//! - Otherwise the braces before the first wildcard become prefixes, and each is listed; what does not match is dropped.
//! - Where a wildcard stands in a folder's name and a later folder's name has text (`year=*/month=12/*`), the listing goes
//!   folder by folder and leaves out those that cannot match. Files always go this way. A folder of very many folders is
//!   listed flat instead: a page of a thousand keys costs as much as one folder.
//!
//! Several listings run beside each other, and a long one is read in several ranges of keys (`key_ranges`); objects come
//! as they are found, in no set order.

use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::{ErrorCode, Result};
use gristmill_introspect::{Event, QueryContext};

use crate::glob::Glob;
use crate::location::Provider;
use crate::store::{ListEntry, ObjectInfo, Store};

/// Listings of one pattern that run at once.
const LISTINGS_AT_ONCE: usize = 16;
/// Matching folders in one folder from which on it is listed flat.
const FOLDERS_MAX: usize = 1000;

/// The objects that a pattern names. Without a listing their size is unknown, and whether they exist as well.
pub fn find(store: &Store, ctx: &Arc<QueryContext>, glob: &Glob) -> BoxStream<'static, Result<ObjectInfo>> {
    if let Some(names) = glob.expansions() {
        return stream::iter(names.into_iter().map(|name| Ok(ObjectInfo::named(name)))).boxed();
    }
    let glob = Arc::new(glob.clone());
    let local = store.provider() == Provider::File;
    let by_folder = local || glob.prunes_folders();
    let (store, ctx) = (store.clone(), ctx.clone());
    stream::iter(glob.prefixes())
        .map(move |prefix| {
            if by_folder {
                descend(store.clone(), ctx.clone(), glob.clone(), prefix, true)
            } else {
                flat(&store, &ctx, glob.clone(), &prefix)
            }
        })
        .flatten_unordered(LISTINGS_AT_ONCE)
        .boxed()
}

/// Everything under a prefix that matches.
fn flat(store: &Store, ctx: &Arc<QueryContext>, glob: Arc<Glob>, prefix: &str) -> BoxStream<'static, Result<ObjectInfo>> {
    let ctx = ctx.clone();
    let listed = store.list_unordered(&ctx, prefix);
    listed.try_filter(move |info| std::future::ready(is_match(&ctx, &glob, info))).boxed()
}

/// Whether the pattern means a listed object; counts both answers.
fn is_match(ctx: &QueryContext, glob: &Glob, info: &ObjectInfo) -> bool {
    let matches = glob.matches(&info.key);
    ctx.counters.add(Event::ObjectStorageListedObjects, 1);
    if !matches {
        ctx.counters.add(Event::ObjectStorageGlobFilteredObjects, 1);
    }
    matches
}

/// The entries directly under a prefix that match, then those of the folders that can hold matches.
fn descend(
    store: Store,
    ctx: Arc<QueryContext>,
    glob: Arc<Glob>,
    prefix: String,
    is_first: bool,
) -> BoxStream<'static, Result<ObjectInfo>> {
    let level = async move {
        let (mut objects, mut folders) = (Vec::new(), Vec::new());
        let mut entries = store.list_entries(&ctx, &prefix, true, None);
        loop {
            let entry = match entries.try_next().await {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                // A folder that may not be read hides what is in it, as a shell's glob does; the first one is an error.
                Err(error) if !is_first && error.code() == ErrorCode::CANNOT_OPEN_FILE => break,
                Err(error) => return Err(error),
            };
            match entry {
                ListEntry::Object(info) if is_match(&ctx, &glob, &info) => objects.push(info),
                ListEntry::Folder(folder) if glob.can_match_under(&folder) => folders.push(folder),
                ListEntry::Object(_) | ListEntry::Folder(_) => {}
            }
            if folders.len() > FOLDERS_MAX && store.is_remote() {
                return Ok(flat(&store, &ctx, glob, &prefix));
            }
        }
        let deeper = stream::iter(folders)
            .map(move |folder| descend(store.clone(), ctx.clone(), glob.clone(), folder, false))
            .flatten_unordered(LISTINGS_AT_ONCE);
        Ok::<_, gristmill_base::Error>(stream::iter(objects.into_iter().map(Ok)).chain(deeper).boxed())
    };
    stream::once(level).try_flatten().boxed()
}
