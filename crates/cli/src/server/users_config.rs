//! Users, their profiles and what passwords must be like, in the form of ClickHouse's `users.xml`: `<users>`, `<profiles>`,
//! `<quotas>`, `<password_complexity>`.

use std::sync::Arc;

use gristmill_access::control::{State, id_of};
use gristmill_access::entity::{Chosen, Host, Profile, SettingsElement, Storage, User, Writability, is_range};
use gristmill_access::grant::{Element, Granted};
use gristmill_access::password::Method;
use gristmill_access::policy::{Policy, Rule};
use gristmill_access::{Level, Object, Privileges};
use gristmill_base::{Result, ResultExt};
use gristmill_engine::interpret::configured_grants;
use gristmill_introspect::{Settings, custom};
use regex::Regex;

use crate::config_tree::{Node, invalid};

const DEFAULT_QUOTA: &str = "default";

/// `<password_complexity>`, `<allow_plaintext_password>`, `<allow_no_password>`
pub fn passwords(root: &Node) -> Result<Policy> {
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

/// Users and profiles. Errors: INVALID_CONFIG_PARAMETER, and those of settings and grants; each names the user or profile.
pub fn access(root: &Node, default_profile: Option<String>) -> Result<State> {
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
            "constraints" => {
                child.children.iter().try_for_each(|node| check_known(&node.name))?;
                elements.extend(child.children.iter().map(constraint));
            }
            name => {
                let value = child.text.trim().to_string();
                Settings::default().set(name, &value)?;
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

/// Error: UNKNOWN_SETTING: a limit whose name is mistyped would limit nothing.
fn check_known(name: &str) -> Result<()> {
    let mut settings = Settings::default();
    match settings.get(name).is_some() || custom::is_custom(name) {
        true => Ok(()),
        false => settings.set(name, ""),
    }
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
    use super::super::config::tests::config;
    use super::*;

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
        // A limit that is mistyped would limit nothing.
        let profile = |inner: &str| format!("<clickhouse><profiles><web>{inner}</web></profiles></clickhouse>");
        let of_constraints = "<constraints><max_thread><max>8</max></max_thread></constraints>";
        for mistyped in ["<max_row_to_read>9</max_row_to_read>", of_constraints] {
            let message = message(&profile(mistyped));
            assert!(message.contains("Unknown setting") && message.contains("in the profile web"), "{message}");
        }
        assert!(config(&profile("<load_balancing>random</load_balancing>")).is_ok());
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
    fn rules_of_passwords_are_read() {
        let text = "<clickhouse><allow_plaintext_password>0</allow_plaintext_password><password_complexity><rule>\
            <pattern>.{12}</pattern><message>be at least 12 characters long</message></rule></password_complexity></clickhouse>";
        let policy = config(text).expect("reads").passwords;
        assert!(!policy.allows_plaintext && policy.allows_none);
        assert!(policy.check_password("short").expect_err("short").message().contains("be at least 12 characters long"));
        assert!(policy.check_password("long enough for it").is_ok());
    }
}
