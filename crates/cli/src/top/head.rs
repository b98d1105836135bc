//! The lines above the panes: memory, processor, disk, network, requests, caches; and the words for numbers.

use gristmill_base::units;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use crate::top::snapshot::{Found, Numbers, Seen};
use crate::top::state::State;

/// Requests to object storage, by kind: what is shown, and the events that count it.
const REQUESTS: [(&str, &[&str]); 9] = [
    ("get", &["S3GetObject", "AzureGetObject", "GCSGetObject"]),
    ("head", &["S3HeadObject"]),
    ("list", &["S3ListObjects", "AzureListObjects", "GCSListObjects"]),
    ("put", &["S3PutObject", "AzurePutObject", "GCSPutObject"]),
    ("part", &["S3UploadPart"]),
    ("multipart", &["S3CreateMultipartUpload", "S3CompleteMultipartUpload", "S3AbortMultipartUpload"]),
    ("copy", &["S3CopyObject"]),
    ("delete", &["S3DeleteObjects"]),
    ("http", &["ReadWriteBufferFromHTTPRequestsSent"]),
];
/// Bytes of local disks, as the kernel counts them, or else as they are asked for.
const DISK_READ: [&str; 2] = ["OSReadBytes", "ReadBufferFromFileDescriptorReadBytes"];
const DISK_WRITE: [&str; 2] = ["OSWriteBytes", "WriteBufferFromFileDescriptorWriteBytes"];
const GAUGE_WIDTH: usize = 20;

/// All of them; the most important first, for a screen that has no room for the last.
pub fn lines(seen: Option<&Seen>, state: &State) -> Vec<Line<'static>> {
    let Some(seen) = seen else { return vec![Line::from("gristmill top — looking at the server")] };
    let measured = seen.now.measured.as_ref().ok();
    let get = |name: &str| measured.and_then(|measured| measured.get(name)).copied();
    let uptime = get("Uptime").map_or_else(String::new, |seconds| format!(", up {}", time(seconds)));
    let paused = if state.is_paused { "   [paused]" } else { "" };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut lines = vec![Line::styled(format!("{}{uptime}{paused}", seen.now.server), bold)];
    lines.push(Line::from(format!("{}   {}", memory(seen), cpu(seen))));
    lines.push(Line::from(queries(seen)));
    lines.push(Line::from(input_and_output(seen)));
    lines.push(Line::from(requests(seen)));
    lines.push(Line::from(caches(seen)));
    for refused in [refused("metrics", &seen.now.metrics), refused("events", &seen.now.events)] {
        lines.extend(refused.map(Line::from));
    }
    lines.extend(refused("asynchronous_metrics", &seen.now.measured).map(Line::from));
    lines
}

fn refused(table: &str, found: &Found<Numbers>) -> Option<String> {
    found.as_ref().err().map(|why| format!("system.{table}: {why}"))
}

fn memory(seen: &Seen) -> String {
    let measured = seen.now.measured.as_ref().ok();
    let Some(used) = measured.and_then(|measured| measured.get("MemoryResident")).copied() else {
        return "Memory -".to_string();
    };
    let used_text = units::bytes_binary(used);
    match seen.now.memory_limit_bytes.filter(|limit| *limit > 0.0) {
        None => format!("Memory {used_text}"),
        Some(limit) => {
            let share = (used / limit).clamp(0.0, 1.0);
            let filled = (share * GAUGE_WIDTH as f64).round() as usize;
            let gauge = format!("{}{}", "#".repeat(filled), "-".repeat(GAUGE_WIDTH - filled));
            format!("Memory {used_text} of {} [{gauge}] {:.0} %", units::bytes_binary(limit), used / limit * 100.0)
        }
    }
}

fn cpu(seen: &Seen) -> String {
    let cores =
        seen.rate(&["OSCPUVirtualTimeMicroseconds"]).map_or("-".to_string(), |micros| format!("{:.2}", micros / 1e6));
    let measured = seen.now.measured.as_ref().ok();
    let load = ["LoadAverage1", "LoadAverage5", "LoadAverage15"].map(|name| measured.and_then(|all| all.get(name)).copied());
    match load {
        [Some(one), Some(five), Some(fifteen)] => format!("CPU {cores} cores, load {one:.2} {five:.2} {fifteen:.2}"),
        _ => format!("CPU {cores} cores"),
    }
}

fn queries(seen: &Seen) -> String {
    let running = seen.now.queries.as_ref().map_or_else(|_| "-".to_string(), |queries| queries.len().to_string());
    let each = |name: &str| rate(seen.rate(&[name]));
    let failed = seen.rate(&["FailedQuery"]).filter(|failed| *failed > 0.0);
    let failed = failed.map_or_else(String::new, |failed| format!(", {failed:.1}/s failed"));
    format!(
        "Queries {running} running, {} begun{failed}   Rows {} read, {} inserted",
        each("Query"),
        rows(seen.rate(&["SelectedRows"])),
        rows(seen.rate(&["InsertedRows"]))
    )
}

fn input_and_output(seen: &Seen) -> String {
    let mut text = format!("Disk {} read, {} written", bytes(seen.rate(&DISK_READ)), bytes(seen.rate(&DISK_WRITE)));
    let network = [seen.rate(&["NetworkReceiveBytes"]), seen.rate(&["NetworkSendBytes"])];
    if network.iter().any(Option::is_some) {
        text += &format!("   Network {} in, {} out", bytes(network[0]), bytes(network[1]));
    }
    let object = |name: &str| bytes(seen.rate(&[name]));
    text + &format!(
        "   Object storage {} read, {} written",
        object("ReadBufferFromS3Bytes"),
        object("WriteBufferFromS3Bytes")
    )
}

fn requests(seen: &Seen) -> String {
    let kinds = REQUESTS.iter().filter_map(|(kind, events)| {
        let each = seen.rate_of_all(events);
        (each > 0.0).then(|| format!("{kind} {each:.1}/s"))
    });
    let mut kinds: Vec<String> = kinds.collect();
    let cost = seen.rate(&["ObjectStorageCostNanodollars"]).filter(|cost| *cost > 0.0);
    kinds.extend(cost.map(|cost| format!("{:.4} $/h", cost * 3600.0 / 1e9)));
    format!("Requests {}", if kinds.is_empty() { "none".to_string() } else { kinds.join(", ") })
}

fn caches(seen: &Seen) -> String {
    let of =
        |(name, share): (String, f64)| format!("{} {:.0} %", name.strip_suffix("Cache").unwrap_or(&name), share * 100.0);
    let caches: Vec<String> = seen.caches().into_iter().map(of).collect();
    format!("Cache hits {}", if caches.is_empty() { "-".to_string() } else { caches.join(", ") })
}

fn rate(each: Option<f64>) -> String {
    each.map_or_else(|| "-".to_string(), |each| format!("{each:.1}/s"))
}

fn rows(each: Option<f64>) -> String {
    each.map_or_else(|| "-".to_string(), |each| format!("{}/s", short(each)))
}

fn bytes(each: Option<f64>) -> String {
    each.map_or_else(|| "-".to_string(), |each| format!("{}/s", units::bytes_decimal(each)))
}

/// `842`, `59.8M`
pub fn short(value: f64) -> String {
    let (mut value, mut unit) = (value, 0);
    while value >= 999.95 && unit < 6 {
        value /= 1000.0;
        unit += 1;
    }
    let unit = ["", "k", "M", "G", "T", "P", "E"][unit];
    if unit.is_empty() { format!("{value:.0}") } else { format!("{value:.1}{unit}") }
}

/// `4.2s`, `3:05`, `2:03:05`, `5d 02:03`
pub fn time(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (days, hours, minutes) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds:.1}s"),
        (0, 0, _) => format!("{minutes}:{:02}", whole % 60),
        (0, ..) => format!("{hours}:{minutes:02}:{:02}", whole % 60),
        _ => format!("{days}d {hours:02}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([842.0, 999.96, 59_800_000.0].map(short), ["842", "1.0k", "59.8M"]);
        assert_eq!([4.24, 185.0, 7385.0, 439_380.0].map(time), ["4.2s", "3:05", "2:03:05", "5d 02:03"]);
    }
}
