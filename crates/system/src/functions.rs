//! `system.functions` and `system.aggregate_function_combinators`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::Registry;
use gristmill_functions::aggregates::combinators;

use crate::Known;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "name String, is_aggregate UInt8, case_insensitive UInt8, alias_to String, create_query String, \
    origin Enum8('System' = 0, 'SQLUserDefined' = 1, 'ExecutableUserDefined' = 2, 'WasmUserDefined' = 3), \
    deterministic Nullable(UInt8), higher_order Nullable(UInt8), description String, syntax String, arguments String, \
    parameters String, returned_value String, examples String, introduced_in String, categories String";

/// Function and category, a line each, as ClickHouse 26.9 tells them: those that are not there yet as well.
static CATEGORIES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| include_str!("function_categories.tsv").lines().filter_map(|line| line.split_once('\t')).collect());

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let (registry, user_functions) = (known.registry.clone(), known.user_functions.clone());
    all.push(table("system", "functions", "SystemFunctions", STRUCTURE, move |_, rows| {
        let mut names: Vec<&str> = registry
            .names()
            .chain(gristmill_functions::only_with_lambda())
            .chain(gristmill_functions::by_analyser::names())
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let target = registry.canonical(name);
            let scalar = registry.find_scalar(target);
            let is_aggregate = registry.find_aggregate(target).is_some();
            rows.push([
                name.into(),
                is_aggregate.into(),
                in_any_case(&registry, name).into(),
                if target == name { "" } else { target }.into(),
                Cell::None,
                "System".into(),
                (!is_aggregate).then(|| scalar.is_none_or(|function| !function.changes())).into(),
                (!is_aggregate).then(|| gristmill_functions::is_higher_order(target)).into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                category(name, target).into(),
            ])?;
        }
        for (name, function) in user_functions.all().iter() {
            rows.push([
                name.into(),
                false.into(),
                false.into(),
                "".into(),
                function.create_query(name).into(),
                "SQLUserDefined".into(),
                Cell::None,
                Cell::None,
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
            ])?;
        }
        Ok(())
    })?);
    let structure = "name String, is_internal UInt8";
    all.push(table(
        "system",
        "aggregate_function_combinators",
        "SystemAggregateFunctionCombinators",
        structure,
        |_, rows| {
            for name in combinators::names() {
                rows.push([name.into(), false.into()])?;
            }
            Ok(())
        },
    )?);
    Ok(())
}

/// ClickHouse gives an alias no category, and so do we.
fn category(name: &str, target: &str) -> &'static str {
    if name == target { CATEGORIES.get(name).copied().unwrap_or_default() } else { "" }
}

/// Whether the name is found however it is written.
fn in_any_case(registry: &Registry, name: &str) -> bool {
    let (upper, lower) = (name.to_ascii_uppercase(), name.to_ascii_lowercase());
    let other = if upper == name { lower } else { upper };
    registry.canonical(&other) == registry.canonical(name)
}
