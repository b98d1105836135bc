//! All users, roles and profiles of a server.
//!
//! Those of statements (`CREATE USER`, …) lie in one object, `access/v1.json` under the data path: a change of several (DROP ROLE takes
//! the role from every user) is one replacement of it, which a crash leaves done or undone. (An object each was rejected for
//! that.) It is readable for the server's own account alone. Those of the configuration are held in memory and win where names are
//! the same.
//!
//! Readers take the state as it is at a moment; who changes it makes a new one.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt, durable};
use parking_lot::{Mutex, RwLock};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::effective::Identity;
use crate::entity::{Chosen, Collection, Profile, Proof, Role, RoleGranted, SettingsElement, Storage, User};
use crate::grant::Granted;
use crate::password::Method;
use crate::policy::Policy;

/// The user of whoever names none.
pub const DEFAULT_USER: &str = "default";
/// The profile whose settings everybody has, unless the configuration names another.
pub const DEFAULT_PROFILE: &str = "default";
const VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub users: BTreeMap<String, User>,
    pub roles: BTreeMap<String, Role>,
    pub profiles: BTreeMap<String, Profile>,
    #[serde(default)]
    pub collections: BTreeMap<String, Collection>,
    /// The profile whose settings everybody has, where the configuration names one (`<default_profile>`).
    #[serde(skip)]
    pub default_profile: Option<String>,
    /// Whether no configuration says who there is: the user `default` is then the server's own until a statement changes it.
    #[serde(skip)]
    pub has_built_in_default: bool,
}

/// As it lies on the disk.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    #[serde(flatten)]
    state: State,
}

/// What a client says of itself.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// Empty: none was named.
    pub user: String,
    pub password: String,
    /// Where the client connects from. `None`: not known.
    pub address: Option<IpAddr>,
}

impl Credentials {
    fn name(&self) -> &str {
        if self.user.is_empty() { DEFAULT_USER } else { &self.user }
    }
}

/// Passwords are not shown.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).field("address", &self.address).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub struct AccessControl {
    state: RwLock<Arc<State>>,
    /// Where the statements' part is kept; `None`: in memory.
    file: Option<PathBuf>,
    /// What statements made and the configuration hides by things of the same names. Held by who changes the state.
    hidden: Mutex<State>,
    passwords: RwLock<Arc<Policy>>,
}

/// A user `default` who may do everything, without a password: that of a server that nobody configured.
pub fn default_user() -> User {
    User { storage: Storage::UsersXml, granted: Granted::all(), ..User::new(id_of("user", DEFAULT_USER), DEFAULT_USER) }
}

/// The id of an entity of the configuration, the same at each start.
pub fn id_of(kind: &str, name: &str) -> Uuid {
    use sha2::{Digest, Sha256};
    let digest = Sha256::new().chain_update(kind).chain_update([0]).chain_update(name).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

impl State {
    /// What there is without a configuration.
    pub fn unconfigured() -> State {
        let profile = |name: &str, settings| Profile {
            id: id_of("profile", name),
            name: name.to_string(),
            storage: Storage::UsersXml,
            settings,
            to: Chosen::None,
        };
        let readonly = SettingsElement::Setting {
            name: "readonly".to_string(),
            value: Some("1".to_string()),
            min: None,
            max: None,
            writability: None,
        };
        let profiles = [profile(DEFAULT_PROFILE, Vec::new()), profile("readonly", vec![readonly])];
        State {
            users: BTreeMap::from([(DEFAULT_USER.to_string(), default_user())]),
            roles: BTreeMap::new(),
            profiles: profiles.into_iter().map(|profile| (profile.name.clone(), profile)).collect(),
            collections: BTreeMap::new(),
            default_profile: None,
            has_built_in_default: true,
        }
    }

    /// The profile whose settings everybody has.
    pub fn default_profile(&self) -> &str {
        self.default_profile.as_deref().unwrap_or(DEFAULT_PROFILE)
    }

    /// Error: UNKNOWN_USER.
    pub fn user(&self, name: &str) -> Result<&User> {
        let missing =
            || Error::new(ErrorCode::UNKNOWN_USER, format!("There is no user {} in user directories", quoted(name)));
        self.users.get(name).ok_or_else(missing)
    }

    /// Error: UNKNOWN_ROLE.
    pub fn role(&self, name: &str) -> Result<&Role> {
        let missing =
            || Error::new(ErrorCode::UNKNOWN_ROLE, format!("There is no role {} in user directories", quoted(name)));
        self.roles.get(name).ok_or_else(missing)
    }

    /// Error: THERE_IS_NO_PROFILE.
    pub fn profile(&self, name: &str) -> Result<&Profile> {
        let text = || format!("There is no settings profile {} in user directories", quoted(name));
        self.profiles.get(name).ok_or_else(|| Error::new(ErrorCode::THERE_IS_NO_PROFILE, text()))
    }

    /// Error: ACCESS_STORAGE_READONLY where it stands in the configuration.
    fn writable(storage: Storage, kind: &str, name: &str) -> Result<()> {
        match storage {
            Storage::LocalDirectory => Ok(()),
            Storage::UsersXml => Err(Error::new(
                ErrorCode::ACCESS_STORAGE_READONLY,
                format!("Cannot change {kind} {} in users_xml: it stands in the configuration of the server", quoted(name)),
            )),
        }
    }

    /// The user, to be changed. Errors: UNKNOWN_USER, ACCESS_STORAGE_READONLY.
    pub fn user_mut(&mut self, name: &str) -> Result<&mut User> {
        let storage = self.user(name)?.storage;
        if !self.is_built_in(name) {
            Self::writable(storage, "user", name)?;
        }
        let user = self.users.get_mut(name).ok_or_else(|| Error::logical("A user is gone"))?;
        // From now on it is one of those that statements made.
        user.storage = Storage::LocalDirectory;
        Ok(user)
    }

    fn is_built_in(&self, name: &str) -> bool {
        self.has_built_in_default && name == DEFAULT_USER
    }

    /// Error: ACCESS_STORAGE_READONLY, for the user that would be there again, with all rights and no password, after a restart.
    pub fn check_may_go(&self, name: &str) -> Result<()> {
        if !self.is_built_in(name) {
            return Ok(());
        }
        let text = "The user default stays while no configuration says who there is: give it a password, or take its rights";
        Err(Error::new(ErrorCode::ACCESS_STORAGE_READONLY, text))
    }

    /// The role, to be changed. Errors: UNKNOWN_ROLE, ACCESS_STORAGE_READONLY.
    pub fn role_mut(&mut self, name: &str) -> Result<&mut Role> {
        Self::writable(self.role(name)?.storage, "role", name)?;
        self.roles.get_mut(name).ok_or_else(|| Error::logical("A role is gone"))
    }

    /// The profile, to be changed. Errors: THERE_IS_NO_PROFILE, ACCESS_STORAGE_READONLY.
    pub fn profile_mut(&mut self, name: &str) -> Result<&mut Profile> {
        Self::writable(self.profile(name)?.storage, "settings profile", name)?;
        self.profiles.get_mut(name).ok_or_else(|| Error::logical("A profile is gone"))
    }

    /// Error: NAMED_COLLECTION_DOESNT_EXIST.
    pub fn collection(&self, name: &str) -> Result<&Collection> {
        let missing =
            || Error::new(ErrorCode::NAMED_COLLECTION_DOESNT_EXIST, format!("There is no named collection `{name}`"));
        self.collections.get(name).ok_or_else(missing)
    }

    /// The collection, to be changed. Errors: NAMED_COLLECTION_DOESNT_EXIST, NAMED_COLLECTION_IS_IMMUTABLE.
    pub fn collection_mut(&mut self, name: &str) -> Result<&mut Collection> {
        if self.collection(name)?.storage == Storage::UsersXml {
            let text = format!("The named collection `{name}` stands in the configuration of the server");
            return Err(Error::new(ErrorCode::NAMED_COLLECTION_IS_IMMUTABLE, text));
        }
        self.collections.get_mut(name).ok_or_else(|| Error::logical("A collection is gone"))
    }

    /// What the user or the role was granted, to be changed.
    pub fn grantee_mut(&mut self, name: &str) -> Result<(&mut Granted, &mut Vec<RoleGranted>)> {
        if self.users.contains_key(name) {
            let user = self.user_mut(name)?;
            return Ok((&mut user.granted, &mut user.roles));
        }
        let role = self.role_mut(name)?;
        Ok((&mut role.granted, &mut role.roles))
    }

    /// Takes the name of a user or role out of everything, or puts another in its place.
    pub fn renamed(&mut self, from: &str, to: Option<&str>) {
        let of_roles = |roles: &mut Vec<RoleGranted>| match to {
            Some(to) => {
                roles.iter_mut().filter(|granted| granted.role == from).for_each(|granted| granted.role = to.to_string());
            }
            None => roles.retain(|granted| granted.role != from),
        };
        for user in self.users.values_mut() {
            of_roles(&mut user.roles);
            user.default_roles.renamed(from, to);
        }
        self.roles.values_mut().for_each(|role| of_roles(&mut role.roles));
        self.profiles.values_mut().for_each(|profile| profile.to.renamed(from, to));
    }

    /// Takes the name of a profile out of all settings, or puts another in its place.
    pub fn profile_renamed(&mut self, from: &str, to: Option<&str>) {
        let users = self.users.values_mut().map(|user| &mut user.settings);
        let roles = self.roles.values_mut().map(|role| &mut role.settings);
        let profiles = self.profiles.values_mut().map(|profile| &mut profile.settings);
        for settings in users.chain(roles).chain(profiles) {
            for at in (0..settings.len()).rev() {
                if let SettingsElement::Profile(name) = &mut settings[at]
                    && name == from
                {
                    match to {
                        Some(to) => *name = to.to_string(),
                        None => drop(settings.remove(at)),
                    }
                }
            }
        }
    }

    fn of_statements(&self) -> State {
        let mut state = self.clone();
        state.users.retain(|_, user| user.storage == Storage::LocalDirectory);
        state.roles.retain(|_, role| role.storage == Storage::LocalDirectory);
        state.profiles.retain(|_, profile| profile.storage == Storage::LocalDirectory);
        state.collections.retain(|_, collection| collection.storage == Storage::LocalDirectory);
        state.default_profile = None;
        state.has_built_in_default = false;
        state
    }

    /// With those of another in the place of its own of the same names.
    fn with(mut self, others: State) -> State {
        self.users.extend(others.users);
        self.roles.extend(others.roles);
        self.profiles.extend(others.profiles);
        self.collections.extend(others.collections);
        self.default_profile = others.default_profile;
        self.has_built_in_default = others.has_built_in_default;
        self
    }

    /// With a configuration over it, and what that hides.
    fn under(self, mut configured: State) -> (State, State) {
        if configured.has_built_in_default && self.users.contains_key(DEFAULT_USER) {
            configured.users.remove(DEFAULT_USER);
        }
        let mut hidden = self.clone();
        hidden.users.retain(|name, _| configured.users.contains_key(name));
        hidden.roles.retain(|name, _| configured.roles.contains_key(name));
        hidden.profiles.retain(|name, _| configured.profiles.contains_key(name));
        hidden.collections.retain(|name, _| configured.collections.contains_key(name));
        (self.with(configured), hidden)
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "\\`"))
}

impl AccessControl {
    /// In memory alone.
    pub fn new(configured: State) -> AccessControl {
        AccessControl {
            state: RwLock::new(Arc::new(configured)),
            file: None,
            hidden: Mutex::default(),
            passwords: RwLock::default(),
        }
    }

    /// With what is kept under the data path. Errors: what reading gives, and CORRUPTED_DATA.
    pub fn open(data_path: &Path, configured: State) -> Result<AccessControl> {
        let file = data_path.join("access").join("v1.json");
        let kept = match fs::read(&file) {
            Ok(bytes) => read_kept(&bytes).context(|| format!("while reading {}", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(Error::from(error).with_context(format!("while reading {}", file.display()))),
        };
        let (state, hidden) = kept.under(configured);
        Ok(AccessControl {
            state: RwLock::new(Arc::new(state)),
            file: Some(file),
            hidden: Mutex::new(hidden),
            passwords: RwLock::default(),
        })
    }

    /// As it is now.
    pub fn state(&self) -> Arc<State> {
        self.state.read().clone()
    }

    /// Another configuration takes the place of the one so far.
    pub fn configure(&self, configured: State) {
        let mut hidden = self.hidden.lock();
        let state;
        (state, *hidden) = hidden.clone().with(self.state().of_statements()).under(configured);
        *self.state.write() = Arc::new(state);
    }

    /// What passwords must be like from now on; those that are kept stay.
    pub fn set_policy(&self, policy: Policy) {
        *self.passwords.write() = Arc::new(policy);
    }

    pub fn policy(&self) -> Arc<Policy> {
        self.passwords.read().clone()
    }

    /// Changes the state, and gives what the change gives. With an error nothing is changed. What is done is on the disk.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let hidden = self.hidden.lock();
        let mut state = State::clone(&self.state());
        let given = change(&mut state)?;
        if let Some(file) = &self.file {
            let kept = Kept { version: VERSION, state: hidden.clone().with(state.of_statements()) };
            let bytes = serde_json::to_vec_pretty(&kept).map_err(|error| Error::logical(error.to_string()))?;
            durable::replace(file, &bytes).context(|| format!("while writing {}", file.display()))?;
        }
        *self.state.write() = Arc::new(state);
        Ok(given)
    }

    /// Who a client is. `now`: seconds since 1970. Error: AUTHENTICATION_FAILED, the same for a wrong password and for a user
    /// that is not there.
    pub fn authenticate(&self, credentials: &Credentials, now: i64) -> Result<Identity> {
        let name = credentials.name();
        let state = self.state();
        let user = state.users.get(name);
        let method = user.and_then(|user| comes_in(user, credentials, now, &self.policy()));
        if let (Some(user), Some(method)) = (user, method) {
            return Ok(Identity::of(user, method));
        }
        let mut text = format!("{name}: Authentication failed: password is incorrect, or there is no user with such name");
        if name == DEFAULT_USER && credentials.address.is_some_and(|address| !address.to_canonical().is_loopback()) {
            text.push_str(". A user without a password can connect from the server's own machine only");
        }
        Err(Error::new(ErrorCode::AUTHENTICATION_FAILED, text))
    }

    /// Whether to find out about these takes a good part of a second of a processor.
    pub fn is_slow(&self, credentials: &Credentials) -> bool {
        self.state()
            .users
            .get(credentials.name())
            .is_some_and(|user| user.methods.iter().any(|proof| proof.method.is_slow()))
    }
}

/// The method by which the user comes in; `None`: it does not.
fn comes_in(user: &User, credentials: &Credentials, now: i64, policy: &Policy) -> Option<&'static str> {
    let is_near = credentials.address.is_none_or(|address| address.to_canonical().is_loopback());
    let may_connect = credentials.address.is_none_or(|address| user.hosts.iter().any(|host| host.allows(address)));
    let fits = |proof: &Proof| match &proof.method {
        _ if proof.valid_until.is_some_and(|until| now >= until) => false,
        method if !policy.allows(method) => false,
        Method::NoPassword => is_near && credentials.password.is_empty(),
        method => method.fits(&credentials.password),
    };
    let proof = user.methods.iter().filter(|_| may_connect).find(|proof| fits(proof))?;
    Some(proof.method.name())
}

fn read_kept(bytes: &[u8]) -> Result<State> {
    let corrupted = |text: String| Error::new(ErrorCode::CORRUPTED_DATA, text);
    let mut kept: Kept = serde_json::from_slice(bytes).map_err(|error| corrupted(error.to_string()))?;
    if kept.version != VERSION {
        return Err(corrupted(format!("it has version {}, this server reads {VERSION}", kept.version)));
    }
    kept.state.users.values_mut().for_each(User::of_older_file);
    Ok(kept.state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::create_user;

    fn credentials(user: &str, password: &str, address: &str) -> Credentials {
        Credentials { user: user.into(), password: password.into(), address: Some(address.parse().expect("an address")) }
    }

    #[test]
    fn without_a_password_one_comes_in_from_this_machine_only() {
        let access = AccessControl::new(State::unconfigured());
        let come = |user, password, address| access.authenticate(&credentials(user, password, address), 0);
        assert_eq!(come("", "", "127.0.0.1").expect("comes in").user, "default");
        assert!(come("default", "", "::1").is_ok());
        let refused = come("default", "", "192.168.1.5").expect_err("from afar");
        assert_eq!(refused.code(), ErrorCode::AUTHENTICATION_FAILED);
        let wrong = come("default", "x", "127.0.0.1").expect_err("a password that is none");
        let unknown = come("alice", "", "127.0.0.1").expect_err("no such user");
        assert_eq!(wrong.message().replace("default", "alice"), unknown.message());
    }

    #[test]
    fn what_statements_make_is_there_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let access = AccessControl::open(folder.path(), State::unconfigured()).expect("opens");
        let mut alice = User::new(Uuid::from_u128(1), "alice");
        alice.methods = vec![Method::of_password("sha256_password", "secret", || [1; 32]).expect("a method").into()];
        let role = Role {
            id: Uuid::from_u128(2),
            name: "reader".into(),
            storage: Storage::LocalDirectory,
            settings: Vec::new(),
            granted: Granted::all(),
            roles: Vec::new(),
        };
        alice.roles.push(RoleGranted { role: "reader".into(), admin_option: false });
        let add = |state: &mut State| {
            state.users.insert("alice".into(), alice.clone());
            state.roles.insert("reader".into(), role);
            Ok(())
        };
        access.change(add).expect("changes");
        let failed: Result<()> = access.change(|state| {
            state.users.clear();
            Err(Error::logical("no"))
        });
        assert!(failed.is_err() && access.state().users.len() == 2);
        let again = AccessControl::open(folder.path(), State::unconfigured()).expect("opens");
        assert_eq!(again.state(), access.state());
        assert!(again.authenticate(&credentials("alice", "secret", "10.0.0.1"), 0).is_ok());
        // The configuration is no part of what is kept.
        let kept = fs::read_to_string(folder.path().join("access/v1.json")).expect("is there");
        assert!(!kept.contains("\"default\":") && !kept.contains("secret"), "{kept}");
        // A role that goes is nobody's any more.
        let drop_role = |state: &mut State| {
            state.roles.remove("reader");
            state.renamed("reader", None);
            Ok(())
        };
        again.change(drop_role).expect("changes");
        assert!(again.state().users["alice"].roles.is_empty());
    }

    #[test]
    fn what_the_configuration_hides_comes_back_when_it_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let access = AccessControl::open(folder.path(), State::unconfigured()).expect("opens");
        let made = User::new(Uuid::from_u128(1), "alice");
        let add = |state: &mut State, user: User| {
            state.users.insert(user.name.clone(), user);
            Ok(())
        };
        access.change(|state| add(state, made.clone())).expect("changes");
        let mut configured = State::unconfigured();
        let of_config = User { storage: Storage::UsersXml, ..User::new(Uuid::from_u128(2), "alice") };
        configured.users.insert("alice".into(), of_config.clone());
        access.configure(configured);
        assert_eq!(access.state().users["alice"], of_config);
        access.change(|state| add(state, User::new(Uuid::from_u128(3), "bob"))).expect("changes");
        let again = AccessControl::open(folder.path(), State::unconfigured()).expect("opens");
        assert_eq!(again.state().users["alice"], made);
        access.configure(State::unconfigured());
        assert_eq!(access.state(), again.state());
    }

    #[test]
    fn each_method_ends_when_it_does() {
        let method = |password| Method::of_password("plaintext_password", password, || [0; 32]).expect("a method");
        let mut alice = User::new(Uuid::from_u128(1), "alice");
        alice.methods = vec![Proof { valid_until: Some(100), ..method("old").into() }, method("new").into()];
        let access = AccessControl::new(State::unconfigured());
        access.change(|state| Ok(state.users.insert("alice".into(), alice.clone()))).expect("changes");
        let comes = |password, now| access.authenticate(&credentials("alice", password, "127.0.0.1"), now).is_ok();
        assert!(comes("old", 99) && !comes("old", 100) && comes("new", 100));
        let shown = create_user(&alice, chrono_tz::Asia::Tokyo);
        assert_eq!(
            shown,
            "CREATE USER alice IDENTIFIED WITH plaintext_password VALID UNTIL '1970-01-01 09:01:40', plaintext_password"
        );
    }

    #[test]
    fn in_older_files_all_methods_end_together() {
        let alice = User::new(Uuid::from_u128(1), "alice");
        let mut kept = serde_json::to_value(Kept {
            version: VERSION,
            state: State { users: BTreeMap::from([("alice".to_string(), alice)]), ..State::default() },
        })
        .expect("JSON");
        let user = &mut kept["users"]["alice"];
        user["valid_until"] = 7.into();
        user.as_object_mut().expect("an object").remove("grantees");
        let read = read_kept(kept.to_string().as_bytes()).expect("reads");
        let user = &read.users["alice"];
        assert_eq!((user.methods[0].valid_until, &user.grantees), (Some(7), &Chosen::All));
        let again = serde_json::to_string(user).expect("JSON");
        assert_eq!(serde_json::from_str::<User>(&again).expect("reads"), *user);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("access")).expect("a folder");
        fs::write(folder.path().join("access/v1.json"), "{\"version\": 1, \"users\"").expect("writes");
        let error = AccessControl::open(folder.path(), State::unconfigured()).expect_err("damaged");
        assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA);
        assert!(error.to_string().contains("access/v1.json"), "{error}");
    }

    #[test]
    fn what_the_configuration_says_no_statement_changes() {
        let access = AccessControl::new(State { has_built_in_default: false, ..State::unconfigured() });
        let error = access.change(|state| state.user_mut("default").map(drop)).expect_err("refused");
        assert_eq!(error.code(), ErrorCode::ACCESS_STORAGE_READONLY);
        let shown = create_user(&access.state().users["default"], chrono_tz::UTC);
        assert_eq!(shown, "CREATE USER default IDENTIFIED WITH no_password");
    }

    #[test]
    fn the_servers_own_user_is_as_statements_made_it_until_there_is_a_configuration() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || AccessControl::open(folder.path(), State::unconfigured()).expect("opens");
        let come = |access: &AccessControl, password| {
            access.authenticate(&credentials("default", password, "127.0.0.1"), 0).is_ok()
        };
        open()
            .change(|state| {
                state.users.insert("alice".into(), User::new(Uuid::from_u128(1), "alice"));
                Ok(())
            })
            .expect("changed");
        assert!(come(&open(), ""), "nobody changed it");
        let method = Method::of_password("sha256_password", "sesame", || [1; 32]).expect("a method");
        open()
            .change(|state| {
                state.user_mut("default")?.methods = vec![method.clone().into()];
                Ok(())
            })
            .expect("changed");
        let access = open();
        assert!(come(&access, "sesame") && !come(&access, ""));
        assert_eq!(access.state().check_may_go("default").expect_err("it stays").code(), ErrorCode::ACCESS_STORAGE_READONLY);
        access.configure(State { has_built_in_default: false, ..State::unconfigured() });
        assert!(come(&access, ""), "the configuration says otherwise");
        access.configure(State::unconfigured());
        assert!(come(&access, "sesame") && !come(&access, ""));
    }
}
