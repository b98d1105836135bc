//! Conversations with a server in this process, byte by byte as clients were seen to speak.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gristmill_engine::{Engine, EngineConfig};
use gristmill_formats::native::{Block, ByteReader, Revision, read_block, write_block, write_string, write_varuint};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Query, Words};
use crate::{Server, ServerConfig, known};
use gristmill_formats::native::revision;

/// The hello of Debian's clickhouse-client 18.16.
pub(crate) const HELLO_2018: &str = "0011436c69636b486f75736520636c69656e7412108ca903000764656661756c7400";

async fn server() -> Server {
    let engine = Engine::open(EngineConfig::default()).await.expect("an engine");
    gristmill_system::register(&engine.databases, &known(&engine)).expect("system tables");
    let config = ServerConfig {
        listen_hosts: vec!["127.0.0.1".to_string()],
        http_port: Some(0),
        tcp_port: Some(0),
        ..ServerConfig::default()
    };
    Server::start(engine, &config).await.expect("a server")
}

pub(crate) fn hello(revision: u64, user: &str) -> Vec<u8> {
    let mut out = vec![0];
    write_string(b"test", &mut out);
    for number in [1, 0, revision] {
        write_varuint(number, &mut out);
    }
    for word in ["default", user, ""] {
        write_string(word.as_bytes(), &mut out);
    }
    // The addendum: a quota key.
    write_string(b"", &mut out);
    out
}

/// A query of revision 54468, and the empty block that follows it.
pub(crate) fn query(text: &str, settings: &[(&str, &str)], parameters: &[(&str, &str)]) -> Vec<u8> {
    let mut out = vec![1];
    write_string(b"", &mut out);
    // Client info: initial query, user, id, address, time, TCP, three words, version, quota, depth, patch, no trace, replicas.
    out.push(1);
    for word in ["", "", "0.0.0.0:0"] {
        write_string(word.as_bytes(), &mut out);
    }
    out.extend_from_slice(&[0; 8]);
    out.push(1);
    for word in ["me", "here", "test"] {
        write_string(word.as_bytes(), &mut out);
    }
    for number in [1, 0, revision::SERVER] {
        write_varuint(number, &mut out);
    }
    write_string(b"", &mut out);
    out.extend_from_slice(&[0, 0, 0, 0, 0, 0]);
    let list = |pairs: &[(&str, &str)], flags: u64, out: &mut Vec<u8>| {
        for (name, value) in pairs {
            write_string(name.as_bytes(), out);
            write_varuint(flags, out);
            write_string(value.as_bytes(), out);
        }
        write_string(b"", out);
    };
    list(settings, 1, &mut out);
    // No secret; the result; not compressed.
    out.extend_from_slice(&[0, 2, 0]);
    write_string(text.as_bytes(), &mut out);
    list(parameters, 2, &mut out);
    out.extend_from_slice(&data(&Columns::default(), None));
    out
}

fn data(columns: &Columns, batch: Option<&arrow::array::RecordBatch>) -> Vec<u8> {
    let mut out = vec![2];
    write_string(b"", &mut out);
    write_block(columns, batch, Revision(revision::SERVER), &mut out).expect("writes");
    out
}

/// A client that knows just enough.
struct Client {
    reader: ByteReader<futures::stream::BoxStream<'static, gristmill_base::Result<Bytes>>>,
    write: tokio::net::tcp::OwnedWriteHalf,
}

#[derive(Debug)]
enum Packet {
    Block(u64, Block),
    Exception(i32, String),
    Other(u64),
}

impl Client {
    async fn connect(server: &Server, hello: &[u8]) -> Client {
        let socket = TcpStream::connect(server.tcp_addresses[0]).await.expect("connects");
        let (read, mut write) = socket.into_split();
        write.write_all(hello).await.expect("sends");
        let chunks = futures::stream::unfold(read, |mut read| async move {
            let mut chunk = bytes::BytesMut::with_capacity(1 << 16);
            match read.read_buf(&mut chunk).await {
                Ok(1..) => Some((Ok(chunk.freeze()), read)),
                _ => None,
            }
        });
        Client { reader: ByteReader::new(Box::pin(chunks)), write }
    }

    async fn greeted(server: &Server) -> Client {
        let mut client = Client::connect(server, &hello(revision::SERVER, "")).await;
        let reader = &mut client.reader;
        assert_eq!(reader.varuint().await.expect("a packet"), 0);
        assert_eq!(reader.string(100).await.expect("a name"), "ClickHouse");
        for _ in 0..3 {
            reader.varuint().await.expect("a number");
        }
        reader.string(100).await.expect("a zone");
        reader.string(100).await.expect("a name");
        for _ in 0..2 {
            reader.varuint().await.expect("a number");
        }
        reader.u64().await.expect("a nonce");
        client
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.expect("sends");
    }

    async fn next(&mut self) -> Option<Packet> {
        let reader = &mut self.reader;
        if reader.at_end().await.expect("reads") {
            return None;
        }
        let code = reader.varuint().await.expect("a code");
        let numbers = |count| (code, count);
        let (code, count) = match code {
            1 | 7 | 8 | 10 | 14 => {
                reader.string(100).await.expect("a name");
                let block = read_block(reader, Revision(revision::SERVER)).await.expect("reads").expect("a block");
                return Some(Packet::Block(code, block));
            }
            2 => {
                let number = reader.i32().await.expect("a code");
                let (_, text) = (reader.string(100).await.expect("a name"), reader.string(10_000).await.expect("a text"));
                reader.string(1 << 20).await.expect("a trace");
                reader.byte().await.expect("nothing nested");
                return Some(Packet::Exception(number, text));
            }
            3 => numbers(7),
            6 => numbers(6),
            11 => {
                reader.string(100).await.expect("a name");
                reader.string(10_000).await.expect("columns");
                numbers(0)
            }
            4 | 5 => numbers(0),
            other => panic!("packet {other}"),
        };
        for _ in 0..count {
            reader.varuint().await.expect("a number");
        }
        Some(Packet::Other(code))
    }

    /// Packets up to the end of the query, without progress.
    async fn answer(&mut self) -> Vec<Packet> {
        let mut packets = Vec::new();
        loop {
            let packet =
                tokio::time::timeout(Duration::from_secs(60), self.next()).await.expect("in time").expect("a packet");
            let ends = matches!(packet, Packet::Exception(..) | Packet::Other(5));
            if !matches!(packet, Packet::Other(3)) {
                packets.push(packet);
            }
            if ends {
                return packets;
            }
        }
    }

    /// The codes of the answer, and the rows of its blocks.
    async fn ask(&mut self, text: &str) -> (Vec<u64>, usize) {
        self.send(&query(text, &[], &[])).await;
        let answer = self.answer().await;
        let rows = answer.iter().map(|packet| match packet {
            Packet::Block(1, block) => block.rows,
            _ => 0,
        });
        let rows = rows.sum();
        let codes = answer.iter().map(|packet| match packet {
            Packet::Block(code, _) | Packet::Other(code) => *code,
            Packet::Exception(code, text) => panic!("{code}: {text}"),
        });
        (codes.collect(), rows)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_2018_is_greeted_in_its_own_words() {
    let server = server().await;
    let mut client = Client::connect(&server, &hex::decode(HELLO_2018).expect("hex")).await;
    let mut greeting = Vec::new();
    while greeting.len() < 12 {
        greeting.push(client.reader.byte().await.expect("a byte"));
    }
    assert_eq!(&greeting[..12], b"\0\nClickHouse");
    for _ in 0..3 {
        client.reader.varuint().await.expect("a number");
    }
    client.reader.string(100).await.expect("a zone");
    client.reader.string(100).await.expect("a name");
    client.reader.varuint().await.expect("a patch");
    client.send(&[4]).await;
    assert!(matches!(client.next().await, Some(Packet::Other(4))), "nothing stands between hello and pong");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_has_a_header_rows_and_an_end() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    // Events come while a query runs as well, on a slow machine, and behind what it read in any case.
    let told = |codes: Vec<u64>| {
        assert!(codes.windows(2).any(|pair| pair == [6, 14]), "{codes:?}");
        codes.into_iter().filter(|code| *code != 14).collect::<Vec<_>>()
    };
    let (codes, rows) = client.ask("SELECT number, toString(number) AS s FROM numbers(3)").await;
    assert_eq!((told(codes), rows), (vec![1, 1, 6, 1, 5], 3));
    let (codes, rows) = client.ask("SELECT 1 WHERE 0").await;
    assert_eq!((told(codes), rows), (vec![1, 6, 1, 5], 0));
    let (codes, _) = client.ask("SELECT number % 2 AS k, count() FROM numbers(5) GROUP BY k WITH TOTALS").await;
    assert!(codes.contains(&7), "{codes:?}");
    client.send(&[4]).await;
    assert!(matches!(client.next().await, Some(Packet::Other(4))));
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_inserted_as_blocks() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    client.ask("CREATE TABLE t (a Int32, b String DEFAULT 'x', c Int32 MATERIALIZED a + 1) ENGINE = Memory").await;
    client.send(&query("INSERT INTO t (b, a) VALUES", &[], &[])).await;
    assert!(matches!(client.next().await, Some(Packet::Other(11))));
    let Some(Packet::Block(1, sample)) = client.next().await else { panic!("no sample") };
    assert_eq!((sample.columns.structure().as_str(), sample.rows), ("b String, a Int32", 0));
    // Other names' order and another width than the table's.
    let columns = Columns::of([("a", SqlType::UInt8), ("b", SqlType::String)]);
    let arrays: Vec<arrow::array::ArrayRef> = vec![
        Arc::new(arrow::array::UInt8Array::from(vec![1, 2])),
        Arc::new(arrow::array::BinaryViewArray::from_iter_values([b"one", b"two"])),
    ];
    let batch = arrow::array::RecordBatch::try_new(columns.arrow(), arrays).expect("a batch");
    client.send(&data(&columns, Some(&batch))).await;
    client.send(&data(&Columns::default(), None)).await;
    let answer = client.answer().await;
    let told = answer.iter().filter(|packet| matches!(packet, Packet::Block(14, _))).count();
    assert!(told >= 2, "one packet of events a block: {answer:?}");
    let (_, rows) = client.ask("SELECT * FROM t WHERE a = 2 AND b = 'two' AND c = 3").await;
    assert_eq!(rows, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_have_the_columns_that_were_asked_for() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    client.ask("CREATE TABLE t (a Int32, b Int32) ENGINE = Memory").await;
    for (names, code) in [(["a", "zz"], 16), (["a", "a"], 15)] {
        client.send(&query("INSERT INTO t VALUES", &[], &[])).await;
        while !matches!(client.next().await, Some(Packet::Block(1, _))) {}
        let columns = Columns::of(names.map(|name| (name, SqlType::Int32)));
        let array: arrow::array::ArrayRef = Arc::new(arrow::array::Int32Array::from(vec![1]));
        let batch = arrow::array::RecordBatch::try_new(columns.arrow(), vec![array.clone(), array]).expect("a batch");
        client.send(&data(&columns, Some(&batch))).await;
        client.send(&data(&Columns::default(), None)).await;
        let Some(Packet::Exception(found, text)) = client.answer().await.pop() else { panic!("no error: {names:?}") };
        assert_eq!(found, code, "{text}");
    }
    assert_eq!(client.ask("SELECT * FROM t").await.1, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_that_ends_without_its_end_inserts_nothing() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    client.ask("CREATE TABLE t (a UInt8) ENGINE = Memory").await;
    let columns = Columns::of([("a", SqlType::UInt8)]);
    let batch =
        arrow::array::RecordBatch::try_new(columns.arrow(), vec![Arc::new(arrow::array::UInt8Array::from(vec![1; 1000]))]);
    client.send(&query("INSERT INTO t FORMAT Native", &[], &[])).await;
    while !matches!(client.next().await, Some(Packet::Block(1, _))) {}
    client.send(&data(&columns, Some(&batch.expect("a batch")))).await;
    drop(client);
    let mut other = Client::greeted(&server).await;
    for _ in 0..20 {
        assert_eq!(other.ask("SELECT * FROM t").await.1, 0);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_told_and_the_connection_goes_on() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    for (text, settings, code) in [
        ("SELECT * FROM nowhere", vec![], 60),
        ("SELECT (", vec![], 62),
        ("SELECT throwIf(number = 100000) FROM numbers(1000000)", vec![], 395),
        ("SELECT 1", vec![("no_such_setting", "1")], 115),
        ("SELECT sleep(3) FROM numbers(10)", vec![("max_execution_time", "0.2")], 159),
    ] {
        client.send(&query(text, &settings, &[])).await;
        let Some(Packet::Exception(found, told)) = client.answer().await.pop() else { panic!("no error: {text}") };
        assert_eq!(found, code, "{text}: {told}");
        assert!(told.starts_with("DB::Exception: "), "{told}");
    }
    assert_eq!(client.ask("SELECT 1").await.1, 1);
    // An INSERT whose rows do not fit is heard to its end.
    client.ask("CREATE TABLE t (a UInt8) ENGINE = Memory").await;
    client.send(&query("INSERT INTO t VALUES", &[], &[])).await;
    while !matches!(client.next().await, Some(Packet::Block(1, _))) {}
    let columns = Columns::of([("a", SqlType::String)]);
    let array = arrow::array::BinaryViewArray::from_iter_values([b"no number"]);
    let batch = arrow::array::RecordBatch::try_new(columns.arrow(), vec![Arc::new(array)]).expect("a batch");
    for _ in 0..3 {
        client.send(&data(&columns, Some(&batch))).await;
    }
    client.send(&data(&Columns::default(), None)).await;
    assert!(matches!(client.answer().await.pop(), Some(Packet::Exception(..))));
    let (codes, rows) = client.ask("SELECT 1").await;
    let codes: Vec<u64> = codes.into_iter().filter(|code| *code != 14).collect();
    assert_eq!((codes, rows), (vec![1, 1, 6, 1, 5], 1), "nothing of the INSERT comes behind its error");
}

#[tokio::test(flavor = "multi_thread")]
async fn set_and_use_last_and_settings_of_a_query_do_not() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    client.ask("CREATE DATABASE other").await;
    client.ask("USE other").await;
    client.ask("SET max_block_size = 77").await;
    client.send(&query("SELECT 1", &[("max_result_rows", "3")], &[])).await;
    client.answer().await;
    let asked = "SELECT 1 WHERE currentDatabase() = 'other' AND getSetting('max_block_size') = 77 AND getSetting('max_result_rows') = 0";
    assert_eq!(client.ask(asked).await.1, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_come_quoted() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    let text = "SELECT 1 WHERE {a:UInt8} = 5 AND {s:String} = 'it\\'s' AND {l:Array(String)} = ['x', 'it\\'s']";
    client.send(&query(text, &[], &[("a", "'5'"), ("s", "'it\\'s'"), ("l", "'[\\'x\\',\\'it\\\\\\'s\\']'")])).await;
    let rows: usize = client
        .answer()
        .await
        .iter()
        .map(|packet| match packet {
            Packet::Block(1, block) => block.rows,
            Packet::Exception(_, text) => panic!("{text}"),
            _ => 0,
        })
        .sum();
    assert_eq!(rows, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_cancelled() {
    let server = server().await;
    let mut client = Client::greeted(&server).await;
    client.send(&query("SELECT number FROM system.numbers", &[], &[])).await;
    assert!(matches!(client.next().await, Some(Packet::Block(1, _))));
    client.send(&[3]).await;
    assert!(matches!(client.answer().await.pop(), Some(Packet::Other(5))));
    assert_eq!(client.ask("SELECT 1").await.1, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_come_in_is_told_so() {
    let server = server().await;
    let mut client = Client::connect(&server, &hello(revision::SERVER, "mallory")).await;
    assert!(matches!(client.next().await, Some(Packet::Exception(516, _))));
    assert!(client.next().await.is_none(), "the connection is closed");
    let mut wrong_port = TcpStream::connect(server.tcp_addresses[0]).await.expect("connects");
    wrong_port.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("sends");
    let mut text = String::new();
    wrong_port.read_to_string(&mut text).await.expect("reads");
    assert!(text.starts_with("HTTP/1.0 400"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_packets_get_an_error_and_a_closed_connection() {
    let server = server().await;
    for bytes in [vec![99], vec![1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], vec![7, 7, 7], [vec![2], vec![0xff; 100]].concat()]
    {
        let mut client = Client::greeted(&server).await;
        client.send(&bytes).await;
        let _ = client.write.shutdown().await;
        assert!(matches!(client.next().await, Some(Packet::Exception(..))), "{bytes:?}");
        assert!(client.next().await.is_none(), "{bytes:?}");
    }
}

fn parsed(bytes: &[u8], chunk: usize) -> gristmill_base::Result<Query> {
    let chunks: Vec<_> = bytes.chunks(chunk).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let mut reader = ByteReader::new(futures::stream::iter(chunks));
    futures::executor::block_on(async move {
        let mut words = Words { reader: &mut reader, revision: revision::SERVER };
        let query = words.query().await?;
        words.reader.byte().await?;
        words.data(query.compressed).await?;
        Ok(query)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_packets_never_panic(
        at in any::<prop::sample::Index>(), byte in any::<u8>(), put_in in prop::collection::vec(any::<u8>(), 0..9),
        cut in any::<prop::sample::Index>(), chunk in 1..50usize,
    ) {
        let mut bytes = query("SELECT {a:UInt8}", &[("max_threads", "2")], &[("a", "'1'")])[1..].to_vec();
        prop_assert_eq!(parsed(&bytes, chunk).expect("a query").text, "SELECT {a:UInt8}");
        let place = at.index(bytes.len());
        bytes[place] = byte;
        bytes.splice(place..place, put_in);
        bytes.truncate(cut.index(bytes.len() + 1).max(bytes.len() / 2));
        let _ = parsed(&bytes, chunk);
    }
}
