//! One file of a source, as its listing told it.

use gristmill_objstore::{Location, ObjectInfo, Provider};

/// What is known of a file before any of its bytes are read.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    pub key: String,
    /// `_path`: bucket and key, or the absolute path.
    pub path: String,
    /// Bytes; `None` where the server does not say (a stream over HTTP).
    pub size: Option<u64>,
    /// Seconds since the Unix epoch.
    pub modified: Option<i64>,
    /// Pinned for the whole query: a file that changes while it is read is an error.
    pub etag: Option<String>,
}

impl SourceFile {
    pub fn of(location: &Location, info: &ObjectInfo) -> Self {
        SourceFile {
            key: info.key.clone(),
            path: shown_path(location, &info.key),
            size: info.size,
            modified: info.last_modified.map(|seconds| seconds as i64),
            etag: info.etag.clone(),
        }
    }

    /// `_file`: what comes after the last slash.
    pub fn name(&self) -> &str {
        let path = self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path);
        path.rsplit('/').next().unwrap_or(path)
    }

    /// The `name=value` folders of the path, in order.
    pub fn hive_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let folders = self.path.rfind('/').map_or("", |end| &self.path[..end]);
        folders.split('/').filter_map(|folder| folder.split_once('=')).filter(|(name, _)| !name.is_empty())
    }

    /// What tells this version of the file apart in caches; `None`: nothing does, so nothing is kept.
    pub fn version(&self) -> Option<String> {
        match (&self.etag, self.modified, self.size) {
            (Some(etag), ..) => Some(etag.clone()),
            (None, Some(modified), Some(size)) => Some(format!("{modified}-{size}")),
            _ => None,
        }
    }
}

fn shown_path(location: &Location, key: &str) -> String {
    match location.provider {
        Provider::File => format!("/{}", key.trim_start_matches('/')),
        Provider::Http => format!("/{}", key.split(['?', '#']).next().unwrap_or(key)),
        _ => format!("{}/{key}", location.bucket),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hive_pairs_come_from_the_folders_and_not_from_the_name() {
        let file = SourceFile {
            key: String::new(),
            path: "bucket/year=2024/month=01/a=b.parquet".to_string(),
            size: Some(1),
            modified: None,
            etag: None,
        };
        assert_eq!(file.hive_pairs().collect::<Vec<_>>(), vec![("year", "2024"), ("month", "01")]);
        assert_eq!(file.name(), "a=b.parquet");
        assert_eq!(file.version(), None);
    }
}
