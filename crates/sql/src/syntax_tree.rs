//! EXPLAIN AST: a statement as a tree of lines, each the kind of a node and its name, in ClickHouse's form.

use std::fmt::Write;

use gristmill_base::Result;
use gristmill_types::sql_type::quote;
use sqlparser::ast::{
    Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, OrderByKind, Query, Select, SetExpr, TableAlias,
    TableFactor, TableWithJoins,
};

use crate::ast::{Call, InSet, Literal, Node, SortKey, shortest, unescape_identifier};
use crate::statement::{InsertColumn, InsertSource, SelectStatement, Statement, TableExpression, TableName};
use crate::translate;

/// A node of the tree.
struct Tree {
    label: String,
    children: Vec<Tree>,
}

impl Tree {
    fn leaf(label: impl Into<String>) -> Tree {
        Tree { label: label.into(), children: Vec::new() }
    }

    fn of(label: impl Into<String>, children: Vec<Tree>) -> Tree {
        Tree { label: label.into(), children }
    }

    fn list(children: Vec<Tree>) -> Tree {
        Tree::of("ExpressionList", children)
    }

    fn aliased(mut self, alias: &str) -> Tree {
        let _ = write!(self.label, " (alias {alias})");
        self
    }

    fn write(&self, depth: usize, out: &mut String) {
        let _ = write!(out, "{:depth$}{}", "", self.label);
        if !self.children.is_empty() {
            let _ = write!(out, " (children {})", self.children.len());
        }
        out.push('\n');
        self.children.iter().for_each(|child| child.write(depth + 1, out));
    }

    /// `next`: the number of this node, then of the first behind those below it.
    fn write_graph(&self, next: &mut usize, out: &mut String) {
        let number = *next;
        *next += 1;
        let label = self.label.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "    n{number} [label=\"{label}\"];");
        for child in &self.children {
            let _ = writeln!(out, "    n{number} -> n{next};");
            child.write_graph(next, out);
        }
    }
}

/// The lines of the tree. Credentials are those of the statement: whoever shows it gives one without them.
pub fn syntax_tree(statement: &Statement) -> Result<String> {
    let mut out = String::new();
    tree_of(statement)?.write(0, &mut out);
    Ok(out)
}

/// The tree as a graph in the language DOT. Credentials: as `syntax_tree`.
pub fn syntax_graph(statement: &Statement) -> Result<String> {
    let mut out = "digraph {\n".to_string();
    tree_of(statement)?.write_graph(&mut 0, &mut out);
    out.push_str("}\n");
    Ok(out)
}

fn tree_of(statement: &Statement) -> Result<Tree> {
    Ok(match statement {
        Statement::Select(select) => of_select_statement(select)?,
        Statement::Insert(insert) => {
            let mut children = vec![target(&insert.target)?];
            if let Some(columns) = &insert.columns {
                let shown = columns.iter().map(|column| match column {
                    InsertColumn::Named(parts) => Ok(identifier(&[parts.join(".")])),
                    InsertColumn::Chosen(star) => expression(&Node::Star(star.clone())),
                });
                children.push(Tree::list(shown.collect::<Result<_>>()?));
            }
            if let InsertSource::Query { query, .. } = &insert.source {
                children.push(of_query(query)?);
            }
            Tree::of("InsertQuery  ", children)
        }
        Statement::CreateTable(create) => {
            let name = create.name.as_ref().map(full_name).unwrap_or_default();
            Tree::of(format!("CreateQuery {name}"), vec![Tree::leaf(format!("Identifier {name}"))])
        }
        Statement::DropTable { names, .. } => {
            let name = names.first().map(full_name).unwrap_or_default();
            Tree::of(format!("DropQuery  {name}"), vec![Tree::leaf(format!("Identifier {name}"))])
        }
        Statement::Explain { kind, statement, .. } => Tree::of(format!("Explain EXPLAIN {kind}"), vec![tree_of(statement)?]),
        Statement::Shown { statement, .. } => tree_of(statement)?,
        Statement::Set(_) | Statement::SetParameters { .. } => Tree::leaf("Set"),
        other => Tree::leaf(format!("{}Query", other.kind())),
    })
}

fn full_name(name: &TableName) -> String {
    name.database.iter().chain([&name.table]).map(String::as_str).collect::<Vec<_>>().join(".")
}

fn target(target: &TableExpression) -> Result<Tree> {
    Ok(match target {
        TableExpression::Table(name) => Tree::leaf(format!("Identifier {}", full_name(name))),
        TableExpression::Function { name, arguments } => function(name, expressions(arguments)?),
        TableExpression::Query(query) => of_query(query)?,
    })
}

fn of_select_statement(select: &SelectStatement) -> Result<Tree> {
    let mut tree = of_query(&select.query)?;
    if !select.settings.is_empty() {
        // They belong to the last SELECT, as the list of columns does.
        if let Some(last) = tree.children.first_mut().and_then(|list| list.children.last_mut()) {
            last.children.push(Tree::leaf("Set"));
        }
    }
    Ok(tree)
}

fn of_query(query: &Query) -> Result<Tree> {
    let mut selects = Vec::new();
    of_set(&query.body, query, &mut selects)?;
    Ok(Tree::of("SelectWithUnionQuery", vec![Tree::list(selects)]))
}

/// The branches of a UNION; `query`: whose WITH, ORDER BY and LIMIT they have.
fn of_set(body: &SetExpr, query: &Query, selects: &mut Vec<Tree>) -> Result<()> {
    match body {
        SetExpr::Select(select) => selects.push(of_select(select, query)?),
        SetExpr::SetOperation { left, right, .. } => {
            of_set(left, query, selects)?;
            of_set(right, query, selects)?;
        }
        SetExpr::Query(inner) => selects.push(of_query(inner)?),
        SetExpr::Values(values) => {
            let rows = values.rows.iter().map(|row| Ok(function("tuple", nodes(&row.content)?)));
            selects.push(Tree::of("Values", rows.collect::<Result<_>>()?));
        }
        other => selects.push(Tree::leaf(format!("Query {other}"))),
    }
    Ok(())
}

fn of_select(select: &Select, query: &Query) -> Result<Tree> {
    let mut children = Vec::new();
    if let Some(with) = &query.with {
        let elements = with
            .cte_tables
            .iter()
            .map(|cte| Ok(Tree::of("WithElement", vec![Tree::of("Subquery", vec![of_query(&cte.query)?])])));
        children.push(Tree::list(elements.collect::<Result<_>>()?));
    }
    let items = select.projection.iter().map(|item| expression(&translate::select_item(item)?));
    children.push(Tree::list(items.collect::<Result<_>>()?));
    if !select.from.is_empty() {
        let mut elements = Vec::new();
        for (at, table) in select.from.iter().enumerate() {
            of_tables(table, at > 0, &mut elements)?;
        }
        children.push(Tree::of("TablesInSelectQuery", elements));
    }
    for condition in [&select.prewhere, &select.selection].into_iter().flatten() {
        children.push(one(condition)?);
    }
    if let GroupByExpr::Expressions(keys, _) = &select.group_by
        && !keys.is_empty()
    {
        children.push(Tree::list(nodes(keys)?));
    }
    for condition in [&select.having, &select.qualify].into_iter().flatten() {
        children.push(one(condition)?);
    }
    if let Some(order) = &query.order_by {
        let keys = match &order.kind {
            OrderByKind::All(_) => vec![Tree::of("OrderByElement", vec![Tree::leaf("Identifier all")])],
            OrderByKind::Expressions(keys) => {
                let keys = keys.iter().map(|key| order_by_element(&translate::sort_key(key)?));
                keys.collect::<Result<_>>()?
            }
        };
        children.push(Tree::list(keys));
    }
    match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
            let offset = offset.as_ref().map(|offset| &offset.value);
            for number in [offset, limit.as_ref()].into_iter().flatten() {
                children.push(one(number)?);
            }
            if !limit_by.is_empty() {
                children.push(Tree::list(nodes(limit_by)?));
            }
        }
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => children.extend([one(offset)?, one(limit)?]),
        None => {}
    }
    if query.settings.is_some() {
        children.push(Tree::leaf("Set"));
    }
    Ok(Tree::of("SelectQuery", children))
}

fn of_tables(table: &TableWithJoins, joined: bool, elements: &mut Vec<Tree>) -> Result<()> {
    let mut first = vec![of_factor(&table.relation)?];
    if joined {
        first.push(Tree::leaf("TableJoin"));
    }
    elements.push(Tree::of("TablesInSelectQueryElement", first));
    for join in &table.joins {
        if let JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin = join.join_operator {
            let arrays = vec![of_factor(&join.relation)?];
            elements.push(Tree::of("TablesInSelectQueryElement", vec![Tree::of("ArrayJoin", arrays)]));
            continue;
        }
        let how = match constraint_of(&join.join_operator) {
            Some(JoinConstraint::On(condition)) => vec![one(condition)?],
            Some(JoinConstraint::Using(names)) => {
                vec![Tree::list(names.iter().map(|name| Ok(identifier(&translate::parts(name)?))).collect::<Result<_>>()?)]
            }
            _ => Vec::new(),
        };
        elements.push(Tree::of("TablesInSelectQueryElement", vec![of_factor(&join.relation)?, Tree::of("TableJoin", how)]));
    }
    Ok(())
}

/// What a join is on. ARRAY JOIN and PASTE JOIN have nothing.
pub(crate) fn constraint_of(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::ArrayJoin | J::LeftArrayJoin | J::InnerArrayJoin | J::CrossApply | J::OuterApply => None,
        J::Join(on)
        | J::Inner(on)
        | J::Left(on)
        | J::LeftOuter(on)
        | J::Right(on)
        | J::RightOuter(on)
        | J::FullOuter(on)
        | J::CrossJoin(on)
        | J::Semi(on)
        | J::LeftSemi(on)
        | J::RightSemi(on)
        | J::Anti(on)
        | J::LeftAnti(on)
        | J::RightAnti(on)
        | J::StraightJoin(on)
        | J::AsOf { constraint: on, .. } => Some(on),
    }
}

fn of_factor(factor: &TableFactor) -> Result<Tree> {
    let named = |tree: Tree, alias: &Option<TableAlias>| match alias {
        Some(alias) => tree.aliased(&unescape_identifier(&alias.name)),
        None => tree,
    };
    let inner = match factor {
        TableFactor::Table { name, alias, args: None, .. } => {
            named(Tree::leaf(format!("TableIdentifier {}", translate::parts(name)?.join("."))), alias)
        }
        TableFactor::Table { name, alias, args: Some(args), .. } => {
            let arguments = expressions(&translate::function_arguments(&args.args)?)?;
            of_table_function(&translate::parts(name)?.join("."), alias.as_ref(), arguments)
        }
        TableFactor::Function { name, args, alias, .. } => {
            let arguments = expressions(&translate::function_arguments(args)?)?;
            of_table_function(&translate::parts(name)?.join("."), alias.as_ref(), arguments)
        }
        TableFactor::Derived { subquery, alias, .. } => {
            let tree = named(Tree::leaf("Subquery"), alias);
            Tree::of(tree.label, vec![of_query(subquery)?])
        }
        TableFactor::NestedJoin { table_with_joins, .. } => {
            let mut elements = Vec::new();
            of_tables(table_with_joins, false, &mut elements)?;
            Tree::of("TablesInSelectQuery", elements)
        }
        other => Tree::leaf(format!("Table {other}")),
    };
    Ok(Tree::of("TableExpression", vec![inner]))
}

fn of_table_function(name: &str, alias: Option<&TableAlias>, arguments: Vec<Tree>) -> Tree {
    let tree = function(name, arguments);
    match alias {
        Some(alias) => tree.aliased(&unescape_identifier(&alias.name)),
        None => tree,
    }
}

fn one(expr: &Expr) -> Result<Tree> {
    expression(&translate::node(expr)?)
}

fn nodes(exprs: &[Expr]) -> Result<Vec<Tree>> {
    exprs.iter().map(one).collect()
}

fn expressions(nodes: &[Node]) -> Result<Vec<Tree>> {
    nodes.iter().map(expression).collect()
}

fn order_by_element(key: &SortKey) -> Result<Tree> {
    let locale = key.collation.iter().map(|locale| Tree::leaf(format!("Literal {}", quote(locale))));
    Ok(Tree::of("OrderByElement", std::iter::once(expression(&key.node)?).chain(locale).collect()))
}

fn identifier(parts: &[String]) -> Tree {
    Tree::leaf(format!("Identifier {}", parts.join(".")))
}

fn function(name: &str, arguments: Vec<Tree>) -> Tree {
    Tree::of(format!("Function {name}"), vec![Tree::list(arguments)])
}

fn expression(node: &Node) -> Result<Tree> {
    Ok(match node {
        Node::Literal(literal) => Tree::leaf(format!("Literal {}", dumped(literal))),
        Node::Name(parts) => identifier(parts),
        Node::Star(star) if star.columns.is_some() => Tree::leaf(format!("ColumnsMatcher {node}")),
        Node::Star(star) if !star.qualifier.is_empty() => Tree::of("QualifiedAsterisk", vec![identifier(&star.qualifier)]),
        Node::Star(_) => Tree::leaf("Asterisk"),
        Node::Call(call) => match constant(node) {
            Some(text) => Tree::leaf(format!("Literal {text}")),
            None => of_call(call)?,
        },
        Node::Lambda { parameters, body } => {
            let parameters = parameters.iter().map(|name| identifier(std::slice::from_ref(name))).collect();
            function("lambda", vec![function("tuple", parameters), expression(body)?])
        }
        Node::Subquery(query) => Tree::of("Subquery", vec![of_query(query)?]),
        Node::Exists { query, negated } => {
            let exists = function("exists", vec![Tree::of("Subquery", vec![of_query(query)?])]);
            if *negated { function("not", vec![exists]) } else { exists }
        }
        Node::In { left, set, negated } => {
            let set = match set {
                InSet::List(list) => {
                    let texts: Option<Vec<String>> = list.iter().map(constant).collect();
                    match texts {
                        Some(texts) if texts.len() == 1 => Tree::leaf(format!("Literal {}", texts.concat())),
                        Some(texts) => Tree::leaf(format!("Literal Tuple_({})", texts.join(", "))),
                        None => function("tuple", expressions(list)?),
                    }
                }
                InSet::Query(query) => Tree::of("Subquery", vec![of_query(query)?]),
                InSet::Other(node) => expression(node)?,
            };
            function(if *negated { "notIn" } else { "in" }, vec![expression(left)?, set])
        }
        Node::Aliased(inner, alias) => expression(inner)?.aliased(alias),
    })
}

fn of_call(call: &Call) -> Result<Tree> {
    let name = match call.distinct {
        true => format!("{}Distinct", call.name),
        false => call.name.clone(),
    };
    let mut tree = function(&name, expressions(&call.arguments)?);
    if !call.parameters.is_empty() {
        tree.children.push(Tree::list(expressions(&call.parameters)?));
    }
    if let Some(window) = &call.over {
        let mut children = Vec::new();
        if !window.partition_by.is_empty() {
            children.push(Tree::list(expressions(&window.partition_by)?));
        }
        if !window.order_by.is_empty() {
            let keys = window.order_by.iter().map(order_by_element);
            children.push(Tree::list(keys.collect::<Result<_>>()?));
        }
        tree.children.push(Tree::of("WindowDefinition", children));
    }
    Ok(tree)
}

/// The text of a constant, of arrays and tuples of constants too.
fn constant(node: &Node) -> Option<String> {
    match node {
        Node::Literal(literal) => Some(dumped(literal)),
        Node::Call(call) if call.name == "array" || call.name == "tuple" => {
            let items: Option<Vec<String>> = call.arguments.iter().map(constant).collect();
            let items = items?.join(", ");
            Some(if call.name == "array" { format!("Array_[{items}]") } else { format!("Tuple_({items})") })
        }
        _ => None,
    }
}

fn dumped(literal: &Literal) -> String {
    match literal {
        Literal::Null => "NULL".to_string(),
        Literal::Bool(value) => format!("Bool_{}", u8::from(*value)),
        Literal::Integer(value) if *value < 0 => format!("Int64_{value}"),
        Literal::Integer(value) => format!("UInt64_{value}"),
        Literal::BigInteger(digits) => format!("UInt256_{digits}"),
        Literal::Float(_) | Literal::Fraction(_) => format!("Float64_{}", shortest(literal.float().unwrap_or(f64::NAN))),
        Literal::Text(bytes) => quote(&String::from_utf8_lossy(bytes)),
    }
}
