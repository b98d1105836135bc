//! The statements that make users, roles and profiles again, as SHOW CREATE and SHOW GRANTS tell them: without secrets.

use chrono::DateTime;
use chrono_tz::Tz;

use crate::control::quoted;
use crate::entity::{Chosen, Host, Profile, Role, RoleGranted, SettingsElement, User};
use crate::rights::identifier;

/// `CREATE USER alice …`: what makes it again, without secrets. `zone`: that of its times.
pub fn create_user(user: &User, zone: Tz) -> String {
    let mut text = format!("CREATE USER {}", identifier(&user.name));
    let methods = user.methods.iter().map(|proof| match proof.valid_until {
        None => proof.method.name().to_string(),
        Some(until) => {
            let until = DateTime::from_timestamp(until, 0).unwrap_or_default().with_timezone(&zone);
            format!("{} VALID UNTIL '{}'", proof.method.name(), until.format("%Y-%m-%d %H:%M:%S"))
        }
    });
    text.push_str(&format!(" IDENTIFIED WITH {}", methods.collect::<Vec<_>>().join(", ")));
    let hosts: Vec<String> = user.hosts.iter().map(host_text).collect();
    match &hosts[..] {
        [] => text.push_str(" HOST NONE"),
        [any] if any == "ANY" => {}
        hosts => text.push_str(&format!(" HOST {}", hosts.join(", "))),
    }
    if !user.default_database.is_empty() {
        text.push_str(&format!(" DEFAULT DATABASE {}", identifier(&user.default_database)));
    }
    if user.default_roles != Chosen::All {
        text.push_str(&format!(" DEFAULT ROLE {}", chosen(&user.default_roles)));
    }
    text.push_str(&settings_clause(&user.settings));
    if user.grantees != Chosen::All {
        let grantees = match &user.grantees {
            // Of grantees the word for all is another.
            Chosen::AllExcept(_) => chosen(&user.grantees).replacen("ALL", "ANY", 1),
            these => chosen(these),
        };
        text.push_str(&format!(" GRANTEES {grantees}"));
    }
    text
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
