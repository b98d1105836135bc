//! Settings as clients of the native protocol and of HTTP send them: also names that only clients of old versions know.

use gristmill_base::Result;
use gristmill_engine::Session;
use gristmill_introspect::Settings;
use gristmill_introspect::without_effect::is_number;

/// How the value of a setting was written by clients older than revision 54429.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Varuint,
    Text,
}

/// Names that clients of old versions send and that are no longer documented.
const OLD: &[(&str, Encoding)] =
    &[("insert_sample_with_metadata", Encoding::Varuint), ("strict_insert_defaults", Encoding::Varuint)];

/// Sets what a client asks for, perhaps by the name of a profile. Errors: UNKNOWN_SETTING, READONLY, NOT_IMPLEMENTED, THERE_IS_NO_PROFILE,
/// and those of values.
pub fn set_of_session(session: &mut Session, name: &str, value: &str) -> Result<()> {
    if is_old(name) { Ok(()) } else { session.set(name, value) }
}

/// Without profiles.
pub fn set(settings: &mut Settings, name: &str, value: &str) -> Result<()> {
    if is_old(name) { Ok(()) } else { settings.change(name, value) }
}

fn is_old(name: &str) -> bool {
    let is_old = OLD.iter().any(|(old, _)| *old == name);
    if is_old {
        tracing::debug!("Setting {name} of a client changes nothing here");
    }
    is_old
}

/// How old clients write a setting's value. `None`: there is none of that name.
pub fn encoding(name: &str) -> Option<Encoding> {
    if let Some((_, encoding)) = OLD.iter().find(|(known, _)| *known == name) {
        return Some(*encoding);
    }
    let kind = Settings::declared().into_iter().find(|info| info.name == name)?.kind;
    Some(if is_number(kind) { Encoding::Varuint } else { Encoding::Text })
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
        let error = set(&mut settings, "parallel_replicas_custom_key", "a").expect_err("rows would be there");
        assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
        set(&mut settings, "parallel_replicas_custom_key", "").expect("no filter");
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
