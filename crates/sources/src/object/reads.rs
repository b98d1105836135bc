//! What the scans of files in a plan are to read: how many files, how large, and how rows of them would be written into fewer.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_objstore::{Location, Provider};

use super::exec::{ObjectScanExec, ScanDescription};

/// The files of one scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesRead {
    /// The call that reads them, as SQL.
    pub call: String,
    /// One that would write their rows into one file beside them.
    pub joined: String,
    pub files: u64,
    /// Of all of them together.
    pub bytes: u64,
    pub is_parquet: bool,
    /// Whether each costs requests.
    pub is_remote: bool,
}

/// Of all scans whose files and sizes are known.
pub fn files_read(plan: &Arc<dyn ExecutionPlan>) -> Vec<FilesRead> {
    let mut all = Vec::new();
    if let Some(scan) = plan.downcast_ref::<ObjectScanExec>() {
        all.extend(FilesRead::of(scan.description()));
    }
    plan.children().into_iter().for_each(|child| all.extend(files_read(child)));
    all
}

impl FilesRead {
    fn of(scan: &ScanDescription) -> Option<FilesRead> {
        let (location, format) = (&scan.source.location, scan.source.format.name());
        let first = scan.files.known().first()?;
        Some(FilesRead {
            call: call(location, &location.key, format),
            joined: call(location, &joined_key(&location.key, &first.key), format),
            files: scan.files.known().len() as u64,
            bytes: scan.files.bytes()?,
            is_parquet: scan.source.is_parquet(),
            is_remote: location.provider != Provider::File,
        })
    }
}

/// A key in a folder of its own below that which the pattern's files lie in, with the ending that they have.
fn joined_key(pattern: &str, first: &str) -> String {
    let fixed = pattern.find(['*', '?', '{', '[']).map_or(pattern, |wildcard| &pattern[..wildcard]);
    let folder = fixed.rfind('/').map_or("", |at| &fixed[..=at]);
    let name = first.rsplit('/').next().unwrap_or(first);
    let ending = name.find('.').map_or("", |at| &name[at..]);
    format!("{folder}joined/rows{ending}")
}

/// The table function that reads or writes a key, with everything but credentials.
fn call(location: &Location, key: &str, format: &str) -> String {
    let text = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let format = text(format);
    let place = || text(&location.display(key));
    match location.provider {
        Provider::S3 => format!("s3({}, {format})", place()),
        Provider::Gcs => format!("gcs({}, {format})", place()),
        Provider::Http => format!("url({}, {format})", place()),
        Provider::File => format!("file({}, {format})", place()),
        Provider::Azure => {
            format!("azureBlobStorage({}, {}, {}, {format})", text(&location.endpoint), text(&location.bucket), text(key))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_where_the_pattern_does_not_look() {
        assert_eq!(joined_key("logs/2026/*.csv.gz", "logs/2026/a.csv.gz"), "logs/2026/joined/rows.csv.gz");
        assert_eq!(joined_key("{a,b}.parquet", "a.parquet"), "joined/rows.parquet");
        assert_eq!(joined_key("x/part*/f", "x/part1/f"), "x/joined/rows");
    }

    #[test]
    fn a_call_can_be_pasted() {
        let location = Location::parse_s3("http://127.0.0.1:9000/bucket/logs/*.parquet").expect("a location");
        let shown = call(&location, &location.key, "Parquet");
        assert_eq!(shown, "s3('http://127.0.0.1:9000/bucket/logs/*.parquet', 'Parquet')");
    }
}
