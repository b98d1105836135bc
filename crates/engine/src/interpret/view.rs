//! CREATE VIEW: the text of a query under a name.

use gristmill_base::{Error, Result};
use gristmill_catalog::{ColumnKeys, EngineSpec, TableDefinition};
use gristmill_sql::create::CreateTable;
use gristmill_sql::parameters::has_parameters;
use gristmill_types::Columns;

use super::{Interpreter, Outcome};

impl Interpreter {
    /// The query is planned now, so that a view whose query is wrong is not made; names in it stay those of the database
    /// that is current now.
    pub(super) async fn create_view(&self, create: &CreateTable, database: &str, table: &str) -> Result<Outcome> {
        let (Some(text), Some(query)) = (&create.view, &create.query) else {
            return Err(Error::logical("CREATE VIEW without a query"));
        };
        // What one with parameters gives is known where it is read.
        let selected = match has_parameters(query) {
            true => Columns::default(),
            false => self.columns_of(query).await?,
        };
        let columns = if create.columns.is_empty() { selected } else { self.declared_columns(create)? };
        let definition = TableDefinition {
            uuid: self.engine.env.uuid_by_time(),
            database: database.to_string(),
            name: table.to_string(),
            engine: EngineSpec {
                name: TableDefinition::VIEW.to_string(),
                arguments: vec![text.clone(), self.context.database.clone()],
            },
            columns,
            partition_by: None,
            order_by: Vec::new(),
            primary_key: Vec::new(),
            sample_by: None,
            written_keys: gristmill_catalog::WrittenKeys::default(),
            settings: Default::default(),
            comment: create.comment.clone(),
            temporary: create.temporary,
            column_keys: ColumnKeys::default(),
            skip_indexes: Vec::new(),
            projections: Vec::new(),
            ttl: gristmill_catalog::TtlSpec::default(),
            constraints: Vec::new(),
        };
        self.databases(database).create_table(definition, create.if_not_exists, create.or_replace).await?;
        Ok(Outcome::done())
    }
}
