//! The statements that make users, roles and profiles again, as SHOW CREATE and SHOW GRANTS tell them: without secrets.

use crate::control::quoted;
use crate::entity::{Chosen, Host, Profile, Role, RoleGranted, SettingsElement, User};
use crate::password::Method;
use crate::rights::identifier;

/// `CREATE USER alice …`: what makes it again, without secrets.
pub fn create_user(user: &User) -> String {
    let mut text = format!("CREATE USER {}", identifier(&user.name));
    let methods: Vec<&str> = user.methods.iter().map(Method::name).collect();
    text.push_str(&format!(" IDENTIFIED WITH {}", methods.join(", ")));
    if let Some(until) = user.valid_until {
        let until = chrono::DateTime::from_timestamp(until, 0).unwrap_or_default();
        text.push_str(&format!(" VALID UNTIL '{}'", until.format("%Y-%m-%d %H:%M:%S")));
    }
    let hosts: Vec<String> = user.hosts.iter().map(host_text).collect();
    match &hosts[..] {
        [] => text.push_str(" HOST NONE"),
        [any] if any == "ANY" => {}
        hosts => text.push_str(&format!(" HOST {}", hosts.join(", "))),
    }
    if user.default_roles != Chosen::All {
        text.push_str(&format!(" DEFAULT ROLE {}", chosen(&user.default_roles)));
    }
    if !user.default_database.is_empty() {
        text.push_str(&format!(" DEFAULT DATABASE {}", identifier(&user.default_database)));
    }
    text + &settings_clause(&user.settings)
}

fn host_text(host: &Host) -> String {
    match host {
        Host::Any => "ANY".to_string(),
        Host::Local => "LOCAL".to_string(),
        Host::Ip(range) => format!("IP '{range}'"),
        Host::Like(pattern) => format!("LIKE '{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

pub fn create_role(role: &Role) -> String {
    format!("CREATE ROLE {}{}", identifier(&role.name), settings_clause(&role.settings))
}

pub fn create_profile(profile: &Profile) -> String {
    let to = if profile.to == Chosen::None { String::new() } else { format!(" TO {}", chosen(&profile.to)) };
    format!("CREATE SETTINGS PROFILE {}{}{to}", quoted(&profile.name), settings_clause(&profile.settings))
}

fn chosen(chosen: &Chosen) -> String {
    let names = |names: &[String]| names.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ");
    match chosen {
        Chosen::None => "NONE".to_string(),
        Chosen::All => "ALL".to_string(),
        Chosen::AllExcept(except) => format!("ALL EXCEPT {}", names(except)),
        Chosen::These(these) => names(these),
    }
}

fn settings_clause(settings: &[SettingsElement]) -> String {
    let literal = |value: &String| match value.parse::<f64>() {
        Ok(_) => value.clone(),
        Err(_) => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'")),
    };
    let elements = settings.iter().map(|element| match element {
        SettingsElement::Profile(name) => format!("PROFILE {}", quoted(name)),
        SettingsElement::Setting { name, value, min, max, writability } => {
            let mut text = name.clone();
            for (before, value) in [(" = ", value), (" MIN ", min), (" MAX ", max)] {
                if let Some(value) = value {
                    text.push_str(&format!("{before}{}", literal(value)));
                }
            }
            writability.iter().for_each(|writability| text.push_str(&format!(" {}", writability.name())));
            text
        }
    });
    let elements: Vec<String> = elements.collect();
    if elements.is_empty() { String::new() } else { format!(" SETTINGS {}", elements.join(", ")) }
}

/// A user's roles by name, and whether they may be handed on: `GRANT a, b TO alice`.
pub fn role_grants(roles: &[RoleGranted], whose: &str) -> Vec<String> {
    let grant = |with_option: bool| {
        let of_kind = roles.iter().filter(|granted| granted.admin_option == with_option);
        let names: Vec<String> = of_kind.map(|granted| identifier(&granted.role)).collect();
        let option = if with_option { " WITH ADMIN OPTION" } else { "" };
        (!names.is_empty()).then(|| format!("GRANT {} TO {}{option}", names.join(", "), identifier(whose)))
    };
    [grant(false), grant(true)].into_iter().flatten().collect()
}
