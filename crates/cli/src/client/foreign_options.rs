//! Options of clickhouse-client that are no settings, and have no effect here or cannot be had: they must not go to the server as
//! settings, which it would refuse under a name that says nothing.

use gristmill_base::{Error, Result};

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Taken, and changes nothing; whether a value stands behind it in a word of its own.
    NoEffect {
        takes_value: bool,
    },
    Refused(&'static str),
}

const FLAG: Foreign = Foreign::NoEffect { takes_value: false };
const VALUE: Foreign = Foreign::NoEffect { takes_value: true };
const EXTERNAL: Foreign = Foreign::Refused("it describes an external table, and stands behind --external");

/// By their names, with `_` for `-`.
const OPTIONS: &[(&str, Foreign)] = &[
    ("file", EXTERNAL),
    ("name", EXTERNAL),
    ("structure", EXTERNAL),
    ("types", EXTERNAL),
    ("interleave_queries_file", Foreign::Refused("give the queries in the order of their run with --queries-file")),
    ("login", Foreign::Refused("there is no login by a browser: --user and --password")),
    ("jwt", Foreign::Refused("there are no tokens: --user and --password")),
    ("ssh_key_file", Foreign::Refused("there are no keys as proofs: --user and --password")),
    ("ssh_key_passphrase", Foreign::Refused("there are no keys as proofs: --user and --password")),
    ("oauth_url", Foreign::Refused("there is no login by a browser: --user and --password")),
    ("oauth_client_id", Foreign::Refused("there is no login by a browser: --user and --password")),
    ("oauth_audience", Foreign::Refused("there is no login by a browser: --user and --password")),
    ("fake_drop", Foreign::Refused("DROP would be carried out")),
    ("buzz_house_config", Foreign::Refused("queries are sent as they are")),
    ("testmode", Foreign::Refused("hints of tests in comments are not read")),
    ("query_fuzzer_runs", Foreign::Refused("queries are sent as they are")),
    ("create_query_fuzzer_runs", Foreign::Refused("queries are sent as they are")),
    ("progress_table", FLAG),
    ("enable_progress_table_toggle", VALUE),
    ("hardware_utilization", FLAG),
    ("highlight", VALUE),
    ("hilite", VALUE),
    ("suggestion_limit", VALUE),
    ("wait_for_suggestions_to_load", FLAG),
    ("history_max_entries", VALUE),
    ("max_memory_usage_in_client", VALUE),
    ("max_client_network_bandwidth", VALUE),
    ("allow_repeated_settings", FLAG),
    ("allow_merge_tree_settings", FLAG),
    ("client_logs_file", VALUE),
    ("query_kind", VALUE),
    ("proto_caps", VALUE),
    ("no_server_client_version_message", FLAG),
];

/// What becomes of an option; `None`: it is none of these.
pub fn foreign(name: &str) -> Option<Foreign> {
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, foreign)| *foreign)
}

/// Error: NOT_IMPLEMENTED, where the option is refused. Gives whether a value stands behind it.
pub fn takes_value(foreign: Foreign, written: &str) -> Result<bool> {
    match foreign {
        Foreign::NoEffect { takes_value } => Ok(takes_value),
        Foreign::Refused(why) => Err(Error::not_implemented(format!("--{written}: {why}"))),
    }
}
