//! SHOW.

use std::collections::BTreeMap;

use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use crate::statement::{Cursor, Statement, parse};

impl Cursor<'_> {
    /// Most SHOW statements are queries of system tables.
    pub(crate) fn show(&mut self) -> Result<Statement> {
        let select = |text: String| parse(&text, &BTreeMap::new());
        if let Some(statement) = self.show_access()? {
            return Ok(statement);
        }
        let before_full = self.eat("TEMPORARY");
        self.eat("EXTENDED");
        let full = self.eat("FULL");
        let temporary = before_full || self.eat("TEMPORARY");
        let changed = self.eat("CHANGED");
        let filter = |cursor: &mut Self, column: &str| -> Result<String> {
            for (word, function) in [("LIKE", "LIKE"), ("ILIKE", "ILIKE")] {
                if cursor.eat_all(&["NOT", word]) {
                    return Ok(format!(
                        " AND {column} NOT {function} {}",
                        gristmill_types::sql_type::quote(&cursor.string()?)
                    ));
                }
                if cursor.eat(word) {
                    return Ok(format!(" AND {column} {function} {}", gristmill_types::sql_type::quote(&cursor.string()?)));
                }
            }
            if cursor.eat("WHERE") {
                return Ok(format!(" AND ({})", crate::sql_text::sql(&cursor.expression()?)));
            }
            Ok(String::new())
        };
        let limit = |cursor: &mut Self| -> Result<String> {
            Ok(if cursor.eat("LIMIT") { format!(" LIMIT {}", cursor.expression()?) } else { String::new() })
        };
        if self.eat("DATABASES") {
            let filter = filter(self, "name")?;
            return select(format!("SELECT name FROM system.databases WHERE 1{filter} ORDER BY name{}", limit(self)?));
        }
        if self.eat("TABLES") {
            let named = if self.eat("FROM") || self.eat("IN") { Some(self.identifier()?) } else { None };
            let database = named.as_deref().map_or("currentDatabase()".to_string(), gristmill_types::sql_type::quote);
            let filter = filter(self, "name")?;
            let kind = if full { ", engine" } else { "" };
            if temporary {
                return Ok(Statement::ShowTemporaryTables { full, filter, limit: limit(self)? });
            }
            let query = select(format!(
                "SELECT name{kind} FROM system.tables WHERE database = {database}{filter} ORDER BY name{}",
                limit(self)?
            ))?;
            return Ok(match (named, query) {
                (Some(database), Statement::Select(query)) => Statement::ShowOf { database, query },
                (_, query) => query,
            });
        }
        if self.eat("DATABASE") {
            return Ok(Statement::ShowCreateDatabase(self.identifier()?));
        }
        if self.eat("CREATE") {
            if self.eat("DATABASE") {
                return Ok(Statement::ShowCreateDatabase(self.identifier()?));
            }
            if let Some(statement) = self.show_create_entity()? {
                return Ok(statement);
            }
            let temporary = self.eat("TEMPORARY");
            let _ = self.eat("TABLE") || self.eat("VIEW");
            return Ok(Statement::ShowCreateTable(self.table_name_of(temporary)?));
        }
        if self.eat("COLUMNS") || self.eat("FIELDS") {
            let query = self.columns_query(full, filter)?;
            return select(format!("{query}{}", limit(self)?));
        }
        if self.eat("PROCESSLIST") {
            return select("SELECT * FROM system.processes ORDER BY elapsed DESC".to_string());
        }
        if self.eat("DICTIONARIES") {
            if self.eat("FROM") || self.eat("IN") {
                self.identifier()?;
            }
            let filter = filter(self, "name")?;
            return select(format!("SELECT name FROM system.dictionaries WHERE 1{filter} ORDER BY name{}", limit(self)?));
        }
        if self.eat("CLUSTERS") {
            let filter = filter(self, "cluster")?;
            return select(format!(
                "SELECT DISTINCT cluster FROM system.clusters WHERE 1{filter} ORDER BY cluster{}",
                limit(self)?
            ));
        }
        if self.eat("CLUSTER") {
            let is_text = matches!(self.parser.peek_token_ref().token, Token::SingleQuotedString(_));
            let name = if is_text { self.string()? } else { self.identifier()? };
            return select(format!(
                "SELECT * FROM system.clusters WHERE cluster = {} \
                 ORDER BY cluster, shard_num, replica_num, host_name, host_address, port",
                gristmill_types::sql_type::quote(&name)
            ));
        }
        if self.eat("MERGES") {
            let filter = filter(self, "table")?;
            return select(format!(
                "SELECT table, database, round(elapsed, 3) AS elapsed, round(progress * 100, 2) AS progress, is_mutation, \
                 total_size_bytes_compressed AS size_compressed, memory_usage FROM system.merges WHERE 1{filter} \
                 ORDER BY elapsed DESC{}",
                limit(self)?
            ));
        }
        if self.eat_all(&["FILESYSTEM", "CACHES"]) {
            return select("SELECT DISTINCT cache_name AS Caches FROM system.filesystem_cache".to_string());
        }
        if self.eat("SETTINGS") {
            let filter = filter(self, "name")?;
            let changed = if changed { " AND changed" } else { "" };
            return select(format!("SELECT name, type, value FROM system.settings WHERE 1{changed}{filter} ORDER BY name"));
        }
        if self.eat("SETTING") {
            let name = gristmill_types::sql_type::quote(&self.identifier()?);
            return select(format!("SELECT value FROM system.settings WHERE name = {name}"));
        }
        if self.eat("INDEXES") || self.eat("INDEX") || self.eat("INDICES") || self.eat("KEYS") {
            let query = self.indexes_query()?;
            return select(query);
        }
        if self.eat("FUNCTIONS") {
            let filter = filter(self, "name")?;
            return select(format!("SELECT * FROM system.functions WHERE 1{filter} ORDER BY name"));
        }
        if self.eat("ENGINES") {
            return select("SELECT * FROM system.table_engines ORDER BY name".to_string());
        }
        if matches!(self.parser.peek_token_ref().token, Token::Word(_)) && !self.peeks("TABLE") {
            return Err(self.unexpected("DATABASES, TABLES, CREATE TABLE, COLUMNS, PROCESSLIST, SETTINGS or FUNCTIONS"));
        }
        self.eat("TABLE");
        Ok(Statement::ShowCreateTable(self.table_name()?))
    }
}
