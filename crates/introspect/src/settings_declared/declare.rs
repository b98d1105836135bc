//! What a declaration of settings becomes: a typed field each, and the ways to them by name.
//!
//! Its names are those of the module that it is used in.

/// The name as it is written in SQL: `final` is a word of Rust.
macro_rules! shown {
    (final_) => {
        "final"
    };
    ($name:ident) => {
        stringify!($name)
    };
}

macro_rules! settings {
    (
        $($name:ident: $type:ty = $default:expr, $doc:literal;)*
    ) => {
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $(#[doc = $doc] pub $name: $type,)*
            ignored: BTreeMap<&'static str, String>,
            changed: BTreeMap<&'static str, String>,
            /// Those that `compatibility` gave another default.
            by_compatibility: BTreeSet<&'static str>,
            /// Users' own, by the text of their values.
            custom: BTreeMap<String, String>,
            /// What their owner may do with some of them.
            constraints: Arc<BTreeMap<String, Constraint>>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Settings { $($name: $default.into(),)* ignored: BTreeMap::new(), changed: BTreeMap::new(), by_compatibility: BTreeSet::new(), custom: BTreeMap::new(), constraints: Arc::default() }
            }
        }

        impl Settings {
            /// Sets one by name. Errors: UNKNOWN_SETTING, and those of parsing; nothing is changed then.
            pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
                let name = canonical(name);
                check_choice(name, value)?;
                let value = told_by_data(name, value);
                if name == COMPATIBILITY {
                    compatibility::check(value)?;
                }
                match name {
                    $(shown!($name) => {
                        self.$name = <$type as SettingValue>::parse(value)
                            .ok_or_else(|| bad_value(name, <$type as SettingValue>::TYPE, value))?;
                        self.changed.insert(shown!($name), self.$name.show());
                    })*
                    _ => {
                        if custom::is_custom(name) {
                            self.custom.insert(name.to_string(), custom::Value::of(name, value)?.text());
                            return Ok(());
                        }
                        let Some(setting) = OF_QUERIES.get(name) else {
                            return Err(unknown(name, Self::declared().iter().map(|info| info.name)));
                        };
                        let value = checked(name, setting.kind, value)?;
                        self.ignored.insert(setting.name, value.clone());
                        self.changed.insert(setting.name, value);
                    }
                }
                // Somebody said it.
                self.by_compatibility.remove(name);
                if name == COMPATIBILITY {
                    self.apply_compatibility();
                }
                Ok(())
            }

            /// Back to the default.
            pub fn reset(&mut self, name: &str) -> Result<()> {
                if custom::is_custom(name) {
                    self.custom.remove(name);
                    return Ok(());
                }
                let (name, defaults) = (canonical(name), Settings::default());
                let value = defaults.get(name).ok_or_else(|| unknown(name, Self::declared().iter().map(|info| info.name)))?;
                self.set(name, &value)?;
                self.changed.remove(name);
                Ok(())
            }

            /// The value as `system.settings` shows it. `None`: no such name, or one of a user's own that is not set.
            pub fn get(&self, name: &str) -> Option<String> {
                let name = canonical(name);
                match name {
                    $(shown!($name) => Some(self.$name.show()),)*
                    _ => self.ignored.get(name).or_else(|| self.custom.get(name)).cloned().or_else(|| Some(OF_QUERIES.get(name)?.default.clone())),
                }
            }

            pub fn declared() -> Vec<SettingInfo> {
                let defaults = Settings::default();
                let mut declared = vec![
                    $(SettingInfo {
                        name: shown!($name),
                        kind: kinds::of(shown!($name)).unwrap_or(<$type as SettingValue>::TYPE),
                        default: defaults.$name.show(),
                        description: $doc,
                        no_effect: false,
                        alias_for: None,
                    },)*
                ];
                declared.extend(OF_QUERIES.infos("Accepted because clients and scripts send it. It changes nothing here."));
                declared
            }
        }
    };
}
