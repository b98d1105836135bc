//! Headers that a user (`http_response_headers`) or the configuration wants in answers: they come in the place of ours.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::MapSetting;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

/// Those of the setting. Error: BAD_ARGUMENTS.
pub fn of_setting(wanted: &MapSetting) -> Result<Vec<(HeaderName, HeaderValue)>> {
    wanted.0.iter().map(|(name, value)| header(name, value)).collect()
}

/// Error: BAD_ARGUMENTS, where a name or a value has characters that no header has.
pub fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let refused = |what: &str| Error::new(ErrorCode::BAD_ARGUMENTS, format!("{what} is not possible in a header of HTTP"));
    let known =
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused(&format!("The name '{}'", name.escape_debug())))?;
    // Tabs are control characters, too, and allowed by the library.
    let is_plain = !value.bytes().any(|byte| byte.is_ascii_control());
    let value = HeaderValue::from_str(value).ok().filter(|_| is_plain);
    Ok((known, value.ok_or_else(|| refused(&format!("The value of '{name}'")))?))
}

/// Puts them over those that are there.
pub fn put(wanted: &[(HeaderName, HeaderValue)], headers: &mut HeaderMap) {
    for (name, value) in wanted {
        headers.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_setting_are_checked() {
        let headers = of_setting(&"{'Content-Type':'image/png','X-A':'b \\'c\\''}".into()).expect("reads");
        assert_eq!(headers[0].0, "content-type");
        assert_eq!(headers[1].1, "b 'c'");
        assert!(of_setting(&"{}".into()).expect("reads").is_empty());
        for wrong in ["{'a b':'c'}", "{'a':'b\\nc'}"] {
            assert_eq!(of_setting(&wrong.into()).expect_err(wrong).code(), ErrorCode::BAD_ARGUMENTS);
        }
    }
}
