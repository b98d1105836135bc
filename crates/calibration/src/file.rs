//! The calibration as a file: `calibration/v1.json` of the data folder (docs/formats/calibration-v1.md).
//!
//! A file of another version is not read, and one that cannot be read is no error: what it says can be measured again.
//! It is put under another name, synced, and renamed, so that it is whole or not there.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use serde::{Deserialize, Serialize};

use crate::endpoints::EndpointSeen;
use crate::figures::{Calibration, Figure, Form, Resource};
use crate::fingerprint::Fingerprint;

pub const VERSION: u64 = 1;
pub const NAME: &str = "v1.json";

#[derive(Serialize, Deserialize)]
struct Written {
    version: u64,
    form: String,
    measured_at_micros: i64,
    took_ms: u64,
    fingerprint: Fingerprint,
    disk_is_direct: bool,
    figures: Vec<WrittenFigure>,
    endpoints: Vec<EndpointSeen>,
}

#[derive(Serialize, Deserialize)]
struct WrittenFigure {
    resource: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    level: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    size: u64,
    value: f64,
    /// For who reads the file: it follows from the resource.
    unit: String,
}

fn is_zero(size: &u64) -> bool {
    *size == 0
}

impl Calibration {
    /// The text of the file.
    pub fn to_text(&self) -> Result<String> {
        let figure = |figure: &Figure| WrittenFigure {
            resource: figure.resource.name().to_string(),
            level: figure.level.clone(),
            size: figure.size,
            value: figure.value,
            unit: figure.resource.unit().to_string(),
        };
        let written = Written {
            version: VERSION,
            form: self.form.name().to_string(),
            measured_at_micros: self.measured_at_micros,
            took_ms: self.took_ms,
            fingerprint: self.fingerprint.clone(),
            disk_is_direct: self.disk_is_direct,
            figures: self.figures.iter().map(figure).collect(),
            endpoints: self.endpoints.clone(),
        };
        let text = serde_json::to_string_pretty(&written);
        Ok(text.map_err(|error| Error::logical(format!("A calibration cannot be written: {error}")))? + "\n")
    }

    /// What a file's text says. Error: INCORRECT_DATA, also for another version. A resource that is not known here is left
    /// out: a newer program of the same version may have measured more.
    pub fn of_text(text: &str) -> Result<Calibration> {
        let wrong = |what: String| Error::new(ErrorCode::INCORRECT_DATA, format!("The calibration cannot be read: {what}"));
        let written: Written = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if written.version != VERSION {
            return Err(wrong(format!("it is of version {}, and this program reads {VERSION}", written.version)));
        }
        let form = match written.form.as_str() {
            "quick" => Form::Quick,
            "full" => Form::Full,
            other => return Err(wrong(format!("'{other}' is no form of it"))),
        };
        let figure = |figure: WrittenFigure| {
            let resource = Resource::named(&figure.resource)?;
            let is_figure = figure.value.is_finite() && figure.value > 0.0;
            is_figure.then_some(Figure { resource, level: figure.level, size: figure.size, value: figure.value })
        };
        Ok(Calibration {
            form,
            measured_at_micros: written.measured_at_micros,
            took_ms: written.took_ms,
            fingerprint: written.fingerprint,
            disk_is_direct: written.disk_is_direct,
            figures: written.figures.into_iter().filter_map(figure).collect(),
            endpoints: written.endpoints,
        })
    }
}

/// To three digits.
pub(crate) fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 2 - value.log10().floor() as i32;
    let factor = 10f64.powi(digits.abs());
    if digits >= 0 { (value * factor).round() / factor } else { (value / factor).round() * factor }
}

/// Writes it into a folder, which is made where it is not there.
pub fn write(folder: &Path, calibration: &Calibration) -> Result<()> {
    let what = || format!("while keeping the calibration in {}", folder.display());
    let text = calibration.to_text()?;
    std::fs::create_dir_all(folder).context(what)?;
    let temporary = folder.join(format!("{NAME}.{}.tmp", std::process::id()));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, folder.join(NAME))
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.context(what)
}

/// What a folder has; `None`: nothing, or nothing that can be read.
pub fn read(folder: &Path) -> Option<Calibration> {
    let path = folder.join(NAME);
    let text = std::fs::read_to_string(&path).ok()?;
    match Calibration::of_text(&text) {
        Ok(calibration) => Some(calibration),
        Err(error) => {
            tracing::warn!("{} is left aside, and measured again: {error}", path.display());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden() -> Calibration {
        let figure = |resource, level: &str, size, value| Figure { resource, level: level.to_string(), size, value };
        Calibration {
            form: Form::Full,
            measured_at_micros: 1_700_000_000_000_000,
            took_ms: 11_204,
            fingerprint: Fingerprint {
                processor: "AMD EPYC".to_string(),
                cores: 2,
                memory_bytes: 24 << 30,
                kernel: "6.1.0".to_string(),
                build: "release".to_string(),
            },
            disk_is_direct: true,
            figures: vec![
                figure(Resource::MemoryRead, "one core", 0, 2.07e10),
                figure(Resource::MemoryLatency, "", 65_536, 1.24),
                figure(Resource::HashProbe, "", 1 << 20, 1.23e7),
                figure(Resource::ParquetDecode, "delta texts", 0, 4.31e8),
                figure(Resource::DiskRandom, "", 16, 51_900.0),
            ],
            endpoints: vec![EndpointSeen {
                name: "https://bucket.s3.eu-central-1.amazonaws.com".to_string(),
                answers: 1204,
                first_byte_p50_micros: 28_672,
                first_byte_p90_micros: 57_344,
                first_byte_p99_micros: 131_072,
                bytes_per_second: Some(92_000_000),
                in_flight_max: 256,
            }],
        }
    }

    /// Files that are there must be read for ever: change nothing here, add another version.
    #[test]
    fn the_file_of_version_1_is_read_and_written_as_ever() {
        let text = include_str!("../tests/golden/v1.json");
        assert_eq!(Calibration::of_text(text).expect("reads"), golden());
        assert_eq!(golden().to_text().expect("writes"), text);
    }

    #[test]
    fn what_cannot_be_read_is_measured_again() {
        let text = golden().to_text().expect("writes");
        assert!(Calibration::of_text(&text.replace("\"version\": 1", "\"version\": 2")).is_err());
        assert!(Calibration::of_text(&text[..text.len() / 2]).is_err());
        let newer = text.replace("hash_probe", "something_new");
        assert_eq!(Calibration::of_text(&newer).expect("reads").figures.len(), 4);
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()), None);
        write(folder.path(), &golden()).expect("writes");
        assert_eq!(read(folder.path()), Some(golden()));
        std::fs::write(folder.path().join(NAME), "{").expect("writes");
        assert_eq!(read(folder.path()), None);
    }

    #[test]
    fn values_have_three_digits() {
        assert_eq!([rounded(20_712_345_678.0), rounded(1.23456), rounded(0.001_234_5)], [2.07e10, 1.23, 0.00123]);
        assert_eq!(rounded(f64::NAN), 0.0);
    }
}
