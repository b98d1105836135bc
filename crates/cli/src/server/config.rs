//! The configuration of a server: ClickHouse's `config.xml`, with the users and profiles of its `users.xml` in it or in the
//! file that `users_config` names, and what goes over both ([`config_files`]).
//!
//! Read are the elements that mean something here ([`Config`]); others are named once in the log, so that nobody believes in
//! one that does nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gristmill_access::control::State;
use gristmill_access::entity::{Collection, CollectionValue, Storage};
use gristmill_access::policy::Policy;
use gristmill_base::redact::masking;
use gristmill_base::{Result, ResultExt};
use gristmill_engine::LogsConfig;
use gristmill_engine::custom_suffixes::Suffixes;
use gristmill_introspect::custom;
use gristmill_objstore::allowed_hosts::{self, AllowedHosts};
use gristmill_server::{Handlers, Prometheus, Told};
use hyper::header::{HeaderName, HeaderValue};

use super::{handlers_config, logs_config, masking_config, options_config, users_config};
use crate::config_files::{self, Whole};
use crate::config_tree::{Node, invalid, read};

/// What a file says; `None` and empty: nothing.
#[derive(Debug, Default)]
pub struct Config {
    pub path: Option<PathBuf>,
    pub user_files_path: Option<PathBuf>,
    pub http_port: Option<u16>,
    pub https_port: Option<u16>,
    pub tcp_port: Option<u16>,
    pub tcp_port_secure: Option<u16>,
    /// The port that tells metrics.
    pub prometheus: Option<Prometheus>,
    pub certificate: Option<PathBuf>,
    pub private_key: Option<PathBuf>,
    pub listen_hosts: Vec<String>,
    pub max_concurrent_queries: Option<usize>,
    pub max_concurrent_insert_queries: Option<u64>,
    pub max_concurrent_select_queries: Option<u64>,
    pub shutdown_grace: Option<u64>,
    pub max_server_memory_usage: Option<u64>,
    pub uncompressed_cache_size: Option<u64>,
    pub query_condition_cache_size: Option<u64>,
    /// Without a query, before the machine is measured.
    pub calibrate_when_idle_seconds: Option<u64>,
    /// Users and profiles, where the file has any.
    pub access: Option<State>,
    /// Where an OpenTelemetry collector takes spans.
    pub otlp_endpoint: Option<String>,
    pub max_connections: Option<usize>,
    pub display_name: Option<String>,
    /// The database of clients that name none.
    pub default_database: Option<String>,
    /// Seconds that an HTTP connection waits for a request.
    pub keep_alive_timeout: Option<u64>,
    /// Whether errors over HTTP come with their stack where the URL asks for it.
    pub http_stacktrace: Option<bool>,
    /// Words that stand for a text.
    pub macros: BTreeMap<String, String>,
    /// Files of suffixes of domains, by the names of the lists.
    pub domain_lists: BTreeMap<String, String>,
    /// Where those files lie.
    pub domain_lists_path: Option<PathBuf>,
    /// The profile whose settings everybody has.
    pub default_profile: Option<String>,
    pub timezone: Option<String>,
    /// Of the memory of the machine, for `max_server_memory_usage`.
    pub memory_ratio: Option<f64>,
    /// Defaults of the settings of MergeTree tables.
    pub merge_tree: BTreeMap<String, String>,
    /// What passwords must be like.
    pub passwords: Policy,
    pub collections: BTreeMap<String, Collection>,
    pub allowed_hosts: AllowedHosts,
    /// Elements of logs.
    pub logs: LogsConfig,
    /// What is hidden of statements and of the log.
    pub masking: Vec<masking::Rule>,
    /// What answers which requests over HTTP; `None`: as without a configuration.
    pub handlers: Option<Handlers>,
    /// What `/` answers that has no query.
    pub default_response: Option<String>,
    /// Seconds that a session over HTTP is kept.
    pub default_session_timeout: Option<u64>,
    pub max_session_timeout: Option<u64>,
    /// Bytes of a table, and of a partition, that may be dropped.
    pub max_table_size_to_drop: Option<u64>,
    pub max_partition_size_to_drop: Option<u64>,
    /// Seconds that a dropped table may be brought back.
    pub drop_delay: Option<u64>,
    /// Headers of what OPTIONS answers; `None`: as without a configuration.
    pub options: Option<Vec<(HeaderName, HeaderValue)>>,
    /// Whether the server does without addresses that it cannot listen on.
    pub listen_try: Option<bool>,
    /// How often the files are looked after, whether they changed.
    pub reload_interval_ms: Option<u64>,
    /// The files, and the folders in which others may come to be.
    pub sources: Vec<PathBuf>,
}

/// What is read of `config.xml`; the names of other elements are told.
const KNOWN: &[&str] = &[
    "path",
    "user_files_path",
    "http_port",
    "https_port",
    "tcp_port",
    "tcp_port_secure",
    "prometheus",
    "openSSL",
    "listen_host",
    "listen_try",
    "config_reload_interval_ms",
    "include_from",
    "max_concurrent_queries",
    "max_concurrent_insert_queries",
    "max_concurrent_select_queries",
    "shutdown_wait_unfinished",
    "max_server_memory_usage",
    "uncompressed_cache_size",
    "query_condition_cache_size",
    "calibrate_when_idle_seconds",
    "users",
    "profiles",
    "quotas",
    "named_collections",
    "custom_settings_prefixes",
    "remote_url_allow_hosts",
    "opentelemetry",
    "max_connections",
    "display_name",
    "default_database",
    "default_profile",
    "keep_alive_timeout",
    "enable_http_stacktrace",
    "macros",
    "top_level_domains_lists",
    "top_level_domains_path",
    "timezone",
    "max_server_memory_usage_to_ram_ratio",
    "merge_tree",
    "logger",
    "password_complexity",
    "allow_plaintext_password",
    "allow_no_password",
    "users_config",
    "user_directories",
    "query_masking_rules",
    "http_handlers",
    "http_server_default_response",
    "default_session_timeout",
    "max_session_timeout",
    "max_table_size_to_drop",
    "max_partition_size_to_drop",
    "database_atomic_delay_before_drop_table_sec",
    "http_options_response",
];

impl Config {
    /// Errors: CANNOT_OPEN_FILE, INVALID_CONFIG_PARAMETER; each names the file.
    pub fn read(file: &Path) -> Result<Config> {
        Config::of_file(file).context(|| format!("in the configuration {}", file.display()))
    }

    fn of_file(file: &Path) -> Result<Config> {
        let Whole { mut root, mut sources, included } = config_files::read(file, None)?;
        // Logs are there without an element, too.
        root.children.retain(|child| !child.remove || logs_config::is_log(&child.name));
        let unknown: Vec<&str> = root
            .children
            .iter()
            .map(|child| child.name.as_str())
            .filter(|name| !KNOWN.contains(name) && !logs_config::is_log(name))
            .collect();
        if !unknown.is_empty() {
            tracing::warn!("These elements of {} mean nothing here: {}", file.display(), unknown.join(", "));
        }
        // Profiles, which are read below, may have such settings.
        let prefixes = root.text(&["custom_settings_prefixes"]).unwrap_or_else(|| custom::DEFAULT_PREFIX.to_string());
        let prefixes = prefixes.split(',').map(str::trim).filter(|prefix| !prefix.is_empty());
        custom::begin_with(prefixes.map(str::to_string).collect());
        let file_of = |names: &[&str]| root.text(names).map(PathBuf::from);
        let mut config = Config {
            path: file_of(&["path"]),
            user_files_path: file_of(&["user_files_path"]),
            http_port: root.number(&["http_port"])?,
            https_port: root.number(&["https_port"])?,
            tcp_port: root.number(&["tcp_port"])?,
            tcp_port_secure: root.number(&["tcp_port_secure"])?,
            prometheus: prometheus(&root)?,
            certificate: file_of(&["openSSL", "server", "certificateFile"]),
            private_key: file_of(&["openSSL", "server", "privateKeyFile"]),
            listen_hosts: root.children("listen_host").map(|node| node.text.trim().to_string()).collect(),
            max_concurrent_queries: root.number(&["max_concurrent_queries"])?,
            max_concurrent_insert_queries: root.number(&["max_concurrent_insert_queries"])?,
            max_concurrent_select_queries: root.number(&["max_concurrent_select_queries"])?,
            shutdown_grace: root.number(&["shutdown_wait_unfinished"])?,
            max_server_memory_usage: root.number(&["max_server_memory_usage"])?,
            uncompressed_cache_size: root.number(&["uncompressed_cache_size"])?,
            query_condition_cache_size: root.number(&["query_condition_cache_size"])?,
            calibrate_when_idle_seconds: root.number(&["calibrate_when_idle_seconds"])?,
            access: None,
            otlp_endpoint: root.text(&["opentelemetry", "endpoint"]).filter(|endpoint| !endpoint.is_empty()),
            max_connections: root.number(&["max_connections"])?,
            display_name: root.text(&["display_name"]),
            default_database: root.text(&["default_database"]),
            keep_alive_timeout: root.number(&["keep_alive_timeout"])?,
            http_stacktrace: switch(&root, "enable_http_stacktrace")?,
            macros: texts(root.child("macros")),
            domain_lists: texts(root.child("top_level_domains_lists")),
            domain_lists_path: file_of(&["top_level_domains_path"]),
            default_profile: root.text(&["default_profile"]),
            timezone: root.text(&["timezone"]),
            memory_ratio: root.number(&["max_server_memory_usage_to_ram_ratio"])?,
            merge_tree: texts(root.child("merge_tree")),
            passwords: users_config::passwords(&root)?,
            collections: collections(&root),
            allowed_hosts: allowed_hosts(&root)?,
            logs: logs_config::read(&root)?,
            masking: masking_config::read(&root)?,
            handlers: handlers_config::read(&root)?,
            default_response: root.text(&["http_server_default_response"]),
            default_session_timeout: root.number(&["default_session_timeout"])?,
            max_session_timeout: root.number(&["max_session_timeout"])?,
            max_table_size_to_drop: root.number(&["max_table_size_to_drop"])?,
            max_partition_size_to_drop: root.number(&["max_partition_size_to_drop"])?,
            drop_delay: root.number(&["database_atomic_delay_before_drop_table_sec"])?,
            options: options_config::read(&root)?,
            listen_try: switch(&root, "listen_try")?,
            reload_interval_ms: root.number(&["config_reload_interval_ms"])?,
            sources: Vec::new(),
        };
        let users_file = root.text(&["users_config"]).or_else(|| root.text(&["user_directories", "users_xml", "path"]));
        let users_file = users_file.map(|name| config_files::beside(file, &name));
        let of_users = match users_file.filter(|path| path != file) {
            Some(path) => {
                let users = config_files::read(&path, included.as_deref()).context(|| format!("in {}", path.display()))?;
                sources.extend(users.sources);
                Some(users.root)
            }
            None => None,
        };
        config.sources = sources;
        let root = of_users.as_ref().unwrap_or(&root);
        if root.child("users").is_some() || root.child("profiles").is_some() {
            config.access = Some(users_config::access(root, config.default_profile.clone())?);
        }
        if let Some(profile) = &config.default_profile {
            let known = config.access.clone().unwrap_or_else(State::unconfigured);
            known.profile(profile).context(|| "in <default_profile>".to_string())?;
        }
        Ok(config)
    }

    /// The lists of suffixes of domains, read from their files below `path` unless another folder is given. Error: CANNOT_OPEN_FILE.
    pub fn read_domain_lists(&self, path: &Path) -> Result<BTreeMap<String, Suffixes>> {
        let folder = self.domain_lists_path.clone().unwrap_or_else(|| path.join("top_level_domains"));
        let read_one = |(name, file): (&String, &String)| {
            let text = read(&folder.join(file)).context(|| format!("for <{name}> in <top_level_domains_lists>"))?;
            Ok((name.clone(), Suffixes::read(&text)))
        };
        self.domain_lists.iter().map(read_one).collect()
    }

    /// Users, profiles and named collections: what holds beside what statements made.
    pub fn state(&self) -> State {
        let state = self.access.clone().unwrap_or_else(State::unconfigured);
        State { collections: self.collections.clone(), default_profile: self.default_profile.clone(), ..state }
    }
}

/// An element that says yes or no. Error: INVALID_CONFIG_PARAMETER.
fn switch(root: &Node, name: &str) -> Result<Option<bool>> {
    let Some(text) = root.text(&[name]) else { return Ok(None) };
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(Some(true)),
        "false" | "no" | "off" | "0" => Ok(Some(false)),
        other => Err(invalid(format!("<{name}> is '{other}': write true or false"))),
    }
}

/// `<prometheus><endpoint>/metrics</endpoint><port>9363</port><errors>false</errors></prometheus>`; without a port there is none.
fn prometheus(root: &Node) -> Result<Option<Prometheus>> {
    let Some(node) = root.child("prometheus") else { return Ok(None) };
    let Some(port) = node.number::<u16>(&["port"]).context(|| "in <prometheus>".to_string())? else { return Ok(None) };
    let tells = |name: &str| -> Result<bool> {
        let told = switch(node, name).context(|| "in <prometheus>".to_string())?;
        Ok(told.unwrap_or(true))
    };
    let told = Told {
        events: tells("events")?,
        metrics: tells("metrics")?,
        asynchronous_metrics: tells("asynchronous_metrics")?,
        errors: tells("errors")?,
    };
    let endpoint = node.text(&["endpoint"]).unwrap_or_else(|| "/metrics".to_string());
    Ok(Some(Prometheus { port, endpoint, told }))
}

/// The elements in one, with their texts.
fn texts(node: Option<&Node>) -> BTreeMap<String, String> {
    node.iter().flat_map(|node| &node.children).map(|child| (child.name.clone(), child.text.trim().to_string())).collect()
}

/// `<remote_url_allow_hosts>`; in a server metadata is refused unless it is listed there.
fn allowed_hosts(root: &Node) -> Result<AllowedHosts> {
    let mut allowed = AllowedHosts { refuses_metadata: true, ..AllowedHosts::default() };
    for node in root.children("remote_url_allow_hosts").flat_map(|all| &all.children) {
        match node.name.as_str() {
            "host" => allowed.hosts.push(node.text.trim().to_string()),
            "host_regexp" => allowed.patterns.push(allowed_hosts::pattern(node.text.trim())?),
            other => return Err(invalid(format!("<{other}> in <remote_url_allow_hosts>: host and host_regexp are there"))),
        }
    }
    Ok(allowed)
}

/// `<named_collections><name><url overridable="false">…</url></name></named_collections>`
fn collections(root: &Node) -> BTreeMap<String, Collection> {
    let of = |node: &Node| {
        let values = node.children.iter().map(|child| {
            (child.name.clone(), CollectionValue { value: child.text.trim().to_string(), overridable: child.overridable })
        });
        (node.name.clone(), Collection { storage: Storage::UsersXml, values: values.collect() })
    };
    root.child("named_collections").map(|all| all.children.iter().map(of).collect()).unwrap_or_default()
}

#[cfg(test)]
pub mod tests {
    use gristmill_access::entity::{Host, SettingsElement};
    use gristmill_access::grant::Granted;

    use super::*;

    const FILE: &str = r#"<?xml version="1.0"?>
        <clickhouse>
            <!-- as ClickHouse's own -->
            <http_port>18123</http_port>
            <listen_host>::</listen_host>
            <listen_host>10.0.0.1</listen_host>
            <logger><level>trace</level></logger>
            <openSSL><server><certificateFile>/etc/a.crt</certificateFile></server></openSSL>
            <profiles>
                <default><max_threads>4</max_threads></default>
                <web>
                    <readonly>1</readonly>
                    <constraints><max_threads><min>1</min><max>8</max></max_threads></constraints>
                </web>
            </profiles>
            <users>
                <default>
                    <password>a &amp; b</password>
                    <networks><ip>::/0</ip></networks>
                    <profile>default</profile>
                    <access_management>1</access_management>
                </default>
                <reader>
                    <password_sha256_hex>65e84be33532fb784c48129675f9eff3a682b27168c0ea744b2cf58ee02337c5</password_sha256_hex>
                    <networks><ip>10.0.0.0/8</ip></networks>
                    <profile>web</profile>
                    <grants><query>GRANT SELECT ON logs.*</query><query>REVOKE SELECT(ip) ON logs.requests</query></grants>
                </reader>
            </users>
        </clickhouse>"#;

    pub fn config(text: &str) -> Result<Config> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.xml");
        std::fs::write(&file, text).expect("writes");
        Config::read(&file)
    }

    #[test]
    fn a_configuration_of_clickhouse_is_read() {
        let config = config(FILE).expect("reads");
        assert_eq!(config.http_port, Some(18123));
        assert_eq!(config.listen_hosts, ["::", "10.0.0.1"]);
        assert_eq!(config.certificate, Some("/etc/a.crt".into()));
        let access = config.access.expect("users");
        assert!(access.users["default"].methods[0].method.fits("a & b"));
        assert!(access.users["default"].granted == Granted::all());
        let reader = &access.users["reader"];
        assert!(reader.methods[0].method.fits("qwerty"));
        assert_eq!(reader.hosts, [Host::Ip("10.0.0.0/8".into())]);
        assert_eq!(
            reader.granted.statements("reader"),
            ["GRANT SELECT ON logs.* TO reader", "REVOKE SELECT(ip) ON logs.requests FROM reader"]
        );
        assert_eq!(access.profiles["web"].settings.len(), 2);
    }

    #[test]
    fn a_port_for_metrics_has_a_path_and_says_what_it_tells() {
        let read = |text: &str| config(&format!("<clickhouse>{text}</clickhouse>")).map(|config| config.prometheus);
        assert_eq!(read("<prometheus><endpoint>/metrics</endpoint></prometheus>").expect("reads"), None);
        let usual = Prometheus { port: 9363, endpoint: "/metrics".to_string(), told: Told::default() };
        assert_eq!(read("<prometheus><port>9363</port></prometheus>").expect("reads"), Some(usual));
        let other = "<prometheus><port>1</port><endpoint>/m</endpoint><events>false</events></prometheus>";
        let told = Told { events: false, ..Told::default() };
        assert_eq!(read(other).expect("reads"), Some(Prometheus { port: 1, endpoint: "/m".to_string(), told }));
        assert!(read("<prometheus><port>many</port></prometheus>").is_err());
    }

    #[test]
    fn a_switch_is_on_or_off() {
        let read = |text: &str| config(&format!("<clickhouse>{text}</clickhouse>")).map(|config| config.http_stacktrace);
        let element = |text: &str| read(&format!("<enable_http_stacktrace>{text}</enable_http_stacktrace>"));
        assert_eq!(read("").expect("reads"), None);
        assert_eq!((element("0").expect("reads"), element("True").expect("reads")), (Some(false), Some(true)));
        assert!(element("perhaps").is_err());
    }

    #[test]
    fn a_profile_of_everybody_is_one_that_is_there() {
        let file = |profile: &str| {
            format!(
                "<clickhouse><default_profile>{profile}</default_profile><macros><shard>01</shard></macros><profiles><base/>\
                 </profiles><users><a><no_password/><profile>default</profile></a></users></clickhouse>"
            )
        };
        let read = config(&file("base")).expect("reads");
        assert_eq!((read.state().default_profile(), read.macros["shard"].as_str()), ("base", "01"));
        // It is no longer the one that everybody has.
        assert_eq!(read.state().users["a"].settings, [SettingsElement::Profile("default".to_string())]);
        let error = config(&file("none")).expect_err("no such profile").to_string();
        assert!(error.contains("no settings profile") && error.contains("<default_profile>"), "{error}");
    }
}
