//! Which changes of a definition are told in `system.mutations`: those for which ClickHouse writes parts anew. Here parts stay as
//! they are, since they say themselves what their columns are; the mutation is done when it begins, and what is seen of it is a
//! row in that table and a number in the names of parts.

use gristmill_catalog::{MutationRequest, RowChange, TableDefinition};
use gristmill_sql::statement::AlterCommand;
use gristmill_sql::statistics::StatisticsChange;
use gristmill_types::{DefaultKind, SqlType, nested};

use super::definition::Alteration;

impl Alteration {
    /// Whether the command, which comes next, is told of.
    pub(super) fn is_listed(&self, command: &AlterCommand) -> bool {
        match command {
            AlterCommand::RenameColumn { from, .. } => self.find(from).is_some(),
            AlterCommand::DropColumn { name, .. } | AlterCommand::ClearColumn { name, .. } => match self.find(name) {
                Some(at) => {
                    let default = self.columns[at].default.as_ref().map(|(kind, _)| *kind);
                    !matches!(default, Some(DefaultKind::Alias | DefaultKind::Ephemeral))
                }
                None => !nested::fields(&self.all(), name).is_empty(),
            },
            AlterCommand::ModifyColumn { column, .. } => {
                let old = self.find(&column.name).map(|at| &self.columns[at]);
                let stored =
                    old.filter(|old| !matches!(old.default, Some((DefaultKind::Alias | DefaultKind::Ephemeral, _))));
                stored.zip(column.kind.as_ref()).is_some_and(|(old, new)| !is_stored_alike(&old.kind, new))
            }
            AlterCommand::Statistics { change, .. } => {
                matches!(change, StatisticsChange::Drop | StatisticsChange::Clear | StatisticsChange::Materialize)
            }
            AlterCommand::DropIndex { .. } | AlterCommand::ClearIndex { .. } | AlterCommand::DropProjection { .. } => true,
            _ => false,
        }
    }
}

/// Whether ClickHouse takes what is stored of one type for what would be stored of the other.
fn is_stored_alike(from: &SqlType, to: &SqlType) -> bool {
    match (from, to) {
        (SqlType::Enum8(old), SqlType::Enum8(new)) | (SqlType::Enum16(old), SqlType::Enum16(new)) => {
            old.0.iter().all(|value| new.0.contains(value))
        }
        (SqlType::Enum8(_), SqlType::Int8) | (SqlType::Enum16(_), SqlType::Int16) => true,
        (SqlType::DateTime(_), SqlType::DateTime(_) | SqlType::UInt32) | (SqlType::UInt32, SqlType::DateTime(_)) => true,
        (SqlType::DateTime64(old, _), SqlType::DateTime64(new, _)) => old == new,
        (SqlType::Date, SqlType::UInt16) | (SqlType::UInt16, SqlType::Date) => true,
        (SqlType::Array(old), SqlType::Array(new)) | (SqlType::Nullable(old), SqlType::Nullable(new)) => {
            is_stored_alike(old, new)
        }
        (SqlType::Nested(old), new) => is_stored_alike(old, new),
        (old, SqlType::Nested(new)) => is_stored_alike(old, new),
        (old, new) => old == new,
    }
}

/// The mutation that tells of a change of the definition, and does what it brings for parts. `None`: there is nothing to tell.
/// `listed`: the commands that are told, as texts.
pub fn request(
    (old, new): (&TableDefinition, &TableDefinition),
    commands: &[AlterCommand],
    listed: Vec<String>,
    materializes_ttl: bool,
) -> Option<MutationRequest> {
    // What parts have of a projection goes with it.
    let dropped = commands.iter().filter_map(|command| match command {
        AlterCommand::DropProjection { name, .. } => Some(RowChange::ClearProjection { name: name.clone() }),
        _ => None,
    });
    let (mut changes, mut texts): (Vec<RowChange>, Vec<String>) = (dropped.collect(), listed);
    let sets_ttl = commands.iter().any(|command| match command {
        AlterCommand::ModifyTtl(_) => true,
        AlterCommand::ModifyColumn { column, .. } => column.ttl.is_some(),
        _ => false,
    });
    if materializes_ttl && sets_ttl && new.ttl != old.ttl && !new.ttl.is_empty() {
        changes.push(RowChange::MaterializeTtl);
        texts.push(AlterCommand::MaterializeTtl { partition: None }.text());
    }
    (!texts.is_empty()).then_some(MutationRequest { changes, commands: texts, partition: None, at_once: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_differ_in_name_alone_are_stored_alike() {
        let kind = |text: &str| -> SqlType { text.parse().expect(text) };
        for (from, to, alike) in [
            ("UInt8", "UInt8", true),
            ("UInt8", "UInt16", false),
            ("Enum8('a' = 1)", "Enum8('a' = 1, 'b' = 2)", true),
            ("Enum8('a' = 1, 'b' = 2)", "Enum8('a' = 1)", false),
            ("Nullable(DateTime)", "Nullable(DateTime('Asia/Tokyo'))", true),
            ("Array(Date)", "Array(UInt16)", true),
            ("String", "LowCardinality(String)", false),
            ("DateTime64(3)", "DateTime64(6)", false),
        ] {
            assert_eq!(is_stored_alike(&kind(from), &kind(to)), alike, "{from} to {to}");
        }
    }
}
