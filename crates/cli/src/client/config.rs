//! The configuration of a client, in the form of clickhouse-client's `config.xml` or its YAML, with the files of `config.d`.
//!
//! Read are the connection (`host`, `port`, `user`, `password`, `database`, `secure`), `connections_credentials` with
//! connections by name, `openSSL/client`, `history_file`, `prompt`, `format`, `vertical`, and every element whose name is a setting. Others mean
//! nothing here, and are passed over: they are for the client of ClickHouse whose file it may be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;

use crate::config_files;
use crate::config_tree::Node;

/// What a file says; `None` and empty: nothing.
#[derive(Debug, Default)]
pub struct Config {
    pub host: Option<String>,
    pub port: Option<u16>,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub database: Option<String>,
    pub secure: Option<bool>,
    pub accept_invalid_certificate: bool,
    /// A file of authorities in PEM.
    pub authorities: Option<PathBuf>,
    pub history_file: Option<PathBuf>,
    pub prompt: Option<String>,
    /// Of results that name none.
    pub format: Option<String>,
    pub vertical: bool,
    pub settings: BTreeMap<String, String>,
    /// Of the connection that was taken from `connections_credentials`.
    connection: Option<String>,
}

/// The first of the places where clickhouse-client looks as well; `None`: there is no file.
fn found() -> Option<PathBuf> {
    let home = std::env::home_dir();
    let xdg = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
    let places = [
        Some(PathBuf::from("clickhouse-client")),
        xdg.map(|folder| folder.join("clickhouse/config")),
        home.map(|home| home.join(".clickhouse-client/config")),
        Some(PathBuf::from("/etc/clickhouse-client/config")),
    ];
    let files = places
        .into_iter()
        .flatten()
        .flat_map(|place| ["xml", "yaml", "yml"].map(|extension| PathBuf::from(format!("{}.{extension}", place.display()))));
    let mut files = files.filter(|file| file.is_file());
    files.next()
}

impl Config {
    /// The file that was given, or the one that is found; nothing where there is none. `connection`: a name among
    /// `connections_credentials`, which must be there; `host`: one that may be there. Errors: CANNOT_OPEN_FILE,
    /// INVALID_CONFIG_PARAMETER, NO_ELEMENTS_IN_CONFIG; none shows a password.
    pub fn read(given: Option<&Path>, connection: Option<&str>, host: Option<&str>) -> Result<Config> {
        let root = match given.map(Path::to_path_buf).or_else(found) {
            Some(file) => {
                let config = config_files::read(&file, None).and_then(|whole| Config::of(&whole.root, connection, host));
                return config.context(|| format!("in the configuration {}", file.display()));
            }
            None => Node::default(),
        };
        Config::of(&root, connection, host)
    }

    fn of(root: &Node, connection: Option<&str>, host: Option<&str>) -> Result<Config> {
        let mut config = Config::default();
        config.take(root)?;
        let verification = root.text(&["openSSL", "client", "verificationMode"]);
        config.accept_invalid_certificate |= verification.as_deref() == Some("none");
        config.authorities = root.text(&["openSSL", "client", "caConfig"]).map(PathBuf::from);
        config.settings = settings(root);
        config.format = root.text(&["format"]);
        config.vertical = root.child("vertical").is_some_and(|vertical| is_true(&vertical.text));
        let named = |name: &str| {
            let all = root.children("connections_credentials").flat_map(|all| all.children("connection"));
            all.filter(move |node| node.text(&["name"]).as_deref() == Some(name)).last()
        };
        match (connection, host) {
            (Some(name), _) => {
                let node = named(name).ok_or_else(|| {
                    Error::new(
                        ErrorCode::NO_ELEMENTS_IN_CONFIG,
                        format!("No connection '{name}' in connections_credentials"),
                    )
                })?;
                config.take(node)?;
                config.connection = Some(name.to_string());
            }
            (None, Some(host)) => {
                if let Some(node) = named(host) {
                    // Else the name itself is the host's.
                    config.host = Some(host.to_string());
                    config.connection = Some(host.to_string());
                    config.take(node)?;
                }
            }
            (None, None) => {}
        }
        Ok(config)
    }

    /// Whether that name is the one of a connection that was taken.
    pub fn names(&self, host: &str) -> bool {
        self.connection.as_deref() == Some(host)
    }

    /// Where a host is that the line names: it may be the name of the connection.
    pub fn host_of(&self, host: String) -> String {
        self.host.clone().filter(|_| self.names(&host)).unwrap_or(host)
    }

    /// What an element says of a connection goes over what is known.
    fn take(&mut self, node: &Node) -> Result<()> {
        let take = |names: &[&str], into: &mut Option<String>| {
            if let Some(text) = names.iter().find_map(|name| node.text(&[name])) {
                *into = Some(text);
            }
        };
        take(&["hostname", "host"], &mut self.host);
        take(&["user"], &mut self.user);
        take(&["database"], &mut self.database);
        take(&["prompt"], &mut self.prompt);
        if let Some(port) = node.number(&["port"])? {
            self.port = Some(port);
        }
        // Every byte of it counts.
        if let Some(password) = node.child("password") {
            self.password = Some(Secret::new(password.text.clone()));
        }
        if let Some(secure) = node.child("secure") {
            self.secure = Some(is_true(&secure.text));
        }
        if let Some(file) = node.text(&["history_file"]) {
            self.history_file = Some(PathBuf::from(file));
        }
        let accepts = node.child("accept-invalid-certificate").or_else(|| node.child("accept_invalid_certificate"));
        self.accept_invalid_certificate |= accepts.is_some_and(|accepts| is_true(&accepts.text));
        Ok(())
    }
}

/// `<secure/>`, `<secure>1</secure>`, `<secure>true</secure>`
fn is_true(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "" | "1" | "true" | "yes" | "on")
}

/// Elements that are named as settings are.
fn settings(root: &Node) -> BTreeMap<String, String> {
    let known = Settings::default();
    let leaves = root.children.iter().filter(|node| node.children.is_empty() && known.get(&node.name).is_some());
    leaves.map(|node| (node.name.clone(), node.text.trim().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_tree;

    const FILE: &str = "<config><format>JSON</format><vertical/><host>first</host><user>me</user><password> p </password><secure/><max_threads>3</max_threads>\
        <openSSL><client><verificationMode>none</verificationMode><caConfig>/a.pem</caConfig></client></openSSL>\
        <connections_credentials>\
        <connection><name>other</name><hostname>second</hostname><port>9001</port><secure>0</secure></connection>\
        <connection><name>plain</name><user>you</user></connection>\
        </connections_credentials></config>";

    fn config(connection: Option<&str>, host: Option<&str>) -> Result<Config> {
        Config::of(&config_tree::parsed(FILE).expect("XML"), connection, host)
    }

    #[test]
    fn the_connection_and_settings_are_read() {
        let config = config(None, None).expect("reads");
        assert_eq!((config.host.as_deref(), config.user.as_deref()), (Some("first"), Some("me")));
        assert_eq!(config.password.as_ref().map(Secret::reveal), Some(" p "));
        assert_eq!((config.secure, config.accept_invalid_certificate), (Some(true), true));
        assert_eq!((config.format.as_deref(), config.vertical), (Some("JSON"), true));
        assert_eq!(config.settings["max_threads"], "3");
        assert_eq!(config.authorities, Some(PathBuf::from("/a.pem")));
    }

    #[test]
    fn a_connection_by_name_goes_over_it() {
        for named in [config(Some("other"), None), config(None, Some("other"))] {
            let named = named.expect("reads");
            assert_eq!((named.host.as_deref(), named.port, named.secure), (Some("second"), Some(9001), Some(false)));
            assert_eq!(named.user.as_deref(), Some("me"));
        }
        assert_eq!(config(None, Some("plain")).expect("reads").host.as_deref(), Some("plain"));
        assert_eq!(config(Some("none"), None).expect_err("none").code(), ErrorCode::NO_ELEMENTS_IN_CONFIG);
    }
}
