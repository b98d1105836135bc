//! `<http_options_response>` of the configuration, in ClickHouse's form: the headers of what a server answers a browser that asks,
//! before it sends a query for a page of another site, whether it may.

use gristmill_base::{Result, ResultExt};
use gristmill_server::response_header;
use hyper::header::{HeaderName, HeaderValue};

use crate::config_tree::Node;

const ELEMENT: &str = "http_options_response";

/// The headers, in their order; `None`: the file says nothing of them. Error: BAD_ARGUMENTS.
pub fn read(root: &Node) -> Result<Option<Vec<(HeaderName, HeaderValue)>>> {
    let Some(all) = root.child(ELEMENT) else { return Ok(None) };
    let mut headers = Vec::new();
    for node in &all.children {
        if node.name != "header" {
            tracing::warn!("<{}> in <{ELEMENT}> means nothing here: headers are", node.name);
            continue;
        }
        let Some(name) = node.text(&["name"]) else {
            tracing::warn!("A header in <{ELEMENT}> has no <name>, and is left out");
            continue;
        };
        let value = node.text(&["value"]).unwrap_or_default();
        headers.push(response_header(&name, &value).context(|| format!("in <{ELEMENT}>"))?);
    }
    Ok(Some(headers))
}

#[cfg(test)]
mod tests {
    use gristmill_base::ErrorCode;

    use super::*;
    use crate::config_tree::parsed;

    fn headers(text: &str) -> Result<Option<Vec<(HeaderName, HeaderValue)>>> {
        read(&parsed(&format!("<clickhouse>{text}</clickhouse>"))?)
    }

    #[test]
    fn headers_are_read_in_their_order() {
        let text = "<http_options_response><header><name>Access-Control-Allow-Origin</name><value>https://a.b</value></header>\
            <header><value>nobody</value></header><header><name>Vary</name><value>Origin</value></header></http_options_response>";
        let read = headers(text).expect("reads").expect("headers");
        let shown: Vec<(&str, &str)> =
            read.iter().map(|(name, value)| (name.as_str(), value.to_str().expect("a text"))).collect();
        assert_eq!(shown, [("access-control-allow-origin", "https://a.b"), ("vary", "Origin")]);
        assert!(headers("").expect("reads").is_none());
        let wrong = "<http_options_response><header><name>a b</name></header></http_options_response>";
        assert_eq!(headers(wrong).expect_err("no header").code(), ErrorCode::BAD_ARGUMENTS);
    }
}
