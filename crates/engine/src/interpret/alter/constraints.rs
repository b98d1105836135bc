//! Commands of ALTER about constraints. Rows that are there are not looked at.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::ConstraintDefinition;
use gristmill_sql::ast::Node;
use gristmill_sql::lower::substituted;
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::parse_expression;
use gristmill_types::sql_type::quote_backticks;

use super::definition::{Alteration, named};

impl Alteration {
    fn find_constraint(&self, name: &str) -> Option<usize> {
        self.definition.constraints.iter().position(|constraint| constraint.name == name)
    }

    pub(super) fn add_constraint(&mut self, constraint: ConstraintDefinition, if_not_exists: bool) -> Result<()> {
        match self.find_constraint(&constraint.name) {
            None => self.definition.constraints.push(constraint),
            Some(_) if if_not_exists => {}
            Some(_) => {
                let text = format!("Cannot add constraint {}: constraint with this name already exists", constraint.name);
                return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
            }
        }
        Ok(())
    }

    pub(super) fn drop_constraint(&mut self, name: &str, if_exists: bool) -> Result<()> {
        match self.find_constraint(name) {
            Some(at) => drop(self.definition.constraints.remove(at)),
            None if if_exists => {}
            None => {
                let text = format!("Wrong constraint name. Cannot find constraint {} to drop", quote_backticks(name));
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
        }
        Ok(())
    }

    pub(super) fn rename_in_constraints(&mut self, from: &str, to: &str) -> Result<()> {
        for constraint in &mut self.definition.constraints {
            let node = parse_expression(&constraint.expression)?;
            if named(&node).contains(from) {
                constraint.expression = sql(&substituted(&node, from, &Node::Name(vec![to.to_string()])));
            }
        }
        Ok(())
    }
}
