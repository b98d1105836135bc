//! `s3`, `gcs`, `oss`, `cosn`:
//! `(url [, NOSIGN | id, secret [, token]] [, format] [, structure] [, compression] [, headers(…)] [, key = value …])`.

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_objstore::{Credentials, Location};

use super::{ObjectArguments, Parsed};
use crate::call::TableFunctionCall;
use crate::function_table::wrong_count;
use crate::object::source::ObjectSource;

const FORMS: &str = "(url [, NOSIGN | access_key_id, secret_access_key [, session_token]] [, format] [, structure] \
                     [, compression_method] [, headers(…)])";
const KEYS: &str = "url, filename, access_key_id, secret_access_key, session_token, format, structure, compression_method, \
                    no_sign_request, use_environment_credentials";

pub fn parse(call: &TableFunctionCall) -> Result<ObjectArguments> {
    let mut parsed = Parsed::new(call)?;
    let positional = parsed.positional.clone();
    let given = positional.len();
    let url = match positional.first() {
        Some(url) => url.word().to_string(),
        None => match parsed.take("url") {
            Some(url) => url.to_string(),
            None => return Err(wrong_count(&call.name, given, FORMS)),
        },
    };
    let url = match parsed.take("filename") {
        Some(name) => format!("{}/{name}", url.trim_end_matches('/')),
        None => url,
    };
    let location = if call.name.eq_ignore_ascii_case("gcs") { Location::parse_gcs(&url)? } else { Location::parse_s3(&url)? };
    let rest = positional.get(1..).unwrap_or_default();
    let word = |at: usize| rest.get(at).map_or("", |argument| argument.word());
    let keys = |token: Option<usize>| Credentials::Keys {
        id: word(0).to_string(),
        secret: Secret::new(word(1)),
        token: token.map(|at| Secret::new(word(at))).filter(|token| !token.reveal().is_empty()),
    };

    // Where format, structure and compression begin, by number of arguments and by what is a format's name.
    let (mut credentials, tail) = match rest.len() {
        0 => (Credentials::Environment, 0),
        _ if word(0).eq_ignore_ascii_case("NOSIGN") => (Credentials::Anonymous, 1),
        _ if parsed.is_format(1) => (Credentials::Environment, 0),
        1 => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("The second argument of table function '{}' is neither NOSIGN nor a format, and an access key comes with \
                         its secret: it takes {FORMS}", call.name),
            ));
        }
        2 => (keys(None), 2),
        _ if parsed.is_format(3) => (keys(None), 2),
        3 => (keys(Some(2)), 3),
        _ if parsed.is_format(4) => (keys(Some(2)), 3),
        _ => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("None of the arguments of table function '{}' after its keys is the name of a format: it takes {FORMS}", call.name),
            ));
        }
    };
    if rest.len() > tail + 3 {
        return Err(wrong_count(&call.name, given, FORMS));
    }
    if let (Some(id), Some(secret)) = (parsed.take("access_key_id"), parsed.take("secret_access_key")) {
        let token = parsed.take("session_token").map(Secret::new);
        credentials = Credentials::Keys { id: id.to_string(), secret: Secret::new(secret), token };
    }
    if parsed.take_flag("no_sign_request") {
        credentials = Credentials::Anonymous;
    }
    parsed.take("use_environment_credentials");
    let mut arguments = ObjectArguments {
        source: ObjectSource {
            function: call.name.clone(),
            location,
            credentials,
            headers: std::mem::take(&mut parsed.headers),
            format: Format::Null,
            compression: None,
        },
        format: None,
        structure: None,
    };
    arguments.finish_with(&rest[tail..])?;
    arguments.take_named(&mut parsed)?;
    parsed.finish(KEYS)?;
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallArgument;

    fn call(arguments: &[&str]) -> Result<ObjectArguments> {
        let argument = |text: &&str| match *text {
            "NOSIGN" | "CSV" => CallArgument::Identifier(text.to_string()),
            text => CallArgument::Text(text.to_string()),
        };
        let positional = arguments.iter().map(argument).collect();
        parse(&TableFunctionCall { name: "s3".to_string(), positional, named: Vec::new() })
    }

    const URL: &str = "http://localhost:9000/bucket/a/*.csv";

    #[test]
    fn forms_are_told_apart_by_number_and_by_names_of_formats() {
        let keys = |token: Option<&str>| Credentials::Keys {
            id: "id".to_string(),
            secret: Secret::new("secret"),
            token: token.map(Secret::new),
        };
        let cases: [(&[&str], Credentials, Option<Format>, Option<&str>); 11] = [
            (&[URL], Credentials::Environment, None, None),
            (&[URL, "NOSIGN"], Credentials::Anonymous, None, None),
            (&[URL, "CSV"], Credentials::Environment, Some(Format::Csv), None),
            (&[URL, "id", "secret"], keys(None), None, None),
            (&[URL, "NOSIGN", "CSV"], Credentials::Anonymous, Some(Format::Csv), None),
            (&[URL, "CSV", "a Int32"], Credentials::Environment, Some(Format::Csv), Some("a Int32")),
            (&[URL, "id", "secret", "CSV"], keys(None), Some(Format::Csv), None),
            (&[URL, "id", "secret", "token"], keys(Some("token")), None, None),
            (&[URL, "id", "secret", "token", "CSV"], keys(Some("token")), Some(Format::Csv), None),
            (&[URL, "id", "secret", "CSV", "a Int32", "gzip"], keys(None), Some(Format::Csv), Some("a Int32")),
            (&[URL, "id", "secret", "token", "CSV", "a Int32", "gzip"], keys(Some("token")), Some(Format::Csv), Some("a Int32")),
        ];
        for (given, credentials, format, structure) in cases {
            let arguments = call(given).expect("a form that is known");
            assert_eq!(arguments.source.credentials, credentials, "{given:?}");
            assert_eq!(arguments.format, format, "{given:?}");
            assert_eq!(arguments.structure.map(|columns| columns.structure()).as_deref(), structure, "{given:?}");
        }
    }

    #[test]
    fn wrong_forms_are_refused_without_showing_secrets() {
        assert_eq!(call(&[]).expect_err("no url").code(), ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
        let error = call(&[URL, "id", "hunter2", "x", "y", "z"]).expect_err("no format");
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
        assert!(!error.message().contains("hunter2"), "{error}");
    }

    #[test]
    fn keys_may_be_named() {
        let named = [("access_key_id", "id"), ("secret_access_key", "secret"), ("format", "CSV")];
        let arguments = parse(&TableFunctionCall {
            name: "s3".to_string(),
            positional: vec![CallArgument::Text(URL.to_string())],
            named: named.iter().map(|(key, value)| (key.to_string(), CallArgument::Text(value.to_string()))).collect(),
        })
        .expect("arguments");
        assert!(matches!(arguments.source.credentials, Credentials::Keys { .. }));
        assert_eq!(arguments.format, Some(Format::Csv));
    }
}
