//! The bytes of a part on their way to its upload, and what is known by them: their number, the sums of the pages,
//! the hash of the tail.

use std::ops::Range;

use gristmill_base::Result;
use xxhash_rust::xxh3::Xxh3;

use super::outlet::Outlet;
use super::page_sums::PageSummer;
use crate::store::PartUpload;

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Pages and skip indexes.
    Rows,
    /// Everything from the embedded block on.
    Tail,
}

#[derive(Default)]
pub struct Sending {
    /// Bytes sent so far.
    pub bytes: u64,
    tail: Box<Xxh3>,
    pages: PageSummer,
}

impl Sending {
    /// Pages lie here; to be said before they are sent.
    pub fn expect(&mut self, pages: impl IntoIterator<Item = Range<u64>>) {
        self.pages.expect(pages);
    }

    /// Sends what is ready.
    pub async fn send(&mut self, outlet: &Outlet, upload: &mut Box<dyn PartUpload>, what: Sent) -> Result<()> {
        for data in outlet.take() {
            if what == Sent::Tail {
                self.tail.update(&data);
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

    pub fn tail_hash(&self) -> u64 {
        self.tail.digest()
    }
}
