//! `system.documentation`: everything that has a name, what kind of thing it is, and what is said of it elsewhere in `system`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_formats::Format;
use gristmill_functions::aggregates::combinators;
use gristmill_introspect::settings::SettingInfo;
use gristmill_introspect::{Event, Settings, server_settings};
use gristmill_mergetree::TableSettings;
use gristmill_mergetree::index::skip::definition::KINDS;
use gristmill_types::codec::CODECS;

use crate::function_facts::Facts;
use crate::rows::table;
use crate::{Known, data_type_families, functions, kinds, metrics};

/// Kinds of things, by ClickHouse's numbers from 1 on.
const TYPES: &[&str] = &[
    "Function",
    "Aggregate Function",
    "Table Function",
    "Table Engine",
    "Database Engine",
    "Data Type",
    "Dictionary Layout",
    "Dictionary Source",
    "Aggregate Function Combinator",
    "Data Skipping Index",
    "Disk Type",
    "Setting",
    "MergeTree Setting",
    "Server Setting",
    "Format",
    "Compression Codec",
    "Profile Event",
    "Current Metric",
    "Asynchronous Metric",
    "System Table",
    "Statement",
];

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let types: Vec<String> = TYPES.iter().zip(1..).map(|(name, value)| format!("'{name}' = {value}")).collect();
    let structure = format!("name String, type Enum8({}), description String, source String", types.join(", "));
    let known = known.clone();
    all.push(table("system", "documentation", "SystemDocumentation", &structure, move |_, rows| {
        let mut push = |name: &str, kind: &str, text: String| rows.push([name.into(), kind.into(), text.into(), "".into()]);
        for name in functions::names(&known.registry) {
            let kind = if functions::is_aggregate(&known.registry, name) { "Aggregate Function" } else { "Function" };
            let text = known.registry.alias_of(name).map_or_else(|| of_function(&Facts::of(name)), alias);
            push(name, kind, text)?;
        }
        for name in gristmill_sources::table_function_names() {
            push(name, "Table Function", String::new())?;
        }
        for name in known.engines {
            push(name, "Table Engine", String::new())?;
        }
        push("Atomic", "Database Engine", String::new())?;
        for (name, _, target) in data_type_families::all() {
            push(name, "Data Type", if target.is_empty() { String::new() } else { alias(target) })?;
        }
        for name in combinators::names() {
            let syntax = section("Syntax", &code(&functions::syntax_of_combinator(name)));
            push(name, "Aggregate Function Combinator", syntax.trim_start().to_string())?;
        }
        for (kind, all) in [("Data Skipping Index", KINDS), ("Disk Type", kinds::DISKS)] {
            for (name, syntax, description) in all {
                push(name, kind, format!("{description}{}", section("Syntax", &code(syntax))))?;
            }
        }
        Settings::declared().iter().try_for_each(|info| push(info.name, "Setting", of_setting(info)))?;
        TableSettings::declared().iter().try_for_each(|info| push(info.name, "MergeTree Setting", of_setting(info)))?;
        for setting in server_settings::DECLARED {
            let text = with_default(setting.description, setting.kind, setting.default);
            push(setting.name, "Server Setting", text)?;
        }
        for name in Format::ALL.iter().flat_map(|format| format.names()) {
            push(name, "Format", String::new())?;
        }
        CODECS.iter().try_for_each(|codec| push(codec.name, "Compression Codec", codec.description.to_string()))?;
        Event::ALL.iter().try_for_each(|event| push(event.name(), "Profile Event", event.description().to_string()))?;
        for metric in metrics::all(&known) {
            push(metric.name, "Current Metric", metric.description.to_string())?;
        }
        let tables = known.databases.upgrade().map_or_else(Vec::new, |databases| databases.tables("system"));
        for table in tables {
            let definition = table.definition();
            push(&definition.name, "System Table", definition.comment.clone())?;
        }
        Ok(())
    })?);
    Ok(())
}

fn alias(target: &str) -> String {
    format!("Alias of `{target}`.")
}

/// Of a SQL text; nothing of nothing.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("```sql\n{text}\n```") }
}

/// A part with a title; nothing where nothing is said.
fn section(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n\n**{title}**\n\n{text}") }
}

fn of_function(facts: &Facts) -> String {
    let sections = [
        section("Syntax", &code(&facts.syntax)),
        section("Parameters", &facts.parameters),
        section("Arguments", &facts.arguments),
        section("Returned value", &facts.returned_value),
        section("Examples", &facts.examples),
    ];
    let since = match facts.introduced_in.is_empty() {
        true => String::new(),
        false => format!("\n\n**Introduced in:** {}", facts.introduced_in),
    };
    format!("{}{}{since}", facts.description, sections.concat())
}

fn of_setting(info: &SettingInfo) -> String {
    match info.alias_for {
        Some(target) => alias(target),
        None => with_default(info.description, info.kind, &info.default),
    }
}

fn with_default(description: &str, kind: &str, default: &str) -> String {
    format!("{description}\n\n**Type:** `{kind}`\n\n**Default:** `{default}`")
}
