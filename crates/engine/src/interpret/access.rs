//! CREATE, ALTER and DROP of users, roles and settings profiles; GRANT, REVOKE, and what shows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::UInt8Array;
use chrono::{DateTime, Months};
use gristmill_access::Privileges;
use gristmill_access::control::State;
use gristmill_access::effective::granted_with_roles;
use gristmill_access::entity::{Chosen, Collection, CollectionValue, Proof, RoleGranted, SettingsElement, Storage, User};
use gristmill_access::grant::{self, Element, Granted};
use gristmill_access::password::Method;
use gristmill_access::rights::{Name, Object};
use gristmill_access::statements::{create_profile, create_role, create_user, role_grants};
use gristmill_base::env::Env;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_sql::access::{
    AccessStatement, CURRENT_USER, CollectionEntry, EntityKind, GrantElement, GrantObject, GrantStatement, MethodText,
    SettingsStep, Unit, Valid, Verb,
};
use gristmill_sql::statement::{self, Statement};
use gristmill_types::scan::best_effort::{self, Customs};
use gristmill_types::zone::Zone;
use gristmill_types::{Columns, SqlType};

use super::entity_changes::{change_profile, change_role, change_user, drop_entity};
use super::required::{everybodys, missing, privilege};
use super::{Interpreter, Outcome};

impl Interpreter {
    pub(crate) async fn access(&self, statement: AccessStatement) -> Result<Outcome> {
        match statement {
            AccessStatement::Change(change) => {
                for name in &change.names {
                    let verb = if change.verb == Verb::Create { "CREATE" } else { "ALTER" };
                    self.check_entity(verb, change.kind, name)?;
                    if change.or_replace {
                        self.check_entity("ALTER", change.kind, name)?;
                    }
                }
                // A new user is granted the roles that are to be its default ones.
                if let (Verb::Create, Some(Chosen::These(roles))) = (change.verb, &change.default_roles) {
                    self.check_hands_on(roles)?;
                }
                let methods = self.methods(change.methods.clone().unwrap_or_default()).await?;
                if change.kind == EntityKind::User && change.verb == Verb::Create && methods.is_empty() {
                    // A user who is made without a method has no password.
                    self.engine.access.policy().check_method(&Method::NoPassword)?;
                }
                let valid_until = change.valid.as_ref().map(|valid| self.seconds(valid)).transpose()?;
                check_settings(change.settings.as_deref().unwrap_or_default())?;
                for step in &change.settings_steps {
                    if let SettingsStep::Add(elements) | SettingsStep::Modify(elements) = step {
                        check_settings(elements)?;
                    }
                }
                let ids: Vec<_> = change.names.iter().map(|_| self.context.env.uuid()).collect();
                self.change_access(move |state| {
                    change.names.iter().zip(ids).try_for_each(|(name, id)| match change.kind {
                        EntityKind::User => change_user(state, &change, name, id, &methods, valid_until),
                        EntityKind::Role => change_role(state, &change, name, id),
                        EntityKind::Profile => change_profile(state, &change, name, id),
                    })
                })
                .await
            }
            AccessStatement::Drop { kind, names, if_exists } => {
                names.iter().try_for_each(|name| self.check_entity("DROP", kind, name))?;
                self.change_access(move |state| names.iter().try_for_each(|name| drop_entity(state, kind, name, if_exists)))
                    .await
            }
            AccessStatement::Grant(grant) if grant.current => self.hand_on(grant).await,
            AccessStatement::Grant(grant) => self.grant(grant).await,
            AccessStatement::CheckGrant(elements) => {
                let rights = self.context.rights();
                let elements = elements.iter().map(|one| element(one, &self.context.database));
                let mut asked = elements.flat_map(|element| grant::parts(&element));
                let has_all = asked.all(|(set, object)| rights.has(usable(set, &object), &object));
                let columns = Columns::of([("result", SqlType::UInt8)]);
                Outcome::rows(columns, vec![Arc::new(UInt8Array::from(vec![u8::from(has_all)]))])
            }
            AccessStatement::SetDefaultRole { roles, users } => {
                let users: Vec<String> = users.into_iter().map(|name| self.named(name)).collect();
                for user in users.iter().filter(|user| **user != self.context.user) {
                    self.check_entity("ALTER", EntityKind::User, user)?;
                }
                self.change_access(move |state| {
                    users.iter().try_for_each(|name| {
                        check_granted(state.user(name)?, &roles)?;
                        state.user_mut(name)?.default_roles = roles.clone();
                        Ok(())
                    })
                })
                .await
            }
            // The session's own.
            AccessStatement::SetRole(_) => Ok(Outcome::done()),
            AccessStatement::ShowGrants { of, is_final, with_implicit } => self.show_grants(of, is_final, with_implicit),
            AccessStatement::ShowCreate { kind, names } => self.show_create_entities(kind, names),
            AccessStatement::ShowAccess => self.show_access(),
            AccessStatement::CreateCollection { name, if_not_exists, values } => {
                self.context.check_access(privilege("CREATE NAMED COLLECTION"), &Object::named(&name))?;
                self.change_access(move |state| {
                    if state.collections.contains_key(&name) {
                        let text = format!("A named collection `{name}` already exists");
                        return if if_not_exists {
                            Ok(())
                        } else {
                            Err(Error::new(ErrorCode::NAMED_COLLECTION_ALREADY_EXISTS, text))
                        };
                    }
                    let mut collection = Collection::default();
                    put(&mut collection, values);
                    state.collections.insert(name, collection);
                    Ok(())
                })
                .await
            }
            AccessStatement::AlterCollection { name, if_exists, set, delete } => {
                self.context.check_access(privilege("ALTER NAMED COLLECTION"), &Object::named(&name))?;
                self.change_access(move |state| {
                    if if_exists && !state.collections.contains_key(&name) {
                        return Ok(());
                    }
                    let collection = state.collection_mut(&name)?;
                    put(collection, set);
                    delete.iter().for_each(|key| drop(collection.values.remove(key)));
                    Ok(())
                })
                .await
            }
            AccessStatement::DropCollection { name, if_exists } => {
                self.context.check_access(privilege("DROP NAMED COLLECTION"), &Object::named(&name))?;
                self.change_access(move |state| {
                    if if_exists && !state.collections.contains_key(&name) {
                        return Ok(());
                    }
                    state.collection_mut(&name)?;
                    state.collections.remove(&name);
                    Ok(())
                })
                .await
            }
        }
    }

    /// Changes what is kept, off the threads that wait for clients: it is written to the disk.
    async fn change_access(&self, change: impl FnOnce(&mut State) -> Result<()> + Send + 'static) -> Result<Outcome> {
        let control = self.engine.access.clone();
        Task::on(&runtime::cpu(), async move { control.change(change) }).join().await??;
        Ok(Outcome::done())
    }

    fn named(&self, name: String) -> String {
        if name == CURRENT_USER { self.context.user.clone() } else { name }
    }

    fn check_entity(&self, verb: &str, kind: EntityKind, name: &str) -> Result<()> {
        let object = match kind {
            EntityKind::Profile => Object::EVERYTHING,
            _ => Object::named(name),
        };
        self.context.check_access(privilege(&format!("{verb} {}", kind.words())), &object)
    }

    /// What is kept of passwords; bcrypt takes a while.
    async fn methods(&self, texts: Vec<MethodText>) -> Result<Vec<Proof>> {
        let env = self.context.env.clone();
        let policy = self.engine.access.policy();
        for text in texts.iter().filter(|text| text.kind.is_empty() || text.kind.ends_with("_password")) {
            if text.kind != "no_password" {
                policy.check_password(&text.value)?;
            }
        }
        let valid = texts.iter().map(|text| text.valid.as_ref().map_or(Ok(None), |valid| self.seconds(valid)));
        let valid: Vec<Option<i64>> = valid.collect::<Result<_>>()?;
        let made = async move { texts.iter().map(|text| method(text, env.as_ref())).collect::<Result<Vec<_>>>() };
        let methods = Task::on(&runtime::cpu(), made).join().await??;
        methods.iter().try_for_each(|method| policy.check_method(method))?;
        Ok(methods.into_iter().zip(valid).map(|(method, valid_until)| Proof { method, valid_until }).collect())
    }

    /// Seconds since 1970 at which a method ends; `None`: never.
    fn seconds(&self, valid: &Valid) -> Result<Option<i64>> {
        let text = match valid {
            Valid::Forever => return Ok(None),
            Valid::Until(text) => text,
            Valid::For(number, unit) => return self.seconds_from_now(*number, *unit).map(Some),
        };
        let timezone = crate::engine::timezone(&self.context.settings)?;
        let parsed = best_effort::date_time(text.as_bytes(), 0, &Zone::new(timezone), Customs::default());
        parsed.map(Some).map_err(|_| {
            Error::new(
                ErrorCode::CANNOT_PARSE_DATETIME,
                format!("VALID UNTIL '{text}': give 2030-12-31 23:59:59, or infinity"),
            )
        })
    }

    fn seconds_from_now(&self, number: u32, unit: Unit) -> Result<i64> {
        let now = self.context.env.now().as_secs() as i64;
        let end = match unit {
            Unit::Seconds(seconds) => Some(now + i64::from(number) * i64::from(seconds)),
            Unit::Months(months) => number.checked_mul(months).and_then(|months| {
                let now = DateTime::from_timestamp(now, 0)?;
                Some(now.checked_add_months(Months::new(months))?.timestamp())
            }),
        };
        end.ok_or_else(|| Error::new(ErrorCode::BAD_ARGUMENTS, "VALID FOR ends later than there are times"))
    }

    /// Error: ACCESS_DENIED, where the user may not hand anything on to one of these, nor take it.
    fn check_grantees(&self, state: &State, names: &[String]) -> Result<()> {
        let Some(user) = state.users.get(&self.context.user) else { return Ok(()) };
        let Some(name) = names.iter().find(|name| !user.grantees.contains(name)) else { return Ok(()) };
        let kind = if state.users.contains_key(name) { "User" } else { "Role" };
        let text = format!("{}: {kind} `{name}` is not allowed as grantee", self.context.user);
        Err(Error::new(ErrorCode::ACCESS_DENIED, text))
    }

    /// GRANT CURRENT GRANTS
    async fn hand_on(&self, statement: GrantStatement) -> Result<Outcome> {
        let elements: Vec<Element> = statement.elements.iter().map(|one| element(one, &self.context.database)).collect();
        let given = self.context.access.granted.to_hand_on(&elements, statement.option);
        let grantees: Vec<String> = match &statement.grantees {
            Chosen::These(names) => names.iter().map(|name| self.named(name.clone())).collect(),
            _ => return Err(Error::not_implemented("GRANT CURRENT GRANTS TO ALL: name the users and roles")),
        };
        self.check_grantees(&self.engine.access.state(), &grantees)?;
        self.change_access(move |state| {
            for name in &grantees {
                let (granted, _) = state.grantee_mut(name)?;
                *granted = match statement.replaces {
                    true => given.clone(),
                    false => granted.union(&given),
                };
            }
            Ok(())
        })
        .await
    }

    async fn grant(&self, statement: GrantStatement) -> Result<Outcome> {
        let elements: Vec<Element> = statement.elements.iter().map(|one| element(one, &self.context.database)).collect();
        for element in &elements {
            grant::check(element)?;
            for (set, object) in grant::parts(element) {
                if !self.context.access.granted.with_option.has(usable(set, &object), &object) {
                    let wanted = format!("{set} ON {object} WITH GRANT OPTION");
                    return Err(missing(&self.context, &wanted));
                }
            }
        }
        let state = self.engine.access.state();
        let grantees: Vec<String> = match &statement.grantees {
            Chosen::These(names) => names.iter().map(|name| self.named(name.clone())).collect(),
            chosen => {
                let all = state.users.values().filter(|user| user.storage == Storage::LocalDirectory).map(|user| &user.name);
                let all = all.chain(state.roles.keys());
                all.filter(|name| chosen.contains(name)).cloned().collect()
            }
        };
        self.check_grantees(&state, &grantees)?;
        let roles = statement.roles.as_ref().map(|chosen| self.roles_chosen(&state, chosen)).transpose()?;
        self.check_hands_on(roles.as_deref().unwrap_or_default())?;
        self.change_access(move |state| {
            for name in &grantees {
                let (granted, of_roles) = state.grantee_mut(name)?;
                match &roles {
                    Some(roles) => change_roles(of_roles, roles, &statement),
                    None => change_rights(granted, &elements, &statement),
                }
            }
            Ok(())
        })
        .await
    }

    /// Error: ACCESS_DENIED, where the user may not grant one of these roles.
    fn check_hands_on(&self, roles: &[String]) -> Result<()> {
        let own = &self.context.access.enabled_roles;
        match roles.iter().all(|role| own.iter().any(|granted| granted.role == *role && granted.admin_option)) {
            true => Ok(()),
            false => self.context.check_access(privilege("ROLE ADMIN"), &Object::EVERYTHING),
        }
    }

    fn roles_chosen(&self, state: &State, chosen: &Chosen) -> Result<Vec<String>> {
        match chosen {
            Chosen::These(names) => {
                names.iter().try_for_each(|name| state.role(name).map(drop))?;
                Ok(names.clone())
            }
            chosen => Ok(state.roles.keys().filter(|name| chosen.contains(name)).cloned().collect()),
        }
    }

    fn show_grants(&self, of: Option<Chosen>, is_final: bool, with_implicit: bool) -> Result<Outcome> {
        let state = self.engine.access.state();
        let visible = || {
            let all = [("SHOW USERS", state.users.keys().collect::<Vec<_>>()), ("SHOW ROLES", state.roles.keys().collect())];
            let may = |privilege_of: &str| self.context.rights().has(privilege(privilege_of), &Object::EVERYTHING);
            let seen = all.into_iter().flat_map(move |(wanted, names)| {
                let may = may(wanted);
                names.into_iter().filter(move |name| may || **name == self.context.user)
            });
            seen.cloned().collect::<Vec<String>>()
        };
        let (mut title, names) = match of {
            None => ("GRANTS".to_string(), vec![CURRENT_USER.to_string()]),
            Some(Chosen::These(names)) if names == [CURRENT_USER] => ("GRANTS".to_string(), names),
            Some(Chosen::These(names)) => (format!("GRANTS FOR {}", names.join(", ")), names),
            Some(chosen) => {
                let except = match &chosen {
                    Chosen::AllExcept(names) => format!(" EXCEPT {}", names.join(", ")),
                    _ => String::new(),
                };
                let names = visible().into_iter().filter(|name| chosen.contains(name)).collect();
                (format!("GRANTS FOR ALL{except}"), names)
            }
        };
        if with_implicit {
            title.push_str(" WITH IMPLICIT");
        }
        if is_final {
            title.push_str(" FINAL");
        }
        let mut lines = Vec::new();
        for name in names.into_iter().map(|name| self.named(name)) {
            let (granted, roles) = match state.users.get(&name) {
                Some(user) => {
                    if name != self.context.user {
                        self.context.check_access(privilege("SHOW USERS"), &Object::EVERYTHING)?;
                    }
                    (&user.granted, &user.roles)
                }
                None => {
                    let is_on = self.context.access.enabled_roles.iter().any(|granted| granted.role == name);
                    if !is_on {
                        self.context.check_access(privilege("SHOW ROLES"), &Object::EVERYTHING)?;
                    }
                    let role = state.role(&name)?;
                    (&role.granted, &role.roles)
                }
            };
            let all = if is_final { granted_with_roles(&state, granted, roles) } else { granted.clone() };
            let all = if with_implicit { with_everybodys(all) } else { all };
            lines.extend(all.statements(&name));
            if !is_final {
                lines.extend(role_grants(roles, &name));
            }
        }
        texts(&title, lines)
    }

    fn show_create_entities(&self, kind: EntityKind, names: Vec<String>) -> Result<Outcome> {
        let state = self.engine.access.state();
        let of_self =
            matches!(&names[..], [name] if kind == EntityKind::User && self.named(name.clone()) == self.context.user);
        if !of_self {
            self.context.check_access(privilege(&format!("SHOW {}S", kind.words())), &Object::EVERYTHING)?;
        }
        let names: Vec<String> = match (names.is_empty(), kind) {
            (false, _) => names.into_iter().map(|name| self.named(name)).collect(),
            (true, EntityKind::User) => state.users.keys().cloned().collect(),
            (true, EntityKind::Role) => state.roles.keys().cloned().collect(),
            (true, EntityKind::Profile) => state.profiles.keys().cloned().collect(),
        };
        let title = format!("CREATE {} {}", kind.words(), names.join(", "));
        let zone = crate::engine::timezone(&self.context.settings)?;
        let lines = names.iter().map(|name| {
            Ok(match kind {
                EntityKind::User => create_user(state.user(name)?, zone),
                EntityKind::Role => create_role(state.role(name)?),
                EntityKind::Profile => create_profile(state.profile(name)?),
            })
        });
        texts(&title, lines.collect::<Result<_>>()?)
    }

    /// Everything that makes the users and roles again, without their passwords.
    fn show_access(&self) -> Result<Outcome> {
        self.context.check_access(privilege("SHOW ACCESS"), &Object::EVERYTHING)?;
        let state = self.engine.access.state();
        let zone = crate::engine::timezone(&self.context.settings)?;
        let mut lines: Vec<String> = state.users.values().map(|user| create_user(user, zone)).collect();
        lines.extend(state.roles.values().map(create_role));
        lines.extend(state.profiles.values().map(create_profile));
        let users = state.users.values().map(|user| (&user.granted, &user.roles, &user.name));
        let roles = state.roles.values().map(|role| (&role.granted, &role.roles, &role.name));
        lines.extend(users.chain(roles).flat_map(|(granted, roles, name)| statements_of(granted, roles, name)));
        texts("ACCESS", lines)
    }
}

fn put(collection: &mut Collection, entries: Vec<CollectionEntry>) {
    for CollectionEntry { key, value, overridable } in entries {
        collection.values.insert(key, CollectionValue { value, overridable });
    }
}

/// With the current database in the place of what is not said.
fn element(element: &GrantElement, database: &str) -> Element {
    let all = element.privileges.iter().fold(Privileges::NONE, |all, (set, _)| all | *set);
    let of_names = Privileges::of_names().contains(all);
    let object = match &element.object {
        GrantObject::Everything => Object::EVERYTHING,
        GrantObject::Star if of_names => Object::Named(None),
        GrantObject::Star => Object::database(database),
        GrantObject::Database(database) => Object::Data(vec![database.clone()]),
        GrantObject::Table(database, table) => Object::Data(vec![database.clone(), table.clone()]),
        GrantObject::One(name) if of_names => Object::Named(Some(name.clone())),
        GrantObject::One(table) => Object::Data(vec![Name::from(database), table.clone()]),
    };
    Element { privileges: element.privileges.clone(), object }
}

/// What a user of the configuration is granted there: `GRANT SELECT ON db.*`, `GRANT role`, `REVOKE …`, one after the other, each without
/// saying to whom. Errors: SYNTAX_ERROR, INVALID_GRANT.
pub fn configured_grants(queries: &[String], user: &mut User) -> Result<()> {
    for query in queries {
        let revokes = query.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("revoke"));
        let text = format!("{query} {} {CURRENT_USER}", if revokes { "FROM" } else { "TO" });
        let Statement::Access(AccessStatement::Grant(statement)) = statement::parse(&text, &BTreeMap::new())? else {
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, format!("'{query}' is no GRANT and no REVOKE")));
        };
        let elements: Vec<Element> = statement.elements.iter().map(|one| element(one, "default")).collect();
        elements.iter().try_for_each(grant::check)?;
        change_rights(&mut user.granted, &elements, &statement);
        if let Some(Chosen::These(roles)) = &statement.roles {
            change_roles(&mut user.roles, roles, &statement);
        }
    }
    Ok(())
}

/// What SET ROLE chose, where the user has been granted it. Errors: UNKNOWN_ROLE, SET_NON_GRANTED_ROLE.
pub(crate) fn check_granted(user: &User, chosen: &Chosen) -> Result<()> {
    let (Chosen::These(names) | Chosen::AllExcept(names)) = chosen else { return Ok(()) };
    match names.iter().find(|name| !user.roles.iter().any(|granted| granted.role == **name)) {
        None => Ok(()),
        Some(name) => {
            Err(Error::new(ErrorCode::SET_NON_GRANTED_ROLE, format!("Role `{name}` should be granted to set as a current")))
        }
    }
}

/// With what follows from it, and with what is everybody's.
fn with_everybodys(granted: Granted) -> Granted {
    let mut rights = granted.rights.with_implied();
    everybodys().into_iter().for_each(|(set, object)| rights.add(set, &object));
    Granted { rights, with_option: granted.with_option.with_implied() }
}

fn statements_of(granted: &Granted, roles: &[RoleGranted], name: &str) -> Vec<String> {
    let mut lines = granted.statements(name);
    lines.extend(role_grants(roles, name));
    lines
}

fn texts(title: &str, lines: Vec<String>) -> Result<Outcome> {
    let rows: Vec<Vec<String>> = lines.into_iter().map(|line| vec![line]).collect();
    Outcome::texts(&[title], &rows)
}

/// Of a group, what can be granted on the object.
fn usable(set: Privileges, object: &Object) -> Privileges {
    set & Privileges::grantable_on(object.level())
}

fn method(text: &MethodText, env: &dyn Env) -> Result<Method> {
    let salt = || {
        let mut salt = [0; 32];
        salt.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&env.random_u64().to_le_bytes()));
        salt
    };
    match text.kind.as_str() {
        "" => Method::of_password("sha256_password", &text.value, salt),
        kind if kind.ends_with("_hash") => Method::of_hash(kind, &text.value, &text.salt),
        kind => Method::of_password(kind, &text.value, salt),
    }
}

/// Errors: UNKNOWN_SETTING, BAD_ARGUMENTS: what could never be applied is not kept.
fn check_settings(elements: &[SettingsElement]) -> Result<()> {
    for element in elements {
        if let SettingsElement::Setting { name, value, min, max, .. } = element {
            let mut settings = Settings::default();
            // One of a user's own has no value until it is set, and need not be known.
            if settings.get(name).is_none() && !gristmill_introspect::custom::is_custom(name) {
                settings.set(name, "")?;
            }
            [value, min, max].into_iter().flatten().try_for_each(|value| settings.set(name, value))?;
        }
    }
    Ok(())
}

fn change_roles(of: &mut Vec<RoleGranted>, roles: &[String], statement: &GrantStatement) {
    if statement.replaces {
        of.clear();
    }
    for role in roles {
        let known = of.iter_mut().find(|granted| granted.role == *role);
        match (statement.revokes, known) {
            (false, Some(known)) => known.admin_option |= statement.option,
            (false, None) => of.push(RoleGranted { role: role.clone(), admin_option: statement.option }),
            (true, Some(known)) if statement.option => known.admin_option = false,
            (true, _) => of.retain(|granted| granted.role != *role),
        }
    }
}

fn change_rights(granted: &mut Granted, elements: &[Element], statement: &GrantStatement) {
    if statement.replaces {
        *granted = Granted::default();
    }
    for element in elements {
        match statement.revokes {
            true => granted.revoke(element, statement.option),
            false => granted.grant(element, statement.option),
        }
    }
}
