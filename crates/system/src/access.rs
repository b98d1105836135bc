//! Users, roles, settings profiles and what was granted: `system.users`, `system.roles`, `system.grants`, `system.role_grants`,
//! `system.current_roles`, `system.enabled_roles`, `system.settings_profiles`, `system.settings_profile_elements`,
//! `system.privileges`, `system.user_directories`, `system.named_collections`. No password and no hash is in any of them.

use std::sync::Arc;

use gristmill_access::Privileges;
use gristmill_access::entity::{Chosen, Host, RoleGranted, SettingsElement, Storage, User};
use gristmill_access::grant::{Granted, Kind};
use gristmill_access::privilege;
use gristmill_access::rights::{Object, denied, identifier};
use gristmill_base::Result;
use gristmill_base::redact::HIDDEN;
use gristmill_catalog::Table;
use gristmill_introspect::QueryContext;

use crate::Known;
use crate::rows::{Cell, Rows, table};

const USERS: &str = "name String, id UUID, storage String, auth_type Array(Enum8('no_password' = 0, 'plaintext_password' = 1, \
    'sha256_password' = 2, 'double_sha1_password' = 3, 'ldap' = 4, 'kerberos' = 5, 'ssl_certificate' = 6, 'bcrypt_password' = 7, \
    'ssh_key' = 8, 'http' = 9, 'jwt' = 10, 'scram_sha256_password' = 11, 'no_authentication' = 12)), auth_params Array(String), \
    valid_until Array(DateTime64(0)), auth_grants Array(String), host_ip Array(String), host_names Array(String), \
    host_names_regexp Array(String), host_names_like Array(String), default_roles_all UInt8, default_roles_list Array(String), \
    default_roles_except Array(String), grantees_any UInt8, grantees_list Array(String), grantees_except Array(String), \
    default_database String";
/// Behind the privilege.
const GRANTED: &str = "access_object String, database Nullable(String), table Nullable(String), \
    column Nullable(String), is_partial_revoke UInt8, grant_option UInt8, is_wildcard UInt8";
const ROLE_GRANTS: &str = "user_name Nullable(String), role_name Nullable(String), granted_role_name String, \
    granted_role_id UUID, granted_role_is_default UInt8, with_admin_option UInt8";
const CURRENT_ROLES: &str = "role_name String, with_admin_option UInt8, is_default UInt8";
const ENABLED_ROLES: &str = "role_name String, with_admin_option UInt8, is_current UInt8, is_default UInt8";
const PROFILES: &str = "name String, id UUID, storage String, num_elements UInt64, apply_to_all UInt8, \
    apply_to_list Array(String), apply_to_except Array(String)";
const ELEMENTS: &str = "profile_name Nullable(String), user_name Nullable(String), role_name Nullable(String), index UInt64, \
    setting_name Nullable(String), value Nullable(String), min Nullable(String), max Nullable(String), \
    writability Nullable(Enum8('WRITABLE' = 0, 'CONST' = 1, 'CHANGEABLE_IN_READONLY' = 2)), \
    inherit_profile Nullable(String)";
const LEVELS: &str = "Enum8('GLOBAL' = 0, 'DATABASE' = 1, 'TABLE' = 2, 'DICTIONARY' = 3, 'VIEW' = 4, 'COLUMN' = 5, \
    'NAMED_COLLECTION' = 6, 'USER_NAME' = 7, 'TABLE_ENGINE' = 8, 'DEFINER' = 9, 'SOURCE' = 10)";

/// The type that has all privileges, in their order.
fn privilege_type() -> String {
    let all = privilege::all().iter().enumerate();
    let values: Vec<String> = all.map(|(value, privilege)| format!("'{}' = {value}", privilege.name)).collect();
    format!("Enum16({})", values.join(", "))
}

/// Error: ACCESS_DENIED.
fn check(context: &QueryContext, names: &[&str]) -> Result<()> {
    let wanted =
        names.iter().fold(Privileges::NONE, |all, name| all | Privileges::known(name).unwrap_or_else(Privileges::all));
    match context.rights().has(wanted, &Object::EVERYTHING) {
        true => Ok(()),
        false => Err(denied(&context.user, &format!("{} ON *.*", names.join(", ")))),
    }
}

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let access = known.access.clone();
    all.push(table("system", "users", "SystemUsers", USERS, move |context, rows| {
        check(context, &["SHOW USERS"])?;
        access.state().users.values().try_for_each(|user| push_user(rows, user))
    })?);
    let access = known.access.clone();
    all.push(table("system", "roles", "SystemRoles", "name String, id UUID, storage String", move |context, rows| {
        check(context, &["SHOW ROLES"])?;
        access
            .state()
            .roles
            .values()
            .try_for_each(|role| rows.push([(&role.name).into(), Cell::Uuid(role.id), role.storage.name().into()]))
    })?);
    let access = known.access.clone();
    let privilege = privilege_type();
    let whose = "user_name Nullable(String), role_name Nullable(String)";
    let structure = format!("{whose}, access_type {privilege}, {GRANTED}");
    all.push(table("system", "grants", "SystemGrants", &structure, move |context, rows| {
        check(context, &["SHOW USERS", "SHOW ROLES"])?;
        let state = access.state();
        state.users.values().try_for_each(|user| push_grants(rows, &user.granted, [Some(&user.name), None]))?;
        state.roles.values().try_for_each(|role| push_grants(rows, &role.granted, [None, Some(&role.name)]))
    })?);
    let access = known.access.clone();
    all.push(table("system", "role_grants", "SystemRoleGrants", ROLE_GRANTS, move |context, rows| {
        check(context, &["SHOW USERS", "SHOW ROLES"])?;
        let state = access.state();
        let users = state.users.values().map(|user| (Some(&user.name), None, &user.roles, Some(&user.default_roles)));
        let roles = state.roles.values().map(|role| (None, Some(&role.name), &role.roles, None));
        for (user, role, granted, default) in users.chain(roles) {
            for one in granted {
                let is_default = default.is_some_and(|default: &Chosen| default.contains(&one.role));
                let id = state.roles.get(&one.role).map(|role| role.id).unwrap_or_default();
                let name = (&one.role).into();
                rows.push([user.into(), role.into(), name, Cell::Uuid(id), is_default.into(), one.admin_option.into()])?;
            }
        }
        Ok(())
    })?);
    let access = known.access.clone();
    let structure = "name String, collection Map(String, String), source String, create_query String";
    all.push(table("system", "named_collections", "SystemNamedCollections", structure, move |context, rows| {
        let show = Privileges::known("SHOW NAMED COLLECTIONS").unwrap_or_else(Privileges::all);
        let state = access.state();
        let seen = state.collections.iter().filter(|(name, _)| context.rights().has(show, &Object::named(name)));
        for (name, collection) in seen {
            let hidden = |key: &String| (key.clone(), HIDDEN.to_string());
            let source = if collection.storage == Storage::UsersXml { "CONFIG" } else { "SQL" };
            let entries: Vec<String> =
                collection.values.keys().map(|key| format!("{} = '{HIDDEN}'", identifier(key))).collect();
            let create = format!("CREATE NAMED COLLECTION {} AS {}", identifier(name), entries.join(", "));
            rows.push([
                name.into(),
                Cell::Pairs(collection.values.keys().map(hidden).collect()),
                source.into(),
                create.into(),
            ])?;
        }
        Ok(())
    })?);
    add_own_roles(all, known)?;
    add_profiles(all, known)?;
    let structure = format!(
        "privilege {privilege}, aliases Array(String), level Nullable({LEVELS}), parent_group Nullable({privilege})"
    );
    all.push(table("system", "privileges", "SystemPrivileges", &structure, |_, rows| {
        privilege::all().iter().try_for_each(|one| {
            let aliases: Vec<String> = one.aliases.iter().map(ToString::to_string).collect();
            let some = |text: &str| Cell::from(Some(text.to_string()).filter(|text| !text.is_empty()));
            rows.push([one.name.into(), aliases.into(), some(one.level_name), some(one.parent)])
        })
    })?);
    let structure = "name String, type String, params String, precedence UInt64";
    all.push(table("system", "user_directories", "SystemUserDirectories", structure, |_, rows| {
        ["users_xml", "local_directory"]
            .iter()
            .zip(1_u64..)
            .try_for_each(|(name, precedence)| rows.push([(*name).into(), (*name).into(), "{}".into(), precedence.into()]))
    })?);
    Ok(())
}

fn add_own_roles(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let defaults = |known: &Known, context: &QueryContext| {
        let state = known.access.state();
        state.users.get(&context.user).map(|user| user.default_roles.clone()).unwrap_or_default()
    };
    let of = known.clone();
    all.push(table("system", "current_roles", "SystemCurrentRoles", CURRENT_ROLES, move |context, rows| {
        let defaults = defaults(&of, context);
        context.access.current_roles.iter().try_for_each(|granted| {
            let is_default = defaults.contains(&granted.role);
            rows.push([(&granted.role).into(), granted.admin_option.into(), is_default.into()])
        })
    })?);
    let of = known.clone();
    all.push(table("system", "enabled_roles", "SystemEnabledRoles", ENABLED_ROLES, move |context, rows| {
        let defaults = defaults(&of, context);
        let is_current = |granted: &RoleGranted| context.access.current_roles.iter().any(|one| one.role == granted.role);
        context.access.enabled_roles.iter().try_for_each(|granted| {
            let (current, default) = (is_current(granted), defaults.contains(&granted.role));
            rows.push([(&granted.role).into(), granted.admin_option.into(), current.into(), (current && default).into()])
        })
    })?);
    Ok(())
}

fn add_profiles(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let access = known.access.clone();
    all.push(table("system", "settings_profiles", "SystemSettingsProfiles", PROFILES, move |context, rows| {
        check(context, &["SHOW SETTINGS PROFILES"])?;
        access.state().profiles.values().try_for_each(|profile| {
            let [every, list, except] = lists(&profile.to);
            rows.push([
                (&profile.name).into(),
                Cell::Uuid(profile.id),
                profile.storage.name().into(),
                profile.settings.len().into(),
                every,
                list,
                except,
            ])
        })
    })?);
    let access = known.access.clone();
    all.push(table(
        "system",
        "settings_profile_elements",
        "SystemSettingsProfileElements",
        ELEMENTS,
        move |context, rows| {
            check(context, &["SHOW SETTINGS PROFILES"])?;
            let state = access.state();
            let users = state.users.values().map(|user| ([None, Some(&user.name), None], &user.settings));
            let roles = state.roles.values().map(|role| ([None, None, Some(&role.name)], &role.settings));
            let profiles = state.profiles.values().map(|profile| ([Some(&profile.name), None, None], &profile.settings));
            for (owner, settings) in profiles.chain(users).chain(roles) {
                for (at, element) in settings.iter().enumerate() {
                    let [profile, user, role] = owner.map(Cell::from);
                    let index = at.into();
                    let (name, value, min, max, writability, inherits) = match element {
                        SettingsElement::Profile(name) => {
                            (Cell::None, Cell::None, Cell::None, Cell::None, Cell::None, name.into())
                        }
                        SettingsElement::Setting { name, value, min, max, writability } => {
                            let writability = writability.map(|kind| kind.name().to_string());
                            let cell = |text: &Option<String>| Cell::from(text.clone());
                            (name.into(), cell(value), cell(min), cell(max), writability.into(), Cell::None)
                        }
                    };
                    rows.push([profile, user, role, index, name, value, min, max, writability, inherits])?;
                }
            }
            Ok(())
        },
    )?);
    Ok(())
}

fn push_user(rows: &mut Rows, user: &User) -> Result<()> {
    let ranges = user.hosts.iter().filter_map(|host| match host {
        Host::Any => Some("::/0".to_string()),
        Host::Local | Host::Like(_) => None,
        Host::Ip(range) => Some(range.clone()),
    });
    let patterns = user.hosts.iter().filter_map(|host| match host {
        Host::Like(pattern) => Some(pattern.clone()),
        _ => None,
    });
    let local = user.hosts.contains(&Host::Local).then(|| "localhost".to_string());
    let methods: Vec<String> = user.methods.iter().map(|proof| proof.method.name().to_string()).collect();
    let until = user.methods.iter().map(|proof| proof.valid_until.unwrap_or_default()).collect::<Vec<_>>();
    let (parameters, limits) = (vec!["{}".to_string(); methods.len()], vec![String::new(); methods.len()]);
    let [every, list, except] = lists(&user.default_roles);
    let [any_grantee, grantees, grantees_except] = lists(&user.grantees);
    rows.push([
        (&user.name).into(),
        Cell::Uuid(user.id),
        user.storage.name().into(),
        methods.into(),
        parameters.into(),
        Cell::Numbers(until),
        limits.into(),
        ranges.collect::<Vec<_>>().into(),
        local.into_iter().collect::<Vec<_>>().into(),
        Vec::new().into(),
        patterns.collect::<Vec<_>>().into(),
        every,
        list,
        except,
        any_grantee,
        grantees,
        grantees_except,
        (&user.default_database).into(),
    ])
}

/// Whether all are chosen, those that are, and those that are not.
fn lists(chosen: &Chosen) -> [Cell; 3] {
    let (all, list, except) = match chosen {
        Chosen::None => (false, Vec::new(), Vec::new()),
        Chosen::All => (true, Vec::new(), Vec::new()),
        Chosen::AllExcept(except) => (true, Vec::new(), except.clone()),
        Chosen::These(list) => (false, list.clone(), Vec::new()),
    };
    [all.into(), list.into(), except.into()]
}

fn push_grants(rows: &mut Rows, granted: &Granted, whose: [Option<&String>; 2]) -> Result<()> {
    for line in granted.lines() {
        let (path, object) = match &line.object {
            Object::Data(path) => (&path[..], String::new()),
            Object::Named(name) => (&[][..], name.as_ref().map(|name| name.text.clone()).unwrap_or_default()),
        };
        let part = |at: usize| Cell::from(path.get(at).map(|name| name.text.clone()));
        let is_wildcard = path.last().is_some_and(|name| name.is_prefix);
        for name in line.set.names() {
            let [user, role] = whose.map(Cell::from);
            rows.push([
                user,
                role,
                name.into(),
                object.clone().into(),
                part(0),
                part(1),
                part(2),
                matches!(line.kind, Kind::Revoke | Kind::RevokeOption).into(),
                matches!(line.kind, Kind::GrantWithOption | Kind::RevokeOption).into(),
                is_wildcard.into(),
            ])?;
        }
    }
    Ok(())
}
