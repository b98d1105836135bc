//! Settings of ClickHouse's, by name: more than are declared here.
//!
//! Drivers and dashboards send what they found in some server's documentation and mark it as important. A name that
//! ClickHouse has is taken from them although it changes nothing here; one that it does not have is an error. In SQL the
//! stricter rule of `Settings` holds.

use std::collections::HashMap;
use std::sync::LazyLock;

use gristmill_base::{Error, Result};
use gristmill_introspect::Settings;

/// How the value of a setting was written by clients older than revision 54429.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Varuint,
    Text,
}

static KNOWN: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| include_str!("known_settings.tsv").lines().filter_map(|line| line.split_once('\t')).collect());

/// Names that clients of old versions send and that are no longer documented.
const OLD: &[(&str, Encoding)] =
    &[("insert_sample_with_metadata", Encoding::Varuint), ("strict_insert_defaults", Encoding::Varuint)];

/// Those that leave rows out of a result: who sets one must not get the others.
const CHANGE_ROWS: &[&str] = &["additional_table_filters", "additional_result_filter", "parallel_replicas_custom_key"];

/// Sets what a client asks for. Errors: UNKNOWN_SETTING, READONLY, NOT_IMPLEMENTED, and those of values.
pub fn set(settings: &mut Settings, name: &str, value: &str) -> Result<()> {
    if CHANGE_ROWS.contains(&name) && !matches!(value.trim(), "" | "{}" | "''") {
        return Err(Error::not_implemented(format!("Setting {name}")).with_context("write the condition into the query"));
    }
    if settings.get(name).is_none() && encoding(name).is_some() {
        tracing::debug!("Setting {name} of a client changes nothing here");
        return Ok(());
    }
    settings.change(name, value)
}

/// How old clients write a setting's value. `None`: there is none of that name.
pub fn encoding(name: &str) -> Option<Encoding> {
    if let Some((_, encoding)) = OLD.iter().find(|(known, _)| *known == name) {
        return Some(*encoding);
    }
    let declared = || Settings::declared().into_iter().find(|info| info.name == name).map(|info| info.kind);
    let kind = KNOWN.get(name).copied().or_else(declared)?;
    Some(match kind {
        "Bool" | "UInt64" | "Int64" | "Int32" | "NonZeroUInt64" | "Seconds" | "Milliseconds" | "MaxThreads"
        | "UInt64Auto" | "BoolAuto" => Encoding::Varuint,
        _ => Encoding::Text,
    })
}

#[cfg(test)]
mod tests {
    use gristmill_base::ErrorCode;

    use super::*;

    #[test]
    fn what_clickhouse_knows_is_taken_and_what_nobody_knows_is_refused() {
        let mut settings = Settings::default();
        set(&mut settings, "max_threads", "3").expect("declared");
        assert_eq!(settings.max_threads, 3);
        set(&mut settings, "output_format_native_use_flattened_dynamic_and_json_serialization", "1").expect("known");
        let error = set(&mut settings, "additional_table_filters", "{'t': 'a = 1'}").expect_err("rows would be there");
        assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
        set(&mut settings, "additional_table_filters", "{}").expect("no filter");
        let error = set(&mut settings, "max_thread", "3").expect_err("unknown");
        assert_eq!(error.code(), ErrorCode::UNKNOWN_SETTING);
    }

    #[test]
    fn old_clients_write_numbers_as_numbers() {
        assert_eq!(encoding("max_threads"), Some(Encoding::Varuint));
        assert_eq!(encoding("load_balancing"), Some(Encoding::Text));
        assert_eq!(encoding("insert_sample_with_metadata"), Some(Encoding::Varuint));
        assert_eq!(encoding("nonsense"), None);
    }
}
