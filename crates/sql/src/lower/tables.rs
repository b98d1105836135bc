//! Finds the tables that a query reads, before the query is lowered.
//!
//! The statement's tree is walked for table factors. Names of common table expressions are left out: they shadow tables.
//! Each factor is resolved once, and found again by its text.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::Result;
use gristmill_types::Columns;
use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select, TableFactor, Visit, Visitor};

use super::join_get::{JoinTable, table_asked};
use super::sample::SamplingKey;
use crate::ast::Node;
use crate::rewrite::finals::FINAL;
use crate::text_index::TextIndex;
use crate::translate;

/// A table ready to be read by one query.
#[derive(Clone, Debug)]
pub struct ResolvedTable {
    pub provider: Arc<dyn TableProvider>,
    /// Columns of `*`, then virtual ones: the provider's schema in order.
    pub columns: Columns,
    pub virtual_columns: Columns,
    /// Columns that are computed from the others when they are read.
    pub aliases: Columns,
    /// Names of the columns that an INSERT gives values to and no row has.
    pub ephemeral: Vec<String>,
    /// Whether PREWHERE may stand with it.
    pub prewhere: bool,
    pub is_merge_tree: bool,
    /// Of a table with SAMPLE BY.
    pub sampling: Option<SamplingKey>,
    /// Aggregates of which its projections keep states: `sum(plus(v, 1))`.
    pub kept_aggregates: Vec<Node>,
    /// Its indexes of texts that have a preprocessor.
    pub indexed_texts: Vec<TextIndex>,
    /// Database and table, or the table function's name.
    pub name: Vec<String>,
    /// The row of totals of a view whose query has some.
    pub totals: Option<Arc<dyn TableProvider>>,
    /// Of a table of the engine Join.
    pub join: Option<JoinTable>,
}

impl ResolvedTable {
    /// A table of which nothing is known but its rows.
    pub fn of_rows(provider: Arc<dyn TableProvider>, columns: Columns, name: Vec<String>) -> ResolvedTable {
        ResolvedTable {
            provider,
            columns,
            virtual_columns: Columns::default(),
            aliases: Columns::default(),
            ephemeral: Vec::new(),
            prewhere: false,
            is_merge_tree: false,
            sampling: None,
            kept_aggregates: Vec::new(),
            indexed_texts: Vec::new(),
            name,
            totals: None,
            join: None,
        }
    }
}

/// Resolved tables by the text of what named them.
#[derive(Clone, Debug, Default)]
pub struct ResolvedTables {
    pub by_text: HashMap<String, ResolvedTable>,
    pub names: NameNumbers,
    /// A SELECT of the query says WITH TOTALS, or a view has totals.
    pub may_have_totals: bool,
    /// Names that WITH gives to queries, somewhere.
    pub of_with: HashSet<String>,
}

/// Numbers that make names unique. A statement and the views that it reads share one: the plans of these stand in the
/// statement's, and DataFusion takes scans for equal that have the same name, whatever they read.
#[derive(Clone, Debug, Default)]
pub struct NameNumbers(Arc<AtomicUsize>);

impl NameNumbers {
    pub fn unique(&self, hint: &str) -> String {
        format!("{hint}#{}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[async_trait]
pub trait TableResolver: Send + Sync {
    /// `is_final`: the query says FINAL.
    async fn table(&self, database: Option<&str>, name: &str, is_final: bool) -> Result<ResolvedTable>;
    async fn function(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable>;
    /// What the names of the query and of the views in it are made unique by.
    fn names(&self) -> NameNumbers;
    /// Whether subqueries see what the WITH around them gives names to.
    fn sees_with_around(&self) -> bool;
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TableReference {
    Table(Vec<String>),
    /// A table with FINAL.
    Final(Vec<String>),
    Function(String, Vec<Node>),
}

impl TableReference {
    pub(crate) fn key(&self) -> String {
        match self {
            TableReference::Table(parts) => format!("table {}", parts.join(".")),
            TableReference::Final(parts) => format!("final table {}", parts.join(".")),
            TableReference::Function(name, arguments) => {
                let texts: Vec<String> = arguments.iter().map(|node| format!("{node:?}")).collect();
                format!("function {name}({})", texts.join(", "))
            }
        }
    }

    pub(crate) fn of(factor: &TableFactor) -> Result<Option<TableReference>> {
        let (name, arguments) = match factor {
            TableFactor::Table { name, args, .. } => (name, args.as_ref().map(|args| &args.args)),
            TableFactor::Function { name, args, .. } => (name, Some(args)),
            _ => return Ok(None),
        };
        let mut parts = translate::parts(name)?;
        Ok(Some(match arguments {
            None if parts.last().is_some_and(|last| last == FINAL) => {
                parts.pop();
                TableReference::Final(parts)
            }
            None => TableReference::Table(parts),
            Some(arguments) => TableReference::Function(parts.join("."), translate::function_arguments(arguments)?),
        }))
    }
}

#[derive(Default)]
struct Collector {
    /// With whether it must be a table: the name after IN may be an array as well.
    references: Vec<(TableReference, bool)>,
    ctes: HashSet<String>,
    /// Those of them that may be tables as well, in a query of WITH or where such a name does not reach: `WITH t AS (SELECT * FROM t)`.
    maybe_tables: HashSet<String>,
    /// Where the queries of WITH stand in memory, and how many of them the place that is visited is in.
    of_with: HashSet<usize>,
    within: usize,
    within_query: bool,
    error: Option<gristmill_base::Error>,
    totals: bool,
}

impl Collector {
    fn of(query: &Query) -> Collector {
        let mut collector = Collector::default();
        let _ = query.visit(&mut collector);
        collector
    }
}

impl Visitor for Collector {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let is_inner = std::mem::replace(&mut self.within_query, true);
        self.within += usize::from(self.of_with.contains(&place_of(query)));
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.of_with.insert(place_of(&cte.query));
            let name = crate::ast::unescape_identifier(&cte.alias.name);
            if is_inner {
                self.maybe_tables.insert(name.clone());
            }
            self.ctes.insert(name);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.within -= usize::from(self.of_with.contains(&place_of(query)));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.totals |= super::totals::has_totals(select);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match TableReference::of(factor) {
            // The arrays of ARRAY JOIN are no table.
            Ok(Some(TableReference::Function(name, _))) if name == crate::rewrite::joins::ARRAY_JOIN => {}
            Ok(Some(reference)) => {
                if let (TableReference::Table(parts) | TableReference::Final(parts), 1..) = (&reference, self.within) {
                    self.maybe_tables.extend(parts.iter().filter(|_| parts.len() == 1).cloned());
                }
                self.references.push((reference, true));
            }
            Ok(None) => {}
            Err(error) => {
                self.error = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Some(parts) = name_after_in(expr) {
            self.references.push((TableReference::Table(parts), false));
        }
        if let Some(parts) = table_asked(expr) {
            self.references.push((TableReference::Table(parts), true));
        }
        ControlFlow::Continue(())
    }
}

fn place_of(query: &Query) -> usize {
    std::ptr::from_ref(query).addr()
}

/// `x IN name`, `x IN (name)`, `x IN (name AS alias)`
fn name_after_in(expr: &Expr) -> Option<Vec<String>> {
    let set = match expr {
        Expr::Function(function) if matches!(function.name.to_string().as_str(), "__in_table" | "__not_in_table") => {
            let FunctionArguments::List(list) = &function.args else { return None };
            match list.args.get(1) {
                Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(set))) => set,
                _ => return None,
            }
        }
        Expr::InList { list, .. } => match &list[..] {
            [one] => one,
            _ => return None,
        },
        _ => return None,
    };
    let set = if let Expr::Named { expr, .. } = set { expr.as_ref() } else { set };
    match set {
        Expr::Identifier(name) => Some(vec![crate::ast::unescape_identifier(name)]),
        Expr::CompoundIdentifier(names) => Some(names.iter().map(crate::ast::unescape_identifier).collect()),
        _ => None,
    }
}

/// Resolves every table of a query.
pub async fn resolve_tables(query: &Query, resolver: &dyn TableResolver) -> Result<ResolvedTables> {
    let collector = Collector::of(query);
    if let Some(error) = collector.error {
        return Err(error);
    }
    let (names, may_have_totals, of_with) = (resolver.names(), collector.totals, collector.ctes);
    let mut resolved = ResolvedTables { names, may_have_totals, of_with, ..ResolvedTables::default() };
    for (reference, required) in collector.references {
        let key = reference.key();
        if resolved.by_text.contains_key(&key) {
            continue;
        }
        let table = match &reference {
            TableReference::Table(parts) | TableReference::Final(parts) => match &parts[..] {
                [name]
                    if resolver.sees_with_around()
                        && resolved.of_with.contains(name)
                        && !collector.maybe_tables.contains(name) =>
                {
                    match reference {
                        TableReference::Final(_) => return Err(final_of_query(name)),
                        _ => continue,
                    }
                }
                [name] | [_, name] => {
                    let database = (parts.len() > 1).then(|| parts[0].as_str());
                    let is_final = matches!(reference, TableReference::Final(_));
                    match resolver.table(database, name, is_final).await {
                        Ok(table) => table,
                        Err(_) if !required => continue,
                        // What WITH names in one place may be a table in another.
                        Err(_) if database.is_none() && resolved.of_with.contains(name) => match is_final {
                            true => return Err(final_of_query(name)),
                            false => continue,
                        },
                        Err(error) => return Err(error),
                    }
                }
                _ if !required => continue,
                more => {
                    return Err(gristmill_base::Error::new(
                        gristmill_base::ErrorCode::UNKNOWN_TABLE,
                        format!("Table {} does not exist: a table is named database.table", more.join(".")),
                    ));
                }
            },
            TableReference::Function(name, arguments) => resolver.function(name, arguments).await?,
        };
        resolved.may_have_totals |= table.totals.is_some();
        resolved.by_text.insert(key, table);
    }
    Ok(resolved)
}

fn final_of_query(name: &str) -> gristmill_base::Error {
    gristmill_base::Error::new(
        gristmill_base::ErrorCode::UNSUPPORTED_METHOD,
        format!(
            "Table expression modifiers FINAL are not supported for subquery {name}: write FINAL behind the tables in it"
        ),
    )
}

/// Whether a query names a table, anywhere in it.
pub(crate) fn reads(query: &Query, table: &str) -> bool {
    Collector::of(query)
        .references
        .iter()
        .any(|(reference, _)| matches!(reference, TableReference::Table(parts) if parts[..] == [table.to_string()]))
}
