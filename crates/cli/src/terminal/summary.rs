//! The lines after a result, as ClickHouse's client writes them.

use std::fmt::Write;
use std::time::Duration;

use gristmill_base::units;
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_introspect::{Event, QueryContext};

/// Below this many rows read, the client says nothing of what was processed.
const ROWS_WORTH_TELLING: u64 = 1000;

/// What the summary tells of a finished statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub result_rows: u64,
    pub elapsed: Duration,
    pub progress: ProgressSnapshot,
    pub memory_peak_bytes: u64,
    pub storage: StorageUse,
    pub left_out: LeftOut,
    /// How an INSERT wrote, where that is worth telling.
    pub insert_gear: Option<String>,
    /// How far it was from what the machine can do, where it was asked.
    pub limit: Vec<String>,
}

/// What a statement asked of object storage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StorageUse {
    pub requests: u64,
    pub bytes: u64,
    pub cost_usd: f64,
}

/// What of the input data did not become rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOut {
    pub fields: u64,
    pub rows: u64,
}

impl LeftOut {
    pub fn of(context: &QueryContext) -> LeftOut {
        let get = |event| context.counters.get(event);
        LeftOut { fields: get(Event::InputFieldsLeftOut), rows: get(Event::InputRowsLeftOut) }
    }

    /// `Left out of the data: 12 values that no column takes, 1 row with mistakes.`
    fn text(&self) -> String {
        let counted = |count: u64, what: &str, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {what}")),
        };
        let fields = counted(self.fields, "values that no column takes", "value that no column takes");
        let rows = counted(self.rows, "rows with mistakes", "row with mistakes");
        let told: Vec<String> = fields.into_iter().chain(rows).collect();
        format!("Left out of the data: {}.", told.join(", "))
    }
}

impl StorageUse {
    pub fn of(context: &QueryContext) -> StorageUse {
        let get = |event| context.counters.get(event);
        StorageUse {
            requests: get(Event::S3ReadRequestsCount) + get(Event::S3WriteRequestsCount),
            bytes: get(Event::ReadBufferFromS3Bytes) + get(Event::WriteBufferFromS3Bytes),
            cost_usd: context.cost_usd(),
        }
    }

    /// `Object storage: 190 requests, 12.30 MB, 0.000081 USD.`; without the price where nothing has one.
    fn text(&self) -> String {
        let plural = if self.requests == 1 { "" } else { "s" };
        let mut text =
            format!("Object storage: {} request{plural}, {}", self.requests, units::bytes_decimal(self.bytes as f64));
        if self.cost_usd > 0.0 {
            let _ = write!(text, ", {:.6} USD", self.cost_usd);
        }
        text + "."
    }
}

impl Summary {
    /// `5 rows in set. Elapsed: 0.421 sec. Processed …` and, where anything was processed, the peak of memory below it.
    pub fn text(&self) -> String {
        let plural = if self.result_rows == 1 { "" } else { "s" };
        let mut text = format!("{} row{plural} in set. Elapsed: {:.3} sec. ", self.result_rows, self.elapsed.as_secs_f64());
        text.push_str(&self.processed());
        if self.storage.requests > 0 {
            let _ = write!(text, "\n{}", self.storage.text());
        }
        if self.left_out != LeftOut::default() {
            let _ = write!(text, "\n{}", self.left_out.text());
        }
        if let Some(gear) = &self.insert_gear {
            let _ = write!(text, "\nInsert gear: {gear}.");
        }
        if !self.limit.is_empty() {
            let _ = write!(text, "\n\n{}", self.limit.join("\n"));
        }
        text
    }

    fn processed(&self) -> String {
        let (rows, bytes) = (self.progress.read_rows, self.progress.read_bytes);
        if rows < ROWS_WORTH_TELLING {
            return String::new();
        }
        let mut text = format!("Processed {}", quantities(rows as f64, " rows, ", bytes as f64, ""));
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 {
            let _ = write!(text, " ({})", quantities(rows as f64 / seconds, " rows/s., ", bytes as f64 / seconds, "/s."));
        } else {
            text.push_str(". ");
        }
        if self.memory_peak_bytes > 0 {
            let _ = write!(text, "\nPeak memory usage: {}.", units::bytes_binary(self.memory_peak_bytes as f64));
        }
        text
    }
}

/// `59.82 million rows, 24.03 GB`
pub fn quantities(rows: f64, after_rows: &str, bytes: f64, after_bytes: &str) -> String {
    format!("{}{after_rows}{}{after_bytes}", units::rows_with_decimals(rows), units::bytes_decimal(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_clickhouse_client() {
        let summary = Summary {
            result_rows: 5,
            elapsed: Duration::from_millis(421),
            progress: ProgressSnapshot { read_rows: 59_820_000, read_bytes: 24_030_000_000, ..Default::default() },
            memory_peak_bytes: 185_325_322,
            ..Summary::default()
        };
        assert_eq!(
            summary.text(),
            "5 rows in set. Elapsed: 0.421 sec. Processed 59.82 million rows, 24.03 GB (142.09 million rows/s., 57.08 GB/s.)\n\
             Peak memory usage: 176.74 MiB."
        );
    }

    #[test]
    fn what_is_left_out_is_told() {
        let summary = Summary { left_out: LeftOut { fields: 12, rows: 1 }, ..Summary::default() };
        let told = "\nLeft out of the data: 12 values that no column takes, 1 row with mistakes.";
        assert!(summary.text().ends_with(told), "{}", summary.text());
    }

    #[test]
    fn a_load_tells_its_gear() {
        let gear = "2 lanes, blocks of 256.00 MiB, 16 parts at a time".to_string();
        let summary = Summary { insert_gear: Some(gear), ..Summary::default() };
        assert!(summary.text().ends_with("\nInsert gear: 2 lanes, blocks of 256.00 MiB, 16 parts at a time."));
    }

    #[test]
    fn little_work_is_not_told() {
        let summary = Summary { result_rows: 1, elapsed: Duration::from_millis(2), ..Default::default() };
        assert_eq!(summary.text(), "1 row in set. Elapsed: 0.002 sec. ");
    }
}
