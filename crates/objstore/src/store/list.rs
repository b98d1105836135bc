//! Listings, page by page; the next page is asked for while one is being read.

use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use super::stream::waited_for;
use super::{ListEntry, ObjectInfo, Operation, Store};
use crate::account::Class;
use crate::backend::{Page, PageRequest};
use crate::location::Provider;
use crate::{key_folders, key_ranges};

impl Store {
    /// Every object whose key starts with `prefix` (any text, not only a folder), in the order of keys. With a delimiter,
    /// which can only be `/`, only those that have none after the prefix.
    pub fn list(
        &self,
        ctx: &Arc<QueryContext>,
        prefix: &str,
        delimiter: Option<&str>,
    ) -> BoxStream<'static, Result<ObjectInfo>> {
        self.list_entries(ctx, prefix, delimiter.is_some(), None)
            .try_filter_map(|entry| async move {
                Ok(match entry {
                    ListEntry::Object(info) => Some(info),
                    ListEntry::Folder(_) => None,
                })
            })
            .boxed()
    }

    /// What lies directly under a folder: `prefix` should end in `/` or be empty. Folders come after the objects of their
    /// page.
    pub fn list_folder(&self, ctx: &Arc<QueryContext>, prefix: &str) -> BoxStream<'static, Result<ListEntry>> {
        self.list_entries(ctx, prefix, true, None)
    }

    /// A listing, page by page; the next page is asked for while one is being read. `start_after`: only keys after it.
    pub fn list_entries(
        &self,
        ctx: &Arc<QueryContext>,
        prefix: &str,
        delimited: bool,
        start_after: Option<&str>,
    ) -> BoxStream<'static, Result<ListEntry>> {
        let request = PageRequest {
            prefix: prefix.to_string(),
            delimited,
            start_after: start_after.map(str::to_string),
            ..PageRequest::first(&ctx.settings)
        };
        self.pages(ctx, request)
            .map_ok(|page| {
                let objects = page.objects.into_iter().map(ListEntry::Object);
                stream::iter(objects.chain(page.prefixes.into_iter().map(ListEntry::Folder)).map(Ok))
            })
            .try_flatten()
            .boxed()
    }

    /// One page of a listing.
    pub(crate) async fn list_page(&self, ctx: &Arc<QueryContext>, request: &PageRequest) -> Result<Page> {
        let operation = Operation::reading("list", &request.prefix, Class::List, 0);
        self.run(ctx, operation, |backend| {
            let request = request.clone();
            async move { backend.list_page(&request).await }
        })
        .await
    }

    /// Everything under a prefix, in no set order. Long listings are read by several requests at a time: in ranges of keys
    /// where the store can begin a listing after any key, by folder where it cannot.
    pub fn list_unordered(&self, ctx: &Arc<QueryContext>, prefix: &str) -> BoxStream<'static, Result<ObjectInfo>> {
        let request = PageRequest { prefix: prefix.to_string(), ..PageRequest::first(&ctx.settings) };
        match self.provider() {
            Provider::S3 | Provider::Gcs => key_ranges::list(self, ctx, request),
            Provider::Azure => key_folders::list(self, ctx, request),
            Provider::Http | Provider::File => self.list(ctx, prefix, None),
        }
    }

    fn pages(&self, ctx: &Arc<QueryContext>, request: PageRequest) -> BoxStream<'static, Result<Page>> {
        let (store, ctx) = (self.clone(), ctx.clone());
        if let Some(pages) = self.inner.backend.walk(&request) {
            return waited_for(pages, ctx.clone(), self.wait())
                .map(move |page| {
                    ctx.check()?;
                    let operation = Operation::reading("read", &request.prefix, Class::List, 0);
                    page.map_err(|failure| store.error(failure, operation, 1))
                })
                .boxed();
        }
        let fetch = move |request: PageRequest| {
            let (store, ctx) = (store.clone(), ctx.clone());
            async move {
                let page = store.list_page(&ctx, &request).await?;
                Ok::<_, Error>((page, request))
            }
        };
        stream::try_unfold(Listing::Begin(request), move |state| {
            let fetch = fetch.clone();
            async move {
                let (page, request) = match state {
                    Listing::Begin(request) => fetch(request).await?,
                    Listing::Ahead(task) => task.join().await??,
                    Listing::End => return Ok(None),
                };
                let next = match page.next.clone() {
                    Some(token) => {
                        let request = PageRequest { token: Some(token), ..request };
                        Listing::Ahead(Task::on(&runtime::io(), fetch(request)))
                    }
                    None => Listing::End,
                };
                Ok(Some((page, next)))
            }
        })
        .boxed()
    }
}

enum Listing<F> {
    Begin(PageRequest),
    Ahead(Task<F>),
    End,
}
