//! Commands of ALTER about projections. What a part has of one is found by its definition and its columns: ALTER of a column
//! that changes them leaves parts without, and one that would leave the projection without a column is refused.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::ProjectionDefinition;
use gristmill_sql::statement::Place;
use gristmill_types::SqlType;

use super::definition::{Alteration, named};
use crate::projections::compile::Resolved;

pub fn missing(name: &str) -> Error {
    Error::new(ErrorCode::NO_SUCH_PROJECTION_IN_TABLE, format!("There is no projection {name} in table"))
}

impl Alteration {
    fn find_projection(&self, name: &str) -> Option<usize> {
        self.definition.projections.iter().position(|projection| projection.name == name)
    }

    /// A place behind a projection that is not there is the last, as in ClickHouse.
    pub(super) fn add_projection(
        &mut self,
        projection: ProjectionDefinition,
        place: Option<&Place>,
        if_not_exists: bool,
    ) -> Result<()> {
        if self.find_projection(&projection.name).is_some() {
            if if_not_exists {
                return Ok(());
            }
            return Err(Error::new(
                ErrorCode::ILLEGAL_PROJECTION,
                format!("Cannot add projection {}: projection with this name already exists", projection.name),
            ));
        }
        let last = self.definition.projections.len();
        let at = match place {
            None => last,
            Some(Place::First) => 0,
            Some(Place::After(name)) => self.find_projection(name).map_or(last, |at| at + 1),
        };
        self.definition.projections.insert(at, projection);
        Ok(())
    }

    pub(super) fn drop_projection(&mut self, name: &str, if_exists: bool) -> Result<()> {
        match self.find_projection(name) {
            Some(at) => {
                self.definition.projections.remove(at);
                Ok(())
            }
            None if if_exists => Ok(()),
            None => Err(missing(name)),
        }
    }

    /// A column that a projection names stays, under its name.
    pub(super) fn check_no_projection(&self, column: &str) -> Result<()> {
        for projection in &self.definition.projections {
            let resolved = Resolved::of(projection)?;
            let nodes = resolved.select.iter().chain(&resolved.group_by).chain(&resolved.order_by);
            if nodes.map(named).any(|names| names.contains(column)) {
                return Err(Error::new(
                    ErrorCode::UNKNOWN_IDENTIFIER,
                    format!(
                        "Cannot apply ALTER because it breaks projection {}: Unknown expression identifier `{column}` in {}",
                        projection.name,
                        projection.query()
                    ),
                ));
            }
        }
        Ok(())
    }

    /// A column under an aggregate projection keeps its type: states that parts have of the old type are none of the new one,
    /// and rows that are grouped by it would have to be grouped anew.
    pub(super) fn check_no_aggregate_of(&self, column: &str, from: &SqlType, to: &SqlType) -> Result<()> {
        for projection in &self.definition.projections {
            let resolved = Resolved::of(projection)?;
            if resolved.group_by.is_empty() {
                continue;
            }
            let breaks = |code: ErrorCode, why: String| {
                let text = format!(
                    "Cannot apply ALTER because it breaks projection {}: {why}. DROP PROJECTION first, and add it again behind it",
                    projection.name
                );
                Err(Error::new(code, text))
            };
            if resolved.group_by.iter().map(named).any(|names| names.contains(column)) {
                return breaks(ErrorCode::ALTER_OF_COLUMN_IS_FORBIDDEN, "Cannot ALTER column".to_string());
            }
            if resolved.select.iter().map(named).any(|names| names.contains(column)) {
                let why = format!("Conversion of aggregates of {from} to aggregates of {to} is not supported");
                return breaks(ErrorCode::CANNOT_CONVERT_TYPE, why);
            }
        }
        Ok(())
    }
}
