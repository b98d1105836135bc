//! `system.settings` (of the query that reads it), `system.settings_changes` and `system.merge_tree_settings`.

use std::sync::Arc;

use gristmill_access::entity::Writability;
use gristmill_base::{Result, machine};
use gristmill_catalog::Table;
use gristmill_introspect::Settings;
use gristmill_mergetree::TableSettings;

use crate::rows::{Cell, table};

pub const TIER: &str = "Enum8('Production' = 0, 'Obsolete' = 4, 'Experimental' = 8, 'Beta' = 12, 'PrivatePreview' = 16)";
const CHANGES: &str = "type Enum8('Session' = 0, 'MergeTree' = 1), version String, changes Array(Tuple(name String, \
    previous_value String, new_value String, reason String, compatibility_mode String))";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    // What the setting `compatibility` takes back.
    all.push(table("system", "settings_changes", "SystemSettingsChanges", CHANGES, |_, rows| {
        Settings::changed_defaults().into_iter().try_for_each(|(version, changes)| {
            // Why it was changed is ClickHouse's own knowledge.
            let (why, mode) = (String::new(), "Apply".to_string());
            let changes = changes.into_iter().map(|changed| {
                vec![changed.name.to_string(), changed.before.to_string(), changed.after, why.clone(), mode.clone()]
            });
            rows.push(["Session".into(), version.into(), Cell::Tuples(changes.collect())])
        })
    })?);
    let structure = format!(
        "name String, value String, changed UInt8, description String, min Nullable(String), max Nullable(String), \
         disallowed_values Array(String), readonly UInt8, type String, default String, alias_for String, \
         is_obsolete UInt8, tier {TIER}"
    );
    all.push(table("system", "settings", "SystemSettings", &structure, |context, rows| {
        let mut declared = Settings::declared();
        declared.sort_by_key(|info| info.name);
        for info in declared {
            let bounds = context.settings.constraint(info.name);
            let value = context.settings.get(info.name).unwrap_or_else(|| info.default.clone());
            rows.push([
                info.name.into(),
                shown(info.kind, value).into(),
                context.settings.differs(info.name).into(),
                info.description.into(),
                bounds.min.into(),
                bounds.max.into(),
                Cell::None,
                (bounds.writability == Some(Writability::Const)).into(),
                info.kind.into(),
                shown(info.kind, info.default).into(),
                info.alias_for.into(),
                info.no_effect.into(),
                tier(info.no_effect),
            ])?;
        }
        for (name, value) in context.settings.custom() {
            let bounds = context.settings.constraint(name);
            rows.push([
                name.into(),
                value.into(),
                true.into(),
                "A setting of a user's own.".into(),
                bounds.min.into(),
                bounds.max.into(),
                Cell::None,
                (bounds.writability == Some(Writability::Const)).into(),
                "Custom".into(),
                "".into(),
                Cell::None,
                false.into(),
                tier(false),
            ])?;
        }
        Ok(())
    })?);
    let structure = format!(
        "name String, value String, default String, changed UInt8, description String, min Nullable(String), \
         max Nullable(String), disallowed_values Array(String), readonly UInt8, type String, is_obsolete UInt8, tier {TIER}"
    );
    // There are no replicated tables; whoever asks for their settings means those of tables.
    for (name, engine) in [
        ("merge_tree_settings", "SystemMergeTreeSettings"),
        ("replicated_merge_tree_settings", "SystemReplicatedMergeTreeSettings"),
    ] {
        all.push(table("system", name, engine, &structure, |_, rows| {
            let mut declared = TableSettings::declared();
            declared.sort_by_key(|info| info.name);
            let configured = TableSettings::configured();
            for info in declared {
                let configured = configured.iter().find(|(name, _)| *name == info.name).map(|(_, value)| value);
                rows.push([
                    info.name.into(),
                    configured.unwrap_or(&info.default).into(),
                    (&info.default).into(),
                    configured.is_some().into(),
                    info.description.into(),
                    Cell::None,
                    Cell::None,
                    Cell::None,
                    false.into(),
                    info.kind.into(),
                    info.no_effect.into(),
                    tier(info.no_effect),
                ])?;
            }
            Ok(())
        })?);
    }
    Ok(())
}

/// A number of threads that nobody set tells how many they are.
fn shown(kind: &str, value: String) -> String {
    match (kind, value.as_str()) {
        ("MaxThreads", "0" | "auto") => format!("auto({})", machine::cores()),
        _ => value,
    }
}

fn tier(no_effect: bool) -> Cell {
    if no_effect { "Obsolete" } else { "Production" }.into()
}
