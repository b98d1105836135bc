//! Other statements than queries in ClickHouse's layout: those that are made of names, and of expressions that take one line.

use gristmill_types::sql_type::{quote, quote_identifier};

use crate::alter::{AlterCommand, PartName};
use crate::alter_text::{assigned, chosen, declared, exists, named, placed, within};
use crate::ast::Node;
use crate::create::TEMPORARY_DATABASE;
use crate::sql_text::sql;
use crate::statement::{Statement, TableName};
use crate::ttl::{TtlElement, TtlElementAction};

/// `None`: it is no such statement, or takes more lines.
pub(super) fn laid_out(statement: &Statement, one_line: bool) -> Option<String> {
    Some(match statement {
        Statement::Alter { name, commands } => {
            let between = if one_line { " " } else { "\n    " };
            let commands: Option<Vec<String>> = commands.iter().map(|command| shown(command, one_line)).collect();
            format!("ALTER TABLE {}{between}{}", table(name)?, commands?.join(&format!(",{between}")))
        }
        Statement::Delete { name, partition, condition } => {
            format!("DELETE FROM {}{} WHERE {}", table(name)?, within(partition), plain(condition)?)
        }
        Statement::DropTable { names, if_exists, if_empty, views, sync } => {
            let names: Option<Vec<String>> = names.iter().map(table).collect();
            format!(
                "DROP {} {}{}{}{}",
                if *views { "VIEW" } else { "TABLE" },
                exists(*if_exists),
                if *if_empty { "IF EMPTY " } else { "" },
                names?.join(", "),
                if *sync { " SYNC" } else { "" }
            )
        }
        Statement::DropDatabase { name, if_exists } => {
            format!("DROP DATABASE {}{}", exists(*if_exists), quote_identifier(name))
        }
        Statement::Truncate { name, if_exists } => format!("TRUNCATE TABLE {}{}", exists(*if_exists), table(name)?),
        Statement::Rename { pairs, exchange } => {
            let (verb, between) = if *exchange { ("EXCHANGE TABLES", "AND") } else { ("RENAME TABLE", "TO") };
            let pairs: Option<Vec<String>> = pairs
                .iter()
                .map(|pair| {
                    let (from, to) = (table(&pair.from)?, table(&pair.to)?);
                    Some(format!("{}{from} {between} {to}", exists(pair.if_exists)))
                })
                .collect();
            format!("{verb} {}", pairs?.join(", "))
        }
        Statement::Optimize { name, partition, to_one_part, deduplicate, cleanup: false, dry_run: None } => {
            let partition = partition.as_ref().map_or_else(String::new, |of| format!(" PARTITION {}", chosen(of)));
            let last = if *to_one_part { " FINAL" } else { "" };
            let by: Option<Vec<String>> = deduplicate.iter().flatten().map(plain).collect();
            let by = by?;
            let deduplicate = match deduplicate {
                None => String::new(),
                Some(_) if by.is_empty() => " DEDUPLICATE".to_string(),
                Some(_) => format!(" DEDUPLICATE BY {}", by.join(", ")),
            };
            format!("OPTIMIZE TABLE {}{partition}{last}{deduplicate}", table(name)?)
        }
        Statement::Use(database) => format!("USE {}", quote_identifier(database)),
        _ => return None,
    })
}

/// `None`: it is temporary, which is said before its name.
fn table(name: &TableName) -> Option<String> {
    match &name.database {
        None => Some(quote_identifier(&name.table)),
        Some(database) if database == TEMPORARY_DATABASE => None,
        Some(database) => Some(format!("{}.{}", quote_identifier(database), quote_identifier(&name.table))),
    }
}

/// `None`: a subquery takes lines of its own.
fn plain(node: &Node) -> Option<String> {
    (!node.has_subquery()).then(|| sql(node))
}

/// A command in its parentheses.
fn shown(command: &AlterCommand, one_line: bool) -> Option<String> {
    let has_subquery = match command {
        AlterCommand::Update { assignments, condition, .. } => {
            condition.has_subquery() || assignments.iter().any(|(_, value)| value.has_subquery())
        }
        AlterCommand::Delete { condition, .. } => condition.has_subquery(),
        _ => false,
    };
    if has_subquery {
        return None;
    }
    let words = match command.words() {
        words if words.is_empty() => of_definition(command)?,
        words => words,
    };
    // ClickHouse has two spaces here.
    let words = match command {
        AlterCommand::Update { .. } if one_line => words.replacen("UPDATE ", "UPDATE  ", 1),
        AlterCommand::ResetSetting(_) if one_line => words.replacen("RESET SETTING ", "RESET SETTING  ", 1),
        _ => words,
    };
    Some(format!("({words})"))
}

/// Commands of which no list of mutations tells.
fn of_definition(command: &AlterCommand) -> Option<String> {
    let unless = |if_not_exists: &bool| if *if_not_exists { "IF NOT EXISTS " } else { "" };
    Some(match command {
        AlterCommand::AddColumn { column, place, if_not_exists } => {
            format!("ADD COLUMN {}{}{}", unless(if_not_exists), declared(column), placed(place.as_ref()))
        }
        AlterCommand::CommentColumn { name, comment, if_exists } => {
            format!("COMMENT COLUMN {}{} {}", exists(*if_exists), named(name), quote(comment))
        }
        AlterCommand::AddIndex { index, place, if_not_exists } => {
            let expression = plain(&index.expression)?;
            let expression = if index.in_parentheses { format!("({expression})") } else { expression };
            format!(
                "ADD INDEX {}{} {expression} TYPE {} GRANULARITY {}{}",
                unless(if_not_exists),
                quote_identifier(&index.name),
                index.kind,
                index.granularity,
                placed(place.as_ref())
            )
        }
        AlterCommand::AddConstraint { constraint, if_not_exists } => {
            let kind = if constraint.assumed { "ASSUME" } else { "CHECK" };
            let (name, expression) = (quote_identifier(&constraint.name), plain(&constraint.expression)?);
            format!("ADD CONSTRAINT {}{name} {kind} {expression}", unless(if_not_exists))
        }
        AlterCommand::DropConstraint { name, if_exists } => {
            format!("DROP CONSTRAINT {}{}", exists(*if_exists), quote_identifier(name))
        }
        AlterCommand::ModifySetting(settings) => format!("MODIFY SETTING {}", assigned(settings)),
        AlterCommand::ResetSetting(names) => format!("RESET SETTING {}", names.join(", ")),
        AlterCommand::ModifyOrderBy { keys, descending, form } if !descending.contains(&true) => {
            let keys: Option<Vec<String>> = keys.iter().map(plain).collect();
            let keys = keys?;
            let written = form.text(&keys).unwrap_or_else(|| match &keys[..] {
                [only] => only.clone(),
                _ => format!("({})", keys.join(", ")),
            });
            format!("MODIFY ORDER BY {written}")
        }
        AlterCommand::ModifyComment(comment) => format!("MODIFY COMMENT {}", quote(comment)),
        AlterCommand::ModifyTtl(elements) => {
            let elements: Option<Vec<String>> = elements.iter().map(ttl).collect();
            format!("MODIFY TTL {}", elements?.join(", "))
        }
        AlterCommand::RemoveTtl => "REMOVE TTL".to_string(),
        AlterCommand::DropParts { parts, detached } => {
            format!("DROP {}{}", if *detached { "DETACHED " } else { "" }, of_parts(parts))
        }
        AlterCommand::DetachParts(parts) => format!("DETACH {}", of_parts(parts)),
        AlterCommand::AttachParts(parts) => format!("ATTACH {}", of_parts(parts)),
        AlterCommand::CopyPartition { partition, from, replaces } => {
            let verb = if *replaces { "REPLACE" } else { "ATTACH" };
            format!("{verb} PARTITION {} FROM {}", chosen(partition), table(from)?)
        }
        AlterCommand::MovePartition { partition, to } => {
            format!("MOVE PARTITION {} TO TABLE {}", chosen(partition), table(to)?)
        }
        AlterCommand::MoveParts { parts, volume, name } => {
            format!("MOVE {} TO {} {}", of_parts(parts), if *volume { "VOLUME" } else { "DISK" }, quote(name))
        }
        AlterCommand::Freeze { partition, name } => {
            let of = partition.as_ref().map_or_else(String::new, |partition| format!(" PARTITION {}", chosen(partition)));
            let name = name.as_ref().map_or_else(String::new, |name| format!(" WITH NAME {}", quote(name)));
            format!("FREEZE{of}{name}")
        }
        _ => return None,
    })
}

fn of_parts(parts: &PartName) -> String {
    match parts {
        PartName::Partition(partition) => format!("PARTITION {}", chosen(partition)),
        PartName::Part(name) => format!("PART {}", quote(name)),
    }
}

fn ttl(element: &TtlElement) -> Option<String> {
    let action = match &element.action {
        TtlElementAction::Delete { condition: None } => String::new(),
        TtlElementAction::Delete { condition: Some(condition) } => format!(" WHERE {}", plain(condition)?),
        TtlElementAction::Recompress(codec) => format!(" RECOMPRESS CODEC({codec})"),
        TtlElementAction::Move { volume, name, if_exists } => {
            format!(" TO {} {}{}", if *volume { "VOLUME" } else { "DISK" }, exists(*if_exists), quote(name))
        }
        TtlElementAction::GroupBy { .. } => return None,
    };
    Some(format!("{}{action}", plain(&element.expression)?))
}

#[cfg(test)]
mod tests {
    use super::super::format_query;

    #[test]
    fn statements_of_one_line() {
        for (text, shown) in [
            ("set a = 1, b={'k': 'v', 'l': 'w'}", "SET a = 1, b = {'k':'v', 'l':'w'}"),
            ("alter table d.t add column x UInt8 after y", "ALTER TABLE d.t (ADD COLUMN `x` UInt8 AFTER y)"),
            ("alter table t modify ttl d delete where a = 1", "ALTER TABLE t (MODIFY TTL d WHERE a = 1)"),
            ("alter table t drop partition 3, freeze", "ALTER TABLE t (DROP PARTITION 3), (FREEZE)"),
            ("delete from t where a = 3", "DELETE FROM t WHERE a = 3"),
            ("drop table if exists a.b, c sync", "DROP TABLE IF EXISTS a.b, c SYNC"),
            ("rename table a to b, c.d to e.f", "RENAME TABLE a TO b, c.d TO e.f"),
            ("optimize table t final", "OPTIMIZE TABLE t FINAL"),
        ] {
            assert_eq!(format_query(text, true).expect(text), shown);
        }
        let lines = format_query("alter table t drop column a, drop column b", false).expect("is laid out");
        assert_eq!(lines, "ALTER TABLE t\n    (DROP COLUMN a),\n    (DROP COLUMN b)");
        assert!(format_query("create index i on t (a) type minmax", true).is_err());
    }
}
