//! What the server sends: packets as bytes.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_formats::native::packets::server::*;
use gristmill_formats::native::{Revision, packets, revision, write_string, write_varuint};
use gristmill_functions::session::DIALECT_VERSION;
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_types::sql_type::quote_identifier;
use gristmill_types::{Column, Columns};

/// Blocks that a client may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPacket {
    Data,
    Totals,
    Extremes,
    Log,
    ProfileEvents,
}

impl BlockPacket {
    fn code(self) -> u64 {
        match self {
            BlockPacket::Data => DATA,
            BlockPacket::Totals => TOTALS,
            BlockPacket::Extremes => EXTREMES,
            BlockPacket::Log => LOG,
            BlockPacket::ProfileEvents => PROFILE_EVENTS,
        }
    }
}

/// How packets are written for a client.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    pub revision: u64,
    /// Whether the client asked for compressed blocks.
    pub compressed: bool,
}

/// Major, minor and patch of the version that is announced.
fn version() -> [u64; 3] {
    let mut numbers = DIALECT_VERSION.split('.').map(|number| number.parse().unwrap_or(0));
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

impl Dialect {
    fn has(self, from: u64) -> bool {
        self.revision >= from
    }

    /// `revision` of the dialect is the lower of both sides'; the server's own is announced.
    pub fn hello(self, timezone: &str, display_name: &str, nonce: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let [major, minor, patch] = version();
        write_varuint(HELLO, &mut out);
        write_string(b"ClickHouse", &mut out);
        for number in [major, minor, revision::SERVER] {
            write_varuint(number, &mut out);
        }
        if self.has(revision::PARALLEL_REPLICAS_VERSION) {
            write_varuint(8, &mut out);
        }
        if self.has(revision::SERVER_TIMEZONE) {
            write_string(timezone.as_bytes(), &mut out);
        }
        if self.has(revision::DISPLAY_NAME) {
            write_string(display_name.as_bytes(), &mut out);
        }
        if self.has(revision::VERSION_PATCH) {
            write_varuint(patch, &mut out);
        }
        if self.has(revision::CHUNKED_PACKETS) {
            write_string(b"notchunked", &mut out);
            write_string(b"notchunked", &mut out);
        }
        if self.has(revision::PASSWORD_RULES) {
            write_varuint(0, &mut out);
        }
        if self.has(revision::INTERSERVER_NONCE) {
            out.extend_from_slice(&nonce.to_le_bytes());
        }
        if self.has(revision::SETTINGS_IN_HELLO) {
            write_string(b"", &mut out);
        }
        if self.has(revision::QUERY_PLAN_VERSION) {
            write_varuint(21, &mut out);
        }
        if self.has(revision::CLUSTER_FUNCTION_VERSION) {
            write_varuint(8, &mut out);
        }
        out
    }

    pub fn pong(self) -> Vec<u8> {
        vec![PONG as u8]
    }

    pub fn end_of_stream(self) -> Vec<u8> {
        vec![END_OF_STREAM as u8]
    }

    /// `stack`: the calls that led to it, where the client is to know them.
    pub fn exception(self, error: &gristmill_base::Error, stack: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write_varuint(EXCEPTION, &mut out);
        out.extend_from_slice(&error.code().0.to_le_bytes());
        write_string(b"DB::Exception", &mut out);
        write_string(format!("DB::Exception: {}", error.message()).as_bytes(), &mut out);
        write_string(stack.as_bytes(), &mut out);
        // No exception inside.
        out.push(0);
        out
    }

    /// A block: the columns with the batch's rows, or without any.
    pub fn block(self, packet: BlockPacket, columns: &Columns, batch: Option<&RecordBatch>) -> Result<Vec<u8>> {
        let plain = matches!(packet, BlockPacket::Log | BlockPacket::ProfileEvents) && !self.has(revision::COMPRESSED_LOGS);
        packets::block(packet.code(), columns, batch, Revision(self.revision), self.compressed && !plain)
    }

    /// What was done since `before`.
    pub fn progress(self, before: &ProgressSnapshot, now: &ProgressSnapshot, elapsed_ns: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write_varuint(PROGRESS, &mut out);
        let mut push = |number: u64| write_varuint(number, &mut out);
        push(now.read_rows.saturating_sub(before.read_rows));
        push(now.read_bytes.saturating_sub(before.read_bytes));
        push(now.total_rows_to_read.saturating_sub(before.total_rows_to_read));
        if self.has(revision::TOTAL_BYTES_IN_PROGRESS) {
            push(now.total_bytes_to_read.saturating_sub(before.total_bytes_to_read));
        }
        if self.has(revision::WRITTEN_PROGRESS) {
            push(now.written_rows.saturating_sub(before.written_rows));
            push(now.written_bytes.saturating_sub(before.written_bytes));
        }
        if self.has(revision::ELAPSED_IN_PROGRESS) {
            push(elapsed_ns);
        }
        out
    }

    /// `before_limit`: rows that a LIMIT was taken from.
    pub fn profile_info(self, rows: u64, blocks: u64, bytes: u64, before_limit: Option<u64>) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [PROFILE_INFO, rows, blocks, bytes] {
            write_varuint(number, &mut out);
        }
        // The number is known, also where there was no LIMIT. (Clients of 2018 end where it is not.)
        out.push(u8::from(before_limit.is_some()));
        write_varuint(before_limit.unwrap_or(0), &mut out);
        out.push(1);
        if self.has(revision::AGGREGATION_IN_PROFILE_INFO) {
            out.push(0);
            write_varuint(0, &mut out);
        }
        out
    }

    /// The columns of the table that rows are inserted into, with their defaults.
    pub fn table_columns(self, columns: &Columns) -> Vec<u8> {
        let mut out = Vec::new();
        write_varuint(TABLE_COLUMNS, &mut out);
        write_string(b"", &mut out);
        write_string(columns_text(columns).as_bytes(), &mut out);
        out
    }

    /// None of the tables is replicated.
    pub fn tables_status(self, tables: &[(String, String)]) -> Vec<u8> {
        let mut out = Vec::new();
        write_varuint(TABLES_STATUS, &mut out);
        write_varuint(tables.len() as u64, &mut out);
        for (database, table) in tables {
            write_string(database.as_bytes(), &mut out);
            write_string(table.as_bytes(), &mut out);
            out.push(0);
        }
        out
    }
}

/// As ClickHouse writes a table's columns: `` `name` Type<TAB>DEFAULT<TAB>expression ``.
fn columns_text(columns: &Columns) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'").replace('\t', "\\t").replace('\n', "\\n");
    let line = |column: &Column| {
        let quoted = quote_identifier(&column.name);
        let name = if quoted.starts_with('`') { quoted } else { format!("`{quoted}`") };
        let default = match &column.default {
            Some((kind, text)) => format!("\t{}\t{}", kind.name(), escaped(text)),
            None => String::new(),
        };
        format!("{name} {}{default}\n", column.kind)
    };
    let lines: String = columns.iter().map(line).collect();
    format!("columns format version: 1\n{} columns:\n{lines}", columns.len())
}

#[cfg(test)]
mod tests {
    use gristmill_base::{Error, ErrorCode};
    use gristmill_types::{DefaultKind, SqlType};

    use super::*;

    const TODAY: Dialect = Dialect { revision: revision::SERVER, compressed: false };

    #[test]
    fn the_hello_is_what_every_client_was_seen_to_accept() {
        let bytes = TODAY.hello("UTC", "mock", 0x0807060504030201);
        let golden = "000a436c69636b486f7573651a09c4a90303555443046d6f636b02000102030405060708";
        assert_eq!(hex::encode(bytes), golden);
        let old = Dialect { revision: 54400, compressed: false }.hello("UTC", "mock", 0);
        assert_eq!(hex::encode(old), "000a436c69636b486f7573651a09c4a90303555443046d6f636b");
    }

    #[test]
    fn an_empty_block_ends_a_result() {
        let none = Columns::default();
        let plain = TODAY.block(BlockPacket::Data, &none, None).expect("writes");
        assert_eq!(hex::encode(plain), "0100010002ffffffff000000");
        let framed = Dialect { compressed: true, ..TODAY }.block(BlockPacket::Data, &none, None).expect("writes");
        let golden = "0100a783ac6cd55c7a7cb5ac46bddb86e21482140000000a000000a0010002ffffffff000000";
        assert_eq!(hex::encode(framed), golden);
    }

    #[test]
    fn an_exception_has_code_name_and_text() {
        let error = Error::new(ErrorCode::UNKNOWN_TABLE, "no x");
        let golden = "023c0000000d44423a3a457863657074696f6e1344423a3a457863657074696f6e3a206e6f2078";
        assert_eq!(hex::encode(TODAY.exception(&error, "")), format!("{golden}0000"));
        assert_eq!(hex::encode(TODAY.exception(&error, "0. f")), format!("{golden}04302e206600"));
    }

    #[test]
    fn old_clients_get_fewer_fields_of_progress() {
        let now = ProgressSnapshot { read_rows: 3, read_bytes: 24, total_rows_to_read: 5, ..Default::default() };
        let none = ProgressSnapshot::default();
        assert_eq!(TODAY.progress(&none, &now, 9), [3, 3, 24, 5, 0, 0, 0, 9]);
        assert_eq!(Dialect { revision: 54410, ..TODAY }.progress(&none, &now, 9), [3, 3, 24, 5]);
    }

    #[test]
    fn columns_are_told_with_their_defaults() {
        let mut columns = vec![Column::new("a", SqlType::UInt8), Column::new("b", SqlType::String)];
        columns[1].default = Some((DefaultKind::Default, "'z\tz'".to_string()));
        let text = columns_text(&Columns::new(columns));
        assert_eq!(text, "columns format version: 1\n2 columns:\n`a` UInt8\n`b` String\tDEFAULT\t\\'z\\tz\\'\n");
    }
}
