//! Rows of `INSERT … VALUES` on standard input. Where they are few they are read as those of a statement: they may be expressions, which
//! what reads data does not know.

use bytes::Bytes;
use futures::{StreamExt, stream};
use gristmill_base::{Error, Result};
use gristmill_engine::split::insert_head;
use gristmill_engine::{InputData, StatementText};

/// Bytes of rows that are few.
const AS_SQL_BYTES: usize = 256 << 10;

/// The statement with its rows, where it takes them from the input and they are few; and what is still to be read. Error: of reading.
pub async fn with_rows(
    statement: &StatementText,
    mut input: InputData,
) -> Result<(Option<StatementText>, Option<InputData>)> {
    let follows = |data: usize| statement.text.get(data..).unwrap_or_default().trim_matches(is_end);
    let head = insert_head(statement.text.as_bytes(), true).filter(|head| head.is_values && follows(head.data).is_empty());
    let Some(head) = head else { return Ok((None, Some(input))) };
    let mut rows: Vec<u8> = Vec::new();
    let ended = loop {
        if rows.len() > AS_SQL_BYTES {
            break false;
        }
        match input.next().await.transpose()? {
            Some(chunk) => rows.extend_from_slice(&chunk),
            None => break true,
        }
    };
    let few = std::str::from_utf8(&rows).ok().map(|text| text.trim_matches(is_end)).filter(|text| ended && !text.is_empty());
    if let Some(text) = few.map(|few| format!("{} {few}", &statement.text[..head.statement])) {
        return Ok((Some(StatementText { text, inline_data: None }), None));
    }
    let rest = if ended { stream::empty().boxed() } else { input };
    let first = stream::iter((!rows.is_empty()).then(|| Ok::<_, Error>(Bytes::from(rows))));
    Ok((None, Some(first.chain(rest).boxed())))
}

/// What says nothing at the end of a statement.
fn is_end(c: char) -> bool {
    c == ';' || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;

    async fn read(text: &str, data: &[u8]) -> (Option<String>, Option<Vec<u8>>) {
        let statement = StatementText { text: text.to_string(), inline_data: None };
        let chunks: Vec<Result<Bytes>> = data.chunks(3).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let (given, rest) = with_rows(&statement, stream::iter(chunks).boxed()).await.expect("reads");
        let rest = match rest {
            Some(rest) => Some(rest.try_collect::<Vec<_>>().await.expect("reads").concat()),
            None => None,
        };
        (given.map(|statement| statement.text), rest)
    }

    #[tokio::test]
    async fn few_rows_become_a_part_of_the_statement() {
        let (text, rest) = read("INSERT INTO t VALUES", b"(1, upper('x')),\n(2, 'y;');\n").await;
        assert_eq!((text.as_deref(), rest), (Some("INSERT INTO t VALUES (1, upper('x')),\n(2, 'y;')"), None));
    }

    #[tokio::test]
    async fn other_data_stays_data() {
        for (text, data) in [
            ("INSERT INTO t FORMAT CSV", b"1,2\n".to_vec()),
            ("INSERT INTO t VALUES (1, 2)", b"(3, 4)".to_vec()),
            ("INSERT INTO t VALUES", Vec::new()),
            ("INSERT INTO t VALUES", b"('\xff')".to_vec()),
            ("INSERT INTO t VALUES", b"(1, 2),".repeat(AS_SQL_BYTES / 6)),
        ] {
            assert_eq!(read(text, &data).await, (None, Some(data)), "{text}");
        }
    }
}
