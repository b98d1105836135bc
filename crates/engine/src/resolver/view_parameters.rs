//! Views with parameters: `SELECT * FROM v(name = 'x')`. The query's text is kept with `{name:Type}` in it, and read with the values
//! of the call; what columns it gives is known only then.

use std::collections::BTreeMap;

use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::ast::{self, Node};
use gristmill_sql::lower::{Analyzer, ResolvedTable, ResolvedTables};

use super::{Resolver, VIEWS_MAX};
use crate::engine::Engine;
use crate::interpret::{may_know, may_read};

impl Resolver<'_> {
    /// A view that is called with the values of its parameters. `None`: there is no such view.
    pub(super) async fn with_parameters(&self, name: &str, arguments: &[Node]) -> Result<Option<ResolvedTable>> {
        let (database, view) = name.split_once('.').unwrap_or((self.database.as_str(), name));
        if !self.engine.databases.has_table(database, view) {
            return Ok(None);
        }
        let table =
            self.engine.databases.table_for(database, view, &|database, table| may_know(self.context, database, table))?;
        let definition = table.definition();
        let (Some(_), [text, of]) = (definition.view_query(), &definition.engine.arguments[..]) else { return Ok(None) };
        // A view without parameters hides no table function of its name.
        if !text.contains('{') {
            return Ok(None);
        }
        if self.checks && !may_read(self.context, database, view)? {
            let text = format!("{name}() needs SELECT on all of the view {database}.{view}");
            return Err(Error::new(ErrorCode::ACCESS_DENIED, text));
        }
        if self.views >= VIEWS_MAX {
            let text = format!("The view {name} reads views that read views, more than {VIEWS_MAX} deep");
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
        }
        let parameters = self.values_of_parameters(name, arguments)?;
        self.seen.lock().push((database.to_string(), view.to_string()));
        let full = vec![database.to_string(), view.to_string()];
        let columns = Some(&definition.columns).filter(|columns| !columns.is_empty());
        self.query_with(text, &parameters, of, columns, full).await.map(Some)
    }

    /// By name, the values of a view's parameters as texts. Errors: BAD_ARGUMENTS.
    fn values_of_parameters(&self, view: &str, arguments: &[Node]) -> Result<BTreeMap<String, String>> {
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(self.context), &self.context.settings, &tables);
        let mut parameters = BTreeMap::new();
        for argument in arguments {
            let (key, value) = match argument {
                Node::Call(call) if call.name == "equals" => match &call.arguments[..] {
                    [Node::Name(key), value] => (key.join("."), value),
                    _ => return Err(unnamed(view)),
                },
                _ => return Err(unnamed(view)),
            };
            let text = analyzer.constant(&ast::call("toString", vec![value.clone()]))?.0;
            let text = match text {
                ScalarValue::BinaryView(Some(bytes)) => String::from_utf8_lossy(&bytes).replace('\\', "\\\\"),
                _ => "\\N".to_string(),
            };
            parameters.insert(key, text);
        }
        Ok(parameters)
    }
}

fn unnamed(view: &str) -> Error {
    let text = format!("The arguments of the view {view} are its parameters by their names: {view}(name = value)");
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}
