//! The configuration file of a server: ClickHouse's `config.xml`, with the users and profiles of its `users.xml` in it or in the
//! file that `users_config` names.
//!
//! Read are the elements that mean something here ([`Config`]); others are named once in the log, so that nobody believes in
//! one that does nothing. An element with the attribute `from_env` has the value of that variable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gristmill_access::control::{State, id_of};
use gristmill_access::entity::{
    Chosen, Collection, CollectionValue, Host, Profile, SettingsElement, Storage, User, Writability, is_range,
};
use gristmill_access::grant::{Element, Granted};
use gristmill_access::password::Method;
use gristmill_access::policy::{Policy, Rule};
use gristmill_access::{Level, Object, Privileges};
use gristmill_base::redact::masking;
use gristmill_base::{Result, ResultExt};
use gristmill_engine::LogsConfig;
use gristmill_engine::custom_suffixes::Suffixes;
use gristmill_engine::interpret::configured_grants;
use gristmill_introspect::{Settings, custom};
use gristmill_objstore::allowed_hosts::{self, AllowedHosts};
use gristmill_server::Handlers;
use regex::Regex;

use super::{handlers_config, logs_config, masking_config};
use crate::config_tree::{Node, invalid, parsed, read};

const DEFAULT_QUOTA: &str = "default";

/// What a file says; `None` and empty: nothing.
#[derive(Debug, Default)]
pub struct Config {
    pub path: Option<PathBuf>,
    pub user_files_path: Option<PathBuf>,
    pub http_port: Option<u16>,
    pub https_port: Option<u16>,
    pub tcp_port: Option<u16>,
    pub tcp_port_secure: Option<u16>,
    pub certificate: Option<PathBuf>,
    pub private_key: Option<PathBuf>,
    pub listen_hosts: Vec<String>,
    pub max_concurrent_queries: Option<usize>,
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
}

/// What is read of `config.xml`; the names of other elements are told.
const KNOWN: &[&str] = &[
    "path",
    "user_files_path",
    "http_port",
    "https_port",
    "tcp_port",
    "tcp_port_secure",
    "openSSL",
    "listen_host",
    "max_concurrent_queries",
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
];

impl Config {
    /// Errors: CANNOT_OPEN_FILE, INVALID_CONFIG_PARAMETER; each names the file.
    pub fn read(file: &Path) -> Result<Config> {
        Config::of_file(file).context(|| format!("in the configuration {}", file.display()))
    }

    fn of_file(file: &Path) -> Result<Config> {
        let root = parsed(&read(file)?)?;
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
            certificate: file_of(&["openSSL", "server", "certificateFile"]),
            private_key: file_of(&["openSSL", "server", "privateKeyFile"]),
            listen_hosts: root.children("listen_host").map(|node| node.text.trim().to_string()).collect(),
            max_concurrent_queries: root.number(&["max_concurrent_queries"])?,
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
            macros: texts(root.child("macros")),
            domain_lists: texts(root.child("top_level_domains_lists")),
            domain_lists_path: file_of(&["top_level_domains_path"]),
            default_profile: root.text(&["default_profile"]),
            timezone: root.text(&["timezone"]),
            memory_ratio: root.number(&["max_server_memory_usage_to_ram_ratio"])?,
            merge_tree: texts(root.child("merge_tree")),
            passwords: passwords(&root)?,
            collections: collections(&root),
            allowed_hosts: allowed_hosts(&root)?,
            logs: logs_config::read(&root)?,
            masking: masking_config::read(&root)?,
            handlers: handlers_config::read(&root)?,
            default_response: root.text(&["http_server_default_response"]),
            default_session_timeout: root.number(&["default_session_timeout"])?,
            max_session_timeout: root.number(&["max_session_timeout"])?,
        };
        let users_file = root.text(&["users_config"]).or_else(|| root.text(&["user_directories", "users_xml", "path"]));
        // Beside the configuration, as a name that is no whole path is.
        let users_file = users_file.map(|name| file.parent().unwrap_or(Path::new(".")).join(name));
        let of_users = match users_file.filter(|path| path != file) {
            Some(path) => Some(read(&path).and_then(|text| parsed(&text)).context(|| format!("in {}", path.display()))?),
            None => None,
        };
        let root = of_users.as_ref().unwrap_or(&root);
        if root.child("users").is_some() || root.child("profiles").is_some() {
            config.access = Some(access(root, config.default_profile.clone())?);
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

/// The elements in one, with their texts.
fn texts(node: Option<&Node>) -> BTreeMap<String, String> {
    node.iter().flat_map(|node| &node.children).map(|child| (child.name.clone(), child.text.trim().to_string())).collect()
}

/// `<password_complexity>`, `<allow_plaintext_password>`, `<allow_no_password>`
fn passwords(root: &Node) -> Result<Policy> {
    let allows = |name: &str| root.text(&[name]).is_none_or(|text| text != "0" && text != "false");
    let mut policy = Policy {
        allows_plaintext: allows("allow_plaintext_password"),
        allows_none: allows("allow_no_password"),
        rules: Vec::new(),
    };
    for rule in root.children("password_complexity").flat_map(|all| all.children("rule")) {
        let (pattern, message) = (rule.text(&["pattern"]).unwrap_or_default(), rule.text(&["message"]).unwrap_or_default());
        let fits = Regex::new(&pattern)
            .map_err(|error| invalid(format!("<pattern>{pattern}</pattern> in <password_complexity>: {error}")))?;
        policy.rules.push(Rule { pattern, message, fits: Arc::new(move |password| fits.is_match(password)) });
    }
    Ok(policy)
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

fn access(root: &Node, default_profile: Option<String>) -> Result<State> {
    check_quotas(root)?;
    let mut state = State { default_profile, ..State::unconfigured() };
    if let Some(profiles) = root.child("profiles") {
        for node in &profiles.children {
            let settings = profile(node).context(|| format!("in the profile {}", node.name))?;
            let (id, name) = (id_of("profile", &node.name), node.name.clone());
            let profile = Profile { id, name: name.clone(), storage: Storage::UsersXml, settings, to: Chosen::None };
            state.profiles.insert(name, profile);
        }
    }
    if let Some(users) = root.child("users") {
        state.users.clear();
        state.has_built_in_default = false;
        for node in &users.children {
            let user = user(node, &state).context(|| format!("in the user {}", node.name))?;
            state.users.insert(user.name.clone(), user);
        }
    }
    Ok(state)
}

fn profile(node: &Node) -> Result<Vec<SettingsElement>> {
    let mut elements = Vec::new();
    for child in &node.children {
        match child.name.as_str() {
            "profile" => elements.push(SettingsElement::Profile(child.text.trim().to_string())),
            "constraints" => elements.extend(child.children.iter().map(constraint)),
            name => {
                let value = child.text.trim().to_string();
                let mut settings = Settings::default();
                if settings.get(name).is_none() && !custom::is_custom(name) {
                    tracing::warn!("The setting {name} of the profile {} means nothing here", node.name);
                    continue;
                }
                settings.set(name, &value)?;
                let (min, max, writability) = (None, None, None);
                elements.push(SettingsElement::Setting {
                    name: name.to_string(),
                    value: Some(value),
                    min,
                    max,
                    writability,
                });
            }
        }
    }
    Ok(elements)
}

fn constraint(node: &Node) -> SettingsElement {
    let writability = if node.child("readonly").or(node.child("const")).is_some() {
        Some(Writability::Const)
    } else {
        node.child("changeable_in_readonly").map(|_| Writability::ChangeableInReadonly)
    };
    let (min, max) = (node.text(&["min"]), node.text(&["max"]));
    SettingsElement::Setting { name: node.name.clone(), value: None, min, max, writability }
}

/// What is read of a user. Anything else may be meant to restrict it, so nothing else is passed over.
const OF_USER: &[&str] = &[
    "password",
    "password_sha256_hex",
    "password_double_sha1_hex",
    "no_password",
    "networks",
    "profile",
    "quota",
    "default_database",
    "grants",
    "allow_databases",
    "access_management",
    "named_collection_control",
    // What they switch on is not there: secrets of collections are shown to nobody.
    "show_named_collections",
    "show_named_collections_secrets",
];

/// Error: INVALID_CONFIG_PARAMETER, for what would restrict the user in ClickHouse and cannot here.
fn check_user(node: &Node) -> Result<()> {
    if let Some(other) = node.children.iter().find(|child| !OF_USER.contains(&child.name.as_str())) {
        let instead = match other.name.as_str() {
            "databases" => {
                "row filters are not there: make a view with the condition, grant SELECT on it in <grants>, and remove the element"
            }
            "allow_dictionaries" => "dictionaries are not there: remove the element",
            _ => "remove the element, or let the user in by <password_sha256_hex> and say in <grants> what it may do",
        };
        return Err(invalid(format!("<{}> is not supported: {instead}", other.name)));
    }
    if let Some(quota) = node.text(&["quota"]).filter(|quota| quota != DEFAULT_QUOTA) {
        let text =
            "quotas are not there: limit queries in the user's profile (max_execution_time, max_rows_to_read, …) instead";
        return Err(invalid(format!("<quota>{quota}</quota> is not supported: {text}")));
    }
    Ok(())
}

/// Error: INVALID_CONFIG_PARAMETER, where the quota of everybody limits anything.
fn check_quotas(root: &Node) -> Result<()> {
    let quota = root.path(&["quotas", DEFAULT_QUOTA]);
    let limits = quota.into_iter().flat_map(|quota| quota.children("interval")).flat_map(|interval| &interval.children);
    let mut limits = limits.filter(|limit| !["duration", "randomize"].contains(&limit.name.as_str()));
    match limits.find(|limit| !["", "0"].contains(&limit.text.trim())) {
        None => Ok(()),
        Some(limit) => Err(invalid(format!(
            "<{}> of <quotas><default> is not supported: quotas are not there; set it to 0, and limit queries in the profile default",
            limit.name
        ))),
    }
}

/// `<allow_databases><database>a</database></allow_databases>`: nothing of other databases.
fn only_of_databases(allowed: &Node, granted: &mut Granted) {
    let of_data = |object| Element { privileges: vec![(Privileges::grantable_on(Level::Database), Vec::new())], object };
    granted.revoke(&of_data(Object::EVERYTHING), false);
    for database in allowed.children("database") {
        granted.grant(&of_data(Object::database(database.text.trim())), true);
    }
}

fn user(node: &Node, state: &State) -> Result<User> {
    check_user(node)?;
    let mut user = User { storage: Storage::UsersXml, ..User::new(id_of("user", &node.name), &node.name) };
    user.methods = vec![method(node)?.into()];
    if let Some(networks) = node.child("networks") {
        user.hosts = networks.children.iter().map(host).collect::<Result<_>>()?;
    }
    if let Some(profile) = node.text(&["profile"]) {
        state.profile(&profile)?;
        if profile != state.default_profile() {
            user.settings.push(SettingsElement::Profile(profile));
        }
    }
    user.default_database = node.text(&["default_database"]).unwrap_or_default();
    let flag = |name: &str| node.text(&[name]).is_some_and(|text| text == "1" || text == "true");
    match node.child("grants") {
        Some(_) if node.child("allow_databases").is_some() => {
            return Err(invalid("It has <grants> and <allow_databases>: say in <grants> alone what it may do".to_string()));
        }
        Some(grants) => {
            let queries: Vec<String> = grants.children("query").map(|query| query.text.trim().to_string()).collect();
            configured_grants(&queries, &mut user)?;
        }
        None => {
            user.granted = Granted::all();
            let mut taken = Vec::new();
            for (name, switch) in
                [("ACCESS MANAGEMENT", "access_management"), ("NAMED COLLECTION ADMIN", "named_collection_control")]
            {
                // Who manages users may grant itself the rest.
                if !flag(switch) && !flag("access_management") {
                    taken.push((Privileges::named(name)?, Vec::new()));
                }
            }
            user.granted.revoke(&Element { privileges: taken, object: Object::EVERYTHING }, false);
            if let Some(allowed) = node.child("allow_databases") {
                only_of_databases(allowed, &mut user.granted);
            }
        }
    }
    Ok(user)
}

/// Error: INVALID_CONFIG_PARAMETER where there are several, or none.
fn method(node: &Node) -> Result<Method> {
    let mut methods = Vec::new();
    if node.child("no_password").is_some() {
        methods.push(Method::NoPassword);
    }
    if let Some(password) = node.child("password") {
        // Every byte of it counts.
        let password = password.text.clone();
        methods.push(if password.is_empty() { Method::NoPassword } else { Method::PlaintextPassword { password } });
    }
    for (name, kind) in [("password_sha256_hex", "sha256_hash"), ("password_double_sha1_hex", "double_sha1_hash")] {
        if let Some(hash) = node.text(&[name]) {
            methods.push(Method::of_hash(kind, &hash, "")?);
        }
    }
    match (methods.pop(), methods.is_empty()) {
        (Some(method), true) => Ok(method),
        (None, _) => Err(invalid(
            "It has none of <password>, <password_sha256_hex>, <password_double_sha1_hex> and <no_password/>".to_string(),
        )),
        (Some(_), false) => {
            Err(invalid("It has more than one of <password>, <password_sha256_hex> and the like".to_string()))
        }
    }
}

fn host(node: &Node) -> Result<Host> {
    let text = node.text.trim();
    match node.name.as_str() {
        "ip" if text == "::/0" => Ok(Host::Any),
        "ip" if is_range(text) => Ok(Host::Ip(text.to_string())),
        "ip" => Err(invalid(format!("<ip>{text}</ip>: give an address, or a range such as 10.0.0.0/8"))),
        "host" if text == "localhost" => Ok(Host::Local),
        other => Err(invalid(format!("<{other}>{text}</{other}>: names of hosts are not looked up; <ip> is there"))),
    }
}

#[cfg(test)]
mod tests {
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

    fn config(text: &str) -> Result<Config> {
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
    fn mistakes_are_named() {
        let message = |text: &str| config(text).expect_err("a mistake").to_string();
        assert!(message("<clickhouse><http_port>many</http_port></clickhouse>").contains("<http_port> is 'many'"));
        assert!(message("<clickhouse><http_port>1</clickhouse>").contains("no XML"));
        let user = |inner: &str| format!("<clickhouse><users><a>{inner}</a></users></clickhouse>");
        assert!(message(&user("")).contains("in the user a"));
        let twice = "<password>x</password><no_password/>";
        assert!(message(&user(twice)).contains("more than one"));
        assert!(message(&user("<password>x</password><profile>none</profile>")).contains("no settings profile"));
        let unsupported = [
            ("<databases><default><t><filter>a = 1</filter></t></default></databases>", "row filters are not there"),
            ("<quota>strict</quota>", "quotas are not there"),
            ("<ldap><server>x</server></ldap>", "<ldap> is not supported"),
            ("<allow_databases/><grants/>", "<grants> alone"),
        ];
        for (element, said) in unsupported {
            let message = message(&user(&format!("<password>x</password>{element}")));
            assert!(message.contains(said), "{message}");
        }
        let quotas =
            "<quotas><default><interval><duration>3600</duration><queries>100</queries></interval></default></quotas>";
        let limited = format!("<clickhouse>{quotas}<users><a><no_password/></a></users></clickhouse>");
        assert!(message(&limited).contains("<queries> of <quotas>"));
        assert!(config(&limited.replace("100", "0")).is_ok());
        let grants = "<password>x</password><grants><query>GRANT FLY ON *.*</query></grants>";
        assert!(config(&user(grants)).is_err());
    }

    #[test]
    fn a_user_of_some_databases_has_rights_on_no_other() {
        let text = "<clickhouse><users><a><no_password/><quota>default</quota><allow_databases><database>own</database>\
            </allow_databases></a></users></clickhouse>";
        let access = config(text).expect("reads").access.expect("users");
        let select = Privileges::named("SELECT").expect("a privilege");
        let rights = &access.users["a"].granted.rights;
        assert!(rights.has(select, &Object::table("own", "t")));
        assert!(!rights.has_some(Privileges::grantable_on(Level::Database), &Object::database("sec")));
        assert!(rights.has(Privileges::named("FILE").expect("a privilege"), &Object::EVERYTHING));
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

    #[test]
    fn rules_of_passwords_are_read() {
        let text = "<clickhouse><allow_plaintext_password>0</allow_plaintext_password><password_complexity><rule>\
            <pattern>.{12}</pattern><message>be at least 12 characters long</message></rule></password_complexity></clickhouse>";
        let policy = config(text).expect("reads").passwords;
        assert!(!policy.allows_plaintext && policy.allows_none);
        assert!(policy.check_password("short").expect_err("short").message().contains("be at least 12 characters long"));
        assert!(policy.check_password("long enough for it").is_ok());
    }
}
