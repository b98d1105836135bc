//! Named collections in the arguments of table functions and engines: `s3(backups, filename = 'a.csv')` is `s3` with the URL, the
//! keys and whatever else the collection has, and with what the query gives beside it.

use std::collections::BTreeMap;

use gristmill_access::control::State;
use gristmill_access::rights::Object;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_sources::{CallArgument, TableFunctionCall};

use crate::interpret::privilege;

/// The keys of each function's positional arguments, in their order. (What comes behind the keys of `s3` stands in the same places
/// with and without them.)
fn keys(function: &str) -> Option<&'static [&'static str]> {
    let function = function.to_ascii_lowercase();
    if ["s3", "gcs", "oss", "cosn"].iter().any(|name| function.starts_with(name)) {
        return Some(&[
            "url",
            "access_key_id",
            "secret_access_key",
            "session_token",
            "format",
            "structure",
            "compression_method",
        ]);
    }
    if function.starts_with("azure") {
        let keys = &["connection_string", "container", "blob_path", "account_name", "account_key"];
        return Some(keys);
    }
    match function.as_str() {
        "url" => Some(&["url", "format", "structure", "compression_method"]),
        "file" => Some(&["path", "format", "structure", "compression_method"]),
        _ => None,
    }
}

/// A call with the collection that its first argument names put in; others stay as they are. Errors: ACCESS_DENIED,
/// BAD_ARGUMENTS.
pub(crate) fn expanded(call: TableFunctionCall, state: &State, context: &QueryContext) -> Result<TableFunctionCall> {
    let Some(keys) = keys(&call.name) else { return Ok(call) };
    let Some(CallArgument::Identifier(name)) = call.positional.first() else { return Ok(call) };
    let Some(collection) = state.collections.get(name) else { return Ok(call) };
    context.check_access(privilege("NAMED COLLECTION"), &Object::named(name))?;
    let mut values: BTreeMap<String, String> =
        collection.values.iter().map(|(key, value)| (key.clone(), value.value.clone())).collect();
    for (key, value) in &call.named {
        if collection.values.get(key).is_some_and(|known| known.overridable == Some(false)) {
            let text = format!("`{key}` of the named collection `{name}` is NOT OVERRIDABLE");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        values.insert(key.clone(), value.word().to_string());
    }
    if let Some(filename) = values.remove("filename") {
        let url = values.entry("url".to_string()).or_default();
        *url = format!("{}/{filename}", url.trim_end_matches('/'));
    }
    // Names that ClickHouse knows beside those.
    for (other, known) in [("compression", "compression_method"), ("storage_account_url", "connection_string")] {
        if let Some(value) = values.remove(other) {
            values.entry(known.to_string()).or_insert(value);
        }
    }
    let mut expanded = TableFunctionCall { name: call.name, ..call };
    let rest = expanded.positional.split_off(1);
    expanded.positional.clear();
    expanded.named.clear();
    let unsigned = values.remove("no_sign_request").is_some_and(|flag| flag == "1" || flag.eq_ignore_ascii_case("true"));
    for key in keys {
        let value = values.remove(*key);
        match (*key, value) {
            ("format" | "structure" | "compression_method", Some(value)) => {
                expanded.named.push((key.to_string(), CallArgument::Text(value)));
            }
            ("access_key_id", _) if unsigned => expanded.positional.push(CallArgument::Identifier("NOSIGN".to_string())),
            (_, Some(value)) => expanded.positional.push(CallArgument::Text(value)),
            (_, None) => {}
        }
    }
    // What is no argument of the function is said to be none.
    expanded.named.extend(values.into_iter().map(|(key, value)| (key, CallArgument::Text(value))));
    expanded.positional.extend(rest);
    Ok(expanded)
}
