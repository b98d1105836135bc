//! `system.functions` and `system.aggregate_function_combinators`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::aggregates::combinators;
use gristmill_functions::{Registry, resolve_aggregate};

use crate::Known;
use crate::function_facts::Facts;
use crate::rows::{Cell, table};

const STRUCTURE: &str = "name String, is_aggregate UInt8, case_insensitive UInt8, alias_to String, create_query String, \
    origin Enum8('System' = 0, 'SQLUserDefined' = 1, 'ExecutableUserDefined' = 2, 'WasmUserDefined' = 3), \
    description String, syntax String, arguments String, parameters String, returned_value String, examples String, \
    introduced_in String, categories String, deterministic Nullable(UInt8), higher_order Nullable(UInt8)";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let (registry, user_functions) = (known.registry.clone(), known.user_functions.clone());
    all.push(table("system", "functions", "SystemFunctions", STRUCTURE, move |_, rows| {
        for name in names(&registry) {
            rows.push(of_system(&registry, name))?;
        }
        for (name, function) in user_functions.all().iter() {
            let told =
                Told { create_query: function.create_query(name).into(), origin: "SQLUserDefined", ..Told::default() };
            rows.push(row(name, told, Facts::default()))?;
        }
        Ok(())
    })?);
    let structure = "name String, is_internal UInt8, syntax String";
    all.push(table(
        "system",
        "aggregate_function_combinators",
        "SystemAggregateFunctionCombinators",
        structure,
        |_, rows| {
            for name in combinators::names() {
                rows.push([name.into(), false.into(), syntax_of_combinator(name).into()])?;
            }
            Ok(())
        },
    )?);
    Ok(())
}

/// Functions of the program, in order.
pub fn names(registry: &Registry) -> Vec<&str> {
    let others = gristmill_functions::only_with_lambda().chain(gristmill_functions::by_analyser::names());
    let mut names: Vec<&str> = registry.names().chain(others).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// An alias may stand for an aggregate with a combinator.
pub fn is_aggregate(registry: &Registry, name: &str) -> bool {
    let target = registry.canonical(name);
    registry.find_scalar(target).is_none() && resolve_aggregate(registry, target).is_some()
}

/// What is written behind an aggregate function, with the arguments that a combinator adds.
pub fn syntax_of_combinator(name: &str) -> String {
    let arguments = match name {
        "ArgMax" | "ArgMin" => "([arg, ...], key)",
        "Resample" => "(start, end, step)(<aggregate_function_arguments>, resampling_key)",
        _ => "",
    };
    format!("<aggregate_function>{name}{arguments}")
}

/// What of a row is no fact of `functions.tsv`.
struct Told<'a> {
    is_aggregate: bool,
    case_insensitive: bool,
    alias_to: &'a str,
    create_query: Cell,
    origin: &'a str,
    deterministic: Option<bool>,
    higher_order: Option<bool>,
}

impl Default for Told<'_> {
    fn default() -> Self {
        Told {
            is_aggregate: false,
            case_insensitive: false,
            alias_to: "",
            create_query: Cell::None,
            origin: "System",
            deterministic: None,
            higher_order: None,
        }
    }
}

fn of_system(registry: &Registry, name: &str) -> [Cell; 16] {
    let target = registry.canonical(name);
    let scalar = registry.find_scalar(target);
    let is_aggregate = is_aggregate(registry, name);
    let alias_to = registry.alias_of(name).unwrap_or_default();
    let told = Told {
        is_aggregate,
        case_insensitive: registry.is_any_case(name),
        alias_to,
        deterministic: (!is_aggregate).then(|| scalar.is_none_or(|function| !function.changes())),
        higher_order: (!is_aggregate).then(|| gristmill_functions::is_higher_order(target)),
        ..Told::default()
    };
    // ClickHouse says nothing of an alias.
    row(name, told, if alias_to.is_empty() { Facts::of(name) } else { Facts::default() })
}

fn row(name: &str, told: Told<'_>, facts: Facts) -> [Cell; 16] {
    [
        name.into(),
        told.is_aggregate.into(),
        told.case_insensitive.into(),
        told.alias_to.into(),
        told.create_query,
        told.origin.into(),
        facts.description.into(),
        facts.syntax.into(),
        facts.arguments.into(),
        facts.parameters.into(),
        facts.returned_value.into(),
        facts.examples.into(),
        facts.introduced_in.into(),
        facts.categories.into(),
        told.deterministic.into(),
        told.higher_order.into(),
    ]
}
