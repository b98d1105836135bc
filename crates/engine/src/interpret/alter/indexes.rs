//! Commands of ALTER about data skipping indexes. Parts are found to have an index by its key: whatever makes their data no
//! longer the index's gives it a new one, and they are read without it until they are written anew.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::SkipIndexDefinition;
use gristmill_sql::ast::Node;
use gristmill_sql::lower::substituted;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{Place, parse_expression};
use gristmill_sql::text_index::with_column_renamed;

use super::definition::{Alteration, named};

pub fn missing(name: &str, to_do: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Wrong index name. Cannot find index `{name}` to {to_do}"))
}

impl Alteration {
    fn find_index(&self, name: &str) -> Option<usize> {
        self.skip_indexes.iter().position(|index| index.name == name)
    }

    fn unused_key(&mut self, name: &str) -> String {
        let all = self.all();
        self.keys.unused(name, &all)
    }

    pub(super) fn add_index(
        &mut self,
        index: SkipIndexDefinition,
        place: Option<&Place>,
        if_not_exists: bool,
    ) -> Result<()> {
        if self.find_index(&index.name).is_some() {
            if if_not_exists {
                return Ok(());
            }
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!("Cannot add index {}: index with this name already exists", index.name),
            ));
        }
        let at = match place {
            None => self.skip_indexes.len(),
            Some(Place::First) => 0,
            Some(Place::After(name)) => self.find_index(name).ok_or_else(|| missing(name, "insert after"))? + 1,
        };
        let key = self.unused_key(&index.name);
        self.skip_indexes.insert(at, SkipIndexDefinition { key, ..index });
        Ok(())
    }

    pub(super) fn drop_index(&mut self, name: &str, if_exists: bool) -> Result<()> {
        match self.find_index(name) {
            Some(at) => {
                self.skip_indexes.remove(at);
                Ok(())
            }
            None if if_exists => Ok(()),
            None => Err(missing(name, "drop")),
        }
    }

    /// CLEAR INDEX: what is kept of it is forgotten. Of one that is not there nothing is kept, which is no error in ClickHouse.
    pub(super) fn clear_index(&mut self, name: &str) {
        if let Some(at) = self.find_index(name) {
            self.skip_indexes[at].key = self.unused_key(name);
        }
    }

    fn indexes_of(&self, column: &str) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for (at, index) in self.skip_indexes.iter().enumerate() {
            if named(&parse_expression(&index.expression)?).contains(column) {
                found.push(at);
            }
        }
        Ok(found)
    }

    /// Values of the column are no longer what indexes were made of.
    pub(super) fn renew_indexes(&mut self, column: &str) -> Result<()> {
        for at in self.indexes_of(column)? {
            self.skip_indexes[at].key = self.unused_key(&self.skip_indexes[at].name.clone());
        }
        Ok(())
    }

    pub(super) fn rename_in_indexes(&mut self, from: &str, to: &str) -> Result<()> {
        for at in self.indexes_of(from)? {
            let node = parse_expression(&self.skip_indexes[at].expression)?;
            self.skip_indexes[at].expression = sql(&substituted(&node, from, &Node::Name(vec![to.to_string()])));
            if let Some(kind) = with_column_renamed(&self.skip_indexes[at].kind, from, to)? {
                self.skip_indexes[at].kind = kind;
            }
        }
        Ok(())
    }

    /// A column that an index needs stays.
    pub(super) fn check_no_index(&self, column: &str) -> Result<()> {
        match self.indexes_of(column)?.first() {
            None => Ok(()),
            Some(at) => {
                let SkipIndexDefinition { name, expression, .. } = &self.skip_indexes[*at];
                Err(Error::new(
                    ErrorCode::UNKNOWN_IDENTIFIER,
                    format!(
                        "Cannot apply ALTER because it breaks skip index {name}: Missing columns: '{column}' while processing: \
                         '{expression}'"
                    ),
                ))
            }
        }
    }
}
