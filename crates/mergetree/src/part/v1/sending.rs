//! The bytes of a part on their way to its upload, and what is known by them: their number, the hash of the rows, the sums
//! of the pages, the hash of the tail.

use std::ops::Range;

use gristmill_base::Result;
use xxhash_rust::xxh3::Xxh3;

use super::outlet::Outlet;
use super::page_sums::PageSummer;
use crate::store::PartUpload;

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    Rows,
    /// It is no part of the rows' hash.
    SkipIndex,
    /// Everything from the embedded block on.
    Tail,
}

#[derive(Default)]
pub struct Sending {
    /// Bytes sent so far.
    pub bytes: u64,
    hash: Option<Box<Xxh3>>,
    tail: Box<Xxh3>,
    pages: PageSummer,
}

impl Sending {
    /// `hashed`: the rows' hash is wanted.
    pub fn new(hashed: bool) -> Sending {
        Sending { hash: hashed.then(|| Box::new(Xxh3::new())), ..Sending::default() }
    }

    /// Pages lie here; to be said before they are sent.
    pub fn expect(&mut self, pages: impl IntoIterator<Item = Range<u64>>) {
        self.pages.expect(pages);
    }

    /// Sends what is ready.
    pub async fn send(&mut self, outlet: &Outlet, upload: &mut Box<dyn PartUpload>, what: Sent) -> Result<()> {
        for data in outlet.take() {
            match (what, &mut self.hash) {
                (Sent::Rows, Some(hash)) => hash.update(&data),
                (Sent::Tail, _) => self.tail.update(&data),
                _ => {}
            }
            self.pages.see(self.bytes, &data);
            self.bytes += data.len() as u64;
            upload.write(data).await?;
        }
        Ok(())
    }

    /// The block that keeps the sums of all pages sent.
    pub fn page_sums(&self) -> Result<Vec<u8>> {
        self.pages.encode()
    }

    /// 0 where it was not wanted.
    pub fn rows_hash(&self) -> u128 {
        self.hash.as_ref().map_or(0, |hash| hash.digest128())
    }

    pub fn tail_hash(&self) -> u64 {
        self.tail.digest()
    }
}
