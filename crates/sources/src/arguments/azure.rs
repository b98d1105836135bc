//! `azureBlobStorage(connection_string | account_url, container, path [, account, key] [, format] [, compression]
//! [, structure])`. Compression comes before structure here, as ClickHouse has it.

use gristmill_base::redact::Secret;
use gristmill_base::Result;
use gristmill_formats::Format;
use gristmill_objstore::{Credentials, Location};

use super::{ObjectArguments, Parsed, compression, format, is_format, structure};
use crate::call::TableFunctionCall;
use crate::function_table::wrong_count;
use crate::object::source::ObjectSource;

const FORMS: &str = "(connection_string | storage_account_url, container_name, blob_path [, account_name, account_key] \
                     [, format] [, compression] [, structure])";
const KEYS: &str = "connection_string, storage_account_url, container, blob_path, account_name, account_key, format, compression, structure";

pub fn parse(call: &TableFunctionCall) -> Result<ObjectArguments> {
    let mut parsed = Parsed::new(call)?;
    let positional = parsed.positional.clone();
    let mut given = positional.iter().map(|argument| argument.word());
    let mut next = |names: &[&str]| given.next().or_else(|| names.iter().find_map(|name| parsed.take(name))).map(str::to_string);
    let (Some(account_url), Some(container), Some(path)) =
        (next(&["connection_string", "storage_account_url"]), next(&["container"]), next(&["blob_path"]))
    else {
        return Err(wrong_count(&call.name, positional.len(), FORMS));
    };
    let location = Location::parse_azure(&account_url, &container, &path)?;
    let rest = positional.get(3..).unwrap_or_default();
    let mut credentials = if account_url.to_ascii_lowercase().contains("accountname=") || account_url.to_ascii_lowercase().contains("usedevelopmentstorage") {
        Credentials::AzureConnectionString(Secret::new(account_url))
    } else {
        Credentials::azure_sas_of(&account_url).unwrap_or_default()
    };
    let keyed = rest.len() >= 2 && !is_format(rest[0].word());
    if keyed {
        credentials = Credentials::AzureKey { account: rest[0].word().to_string(), key: Secret::new(rest[1].word()) };
    }
    if let (Some(account), Some(key)) = (parsed.take("account_name"), parsed.take("account_key")) {
        credentials = Credentials::AzureKey { account: account.to_string(), key: Secret::new(key) };
    }
    let tail = &rest[if keyed { 2 } else { 0 }..];
    if tail.len() > 3 {
        return Err(wrong_count(&call.name, positional.len(), FORMS));
    }
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
    if let Some(word) = tail.first() {
        arguments.format = format(word.word())?;
    }
    if let Some(word) = tail.get(1) {
        arguments.source.compression = compression(word.word())?;
    }
    if let Some(word) = tail.get(2) {
        arguments.structure = structure(word.word())?;
    }
    arguments.take_named(&mut parsed)?;
    parsed.finish(KEYS)?;
    Ok(arguments)
}
