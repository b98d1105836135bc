//! Functions that users make of an expression (`CREATE FUNCTION`): what they are, and where they last.
//!
//! All lie in one object, `functions/v1.json` under the data path: a change is one replacement of it. Readers take them as they are
//! at a moment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt, durable};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// `parameters -> body`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserFunction {
    pub parameters: Vec<String>,
    /// SQL.
    pub body: String,
}

pub type ByName = BTreeMap<String, UserFunction>;

#[derive(Default)]
pub struct UserFunctions {
    known: RwLock<Arc<ByName>>,
    /// `None`: in memory alone.
    file: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    functions: ByName,
}

impl UserFunctions {
    /// With what is kept under the data path. Errors: what reading gives, and CORRUPTED_DATA.
    pub fn open(data_path: &Path) -> Result<UserFunctions> {
        let file = data_path.join("functions").join("v1.json");
        let reading = || format!("while reading {}", file.display());
        let known = match std::fs::read(&file) {
            Ok(bytes) => kept(&bytes).context(reading)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ByName::new(),
            Err(error) => return Err(Error::from(error).with_context(reading())),
        };
        Ok(UserFunctions { known: RwLock::new(Arc::new(known)), file: Some(file) })
    }

    pub fn all(&self) -> Arc<ByName> {
        self.known.read().clone()
    }

    /// Changes them, and gives what the change gives. With an error nothing is changed. What is done is on the disk.
    pub fn change<T>(&self, change: impl FnOnce(&mut ByName) -> Result<T>) -> Result<T> {
        let mut known = self.known.write();
        let mut functions = ByName::clone(&known);
        let given = change(&mut functions)?;
        if let Some(file) = &self.file {
            let kept = Kept { version: VERSION, functions: functions.clone() };
            let bytes = serde_json::to_vec_pretty(&kept).map_err(|error| Error::logical(error.to_string()))?;
            durable::replace(file, &bytes).context(|| format!("while writing {}", file.display()))?;
        }
        *known = Arc::new(functions);
        Ok(given)
    }
}

fn kept(bytes: &[u8]) -> Result<ByName> {
    let corrupted = |text: String| Error::new(ErrorCode::CORRUPTED_DATA, text);
    let kept: Kept = serde_json::from_slice(bytes).map_err(|error| corrupted(error.to_string()))?;
    match kept.version {
        VERSION => Ok(kept.functions),
        other => Err(corrupted(format!("it has version {other}, this server reads {VERSION}"))),
    }
}

impl UserFunction {
    pub fn lambda(&self) -> String {
        match &self.parameters[..] {
            [one] => format!("{one} -> {}", self.body),
            parameters => format!("({}) -> {}", parameters.join(", "), self.body),
        }
    }

    /// The statement that makes it.
    pub fn create_query(&self, name: &str) -> String {
        format!("CREATE FUNCTION {name} AS {}", self.lambda())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let function = UserFunction { parameters: vec!["x".into(), "y".into()], body: "x + y".into() };
        let functions = UserFunctions::open(folder.path()).expect("opens");
        functions.change(|all| Ok(all.insert("added".into(), function.clone()))).expect("is kept");
        functions.change(|_| Err::<(), _>(Error::logical("no"))).expect_err("is not done");
        assert_eq!(function.create_query("added"), "CREATE FUNCTION added AS (x, y) -> x + y");
        let again = UserFunctions::open(folder.path()).expect("opens again").all();
        assert_eq!(*again, ByName::from([("added".into(), function)]));
        let file = folder.path().join("functions/v1.json");
        let golden = r#"{"version": 1, "functions": {"lin": {"parameters": ["x", "k"], "body": "k * x"}}}"#;
        std::fs::write(&file, golden).expect("writes");
        let read = UserFunctions::open(folder.path()).expect("opens a file of version 1").all();
        assert_eq!(read["lin"].create_query("lin"), "CREATE FUNCTION lin AS (x, k) -> k * x");
        std::fs::write(&file, golden.replace(": 1", ": 2")).expect("writes");
        let error = UserFunctions::open(folder.path()).err().expect("another version");
        assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA);
    }
}
