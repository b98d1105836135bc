//! What a user who came in may do: with the roles that are on, and within what the profiles say of settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use gristmill_base::{Error, ErrorCode, Result};

use crate::control::State;
use crate::entity::{Chosen, RoleGranted, SettingsElement, User, Writability};
use crate::grant::Granted;

/// A user who came in. Sessions carry it, and what it means is looked up for each statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub user: String,
    /// Empty: `default`.
    pub default_database: String,
    /// Those that SET ROLE chose; `None`: the user's default ones.
    pub roles: Option<Chosen>,
    /// By which method it proved who it is, as `IDENTIFIED WITH` names it; empty: it was not asked.
    pub method: &'static str,
}

impl Identity {
    pub fn of(user: &User, method: &'static str) -> Identity {
        Identity { user: user.name.clone(), default_database: user.default_database.clone(), roles: None, method }
    }
}

/// What may be done with a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraint {
    pub min: Option<String>,
    pub max: Option<String>,
    pub writability: Option<Writability>,
}

/// What holds for a user at the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effective {
    pub granted: Granted,
    /// The roles that are on, without those that they bring.
    pub current_roles: Vec<RoleGranted>,
    /// With those.
    pub enabled_roles: Vec<RoleGranted>,
    /// Those that are on when a session of the user begins.
    pub default_roles: Vec<String>,
    /// Settings profiles that the server, the user and the roles have, in the order in which they take effect.
    pub current_profiles: Vec<String>,
    /// With those that they have in turn, each behind its own.
    pub enabled_profiles: Vec<String>,
    /// Settings of the profiles, the user and the roles, in their order.
    pub settings: Vec<(String, String)>,
    pub constraints: Arc<BTreeMap<String, Constraint>>,
}

impl Effective {
    /// Of the server itself: everything.
    pub fn unlimited() -> Arc<Effective> {
        static ALL: LazyLock<Arc<Effective>> =
            LazyLock::new(|| Arc::new(Effective { granted: Granted::all(), ..Effective::default() }));
        ALL.clone()
    }

    /// Error: UNKNOWN_USER where the user was dropped.
    pub fn of(state: &State, identity: &Identity) -> Result<Effective> {
        let user = state.user(&identity.user)?;
        let is_on = |granted: &&RoleGranted| match &identity.roles {
            Some(chosen) => chosen.contains(&granted.role),
            None => user.default_roles.contains(&granted.role),
        };
        let current_roles: Vec<RoleGranted> = user.roles.iter().filter(is_on).cloned().collect();
        let enabled_roles = closure(state, &current_roles);
        let mut granted = user.granted.clone();
        for role in &enabled_roles {
            if let Some(role) = state.roles.get(&role.role) {
                granted = granted.union(&role.granted);
            }
        }
        granted.rights = granted.rights.with_following();
        let default = user.roles.iter().filter(|granted| user.default_roles.contains(&granted.role));
        let default_roles = default.map(|granted| granted.role.clone()).collect();
        let mut effective = Effective { granted, current_roles, enabled_roles, default_roles, ..Effective::default() };
        let mut within = BTreeSet::new();
        effective.add_profile(state, state.default_profile(), &mut within);
        let names: Vec<&str> = std::iter::once(user.name.as_str())
            .chain(effective.enabled_roles.iter().map(|role| role.role.as_str()))
            .collect::<Vec<_>>();
        let given = state.profiles.values().filter(|profile| names.iter().any(|name| profile.to.contains(name)));
        let given: Vec<String> = given.map(|profile| profile.name.clone()).collect();
        let of_roles: Vec<_> = effective.enabled_roles.iter().filter_map(|role| state.roles.get(&role.role)).collect();
        let named = of_roles.iter().flat_map(|role| profiles_in(&role.settings)).chain(profiles_in(&user.settings));
        let named = std::iter::once(state.default_profile()).chain(given.iter().map(String::as_str)).chain(named);
        effective.current_profiles = last_of_each(named.filter(|name| state.profiles.contains_key(*name)));
        let mut with_theirs = Vec::new();
        for name in &effective.current_profiles {
            add_with_theirs(state, name, &mut BTreeSet::new(), &mut with_theirs);
        }
        effective.enabled_profiles = last_of_each(with_theirs.into_iter());
        given.iter().for_each(|profile| effective.add_profile(state, profile, &mut BTreeSet::new()));
        of_roles.iter().for_each(|role| effective.add(state, &role.settings, &mut BTreeSet::new()));
        effective.add(state, &user.settings, &mut BTreeSet::new());
        Ok(effective)
    }

    /// What a profile says, with those that it has. Error: THERE_IS_NO_PROFILE.
    pub fn of_profile(state: &State, name: &str) -> Result<Effective> {
        state.profile(name)?;
        let mut effective = Effective::default();
        effective.add_profile(state, name, &mut BTreeSet::new());
        Ok(effective)
    }

    fn add_profile(&mut self, state: &State, name: &str, within: &mut BTreeSet<String>) {
        // A profile that has itself in it adds nothing the second time.
        if !within.insert(name.to_string()) {
            return;
        }
        if let Some(profile) = state.profiles.get(name) {
            self.add(state, &profile.settings, within);
        }
    }

    fn add(&mut self, state: &State, elements: &[SettingsElement], within: &mut BTreeSet<String>) {
        for element in elements {
            match element {
                SettingsElement::Profile(name) => self.add_profile(state, name, within),
                SettingsElement::Setting { name, value, min, max, writability } => {
                    self.settings.extend(value.iter().map(|value| (name.clone(), value.clone())));
                    if min.is_some() || max.is_some() || writability.is_some() {
                        let constraint = Arc::make_mut(&mut self.constraints).entry(name.clone()).or_default();
                        constraint.min = min.clone().or(constraint.min.take());
                        constraint.max = max.clone().or(constraint.max.take());
                        constraint.writability = writability.or(constraint.writability);
                    }
                }
            }
        }
    }
}

/// What somebody was granted, with what all the roles bring that he was granted.
pub fn granted_with_roles(state: &State, granted: &Granted, roles: &[RoleGranted]) -> Granted {
    let all = closure(state, roles);
    let of_roles = all.iter().filter_map(|role| state.roles.get(&role.role));
    of_roles.fold(granted.clone(), |granted, role| granted.union(&role.granted))
}

/// The profiles that a list of settings names.
fn profiles_in(settings: &[SettingsElement]) -> impl Iterator<Item = &str> {
    settings.iter().filter_map(|element| match element {
        SettingsElement::Profile(name) => Some(name.as_str()),
        SettingsElement::Setting { .. } => None,
    })
}

/// The profile behind those that it has.
fn add_with_theirs<'a>(state: &'a State, name: &'a str, within: &mut BTreeSet<&'a str>, into: &mut Vec<&'a str>) {
    let Some(profile) = state.profiles.get(name).filter(|_| within.insert(name)) else { return };
    profiles_in(&profile.settings).for_each(|theirs| add_with_theirs(state, theirs, within, into));
    into.push(name);
}

/// Of names that come several times the last, since what comes later wins.
fn last_of_each<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names.collect::<Vec<_>>().into_iter().rev() {
        if !kept.iter().any(|known| known == name) {
            kept.push(name.to_string());
        }
    }
    kept.reverse();
    kept
}

/// Whether a setting may get another value. `readonly`: the one in force. Errors: READONLY, SETTING_CONSTRAINT_VIOLATION.
pub fn check_setting(
    constraints: &BTreeMap<String, Constraint>,
    name: &str,
    value: &str,
    old: &str,
    readonly: u64,
) -> Result<()> {
    if value == old {
        return Ok(());
    }
    let constraint = constraints.get(name);
    let writability = constraint.and_then(|constraint| constraint.writability);
    let is_free = writability == Some(Writability::ChangeableInReadonly);
    if (readonly == 1 && !is_free) || (readonly > 1 && name == "readonly" && value != "1") {
        return Err(Error::new(ErrorCode::READONLY, format!("Cannot modify '{name}' setting in readonly mode")));
    }
    let Some(constraint) = constraint else { return Ok(()) };
    let violated = |text: String| Err(Error::new(ErrorCode::SETTING_CONSTRAINT_VIOLATION, text));
    if writability == Some(Writability::Const) {
        return violated(format!("Setting {name} should not be changed"));
    }
    if let Some(min) = constraint.min.as_ref().filter(|min| is_less(value, min)) {
        return violated(format!("Setting {name} shouldn't be less than {min}"));
    }
    if let Some(max) = constraint.max.as_ref().filter(|max| is_less(max, value)) {
        return violated(format!("Setting {name} shouldn't be greater than {max}"));
    }
    Ok(())
}

/// What holds for a setting at the moment. `readonly`: the one in force.
pub fn constraint_in_force(constraints: &BTreeMap<String, Constraint>, name: &str, readonly: u64) -> Constraint {
    let mut constraint = constraints.get(name).cloned().unwrap_or_default();
    let is_free = constraint.writability == Some(Writability::ChangeableInReadonly);
    if (readonly == 1 && !is_free) || (readonly > 1 && name == "readonly") {
        constraint.writability = Some(Writability::Const);
    }
    constraint
}

/// As numbers where both are.
fn is_less(a: &str, b: &str) -> bool {
    if let (Ok(a), Ok(b)) = (a.parse::<i128>(), b.parse::<i128>()) {
        return a < b;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a < b,
        _ => a < b,
    }
}

/// Roles and those that they have.
fn closure(state: &State, roles: &[RoleGranted]) -> Vec<RoleGranted> {
    let mut all: Vec<RoleGranted> = roles.to_vec();
    let mut at = 0;
    while at < all.len() {
        let below = state.roles.get(&all[at].role).map(|role| role.roles.clone()).unwrap_or_default();
        for granted in below {
            match all.iter_mut().find(|known| known.role == granted.role) {
                Some(known) => known.admin_option |= granted.admin_option,
                None => all.push(granted),
            }
        }
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::entity::{Profile, Role, Storage};
    use crate::grant::Element;
    use crate::privilege::Privileges;
    use crate::rights::Object;

    fn role(name: &str, privilege: &str, below: &[&str]) -> Role {
        let mut granted = Granted::default();
        let set = Privileges::named(privilege).expect("a privilege");
        granted.grant(&Element { privileges: vec![(set, Vec::new())], object: Object::EVERYTHING }, false);
        let roles = below.iter().map(|role| RoleGranted { role: role.to_string(), admin_option: false }).collect();
        Role { id: Uuid::nil(), name: name.into(), storage: Storage::LocalDirectory, settings: Vec::new(), granted, roles }
    }

    fn state() -> State {
        let mut state = State::unconfigured();
        let mut alice = User::new(Uuid::nil(), "alice");
        alice.roles = vec![RoleGranted { role: "writer".into(), admin_option: false }];
        state.users.insert("alice".into(), alice);
        state.roles.insert("reader".into(), role("reader", "SELECT", &["writer"]));
        state.roles.insert("writer".into(), role("writer", "INSERT", &["reader"]));
        state
    }

    #[test]
    fn roles_bring_what_their_roles_have() {
        let state = state();
        let mut identity = Identity::of(&state.users["alice"], "no_password");
        let effective = Effective::of(&state, &identity).expect("known");
        let both = Privileges::named("SELECT").expect("known") | Privileges::named("INSERT").expect("known");
        assert!(effective.granted.rights.has(both, &Object::EVERYTHING));
        assert_eq!((effective.current_roles.len(), effective.enabled_roles.len()), (1, 2));
        identity.roles = Some(Chosen::None);
        assert!(Effective::of(&state, &identity).expect("known").granted.rights.is_none());
        identity.user = "nobody".into();
        assert_eq!(Effective::of(&state, &identity).expect_err("unknown").code(), ErrorCode::UNKNOWN_USER);
    }

    #[test]
    fn profiles_are_told_with_those_that_they_have() {
        let mut state = state();
        let profile = |name: &str, theirs: &[&str]| Profile {
            id: Uuid::nil(),
            name: name.into(),
            storage: Storage::LocalDirectory,
            settings: theirs.iter().map(|name| SettingsElement::Profile(name.to_string())).collect(),
            to: Chosen::None,
        };
        let profiles: [(&str, &[&str]); 3] = [("base", &[]), ("web", &["base", "web"]), ("start", &["readonly"])];
        for (name, theirs) in profiles {
            state.profiles.insert(name.into(), profile(name, theirs));
        }
        let alice = state.users.get_mut("alice").expect("there");
        alice.settings = ["default", "web", "gone"].map(|name| SettingsElement::Profile(name.to_string())).to_vec();
        let identity = Identity::of(alice, "no_password");
        let effective = Effective::of(&state, &identity).expect("known");
        assert_eq!(effective.current_profiles, ["default", "web"]);
        assert_eq!(effective.enabled_profiles, ["default", "base", "web"]);
        state.default_profile = Some("start".into());
        let effective = Effective::of(&state, &identity).expect("known");
        assert_eq!(effective.enabled_profiles, ["readonly", "start", "default", "base", "web"]);
        assert_eq!(effective.settings, [("readonly".to_string(), "1".to_string())]);
    }

    #[test]
    fn settings_stay_within_their_constraints() {
        let mut state = state();
        let settings = vec![SettingsElement::Setting {
            name: "max_threads".into(),
            value: Some("4".into()),
            min: Some("2".into()),
            max: Some("16".into()),
            writability: None,
        }];
        let to = Chosen::These(vec!["writer".into()]);
        let profile = Profile { id: Uuid::nil(), name: "p".into(), storage: Storage::LocalDirectory, settings, to };
        state.profiles.insert("p".into(), profile);
        let effective = Effective::of(&state, &Identity::of(&state.users["alice"], "no_password")).expect("known");
        assert_eq!(effective.settings, [("max_threads".to_string(), "4".to_string())]);
        let check = |name: &str, value: &str, old: &str, readonly| {
            check_setting(&effective.constraints, name, value, old, readonly).map_err(|error| error.message().to_string())
        };
        assert_eq!(check("max_threads", "8", "4", 0), Ok(()));
        assert_eq!(check("max_threads", "100", "4", 0), Err("Setting max_threads shouldn't be greater than 16".to_string()));
        assert!(check("max_threads", "1", "4", 0).is_err());
        assert!(check("max_rows_to_read", "1", "0", 1).is_err());
        assert!(check("max_rows_to_read", "1", "0", 2).is_ok());
        assert!(check("readonly", "0", "2", 2).is_err() && check("readonly", "1", "2", 2).is_ok());
    }
}
