//! How long the head of a request may be. Who asks is not known yet: so it is as the server's own settings say, and those of
//! the profile that everybody has.

use gristmill_access::effective::Effective;
use gristmill_introspect::Settings;
use hyper::Uri;
use hyper::header::HeaderMap;

use crate::core::Core;

/// Fields of a request's head, whatever the settings say: hyper's map of them panics beyond 24576.
const FIELDS_MAX: u64 = 1 << 14;

#[derive(Clone, Copy, Debug)]
pub struct HeadLimits {
    pub fields: usize,
    name_bytes: u64,
    value_bytes: u64,
    uri_bytes: u64,
}

impl HeadLimits {
    /// As it is said now: a configuration is read again.
    pub fn of(core: &Core) -> HeadLimits {
        let state = core.engine.access.state();
        let mut settings = core.settings.clone();
        if let Ok(profile) = Effective::of_profile(&state, state.default_profile()) {
            for (name, value) in &profile.settings {
                // It was taken when the profile was made.
                let _ = settings.set(name, value);
            }
        }
        HeadLimits::of_settings(&settings)
    }

    fn of_settings(settings: &Settings) -> HeadLimits {
        let fields = match settings.http_max_fields {
            0 => FIELDS_MAX,
            fields => fields.min(FIELDS_MAX),
        };
        HeadLimits {
            fields: fields as usize,
            name_bytes: settings.http_max_field_name_size,
            value_bytes: settings.http_max_field_value_size,
            uri_bytes: settings.http_max_uri_size,
        }
    }

    /// What is too long about the fields of a head; `None`: nothing is.
    pub fn too_long_field(&self, headers: &HeaderMap) -> Option<String> {
        headers.iter().find_map(|(name, value)| {
            let lengths = [
                ("name", name.as_str().len(), "http_max_field_name_size", self.name_bytes),
                ("value", value.len(), "http_max_field_value_size", self.value_bytes),
            ];
            let (what, bytes, setting, most) =
                lengths.into_iter().find(|(_, bytes, _, most)| *most > 0 && *bytes as u64 > *most)?;
            Some(format!("The {what} of a field of the request's head has {bytes} bytes, more than {setting} = {most}\n"))
        })
    }

    /// What is too long about a URL; `None`: nothing is.
    pub fn too_long_uri(&self, uri: &Uri) -> Option<String> {
        let bytes = uri.path_and_query().map_or(0, |path| path.as_str().len()) as u64;
        let most = self.uri_bytes;
        (most > 0 && bytes > most)
            .then(|| format!("The URL of the request has {bytes} bytes, more than http_max_uri_size = {most}\n"))
    }
}
