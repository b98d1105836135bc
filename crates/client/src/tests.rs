//! The client against servers that say what a test wants them to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::datatypes::UInt32Type;
use bytes::Bytes;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::StatementText;
use gristmill_formats::native::packets::{client, server};
use gristmill_formats::native::{ByteReader, Revision, revision, write_block, write_string, write_varuint};
use gristmill_types::{Columns, SqlType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::packets::{Packet, Words};
use crate::{Client, ClientOptions, Endpoint};

fn hello(announced: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let known = announced.min(revision::CLIENT);
    write_varuint(server::HELLO, &mut out);
    write_string(b"ClickHouse", &mut out);
    [26, 9, announced].iter().for_each(|number| write_varuint(*number, &mut out));
    if known >= revision::SERVER_TIMEZONE {
        write_string(b"Europe/Berlin", &mut out);
    }
    if known >= revision::DISPLAY_NAME {
        write_string(b"mock", &mut out);
    }
    if known >= revision::VERSION_PATCH {
        write_varuint(1, &mut out);
    }
    if known >= revision::PASSWORD_RULES {
        write_varuint(1, &mut out);
        write_string(b".{8}", &mut out);
        write_string(b"be longer", &mut out);
    }
    if known >= revision::INTERSERVER_NONCE {
        out.extend_from_slice(&7u64.to_le_bytes());
    }
    out
}

fn exception(code: i32, message: &str, nested: Option<Vec<u8>>) -> Vec<u8> {
    let mut out = code.to_le_bytes().to_vec();
    for word in ["DB::Exception", &format!("DB::Exception: {message}"), "stack"] {
        write_string(word.as_bytes(), &mut out);
    }
    out.push(u8::from(nested.is_some()));
    out.extend(nested.unwrap_or_default());
    out
}

fn packet(code: u64, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_varuint(code, &mut out);
    [out, body.to_vec()].concat()
}

fn numbers(values: Option<Vec<u32>>) -> Vec<u8> {
    let columns = Columns::of([("n", SqlType::UInt32)]);
    let batch = values.map(|values| {
        let array: ArrayRef = Arc::new(UInt32Array::from(values));
        RecordBatch::try_new(columns.arrow(), vec![array]).expect("fits")
    });
    let mut body = vec![0];
    write_block(&columns, batch.as_ref(), Revision(revision::CLIENT), &mut body).expect("writes");
    packet(server::DATA, &body)
}

/// A server that answers the hello, and each query by the next of the answers.
async fn serving(announced: u64, answers: Vec<Vec<u8>>) -> ClientOptions {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let mut answers = answers.into_iter();
        while let Ok((mut socket, _)) = listener.accept().await {
            if answer_all(&mut socket, announced, &mut answers).await.is_none() {
                return;
            }
        }
    });
    let endpoint = Endpoint { host: "127.0.0.1".into(), port: Some(port), compression: false, ..Endpoint::default() };
    ClientOptions { endpoint, ..ClientOptions::default() }
}

/// `None`: there are no answers left.
async fn answer_all(socket: &mut TcpStream, announced: u64, answers: &mut impl Iterator<Item = Vec<u8>>) -> Option<()> {
    let mut held = vec![0; 1 << 16];
    let _hello = socket.read(&mut held).await.ok()?;
    socket.write_all(&hello(announced)).await.ok()?;
    loop {
        let read = match socket.read(&mut held).await {
            Ok(0) | Err(_) => return Some(()),
            Ok(read) => read,
        };
        let first = held[..read].iter().position(|byte| u64::from(*byte) == client::QUERY);
        if let Some(_query) = first.filter(|_| held[..read].windows(6).any(|text| text == b"SELECT")) {
            socket.write_all(&answers.next()?).await.ok()?;
        }
    }
}

async fn answered(session: &mut Client, text: &str) -> Result<Vec<u32>> {
    let statement = StatementText { text: text.to_string(), inline_data: None };
    let begun = session.begin(&statement, None, &CancellationToken::new()).await?;
    let mut rows = begun.answer().await?.execution.rows;
    let mut all = Vec::new();
    while let Some(batch) = rows.next().await {
        all.extend_from_slice(batch?.column(0).as_primitive::<UInt32Type>().values());
    }
    Ok(all)
}

fn whole(parts: &[Vec<u8>]) -> Vec<u8> {
    parts.concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_from_servers_of_any_age() {
    let answer = || {
        let progress = packet(server::PROGRESS, &[3, 24, 5, 0, 0, 0, 0]);
        let profile = packet(server::PROFILE_INFO, &[3, 1, 24, 1, 9, 1]);
        whole(&[
            numbers(None),
            numbers(Some(vec![1, 2])),
            progress,
            numbers(Some(vec![3])),
            profile,
            vec![server::END_OF_STREAM as u8],
        ])
    };
    // Of newer ones only what both know.
    for announced in [revision::CLIENT, 54493] {
        let mut session = Client::new(serving(announced, vec![answer(), answer()]).await);
        let info = session.connect().await.expect("connects");
        assert_eq!((info.display_name.as_str(), info.version, info.revision), ("mock", (26, 9, 1), revision::CLIENT));
        for _ in 0..2 {
            assert_eq!(answered(&mut session, "SELECT n").await.expect("rows"), [1, 2, 3]);
        }
    }
    let mut session = Client::new(serving(54060, Vec::new()).await);
    assert_eq!(session.connect().await.expect("connects").revision, 54060);
}

#[tokio::test(flavor = "multi_thread")]
async fn exceptions_keep_their_code_and_name_the_server() {
    let inner = exception(36, "the reason", None);
    let failing = packet(server::EXCEPTION, &exception(60, "no x (UNKNOWN_TABLE)", None));
    let nested = packet(server::EXCEPTION, &exception(279, "all failed", Some(inner)));
    let options = serving(revision::CLIENT, vec![failing, nested]).await;
    let address = options.endpoint.address();
    let mut session = Client::new(options);
    let error = answered(&mut session, "SELECT 1").await.expect_err("fails");
    let wanted = format!("Code: 60. DB::Exception: Received from {address}. DB::Exception: no x. (UNKNOWN_TABLE)");
    assert_eq!(error.to_string(), wanted);
    let error = answered(&mut session, "SELECT 1").await.expect_err("fails");
    assert!(error.code() == ErrorCode(279) && error.message().ends_with("all failed: the reason"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn exceptions_come_with_the_servers_stack_where_it_is_wanted() {
    let failing = packet(server::EXCEPTION, &exception(60, "no x (UNKNOWN_TABLE)", None));
    let mut options = serving(revision::CLIENT, vec![failing]).await;
    options.endpoint.shows_stacks = true;
    let error = answered(&mut Client::new(options), "SELECT 1").await.expect_err("fails");
    assert!(error.to_string().ends_with("DB::Exception: no x. Stack trace:\n\nstack. (UNKNOWN_TABLE)"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packet_that_is_none_ends_the_connection_and_the_next_statement_gets_another() {
    let good = || whole(&[numbers(None), numbers(Some(vec![5])), vec![server::END_OF_STREAM as u8]]);
    let other_columns = {
        let columns = Columns::of([("n", SqlType::String)]);
        let array: ArrayRef = Arc::new(arrow::array::BinaryViewArray::from_iter_values([b"x"]));
        let batch = RecordBatch::try_new(columns.arrow(), vec![array]).expect("fits");
        let mut body = vec![0];
        write_block(&columns, Some(&batch), Revision(revision::CLIENT), &mut body).expect("writes");
        whole(&[numbers(None), packet(server::DATA, &body)])
    };
    let answers = vec![packet(99, b""), good(), other_columns, good(), packet(server::PONG, b""), good()];
    let mut session = Client::new(serving(revision::CLIENT, answers).await);
    for _ in 0..3 {
        let error = answered(&mut session, "SELECT 1").await.expect_err("no packet");
        assert_eq!(error.code(), ErrorCode::UNEXPECTED_PACKET_FROM_SERVER, "{error}");
        assert_eq!(answered(&mut session, "SELECT 1").await.expect("rows"), [5]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_be_reached_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("binds").local_addr().expect("an address").port();
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let at = |host: &str, port: u16| Endpoint {
        host: host.to_string(),
        port: Some(port),
        connect_timeout: Duration::from_millis(300),
        receive_timeout: Duration::from_millis(300),
        ..Endpoint::default()
    };
    let silent_port = silent.local_addr().expect("an address").port();
    for (endpoint, code) in [
        (at("127.0.0.1", closed), ErrorCode::NETWORK_ERROR),
        (at("no.such.host.invalid", 9000), ErrorCode::DNS_ERROR),
        (at("127.0.0.1", silent_port), ErrorCode::SOCKET_TIMEOUT),
    ] {
        let mut session = Client::new(ClientOptions { endpoint, ..ClientOptions::default() });
        let error = session.connect().await.expect_err("nobody");
        assert_eq!(error.code(), code, "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_http_is_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a client");
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("writes");
    });
    let endpoint = Endpoint { host: "127.0.0.1".into(), port: Some(port), ..Endpoint::default() };
    let mut session = Client::new(ClientOptions { endpoint, parameters: BTreeMap::new(), ..ClientOptions::default() });
    assert_eq!(session.connect().await.expect_err("HTTP").code(), ErrorCode::CLIENT_HAS_CONNECTED_TO_WRONG_PORT);
}

fn read(bytes: &[u8], compressed: bool, chunk: usize) -> Result<Packet> {
    let chunks: Vec<Result<Bytes>> = bytes.chunks(chunk).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let mut reader = ByteReader::new(futures::stream::iter(chunks));
    let mut words = Words { reader: &mut reader, revision: revision::CLIENT, compressed };
    futures::executor::block_on(words.packet())
}

proptest::proptest! {
    #[test]
    fn any_bytes_give_a_packet_or_an_error(
        code in 0u8..20,
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300),
        compressed: bool,
    ) {
        let _: Result<Packet, Error> = read(&[&[code], &bytes[..]].concat(), compressed, 7);
        let mut reader = ByteReader::new(futures::stream::iter([Ok(Bytes::from([&[0], &bytes[..]].concat()))]));
        let mut words = Words { reader: &mut reader, revision: 0, compressed };
        let _ = futures::executor::block_on(words.hello());
    }

    #[test]
    fn a_packet_that_is_cut_anywhere_is_an_error(values in proptest::collection::vec(proptest::num::u32::ANY, 1..50), cut in 1usize..40) {
        let packet = numbers(Some(values.clone()));
        let Ok(Packet::Data(block)) = read(&packet, false, 3) else { panic!("a block") };
        proptest::prop_assert_eq!(block.arrays[0].as_primitive::<UInt32Type>().values().to_vec(), values);
        proptest::prop_assert!(read(&packet[..packet.len() - cut.min(packet.len() - 1)], false, 5).is_err());
    }
}
