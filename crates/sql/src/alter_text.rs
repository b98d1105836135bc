//! Commands of ALTER TABLE as `system.mutations` shows them: in ClickHouse's layout, one command in parentheses.

use gristmill_types::DefaultKind;
use gristmill_types::sql_type::{quote, quote_backticks, quote_identifier};

use crate::alter::{AlterCommand, Place};
use crate::create::ColumnDefinition;
use crate::sql_text::sql;
use crate::statement::{Assignments, Partition};
use crate::statistics::StatisticsChange;

impl AlterCommand {
    /// Of commands that change rows, or of definitions what rows are stored by. Of others it is empty.
    pub fn text(&self) -> String {
        let text = self.words();
        if text.is_empty() { text } else { format!("({text})") }
    }

    /// As `text`, without parentheses.
    pub(crate) fn words(&self) -> String {
        match self {
            AlterCommand::Update { assignments, partition, condition } => {
                let set = assignments.iter().map(|(name, value)| format!("{} = {}", quote_identifier(name), sql(value)));
                let set = set.collect::<Vec<_>>().join(", ");
                format!("UPDATE {set}{} WHERE {}", within(partition), sql(condition))
            }
            AlterCommand::Delete { partition, condition } => format!("DELETE{} WHERE {}", within(partition), sql(condition)),
            AlterCommand::MaterializeColumn { name, partition } => {
                format!("MATERIALIZE COLUMN {}{}", named(name), within(partition))
            }
            AlterCommand::ModifyColumn { column, place, if_exists } => {
                format!("MODIFY COLUMN {}{}{}", exists(*if_exists), declared(column), placed(place.as_ref()))
            }
            AlterCommand::RenameColumn { from, to, if_exists } => {
                format!("RENAME COLUMN {}{} TO {}", exists(*if_exists), named(from), named(to))
            }
            AlterCommand::DropColumn { name, if_exists } => about("DROP COLUMN", name, *if_exists, &None),
            AlterCommand::ClearColumn { name, partition, if_exists } => about("CLEAR COLUMN", name, *if_exists, partition),
            AlterCommand::DropIndex { name, if_exists } => about("DROP INDEX", name, *if_exists, &None),
            AlterCommand::ClearIndex { name, partition, if_exists } => about("CLEAR INDEX", name, *if_exists, partition),
            AlterCommand::MaterializeIndex { name, partition, if_exists } => {
                about("MATERIALIZE INDEX", name, *if_exists, partition)
            }
            AlterCommand::DropProjection { name, if_exists } => about("DROP PROJECTION", name, *if_exists, &None),
            AlterCommand::ClearProjection { name, partition, if_exists } => {
                about("CLEAR PROJECTION", name, *if_exists, partition)
            }
            AlterCommand::MaterializeProjection { name, partition, if_exists } => {
                about("MATERIALIZE PROJECTION", name, *if_exists, partition)
            }
            AlterCommand::Statistics { change, columns, if_exists, .. } => {
                let what = match change {
                    StatisticsChange::Drop => "DROP",
                    StatisticsChange::Clear => "CLEAR",
                    StatisticsChange::Materialize => "MATERIALIZE",
                    StatisticsChange::Add | StatisticsChange::Modify => return String::new(),
                };
                let columns = match columns.is_empty() {
                    // ClickHouse has two spaces here.
                    true => " ALL".to_string(),
                    false => columns.iter().map(|name| named(name)).collect::<Vec<_>>().join(", "),
                };
                format!("{what} STATISTICS {}{columns}", exists(*if_exists))
            }
            AlterCommand::MaterializeTtl { partition } => format!("MATERIALIZE TTL{}", within(partition)),
            AlterCommand::ApplyDeletedMask { partition } => format!("APPLY DELETED MASK{}", within(partition)),
            AlterCommand::ApplyPatches { partition } => format!("APPLY PATCHES{}", within(partition)),
            AlterCommand::RewriteParts { partition } => format!("REWRITE PARTS{}", within(partition)),
            _ => String::new(),
        }
    }
}

pub(crate) fn within(partition: &Option<Partition>) -> String {
    partition.as_ref().map_or_else(String::new, |partition| format!(" IN PARTITION {}", chosen(partition)))
}

pub(crate) fn chosen(partition: &Partition) -> String {
    match partition {
        Partition::Id(id) => format!("ID {}", quote(id)),
        Partition::All => "ALL".to_string(),
        Partition::Value(value) => sql(value),
        Partition::Several(partitions) => partitions.iter().map(chosen).collect::<Vec<_>>().join(", "),
    }
}

pub(crate) fn exists(if_exists: bool) -> &'static str {
    if if_exists { "IF EXISTS " } else { "" }
}

fn about(what: &str, name: &str, if_exists: bool, partition: &Option<Partition>) -> String {
    format!("{what} {}{}{}", exists(if_exists), named(name), within(partition))
}

/// A field of a Nested is two names.
pub(crate) fn named(name: &str) -> String {
    name.split('.').map(quote_identifier).collect::<Vec<_>>().join(".")
}

pub(crate) fn placed(place: Option<&Place>) -> String {
    match place {
        // As ClickHouse has it.
        Some(Place::First) => " FIRST ".to_string(),
        Some(Place::After(name)) => format!(" AFTER {}", named(name)),
        None => String::new(),
    }
}

/// A column as MODIFY COLUMN declares it.
pub(crate) fn declared(column: &ColumnDefinition) -> String {
    let mut text = quote_backticks(&column.name);
    if let Some(kind) = &column.kind {
        text.push_str(&format!(" {kind}"));
    }
    match &column.default {
        Some((kind, Some(value))) => text.push_str(&format!(" {} {}", kind.name(), sql(value))),
        Some((DefaultKind::Ephemeral, None)) => text.push_str(" EPHEMERAL"),
        Some((_, None)) | None => {}
    }
    if !column.comment.is_empty() {
        text.push_str(&format!(" COMMENT {}", quote(&column.comment)));
    }
    if !column.codec.is_empty() {
        text.push_str(&format!(" CODEC({})", column.codec));
    }
    if !column.statistics.is_empty() {
        text.push_str(&format!(" STATISTICS({})", column.statistics.join(", ")));
    }
    if let Some(ttl) = &column.ttl {
        text.push_str(&format!(" TTL {}", sql(ttl)));
    }
    if !column.settings.is_empty() {
        text.push_str(&format!(" SETTINGS ({})", assigned(&column.settings)));
    }
    text
}

pub(crate) fn assigned(settings: &Assignments) -> String {
    let one = |(name, value): &(String, String)| match value.parse::<f64>() {
        Ok(_) => format!("{name} = {value}"),
        Err(_) => format!("{name} = {}", quote(value)),
    };
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::alter::AlterCommand;
    use crate::parse::parse;
    use crate::statement::Statement;

    fn texts(commands: &str) -> Vec<String> {
        let statement = parse(&format!("ALTER TABLE t {commands}"), &BTreeMap::new()).expect(commands);
        let Statement::Alter { commands, .. } = statement else { panic!("another statement: {commands}") };
        commands.iter().map(AlterCommand::text).collect()
    }

    #[test]
    fn commands_read_as_clickhouse_shows_them() {
        for (written, shown) in [
            (
                "MODIFY COLUMN a UInt16 DEFAULT 7 COMMENT 'x' CODEC(ZSTD(3)) AFTER `b c`",
                "(MODIFY COLUMN `a` UInt16 DEFAULT 7 COMMENT 'x' CODEC(ZSTD(3)) AFTER `b c`)",
            ),
            (
                "MODIFY COLUMN IF EXISTS a Date TTL d + INTERVAL 1 YEAR FIRST",
                "(MODIFY COLUMN IF EXISTS `a` Date TTL d + toIntervalYear(1) FIRST )",
            ),
            ("RENAME COLUMN IF EXISTS a TO `b c`", "(RENAME COLUMN IF EXISTS a TO `b c`)"),
            ("DROP COLUMN n.x", "(DROP COLUMN n.x)"),
            ("CLEAR COLUMN IF EXISTS a IN PARTITION ID 'p'", "(CLEAR COLUMN IF EXISTS a IN PARTITION ID 'p')"),
            ("DELETE IN PARTITION 1, ID 'p' WHERE a", "(DELETE IN PARTITION 1, ID 'p' WHERE a)"),
            ("DROP INDEX IF EXISTS i", "(DROP INDEX IF EXISTS i)"),
            ("MATERIALIZE PROJECTION p", "(MATERIALIZE PROJECTION p)"),
            ("MATERIALIZE STATISTICS ALL", "(MATERIALIZE STATISTICS  ALL)"),
            ("DROP STATISTICS IF EXISTS a, b", "(DROP STATISTICS IF EXISTS a, b)"),
            ("MODIFY SETTING parts_to_throw_insert = 1", ""),
        ] {
            assert_eq!(texts(written), [shown], "{written}");
        }
    }
}
