//! What CREATE, ALTER and DROP of users, roles and settings profiles make of those that are there.

use gristmill_access::control::State;
use gristmill_access::entity::{Chosen, Host, Profile, Proof, Role, RoleGranted, SettingsElement, Storage, User, is_range};
use gristmill_access::grant::Granted;
use gristmill_access::password::Method;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::access::{EntityChange, EntityKind, HostText, SettingsStep, Verb};

use super::access::check_granted;

fn exists(kind: &str, name: &str) -> Error {
    Error::new(
        ErrorCode::ACCESS_ENTITY_ALREADY_EXISTS,
        format!("{kind} `{name}`: cannot insert because {kind} `{name}` already exists"),
    )
}

/// The entity that a change is of: the old one, or a new one. `None`: there is nothing to be done.
fn found<T: Clone>(change: &EntityChange, name: &str, old: Option<&T>, new: T, missing: Result<()>) -> Result<Option<T>> {
    Ok(match (change.verb, old) {
        (Verb::Create, None) => Some(new),
        (Verb::Create, Some(_)) if change.or_replace => Some(new),
        (Verb::Create, Some(_)) if change.if_fits => None,
        (Verb::Create, Some(_)) => return Err(exists(&change.kind.words().to_lowercase(), name)),
        (Verb::Alter, Some(old)) => Some(old.clone()),
        (Verb::Alter, None) if change.if_fits => None,
        (Verb::Alter, None) => {
            missing?;
            None
        }
    })
}

pub(super) fn change_user(
    state: &mut State,
    change: &EntityChange,
    name: &str,
    id: uuid::Uuid,
    methods: &[Proof],
    valid_until: Option<Option<i64>>,
) -> Result<()> {
    let missing = state.user(name).map(drop);
    let Some(mut user) = found(change, name, state.users.get(name), User::new(id, name), missing)? else { return Ok(()) };
    if state.users.contains_key(name) {
        user.storage = state.user_mut(name)?.storage;
    }
    if change.methods.is_some() {
        if !change.adds_methods {
            user.methods.clear();
        }
        user.methods.extend_from_slice(methods);
        if user.methods.len() > 1 && user.methods.iter().any(|proof| proof.method == Method::NoPassword) {
            let text = "NO_PASSWORD cannot stand beside other authentication methods";
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
    }
    if let Some(until) = valid_until {
        user.methods.iter_mut().for_each(|proof| proof.valid_until = until);
    }
    if let Some(grantees) = &change.grantees {
        user.grantees.clone_from(grantees);
    }
    if let Some(hosts) = &change.hosts {
        user.hosts = hosts.iter().map(host).collect::<Result<_>>()?;
    }
    for (adds, hosts) in &change.host_steps {
        for host in hosts.iter().map(host) {
            let host = host?;
            user.hosts.retain(|known| *known != host);
            if *adds {
                user.hosts.push(host);
            }
        }
    }
    if change.resets_methods {
        let kept = user.methods.len().saturating_sub(1);
        user.methods.drain(..kept);
    }
    change_settings(state, change, &mut user.settings)?;
    if let Some(database) = &change.default_database {
        user.default_database.clone_from(database);
    }
    if let Some(roles) = &change.default_roles {
        if change.verb == Verb::Alter {
            check_granted(&user, roles)?;
        } else if let Chosen::These(names) = roles {
            // A new user gets the roles that are to be the default ones.
            for name in names {
                state.role(name)?;
                user.roles.push(RoleGranted { role: name.clone(), admin_option: false });
            }
        }
        user.default_roles = roles.clone();
    }
    if let Some(to) = change.rename_to.as_ref().filter(|to| *to != name) {
        if state.users.contains_key(to) {
            return Err(exists("user", to));
        }
        state.check_may_go(name)?;
        state.users.remove(name);
        user.name.clone_from(to);
        state.renamed(name, Some(to));
    }
    state.users.insert(user.name.clone(), user);
    Ok(())
}

fn host(text: &HostText) -> Result<Host> {
    Ok(match text {
        HostText::Any => Host::Any,
        HostText::Local => Host::Local,
        HostText::Like(pattern) => Host::Like(pattern.clone()),
        HostText::Ip(range) if is_range(range) => Host::Ip(range.clone()),
        HostText::Ip(range) => {
            let text = format!("HOST IP '{range}': give an address, or a range such as 10.0.0.0/8");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
    })
}

/// SETTINGS, and the steps of ALTER behind it. Errors: THERE_IS_NO_PROFILE, UNKNOWN_SETTING.
fn change_settings(state: &State, change: &EntityChange, settings: &mut Vec<SettingsElement>) -> Result<()> {
    if let Some(all) = &change.settings {
        *settings = profiles_known(state, all)?;
    }
    let is_setting =
        |element: &SettingsElement, wanted: &str| matches!(element, SettingsElement::Setting { name, .. } if name == wanted);
    for step in &change.settings_steps {
        match step {
            SettingsStep::Add(elements) => {
                for element in profiles_known(state, elements)? {
                    settings.retain(|known| match (known, &element) {
                        (known, SettingsElement::Setting { name, .. }) => !is_setting(known, name),
                        (known, profile) => known != profile,
                    });
                    settings.push(element);
                }
            }
            SettingsStep::Modify(elements) => elements.iter().for_each(|element| modify(settings, element)),
            SettingsStep::Drop(names) => settings.retain(|known| !names.iter().any(|name| is_setting(known, name))),
            SettingsStep::DropProfiles(names) => {
                settings.retain(|known| !matches!(known, SettingsElement::Profile(name) if names.contains(name)));
            }
            SettingsStep::DropAll => settings.retain(|known| matches!(known, SettingsElement::Profile(_))),
            SettingsStep::DropAllProfiles => settings.retain(|known| !matches!(known, SettingsElement::Profile(_))),
        }
    }
    Ok(())
}

/// What an element says goes over what stands of its setting; where nothing stands, it is added.
fn modify(settings: &mut Vec<SettingsElement>, element: &SettingsElement) {
    let SettingsElement::Setting { name, value, min, max, writability } = element else { return };
    for known in settings.iter_mut() {
        if let SettingsElement::Setting { name: of, value: v, min: least, max: most, writability: w } = known
            && *of == *name
        {
            let put = |into: &mut Option<String>, from: &Option<String>| {
                if from.is_some() {
                    into.clone_from(from);
                }
            };
            put(v, value);
            put(least, min);
            put(most, max);
            *w = writability.or(*w);
            return;
        }
    }
    settings.push(element.clone());
}

/// Error: THERE_IS_NO_PROFILE.
fn profiles_known(state: &State, settings: &[SettingsElement]) -> Result<Vec<SettingsElement>> {
    for element in settings {
        if let SettingsElement::Profile(name) = element {
            state.profile(name)?;
        }
    }
    Ok(settings.to_vec())
}

pub(super) fn change_role(state: &mut State, change: &EntityChange, name: &str, id: uuid::Uuid) -> Result<()> {
    let (storage, granted) = (Storage::LocalDirectory, Granted::default());
    let new = Role { id, name: name.to_string(), storage, settings: Vec::new(), granted, roles: Vec::new() };
    let missing = state.role(name).map(drop);
    let Some(mut role) = found(change, name, state.roles.get(name), new, missing)? else { return Ok(()) };
    if state.roles.contains_key(name) {
        state.role_mut(name)?;
    }
    change_settings(state, change, &mut role.settings)?;
    if let Some(to) = change.rename_to.as_ref().filter(|to| *to != name) {
        if state.roles.contains_key(to) {
            return Err(exists("role", to));
        }
        state.roles.remove(name);
        role.name.clone_from(to);
        state.renamed(name, Some(to));
    }
    state.roles.insert(role.name.clone(), role);
    Ok(())
}

pub(super) fn change_profile(state: &mut State, change: &EntityChange, name: &str, id: uuid::Uuid) -> Result<()> {
    let storage = Storage::LocalDirectory;
    let new = Profile { id, name: name.to_string(), storage, settings: Vec::new(), to: Chosen::None };
    let missing = state.profile(name).map(drop);
    let Some(mut profile) = found(change, name, state.profiles.get(name), new, missing)? else { return Ok(()) };
    if state.profiles.contains_key(name) {
        state.profile_mut(name)?;
    }
    change_settings(state, change, &mut profile.settings)?;
    if let Some(to) = &change.to {
        profile.to = to.clone();
    }
    if let Some(to) = change.rename_to.as_ref().filter(|to| *to != name) {
        if state.profiles.contains_key(to) {
            return Err(exists("settings profile", to));
        }
        state.profiles.remove(name);
        profile.name.clone_from(to);
        state.profile_renamed(name, Some(to));
    }
    state.profiles.insert(profile.name.clone(), profile);
    Ok(())
}

pub(super) fn drop_entity(state: &mut State, kind: EntityKind, name: &str, if_exists: bool) -> Result<()> {
    let is_there = match kind {
        EntityKind::User => state.users.contains_key(name),
        EntityKind::Role => state.roles.contains_key(name),
        EntityKind::Profile => state.profiles.contains_key(name),
    };
    if !is_there && if_exists {
        return Ok(());
    }
    match kind {
        EntityKind::User => {
            state.user_mut(name)?;
            state.check_may_go(name)?;
            state.users.remove(name);
            state.renamed(name, None);
        }
        EntityKind::Role => {
            state.role_mut(name)?;
            state.roles.remove(name);
            state.renamed(name, None);
        }
        EntityKind::Profile => {
            state.profile_mut(name)?;
            state.profiles.remove(name);
            state.profile_renamed(name, None);
        }
    }
    Ok(())
}
