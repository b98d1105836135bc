//! Users, roles and settings profiles, as they are kept.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::grant::Granted;
use crate::password::Method;

/// Ids as text, which is what people look for in the file.
mod id_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use uuid::Uuid;

    pub fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Where an entity was defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// The configuration file, or the server's own defaults: no statement changes it.
    UsersXml,
    #[default]
    LocalDirectory,
}

impl Storage {
    pub fn name(self) -> &'static str {
        match self {
            Storage::UsersXml => "users_xml",
            Storage::LocalDirectory => "local_directory",
        }
    }
}

/// Some of the users and roles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    #[default]
    None,
    All,
    AllExcept(Vec<String>),
    These(Vec<String>),
}

impl Chosen {
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Chosen::None => false,
            Chosen::All => true,
            Chosen::AllExcept(names) => !names.iter().any(|known| known == name),
            Chosen::These(names) => names.iter().any(|known| known == name),
        }
    }

    /// An entity has another name now; `None`: it is gone.
    pub fn renamed(&mut self, from: &str, to: Option<&str>) {
        if let Chosen::AllExcept(names) | Chosen::These(names) = self {
            rename(names, from, to);
        }
    }
}

pub fn rename(names: &mut Vec<String>, from: &str, to: Option<&str>) {
    match to {
        Some(to) => names.iter_mut().filter(|name| *name == from).for_each(|name| *name = to.to_string()),
        None => names.retain(|name| name != from),
    }
}

/// Where a user may connect from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    Any,
    Local,
    /// `10.0.0.0/8`, or one address.
    Ip(String),
    /// A pattern of addresses, with `%` for any text and `_` for one letter.
    Like(String),
}

impl Host {
    pub fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match self {
            Host::Any => true,
            Host::Local => address.is_loopback(),
            Host::Ip(range) => in_range(range, address),
            Host::Like(pattern) => is_like(address.to_string().as_bytes(), pattern.as_bytes()),
        }
    }
}

/// LIKE, of letters of one byte. The last `%` is the only one that has to be gone back to.
fn is_like(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut of_pattern, mut back) = (0, 0, None);
    while at < text.len() {
        match pattern.get(of_pattern) {
            Some(b'%') => {
                of_pattern += 1;
                back = Some((at, of_pattern));
            }
            Some(&letter) if letter == b'_' || letter == text[at] => {
                at += 1;
                of_pattern += 1;
            }
            _ => match back {
                Some((from, behind)) => {
                    back = Some((from + 1, behind));
                    (at, of_pattern) = (from + 1, behind);
                }
                None => return false,
            },
        }
    }
    pattern[of_pattern..].iter().all(|letter| *letter == b'%')
}

/// Whether a text is an address, or a range of them.
pub fn is_range(text: &str) -> bool {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let width = if address.is_ipv4() { 32 } else { 128 };
    bits.is_none_or(|bits| bits.parse::<u32>().is_ok_and(|bits| bits <= width))
}

fn in_range(range: &str, address: IpAddr) -> bool {
    let (network, bits) = range.split_once('/').map_or((range, None), |(network, bits)| (network, Some(bits)));
    let Ok(network) = network.parse::<IpAddr>() else { return false };
    let bits = bits.and_then(|bits| bits.parse::<u32>().ok());
    // ::/0 stands for every address, those of version 4 too.
    let (network, address, width) = match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => (u128::from(network.to_bits()), u128::from(address.to_bits()), 32),
        (IpAddr::V6(network), IpAddr::V6(address)) => (network.to_bits(), address.to_bits(), 128),
        (IpAddr::V6(network), IpAddr::V4(address)) => (network.to_bits(), address.to_ipv6_mapped().to_bits(), 128),
        (IpAddr::V4(_), IpAddr::V6(_)) => return false,
    };
    let ignored = width - bits.unwrap_or(width).min(width);
    // A shift by all bits is none in Rust.
    ignored >= 128 || network >> ignored == address >> ignored
}

/// How far a setting may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writability {
    Writable,
    Const,
    ChangeableInReadonly,
}

impl Writability {
    pub fn name(self) -> &'static str {
        match self {
            Writability::Writable => "WRITABLE",
            Writability::Const => "CONST",
            Writability::ChangeableInReadonly => "CHANGEABLE_IN_READONLY",
        }
    }
}

/// A line of a settings clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingsElement {
    Profile(String),
    Setting {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        writability: Option<Writability>,
    },
}

/// A role that somebody has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleGranted {
    pub role: String,
    pub admin_option: bool,
}

/// One of the ways in which a user comes in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    #[serde(flatten)]
    pub method: Method,
    /// Seconds since 1970 until which it is one; `None`: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<i64>,
}

impl From<Method> for Proof {
    fn from(method: Method) -> Proof {
        Proof { method, valid_until: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    #[serde(with = "id_text")]
    pub id: Uuid,
    pub name: String,
    #[serde(skip)]
    pub storage: Storage,
    /// Any of them lets the user in.
    pub methods: Vec<Proof>,
    /// Of all of them, as older files have it; `None` once such a file was read.
    #[serde(default, skip_serializing)]
    pub valid_until: Option<i64>,
    pub hosts: Vec<Host>,
    pub default_roles: Chosen,
    #[serde(default)]
    pub default_database: String,
    pub settings: Vec<SettingsElement>,
    pub granted: Granted,
    pub roles: Vec<RoleGranted>,
    /// To whom the user may hand rights and roles on.
    #[serde(default = "anybody")]
    pub grantees: Chosen,
}

fn anybody() -> Chosen {
    Chosen::All
}

impl User {
    pub fn new(id: Uuid, name: &str) -> User {
        User {
            id,
            name: name.to_string(),
            storage: Storage::LocalDirectory,
            methods: vec![Method::NoPassword.into()],
            valid_until: None,
            hosts: vec![Host::Any],
            default_roles: Chosen::All,
            default_database: String::new(),
            settings: Vec::new(),
            granted: Granted::default(),
            roles: Vec::new(),
            grantees: Chosen::All,
        }
    }

    /// As it is kept now: in older files all methods ended together.
    pub(crate) fn of_older_file(&mut self) {
        if let Some(until) = self.valid_until.take() {
            self.methods.iter_mut().for_each(|proof| proof.valid_until = proof.valid_until.or(Some(until)));
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    #[serde(with = "id_text")]
    pub id: Uuid,
    pub name: String,
    #[serde(skip)]
    pub storage: Storage,
    pub settings: Vec<SettingsElement>,
    pub granted: Granted,
    pub roles: Vec<RoleGranted>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    #[serde(with = "id_text")]
    pub id: Uuid,
    pub name: String,
    #[serde(skip)]
    pub storage: Storage,
    pub settings: Vec<SettingsElement>,
    /// Whose settings it is without being named there.
    pub to: Chosen,
}

/// Arguments of table functions and engines under a name, secrets among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    #[serde(skip)]
    pub storage: Storage,
    pub values: BTreeMap<String, CollectionValue>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionValue {
    pub value: String,
    /// Whether a query may give another; `None`: not said, so it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overridable: Option<bool>,
}

/// It may be a secret.
impl std::fmt::Debug for CollectionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[HIDDEN]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_addresses() {
        let allows = |range: &str, address: &str| Host::Ip(range.into()).allows(address.parse().expect("an address"));
        assert!(allows("10.0.0.0/8", "10.3.4.5") && !allows("10.0.0.0/8", "11.0.0.1"));
        assert!(allows("192.168.1.7", "192.168.1.7") && !allows("192.168.1.7", "192.168.1.8"));
        assert!(allows("::/0", "192.168.1.7") && allows("::/0", "2001:db8::1") && allows("0.0.0.0/0", "8.8.8.8"));
        assert!(allows("2001:db8::/32", "2001:db8:1::9") && !allows("2001:db8::/32", "2001:db9::1"));
        assert!(allows("10.0.0.0/8", "::ffff:10.1.1.1"));
        assert!(Host::Local.allows("::1".parse().expect("an address")));
        let like = |pattern: &str, address: &str| Host::Like(pattern.into()).allows(address.parse().expect("an address"));
        assert!(like("10.%", "10.3.4.5") && !like("10.%", "110.3.4.5") && like("%.%.1_", "10.0.10.12"));
        assert!(!like("10.%.1", "10.0.0.2") && like("2001:db8:%", "2001:db8::1"));
        assert!(is_range("10.0.0.0/8") && !is_range("10.0.0.0/33") && !is_range("example.org"));
    }
}
