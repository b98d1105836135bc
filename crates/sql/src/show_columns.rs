//! SHOW COLUMNS and SHOW INDEXES: queries of system tables, with the columns of MySQL's answers.

use gristmill_base::Result;
use gristmill_types::sql_type::quote;

use crate::statement::Cursor;

/// A table, as conditions over `database` and `table` of a system table.
fn conditions((database, table): (Option<String>, String)) -> String {
    let database = database.as_deref().map_or("currentDatabase()".to_string(), quote);
    format!("database = {database} AND table = {}", quote(&table))
}

impl Cursor<'_> {
    /// `FROM [db.]t`, `FROM t FROM db`.
    fn shown_table(&mut self) -> Result<(Option<String>, String)> {
        if !self.eat("FROM") {
            self.expect("IN")?;
        }
        let name = self.table_name()?;
        let database = if self.eat("FROM") || self.eat("IN") { Some(self.identifier()?) } else { name.database };
        Ok((database, name.table))
    }

    /// Behind `SHOW [EXTENDED] [FULL] COLUMNS`. `filter`: reads what restricts the rows, by the name of the column that LIKE asks.
    pub(crate) fn columns_query(
        &mut self,
        full: bool,
        filter: impl Fn(&mut Self, &str) -> Result<String>,
    ) -> Result<String> {
        let table = conditions(self.shown_table()?);
        let filter = filter(self, "field")?;
        let more = if full { ", collation, comment, privileges" } else { "" };
        Ok(format!(
            "SELECT field, type, `null`, key, `default`, extra{more} FROM (SELECT name AS field, type, \
             if(startsWith(type, 'Nullable'), 'YES', 'NO') AS `null`, \
             trim(concat(if(is_in_primary_key, 'PRI', ''), if(is_in_sorting_key, ' SOR', ''))) AS key, \
             if(default_kind IN ('', 'EPHEMERAL'), NULL, default_expression) AS `default`, '' AS extra, NULL AS collation, comment, \
             '' AS privileges FROM system.columns WHERE {table}) WHERE 1{filter} ORDER BY field"
        ))
    }

    /// Behind `SHOW [EXTENDED] INDEXES`.
    pub(crate) fn indexes_query(&mut self) -> Result<String> {
        let table = conditions(self.shown_table()?);
        let filter = match self.eat("WHERE") {
            true => format!(" AND ({})", crate::sql_text::sql(&self.expression()?)),
            false => String::new(),
        };
        let columns = |key: &str, at: &str, column: &str, collation: &str, kind: &str, expression: &str| {
            format!(
                "SELECT table, 1 AS non_unique, {key} AS key_name, {at} AS seq_in_index, {column} AS pk_col, \
                 CAST({collation}, 'Nullable(String)') AS collation, 0 AS cardinality, NULL AS sub_part, \
                 NULL AS packed, NULL AS `null`, {kind} AS index_type, '' AS comment, '' AS index_comment, 'YES' AS visible, \
                 {expression} AS expression"
            )
        };
        let skip = columns("name", "toUInt64(1)", "''", "NULL", "upper(type)", "expr");
        let primary = columns("'PRIMARY'", "toUInt64(place)", "element", "'A'", "'PRIMARY'", "''");
        // Elements are told apart by their commas, as in ClickHouse: those of calls among them.
        let keys =
            format!("SELECT name AS table, splitByString(', ', primary_key) AS elements FROM system.tables WHERE {table}");
        Ok(format!(
            "SELECT * FROM ({skip} FROM system.data_skipping_indices WHERE {table} UNION ALL \
             {primary} FROM ({keys}) ARRAY JOIN elements AS element, arrayEnumerate(elements) AS place) WHERE 1{filter} \
             ORDER BY index_type, expression, seq_in_index"
        ))
    }
}
