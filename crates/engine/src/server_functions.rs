//! Functions that ask the catalog and the folders of this engine: `hasColumnInTable`, `getMergeTreeSetting`, `partitionId`,
//! `getMaxTableNameLengthForDatabase`, `filesystemAvailable`, `filesystemCapacity`, `filesystemUnreserved`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};

use arrow::array::{ArrayRef, UInt64Array};
use gristmill_access::rights::{Object, denied};
use gristmill_access::{Level, Privileges};
use gristmill_base::machine::{self, Filesystem};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::Databases;
use gristmill_catalog::databases::is_of_each_user;
use gristmill_functions::columns::{Bytes, broadcast, strings, truths};
use gristmill_functions::define::{arity, constant_bytes, expect_string, of_query, plain, volatile};
use gristmill_functions::server::{setting_name, unknown_setting, value_of_setting};
use gristmill_functions::{Argument, Bound, FunctionEnv, Registry};
use gristmill_introspect::settings::nearest;
use gristmill_mergetree::insert::partition::partition_id;
use gristmill_mergetree::settings::TableSettings;
use gristmill_types::{DefaultKind, SqlType};

/// The only disk: the data folder.
const DISK: &str = "default";

/// What is left of 255 bytes of a file's name for the names of database and table.
const TABLE_NAME_BYTES_MAX: usize = 213;

/// What the functions ask; the catalog is there when it was opened.
#[derive(Debug)]
pub struct Asked {
    pub databases: OnceLock<Weak<Databases>>,
    pub data_path: PathBuf,
}

pub fn register(registry: &mut Registry, asked: &Arc<Asked>) {
    registry.scalar("hasColumnInTable", {
        let asked = asked.clone();
        of_query(move |name, arguments, env| {
            let found = has_column(&asked, name, arguments, env)?;
            Ok(Bound::new(SqlType::UInt8, move |_, rows| truths(rows, |_| found)))
        })
    });
    registry.scalar("partitionId", plain(partition_id_of));
    registry.alias("partitionID", "partitionId");
    registry.scalar("getMaxTableNameLengthForDatabase", of_query(|name, arguments, _| table_name_length(name, arguments)));
    registry
        .scalar("getMergeTreeSetting", of_query(|name, arguments, _| merge_tree_setting(&setting_name(name, arguments)?)));
    let told: [(&str, fn(Filesystem) -> u64); 3] = [
        ("filesystemAvailable", |disk| disk.available),
        ("filesystemCapacity", |disk| disk.capacity),
        ("filesystemUnreserved", |disk| disk.free),
    ];
    for (name, of) in told {
        let asked = asked.clone();
        registry.scalar(name, volatile(move |name, arguments, _| filesystem(&asked, name, arguments, of)));
    }
}

/// Database, table, column. Errors: UNKNOWN_DATABASE, UNKNOWN_TABLE; ACCESS_DENIED where the user may not know of the table.
fn has_column(asked: &Asked, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<bool> {
    arity(name, arguments, 3..=3)?;
    let text = |at: usize| {
        let constant = Some(&arguments[at]).filter(|argument| argument.kind.is_string()).and_then(constant_bytes);
        let constant = constant.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        constant.ok_or_else(|| {
            let text = format!("Argument {} of function {name} must be a constant String", at + 1);
            Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
        })
    };
    let (database, table, column) = (text(0)?, text(1)?, text(2)?);
    if !is_of_each_user(&database) {
        let (object, rights) = (Object::table(&database, &table), &env.asker.access.granted.rights);
        if !rights.has_some(Privileges::grantable_on(Level::Database), &object) {
            return Err(denied(&env.user, &format!("SHOW COLUMNS ON {object}")));
        }
    }
    let databases = asked.databases.get().and_then(Weak::upgrade);
    let databases = databases.ok_or_else(|| Error::logical("The catalog is asked before it is there"))?;
    let definition = databases.table(&database, &table)?.definition();
    // One that is only for inserts is no column that could be read.
    let is_read = |kind: Option<DefaultKind>| kind != Some(DefaultKind::Ephemeral);
    let found = definition.columns.get(&column);
    Ok(found.is_some_and(|column| is_read(column.default.as_ref().map(|(kind, _)| *kind))))
}

/// The partition of a table whose key has these values.
fn partition_id_of(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    if arguments.is_empty() {
        let text = format!("Function {name} requires at least one argument");
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    Ok(Bound::new(SqlType::String, move |args, rows| {
        let values = args.iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let kinds: Vec<&SqlType> = kinds.iter().collect();
        strings(rows, |row, out| {
            out.extend_from_slice(partition_id(&kinds, &values, row)?.as_bytes());
            Ok(())
        })
    }))
}

/// How long a table's name may be where its file's name begins with that of the database.
fn table_name_length(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let database = setting_name(name, arguments)?;
    if database.is_empty() {
        let text = "Incorrect name for a database. It shouldn't be empty";
        return Err(Error::new(ErrorCode::INCORRECT_DATA, text));
    }
    // Bytes that are no word are written as three in a file's name.
    let escaped: usize = database.bytes().map(|c| if c.is_ascii_alphanumeric() || c == b'_' { 1 } else { 3 }).sum();
    let left = TABLE_NAME_BYTES_MAX.saturating_sub(escaped) as u64;
    Ok(Bound::new(SqlType::UInt64, move |_, rows| Ok(Arc::new(UInt64Array::from_value(left, rows)) as ArrayRef)))
}

/// What a table has that says nothing of it. Error: UNKNOWN_SETTING.
fn merge_tree_setting(name: &str) -> Result<Bound> {
    let declared = TableSettings::declared();
    let Some(info) = declared.iter().find(|info| info.name == name) else {
        return Err(unknown_setting(name, nearest(name, declared.iter().map(|info| info.name))));
    };
    let configured = TableSettings::configured().into_iter().find(|(known, _)| *known == name);
    value_of_setting(info.kind, &configured.map_or_else(|| info.default.clone(), |(_, value)| value))
}

/// Of the disk that is named; of the only one where none is.
fn filesystem(asked: &Arc<Asked>, name: &str, arguments: &[Argument], of: fn(Filesystem) -> u64) -> Result<Bound> {
    arity(name, arguments, 0..=1)?;
    if !arguments.is_empty() {
        expect_string(name, arguments, 0)?;
    }
    let (asked, name) = (asked.clone(), name.to_string());
    Ok(Bound::new(SqlType::UInt64, move |args, rows| {
        if let Some(disks) = args.first() {
            let disks = Bytes::of(disks)?;
            if let Some(other) = (0..disks.len()).map(|row| disks.get(row)).find(|disk| *disk != DISK.as_bytes()) {
                let other = String::from_utf8_lossy(other);
                let text = format!("Unknown disk name {other} while execute function {name}. There is only '{DISK}'");
                return Err(Error::new(ErrorCode::UNKNOWN_DISK, text));
            }
        }
        let told = machine::filesystem(&asked.data_path).context(|| format!("for {}", asked.data_path.display()))?;
        Ok(Arc::new(UInt64Array::from_value(of(told), rows)) as ArrayRef)
    }))
}
