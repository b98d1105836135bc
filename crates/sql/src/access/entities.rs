//! Reads CREATE, ALTER and DROP of users, roles, settings profiles and named collections.

use gristmill_access::entity::{Chosen, SettingsElement, Writability};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::custom;
use sqlparser::tokenizer::Token;

use super::{
    AccessStatement, CollectionEntry, EntityChange, EntityKind, HostText, MethodText, SettingsStep, Unit, Valid, Verb,
};
use crate::cursor::{Cursor, constant, setting_value, syntax};
use crate::statement::Statement;

const UNITS: &[(&str, Unit)] = &[
    ("SECOND", Unit::Seconds(1)),
    ("MINUTE", Unit::Seconds(60)),
    ("HOUR", Unit::Seconds(3600)),
    ("DAY", Unit::Seconds(86_400)),
    ("WEEK", Unit::Seconds(7 * 86_400)),
    ("MONTH", Unit::Months(1)),
    ("QUARTER", Unit::Months(3)),
    ("YEAR", Unit::Months(12)),
];

/// Ways to prove who one is that ask others, or for something else than a password.
const WITHOUT_PASSWORD: &[&str] = &["ldap", "kerberos", "ssl_certificate", "ssh_key", "http", "jwt", "no_authentication"];

impl Cursor<'_> {
    /// USER, ROLE or [SETTINGS] PROFILE, if it is next.
    pub(crate) fn entity_kind(&mut self) -> Result<Option<EntityKind>> {
        for (words, kind) in [
            (&["USER"][..], EntityKind::User),
            (&["ROLE"], EntityKind::Role),
            (&["SETTINGS", "PROFILE"], EntityKind::Profile),
            (&["PROFILE"], EntityKind::Profile),
        ] {
            if self.eat_all(words) {
                return Ok(Some(kind));
            }
        }
        const VIEW: &str = "make a view with the condition, and grant SELECT on it alone";
        const PROFILE: &str = "limit queries by settings of a profile, such as max_execution_time and max_rows_to_read";
        for (words, instead) in
            [(&["ROW", "POLICY"][..], VIEW), (&["POLICY"], VIEW), (&["MASKING", "POLICY"], VIEW), (&["QUOTA"], PROFILE)]
        {
            if words.iter().enumerate().all(|(n, word)| self.peeks_nth(n, word)) {
                return Err(Error::not_implemented(format!("{}: {instead}", words.join(" "))));
            }
        }
        Ok(None)
    }

    pub(super) fn peeks_nth(&self, n: usize, word: &str) -> bool {
        crate::tokens::is_word(&self.parser.peek_nth_token_ref(n).token, word)
    }

    /// From behind `CREATE USER [OR REPLACE]` or `ALTER USER`.
    pub(crate) fn entity_change(&mut self, kind: EntityKind, verb: Verb, or_replace: bool) -> Result<Statement> {
        let or_replace = or_replace || self.eat_all(&["OR", "REPLACE"]);
        let if_fits = if verb == Verb::Create { self.if_not_exists() } else { self.if_exists() };
        let (names, pattern) = self.named_entities()?;
        let mut change = EntityChange {
            kind,
            verb,
            names,
            or_replace,
            if_fits,
            rename_to: None,
            methods: None,
            adds_methods: false,
            valid: None,
            hosts: None,
            settings_steps: Vec::new(),
            host_steps: Vec::new(),
            resets_methods: false,
            default_roles: None,
            default_database: None,
            settings: None,
            to: None,
            grantees: None,
        };
        self.on_cluster()?;
        loop {
            if verb == Verb::Alter && self.eat_all(&["RENAME", "TO"]) {
                change.rename_to = Some(self.entity_name()?);
            } else if verb == Verb::Alter && self.settings_step(kind, &mut change)? {
                self.eat_token(&Token::Comma);
            } else if self.eat("IN") {
                let storage = self.identifier()?;
                if storage != "local_directory" {
                    let text = format!("Access storage {storage} is not found: local_directory is where statements write");
                    return Err(Error::new(ErrorCode::ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND, text));
                }
            } else if self.eat("SETTINGS") || (kind == EntityKind::Profile && self.peeks("PROFILE")) {
                change.settings = Some(self.settings_elements()?);
            } else if kind == EntityKind::Profile && self.eat("TO") {
                change.to = Some(self.chosen()?);
            } else if kind != EntityKind::User || !self.user_clause(&mut change)? {
                // One that is there keeps the hosts that it has.
                if kind == EntityKind::User && verb == Verb::Create && change.hosts.is_none() {
                    change.hosts = pattern.map(|pattern| vec![like(pattern)]);
                }
                return Ok(Statement::Access(AccessStatement::Change(Box::new(change))));
            }
        }
    }

    /// `alice`, and of users `alice@'10.%'`: the addresses are a part of the name too. Gives them where all have the same, which are
    /// let in from there alone.
    fn named_entities(&mut self) -> Result<(Vec<String>, Option<String>)> {
        let (name, common) = self.name_and_host()?;
        let (mut names, mut common) = (vec![name], common);
        while self.eat_token(&Token::Comma) {
            let (name, pattern) = self.name_and_host()?;
            names.push(name);
            common = common.filter(|known| pattern.as_ref() == Some(known));
        }
        Ok((names, common))
    }

    /// ADD, MODIFY and DROP of ALTER; false: there is none of them.
    fn settings_step(&mut self, kind: EntityKind, change: &mut EntityChange) -> Result<bool> {
        let of_user = kind == EntityKind::User;
        let step = if self.eat_all(&["ADD", "SETTINGS"]) || self.eat_all(&["ADD", "SETTING"]) {
            SettingsStep::Add(self.elements_until_step()?)
        } else if self.eat_all(&["MODIFY", "SETTINGS"]) || self.eat_all(&["MODIFY", "SETTING"]) {
            SettingsStep::Modify(self.elements_until_step()?)
        } else if self.eat_all(&["ADD", "PROFILES"]) || self.eat_all(&["ADD", "PROFILE"]) {
            SettingsStep::Add(self.names_until_step()?.into_iter().map(SettingsElement::Profile).collect())
        } else if self.eat_all(&["DROP", "ALL", "SETTINGS"]) {
            SettingsStep::DropAll
        } else if self.eat_all(&["DROP", "ALL", "PROFILES"]) {
            SettingsStep::DropAllProfiles
        } else if self.eat_all(&["DROP", "SETTINGS"]) || self.eat_all(&["DROP", "SETTING"]) {
            SettingsStep::Drop(self.names_until_step()?)
        } else if self.eat_all(&["DROP", "PROFILES"]) || self.eat_all(&["DROP", "PROFILE"]) {
            SettingsStep::DropProfiles(self.names_until_step()?)
        } else if of_user && self.eat_all(&["ADD", "HOST"]) {
            change.host_steps.push((true, self.hosts()?));
            return Ok(true);
        } else if of_user && self.eat_all(&["DROP", "HOST"]) {
            change.host_steps.push((false, self.hosts()?));
            return Ok(true);
        } else if of_user && self.eat_all(&["RESET", "AUTHENTICATION", "METHODS", "TO", "NEW"]) {
            change.resets_methods = true;
            return Ok(true);
        } else {
            return Ok(false);
        };
        change.settings_steps.push(step);
        Ok(true)
    }

    /// Whether another step of ALTER follows the comma that is next.
    fn step_follows(&self) -> bool {
        let begins = ["ADD", "MODIFY", "DROP"].iter().any(|word| self.peeks_nth(1, word));
        let of_step = ["SETTINGS", "SETTING", "PROFILES", "PROFILE", "ALL"].iter().any(|word| self.peeks_nth(2, word));
        self.parser.peek_token_ref().token == Token::Comma && begins && of_step
    }

    fn names_until_step(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.entity_name()?];
        while !self.step_follows() && self.eat_token(&Token::Comma) {
            names.push(self.entity_name()?);
        }
        Ok(names)
    }

    fn elements_until_step(&mut self) -> Result<Vec<SettingsElement>> {
        let mut elements = vec![self.settings_element()?];
        while !self.step_follows() && self.eat_token(&Token::Comma) {
            elements.push(self.settings_element()?);
        }
        Ok(elements)
    }

    /// A clause that only users have; false: there is none.
    pub(super) fn user_clause(&mut self, change: &mut EntityChange) -> Result<bool> {
        let has_methods = change.methods.is_some();
        if !has_methods && self.eat_all(&["NOT", "IDENTIFIED"]) {
            let valid = self.valid()?;
            change.methods =
                Some(vec![MethodText { kind: "no_password".into(), value: String::new(), salt: String::new(), valid }]);
        } else if !has_methods && self.eat_all(&["ADD", "IDENTIFIED"]) {
            change.adds_methods = true;
            change.methods = Some(self.methods()?);
        } else if !has_methods && self.eat("IDENTIFIED") {
            change.methods = Some(self.methods()?);
        } else if self.eat("HOST") {
            change.hosts = Some(self.hosts()?);
        } else if let Some(valid) = self.valid()? {
            change.valid = Some(valid);
        } else if self.eat_all(&["DEFAULT", "ROLE"]) {
            change.default_roles = Some(self.chosen()?);
        } else if self.eat_all(&["DEFAULT", "DATABASE"]) {
            change.default_database = Some(if self.eat("NONE") { String::new() } else { self.identifier()? });
        } else if self.eat("GRANTEES") {
            change.grantees = Some(self.chosen_of("ANY")?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `VALID UNTIL 'time'`, `VALID FOR INTERVAL 3 DAY`; `None`: it is not said.
    fn valid(&mut self) -> Result<Option<Valid>> {
        if self.eat_all(&["VALID", "UNTIL"]) {
            let until = self.string()?;
            return Ok(Some(if until == "infinity" { Valid::Forever } else { Valid::Until(until) }));
        }
        if !self.eat_all(&["VALID", "FOR"]) {
            return Ok(None);
        }
        self.expect("INTERVAL")?;
        let number = self.parser.next_token().token;
        let (Token::Number(number, _) | Token::SingleQuotedString(number)) = number else {
            return Err(self.unexpected("a number"));
        };
        let number = number.parse().map_err(|_| self.unexpected("a whole number"))?;
        let unit = self.identifier()?;
        let known = UNITS.iter().find(|(word, _)| unit.to_ascii_uppercase().trim_end_matches('S') == *word);
        let (_, unit) = known.ok_or_else(|| self.unexpected("a unit of time"))?;
        Ok(Some(Valid::For(number, *unit)))
    }

    pub(super) fn methods(&mut self) -> Result<Vec<MethodText>> {
        let mut methods = Vec::new();
        loop {
            let kind = if self.eat("WITH") || !methods.is_empty() && !self.peeks("BY") {
                self.identifier()?.to_ascii_lowercase()
            } else {
                String::new()
            };
            let value = if kind == "no_password" {
                String::new()
            } else if WITHOUT_PASSWORD.contains(&kind.as_str()) {
                return Err(Error::not_implemented(format!(
                    "Authentication with {kind}: users prove who they are by a password"
                )));
            } else {
                self.expect("BY")?;
                self.string()?
            };
            let salt = if self.eat("SALT") { self.string()? } else { String::new() };
            let valid = self.valid()?;
            methods.push(MethodText { kind, value, salt, valid });
            if !self.eat_token(&Token::Comma) {
                return Ok(methods);
            }
        }
    }

    pub(super) fn hosts(&mut self) -> Result<Vec<HostText>> {
        if self.eat("NONE") {
            return Ok(Vec::new());
        }
        let mut hosts = Vec::new();
        loop {
            if self.eat("ANY") {
                hosts.push(HostText::Any);
            } else if self.eat("LOCAL") {
                hosts.push(HostText::Local);
            } else if self.eat("IP") {
                loop {
                    hosts.push(HostText::Ip(self.string()?));
                    let more = self.parser.peek_token_ref().token == Token::Comma
                        && matches!(self.parser.peek_nth_token_ref(1).token, Token::SingleQuotedString(_));
                    if !more {
                        break;
                    }
                    self.eat_token(&Token::Comma);
                }
            } else if self.eat("LIKE") {
                hosts.push(like(self.string()?));
            } else if self.eat("NAME") {
                match self.string()?.as_str() {
                    "localhost" => hosts.push(HostText::Local),
                    _ => return Err(no_names("NAME")),
                }
            } else if self.peeks("REGEXP") {
                return Err(no_names("REGEXP"));
            } else {
                return Err(self.unexpected("ANY, LOCAL, IP, LIKE or NONE"));
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(hosts);
            }
        }
    }

    /// `max_threads = 4 MIN 1 MAX 8 CONST, PROFILE 'p'`; NONE: none.
    pub(super) fn settings_elements(&mut self) -> Result<Vec<SettingsElement>> {
        if self.eat("NONE") {
            return Ok(Vec::new());
        }
        let mut elements = Vec::new();
        loop {
            if self.eat("PROFILE") || self.eat("INHERIT") {
                elements.push(SettingsElement::Profile(self.entity_name()?));
            } else {
                elements.push(self.settings_element()?);
            }
            if !self.eat_token(&Token::Comma) {
                return Ok(elements);
            }
        }
    }

    pub(super) fn settings_element(&mut self) -> Result<SettingsElement> {
        let name = self.identifier()?;
        let (mut value, mut min, mut max, mut writability) = (None, None, None, None);
        loop {
            let bound = if self.eat("MIN") {
                &mut min
            } else if self.eat("MAX") {
                &mut max
            } else if self.parser.peek_token_ref().token == Token::Eq {
                &mut value
            } else {
                let words = [
                    ("READONLY", Writability::Const),
                    ("CONST", Writability::Const),
                    ("WRITABLE", Writability::Writable),
                    ("CHANGEABLE_IN_READONLY", Writability::ChangeableInReadonly),
                ];
                match words.iter().find(|(word, _)| self.eat(word)) {
                    Some((_, kind)) => writability = Some(*kind),
                    None => return Ok(SettingsElement::Setting { name, value, min, max, writability }),
                }
                continue;
            };
            self.eat_token(&Token::Eq);
            *bound = Some(if custom::is_custom(&name) { self.custom_value(&name)? } else { self.value()? });
        }
    }

    /// That of a user's own setting, with its type.
    fn custom_value(&mut self, name: &str) -> Result<String> {
        let value = self.parser.parse_prefix().map_err(syntax)?;
        setting_value(name, &crate::translate::node(&value)?)
    }

    /// A number or a string: no more than that, because MIN and MAX stand behind it.
    pub(super) fn value(&mut self) -> Result<String> {
        if matches!(self.parser.peek_token_ref().token, Token::SingleQuotedString(_)) {
            return self.string();
        }
        let value = self.parser.parse_prefix().map_err(syntax)?;
        constant(&crate::translate::node(&value)?)
    }

    /// A name, or a string that is one; of users perhaps with addresses behind it: `alice@'10.%'`.
    pub(crate) fn entity_name(&mut self) -> Result<String> {
        Ok(self.name_and_host()?.0)
    }

    /// The name, which the addresses are a part of, and those.
    fn name_and_host(&mut self) -> Result<(String, Option<String>)> {
        let name = self.word_or_text()?;
        if !self.eat_token(&Token::AtSign) {
            return Ok((name, None));
        }
        let pattern = self.word_or_text()?;
        Ok(if pattern == "%" { (name, None) } else { (format!("{name}@{pattern}"), Some(pattern)) })
    }

    fn word_or_text(&mut self) -> Result<String> {
        match self.parser.peek_token_ref().token {
            Token::SingleQuotedString(_) => self.string(),
            _ => self.identifier(),
        }
    }

    pub(super) fn entity_names(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.entity_name()?];
        while self.eat_token(&Token::Comma) {
            names.push(self.entity_name()?);
        }
        Ok(names)
    }

    pub(super) fn chosen(&mut self) -> Result<Chosen> {
        self.chosen_of("ALL")
    }

    /// `a, b`, `a, b EXCEPT b`, `ALL`, `ALL EXCEPT a, b`, `NONE`; `all`: the word for all.
    pub(super) fn chosen_of(&mut self, all: &str) -> Result<Chosen> {
        if self.eat("NONE") {
            return Ok(Chosen::None);
        }
        if self.eat(all) {
            return Ok(if self.eat("EXCEPT") { Chosen::AllExcept(self.entity_names()?) } else { Chosen::All });
        }
        let mut names = self.entity_names()?;
        if self.eat("EXCEPT") {
            let left_out = self.entity_names()?;
            names.retain(|name| !left_out.contains(name));
        }
        Ok(if names.is_empty() { Chosen::None } else { Chosen::These(names) })
    }

    /// What follows CREATE, ALTER or DROP; `None`: it is no NAMED COLLECTION.
    pub(crate) fn named_collection(&mut self, verb: &str) -> Result<Option<Statement>> {
        if !self.eat_all(&["NAMED", "COLLECTION"]) {
            return Ok(None);
        }
        let is_conditional = if verb == "CREATE" { self.if_not_exists() } else { self.if_exists() };
        let name = self.identifier()?;
        self.on_cluster()?;
        Ok(Some(Statement::Access(match verb {
            "CREATE" => {
                self.expect("AS")?;
                AccessStatement::CreateCollection { name, if_not_exists: is_conditional, values: self.collection_entries()? }
            }
            "ALTER" => {
                let set = if self.eat("SET") { self.collection_entries()? } else { Vec::new() };
                let delete = if self.eat("DELETE") { self.entity_names()? } else { Vec::new() };
                AccessStatement::AlterCollection { name, if_exists: is_conditional, set, delete }
            }
            _ => AccessStatement::DropCollection { name, if_exists: is_conditional },
        })))
    }

    pub(super) fn collection_entries(&mut self) -> Result<Vec<CollectionEntry>> {
        let mut entries = Vec::new();
        loop {
            let key = self.identifier()?;
            self.expect_token(&Token::Eq)?;
            let value = self.value()?;
            let overridable =
                if self.eat_all(&["NOT", "OVERRIDABLE"]) { Some(false) } else { self.eat("OVERRIDABLE").then_some(true) };
            entries.push(CollectionEntry { key, value, overridable });
            if !self.eat_token(&Token::Comma) {
                return Ok(entries);
            }
        }
    }

    /// From behind DROP and the kind.
    pub(crate) fn drop_entity(&mut self, kind: EntityKind) -> Result<Statement> {
        let if_exists = self.if_exists();
        let (names, _) = self.named_entities()?;
        self.on_cluster()?;
        Ok(Statement::Access(AccessStatement::Drop { kind, names, if_exists }))
    }
}

/// `%` is everybody; patterns are those of addresses.
fn like(pattern: String) -> HostText {
    match pattern.as_str() {
        "%" => HostText::Any,
        "localhost" => HostText::Local,
        _ => HostText::Like(pattern),
    }
}

fn no_names(what: &str) -> Error {
    Error::not_implemented(format!(
        "HOST {what}: names of hosts are not looked up. HOST IP '10.0.0.0/8' and HOST LIKE '10.%' go by the address"
    ))
}
