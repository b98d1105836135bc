//! `extractTextFromHTML`: text without tags, comments, scripts and styles, with runs of white space as one space.
//!
//! Like ClickHouse's it is no parser of HTML: a tag ends at the first `>`, entities stay, and CDATA is taken as it is.

use memchr::memmem;

/// Elements that go with all that is in them.
const LEFT_OUT: [&[u8]; 2] = [b"script", b"style"];

pub fn extract(html: &[u8], out: &mut Vec<u8>) {
    let mut rest = html;
    let mut apart = false;
    while !rest.is_empty() {
        let text = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        copy_text(&rest[..text], &mut apart, out);
        rest = &rest[text..];
        if rest.is_empty() {
            return;
        }
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            rest = memmem::find(comment, b"-->").map_or(&[], |end| &comment[end + 3..]);
            apart = !out.is_empty();
        } else if let Some(data) = rest.strip_prefix(b"<![CDATA[") {
            let end = memmem::find(data, b"]]>");
            out.extend_from_slice(&data[..end.unwrap_or(data.len())]);
            rest = end.map_or(&[], |end| &data[end + 3..]);
            apart = !out.is_empty();
        } else {
            rest = after_tag(rest);
            apart = !out.is_empty();
        }
    }
}

/// Words with single spaces between them; `apart`: a space is due before the next word.
fn copy_text(text: &[u8], apart: &mut bool, out: &mut Vec<u8>) {
    for (i, word) in text.split(u8::is_ascii_whitespace).enumerate() {
        // Each border of the split but the first is white space.
        *apart |= i > 0 && !out.is_empty();
        if word.is_empty() {
            continue;
        }
        // CDATA may end with white space of its own.
        if *apart && !out.last().is_some_and(u8::is_ascii_whitespace) {
            out.push(b' ');
        }
        out.extend_from_slice(word);
        *apart = false;
    }
}

/// What follows the tag at the start, or the end of the element where that is left out.
fn after_tag(html: &[u8]) -> &[u8] {
    let close = |html: &'_ [u8]| memchr::memchr(b'>', html).map_or(html.len(), |end| end + 1);
    for name in LEFT_OUT {
        let Some(inside) = html[1..].strip_prefix(name) else { continue };
        if !inside.first().is_some_and(|c| c.is_ascii_whitespace() || *c == b'>') {
            continue;
        }
        let end = memmem::find_iter(inside, b"</").find(|at| inside[at + 2..].starts_with(name));
        return end.map_or(&[], |end| {
            let tag = &inside[end..];
            &tag[close(tag)..]
        });
    }
    &html[close(html)..]
}
