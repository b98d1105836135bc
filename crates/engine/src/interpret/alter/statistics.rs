//! Commands of ALTER about statistics and settings of columns: they are kept and shown. No part has data of them, so there is
//! nothing to clear or to materialize.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::statement::Assignments;
use gristmill_sql::statistics::StatisticsChange;
use gristmill_types::{Column, statistics};

use super::definition::Alteration;

fn illegal(text: String) -> Error {
    Error::new(ErrorCode::ILLEGAL_STATISTICS, text)
}

/// Errors: UNKNOWN_SETTING.
pub fn check_settings(settings: &Assignments) -> Result<()> {
    match settings.iter().find(|(name, _)| !Column::SETTINGS.contains(&name.as_str())) {
        None => Ok(()),
        Some((name, _)) => Err(Error::new(
            ErrorCode::UNKNOWN_SETTING,
            format!(
                "Setting {name} is unknown or not supported at column level, supported settings: {}.",
                Column::SETTINGS.join(", ")
            ),
        )),
    }
}

impl Alteration {
    /// `columns`: none are all. Errors: ILLEGAL_STATISTICS, INCORRECT_QUERY.
    pub(super) fn change_statistics(
        &mut self,
        change: StatisticsChange,
        columns: &[String],
        kinds: &[String],
        if_exists: bool,
    ) -> Result<()> {
        use StatisticsChange as S;
        for name in columns {
            let Some(column) = self.columns.iter_mut().find(|column| column.name == *name) else {
                match change {
                    S::Add => {
                        return Err(illegal(format!("Cannot add statistics for column {name}: this column is not found")));
                    }
                    S::Modify => {
                        return Err(illegal(format!(
                            "Cannot modify statistics for column {name}: this column is not found"
                        )));
                    }
                    S::Materialize if !if_exists => return Err(illegal(format!("Unknown statistics column: {name}"))),
                    S::Drop | S::Clear if !if_exists => return Err(missing(name)),
                    S::Materialize | S::Drop | S::Clear => continue,
                }
            };
            match change {
                S::Add => {
                    let known = |kind: &&String| column.statistics.iter().any(|known| statistics::is_same(known, kind));
                    if let Some(kind) = kinds.iter().find(known).filter(|_| !if_exists) {
                        let kind = statistics::name(kind);
                        return Err(illegal(format!("Statistics type name {kind} has existed in column {name}")));
                    }
                    let added = kinds.iter().filter(|kind| !known(kind)).cloned();
                    let all: Vec<String> = column.statistics.iter().cloned().chain(added).collect();
                    column.statistics = statistics::checked(&all, name, &column.kind)?;
                }
                S::Modify => column.statistics = statistics::checked(kinds, name, &column.kind)?,
                S::Drop if column.statistics.is_empty() && !if_exists => return Err(missing(name)),
                S::Drop => column.statistics.clear(),
                S::Clear | S::Materialize => {}
            }
        }
        Ok(())
    }

    /// What MODIFY COLUMN … MODIFY SETTING sets. Errors: UNKNOWN_SETTING, NOT_FOUND_COLUMN_IN_BLOCK.
    pub(super) fn set_of_column(&mut self, name: &str, settings: &Assignments, if_exists: bool) -> Result<()> {
        let Some(column) = self.column_to_modify(name, if_exists)? else { return Ok(()) };
        check_settings(settings)?;
        for (setting, value) in settings {
            match column.settings.iter_mut().find(|(known, _)| known == setting) {
                Some((_, known)) => known.clone_from(value),
                None => column.settings.push((setting.clone(), value.clone())),
            }
        }
        Ok(())
    }

    /// RESET SETTING: those that are not set are passed over.
    pub(super) fn reset_of_column(&mut self, name: &str, settings: &[String], if_exists: bool) -> Result<()> {
        if let Some(column) = self.column_to_modify(name, if_exists)? {
            column.settings.retain(|(known, _)| !settings.contains(known));
        }
        Ok(())
    }

    fn column_to_modify(&mut self, name: &str, if_exists: bool) -> Result<Option<&mut Column>> {
        match self.columns.iter_mut().find(|column| column.name == name) {
            None if !if_exists => Err(Error::new(
                ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK,
                format!("Wrong column. Cannot find column `{name}` to modify"),
            )),
            found => Ok(found),
        }
    }
}

fn missing(name: &str) -> Error {
    illegal(format!("Wrong statistics name. Cannot find statistics `{name}` to drop"))
}
