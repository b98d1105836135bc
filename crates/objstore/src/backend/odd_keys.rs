//! Keys that listings of the clients cannot hold: `a//b`, `/x`, `d/`, `a/../b`.
//!
//! One such key fails the clients' parsing of a whole page, or comes out as another key (`d/`, the mark that consoles leave
//! of a folder, as `d`). So their elements are taken out of the answer before the clients see it, and what they tell is
//! added to the page as it is: a glob that does not match such a key does not notice it, and one that does leads to an
//! error that names it. Marks of folders, which are empty, are left out altogether.

use bytes::Bytes;
use object_store::path::Path;

use super::Page;
use crate::failure::xml_text;
use crate::store::ObjectInfo;

/// Whether the clients carry a key unchanged.
pub(super) fn is_plain(key: &str) -> bool {
    Path::parse(key).is_ok_and(|path| path.as_ref() == key)
}

/// The answer to a listing without what its reader cannot hold, and that.
pub(crate) fn take_out(body: Bytes) -> (Bytes, Page) {
    let mut odd = Page::default();
    let Ok(text) = std::str::from_utf8(&body) else { return (body, odd) };
    let mut cuts = Vec::new();
    // Of S3 and of Azure.
    for (element, key) in [("Contents", "Key"), ("Blob", "Name")] {
        each(text, element, |range| {
            let said = &text[range.clone()];
            let Some(key) = xml_text(said, key).filter(|key| !is_plain(key)) else { return };
            cuts.push(range);
            let info = object(said, key);
            if !info.key.ends_with('/') || info.size != Some(0) {
                odd.objects.push(info);
            }
        });
    }
    for (element, key) in [("CommonPrefixes", "Prefix"), ("BlobPrefix", "Name")] {
        each(text, element, |range| {
            let Some(folder) = xml_text(&text[range.clone()], key) else { return };
            if !is_plain(folder.strip_suffix('/').unwrap_or(&folder)) {
                cuts.push(range);
                odd.prefixes.push(folder);
            }
        });
    }
    if cuts.is_empty() {
        return (body, odd);
    }
    cuts.sort_unstable_by_key(|cut| cut.start);
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        rest.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    rest.push_str(&text[at..]);
    (rest.into(), odd)
}

/// Calls for each element of a name. They do not nest.
fn each(text: &str, element: &str, mut see: impl FnMut(std::ops::Range<usize>)) {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let mut at = 0;
    while let Some(from) = text[at..].find(&open).map(|found| at + found) {
        let Some(to) = text[from..].find(&close).map(|found| from + found + close.len()) else { return };
        see(from..to);
        at = to;
    }
}

fn object(said: &str, key: String) -> ObjectInfo {
    let of_either = |s3: &str, azure: &str| xml_text(said, s3).or_else(|| xml_text(said, azure));
    let modified = of_either("LastModified", "Last-Modified").and_then(|text| {
        chrono::DateTime::parse_from_rfc3339(&text).or_else(|_| chrono::DateTime::parse_from_rfc2822(&text)).ok()
    });
    ObjectInfo {
        key,
        size: of_either("Size", "Content-Length").and_then(|size| size.parse().ok()),
        last_modified: modified.and_then(|time| u64::try_from(time.timestamp()).ok()),
        etag: of_either("ETag", "Etag"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(key: &str, size: u64) -> String {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2024-01-02T03:04:05.000Z</LastModified><ETag>&quot;e&quot;</ETag>\
             <Size>{size}</Size></Contents>"
        )
    }

    #[test]
    fn what_cannot_be_held_is_taken_out_and_told() {
        let body = format!(
            "<ListBucketResult><Name>b</Name>{}{}{}{}<CommonPrefixes><Prefix>a//</Prefix></CommonPrefixes>\
             <CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult>",
            contents("a//b &amp; c", 7),
            contents("a/b", 8),
            contents("d/", 0),
            contents("/x", 1),
        );
        let (rest, odd) = take_out(body.into());
        let rest = String::from_utf8(rest.to_vec()).unwrap();
        assert_eq!(rest.matches("<Contents>").count(), 1);
        assert!(rest.contains("<Key>a/b</Key>") && rest.contains("<Prefix>a/</Prefix>") && !rest.contains("a//"), "{rest}");
        let keys: Vec<&str> = odd.objects.iter().map(|info| info.key.as_str()).collect();
        assert_eq!(keys, ["a//b & c", "/x"]);
        assert_eq!((odd.objects[0].size, odd.objects[0].last_modified), (Some(7), Some(1_704_164_645)));
        assert_eq!(odd.objects[0].etag.as_deref(), Some("\"e\""));
        assert_eq!(odd.prefixes, ["a//"]);
    }

    #[test]
    fn an_answer_without_them_stays_as_it_is() {
        let body = Bytes::from(format!("<ListBucketResult>{}</ListBucketResult>", contents("a=1/b c.parquet", 8)));
        let (rest, odd) = take_out(body.clone());
        assert_eq!((rest, odd.objects.len(), odd.prefixes.len()), (body, 0, 0));
    }
}
