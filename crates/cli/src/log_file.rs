//! `<logger>` of a server's configuration: how much is logged, and the files that it is written into.
//!
//! A file that has its size is renamed to `name.0`, that one to `name.1`, and so on; the oldest goes. As in ClickHouse, but that old
//! files are not compressed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, units};
use parking_lot::Mutex;
use tracing_subscriber::fmt::MakeWriter;

use crate::config_tree::{Node, invalid};

const SIZE_BYTES: u64 = 100 << 20;
const COUNT: usize = 10;

/// What `<logger>` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logger {
    /// As a directive of the log's filter; `None`: not said.
    pub level: Option<String>,
    pub file: Option<PathBuf>,
    /// Warnings and errors alone.
    pub errors: Option<PathBuf>,
    /// Of a file, before the next one begins; 0: any.
    pub size_bytes: u64,
    /// Old files that are kept.
    pub count: usize,
    pub as_json: bool,
    /// Standard error.
    pub console: bool,
    /// What `system.text_log` gets.
    pub text_log: TextLevel,
}

/// How much of the log is in a table too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TextLevel {
    #[default]
    Nothing,
    /// What is logged elsewhere.
    All,
    /// A directive of its own.
    Level(String),
}

impl Default for Logger {
    fn default() -> Self {
        Logger {
            level: None,
            file: None,
            errors: None,
            size_bytes: SIZE_BYTES,
            count: COUNT,
            as_json: false,
            console: true,
            text_log: TextLevel::Nothing,
        }
    }
}

impl Logger {
    /// To standard error; `None`: as much as is logged anyway. Error: INVALID_CONFIG_PARAMETER.
    pub fn of_level(level: Option<&str>) -> Result<Logger> {
        Ok(Logger { level: level.map(directive).transpose()?, ..Logger::default() })
    }

    /// Of a server. Error: INVALID_CONFIG_PARAMETER.
    pub fn of(root: &Node) -> Result<Logger> {
        let text_log = match root.child("text_log") {
            Some(node) if node.remove => TextLevel::Nothing,
            Some(node) => match node.text(&["level"]) {
                Some(level) => TextLevel::Level(directive(&level)?),
                None => TextLevel::All,
            },
            None => TextLevel::All,
        };
        let Some(node) = root.child("logger") else { return Ok(Logger { text_log, ..Logger::default() }) };
        let level = node.text(&["level"]).map(|level| directive(&level)).transpose()?;
        let size = |text: String| {
            let wrong = || invalid(format!("<size>{text}</size> in <logger>: give a number of bytes, such as 100M"));
            units::parse_size(&text).ok_or_else(wrong)
        };
        Ok(Logger {
            level,
            file: node.text(&["log"]).map(PathBuf::from),
            errors: node.text(&["errorlog"]).map(PathBuf::from),
            size_bytes: node.text(&["size"]).map(size).transpose()?.unwrap_or(SIZE_BYTES),
            count: node.number(&["count"])?.unwrap_or(COUNT),
            as_json: node.text(&["formatting", "type"]).is_some_and(|kind| kind.eq_ignore_ascii_case("json")),
            console: node.text(&["console"]).is_none_or(|console| !["0", "false"].contains(&console.as_str())),
            text_log,
        })
    }
}

/// A level of ClickHouse's as one of ours.
fn directive(level: &str) -> Result<String> {
    let known = match level.to_ascii_lowercase().as_str() {
        "none" => "off",
        "fatal" | "critical" | "error" => "error",
        "warning" => "warn",
        "notice" | "information" => "info",
        "debug" => "debug",
        "trace" | "test" => "trace",
        _ => {
            let known = "none, fatal, critical, error, warning, notice, information, debug, trace";
            return Err(invalid(format!("The level of the log '{level}' is not known: {known} are there")));
        }
    };
    Ok(known.to_string())
}

/// A file that is renamed when it has its size, and begun anew.
#[derive(Clone, Debug)]
pub struct LogFile(Arc<Mutex<Opened>>);

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    file: File,
    written_bytes: u64,
    size_bytes: u64,
    count: usize,
}

impl LogFile {
    /// Goes on with the file that is there. Error: CANNOT_OPEN_FILE.
    pub fn open(path: &Path, size_bytes: u64, count: usize) -> Result<LogFile> {
        let (file, written_bytes) = opened(path).map_err(|error| {
            let text = format!("Cannot write the log {}: {error}", path.display());
            Error::new(ErrorCode::CANNOT_OPEN_FILE, text)
        })?;
        Ok(LogFile(Arc::new(Mutex::new(Opened { path: path.to_path_buf(), file, written_bytes, size_bytes, count }))))
    }
}

fn opened(path: &Path) -> io::Result<(File, u64)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let bytes = file.metadata()?.len();
    Ok((file, bytes))
}

impl Opened {
    fn rotate(&mut self) -> io::Result<()> {
        let old = |number: usize| PathBuf::from(format!("{}.{number}", self.path.display()));
        for number in (1..self.count).rev() {
            // Not all of them are there yet.
            let _ = fs::rename(old(number - 1), old(number));
        }
        match self.count {
            0 => fs::remove_file(&self.path)?,
            _ => fs::rename(&self.path, old(0))?,
        }
        (self.file, self.written_bytes) = opened(&self.path)?;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut opened = self.0.lock();
        if opened.written_bytes >= opened.size_bytes && opened.size_bytes > 0 {
            opened.rotate()?;
        }
        let written = opened.file.write(line)?;
        opened.written_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().file.flush()
    }
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = LogFile;

    fn make_writer(&'a self) -> LogFile {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_tree::parsed;

    #[test]
    fn a_logger_of_clickhouse_is_read() {
        let text = "<clickhouse><logger><level>warning</level><log>/l/a.log</log><errorlog>/l/e.log</errorlog><size>1M</size>\
            <count>3</count><formatting><type>json</type></formatting><console>0</console></logger></clickhouse>";
        let logger = Logger::of(&parsed(text).expect("XML")).expect("reads");
        let expected = Logger {
            level: Some("warn".into()),
            file: Some("/l/a.log".into()),
            errors: Some("/l/e.log".into()),
            size_bytes: 1_000_000,
            count: 3,
            as_json: true,
            console: false,
            text_log: TextLevel::All,
        };
        assert_eq!(logger, expected);
        let text_log = |text: &str| {
            let text = format!("<clickhouse><logger><level>debug</level></logger>{text}</clickhouse>");
            Logger::of(&parsed(&text).expect("XML")).expect("reads").text_log
        };
        assert_eq!(text_log("<text_log><level>error</level></text_log>"), TextLevel::Level("error".into()));
        assert_eq!(text_log("<text_log remove=\"1\"/>"), TextLevel::Nothing);
        let wrong = parsed("<clickhouse><logger><level>loud</level></logger></clickhouse>").expect("XML");
        assert!(Logger::of(&wrong).is_err());
    }

    #[test]
    fn full_files_are_renamed_and_the_oldest_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log/a.log");
        let mut file = LogFile::open(&path, 4, 2).expect("opens");
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            file.write_all(line.as_bytes()).expect("writes");
        }
        let text = |name: &str| fs::read_to_string(folder.path().join("log").join(name)).expect("a file");
        assert_eq!([text("a.log"), text("a.log.0"), text("a.log.1")], ["four\n", "three\n", "two\n"]);
        assert!(!folder.path().join("log/a.log.2").exists());
    }
}
