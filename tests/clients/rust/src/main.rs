//! The crate `clickhouse` against the server whose URL is the argument: rows, parameters, errors, what is given up.

use std::time::Duration;

use clickhouse::{Client, Compression, Row};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Row, Serialize, Deserialize)]
struct Sale {
    id: u32,
    name: String,
    price: Option<f64>,
    tags: Vec<String>,
    pair: (i8, String),
}

#[derive(Row, Serialize, Deserialize)]
struct Numbered {
    k: u32,
    s: String,
}

async fn types(client: &Client, name: &str) {
    let table = format!("rust_types_{name}");
    let create = format!(
        "CREATE OR REPLACE TABLE {table} (id UInt32, name String, price Nullable(Float64), tags Array(String), \
         pair Tuple(Int8, String)) ENGINE = MergeTree ORDER BY id"
    );
    client.query(&create).execute().await.expect("creates");
    let rows = [
        Sale { id: 1, name: "Grüße\t\\".into(), price: Some(1.5), tags: vec!["a".into(), String::new()], pair: (-1, "x".into()) },
        Sale { id: 2, name: String::new(), price: None, tags: vec![], pair: (127, String::new()) },
    ];
    let mut insert = client.insert::<Sale>(&table).await.expect("an insert");
    for row in &rows {
        insert.write(row).await.expect("writes");
    }
    insert.end().await.expect("ends");
    let found = client.query(&format!("SELECT ?fields FROM {table} ORDER BY id")).fetch_all::<Sale>().await.expect("rows");
    assert_eq!(found, rows);
    client.query(&format!("DROP TABLE {table}")).execute().await.expect("drops");
}

async fn a_million(client: &Client, name: &str) {
    let table = format!("rust_million_{name}");
    let create = format!("CREATE OR REPLACE TABLE {table} (k UInt32, s String) ENGINE = MergeTree ORDER BY k");
    client.query(&create).execute().await.expect("creates");
    let mut insert = client.insert::<Numbered>(&table).await.expect("an insert");
    for k in 0..1_000_000 {
        insert.write(&Numbered { k, s: format!("row {k}") }).await.expect("writes");
    }
    insert.end().await.expect("ends");
    let mut cursor = client.query(&format!("SELECT ?fields FROM {table} ORDER BY k")).fetch::<Numbered>().expect("rows");
    let (mut count, mut sum) = (0_u64, 0_u64);
    while let Some(row) = cursor.next().await.expect("a row") {
        assert_eq!(row.s, format!("row {}", row.k));
        count += 1;
        sum += u64::from(row.k);
    }
    assert_eq!((count, sum), (1_000_000, 499_999_500_000));
    client.query(&format!("DROP TABLE {table}")).execute().await.expect("drops");
}

async fn parameters_and_errors(client: &Client) {
    let query = client.query("SELECT {n:Int32} + ?, {s:String}").param("n", -5).param("s", "it's a\ttab").bind(7);
    assert_eq!(query.fetch_one::<(i64, String)>().await.expect("a row"), (2, "it's a\ttab".to_string()));
    let error = client.query("SELECT * FROM no_such_table").execute().await.expect_err("no table");
    assert!(error.to_string().contains("UNKNOWN_TABLE"), "{error}");
    let late = client
        .clone()
        .with_setting("http_response_buffer_size", "1000")
        .query("SELECT throwIf(number = 3000000), number FROM numbers(4000000)")
        .fetch_all::<(u8, u64)>()
        .await;
    assert!(late.is_err(), "an error in the middle of a result");
}

async fn given_up(client: &Client, name: &str) {
    let id = format!("rust-cancel-{name}");
    let counts = |wanted: u64| {
        let (client, id) = (client.clone(), id.clone());
        async move {
            for _ in 0..600 {
                let count = client.query("SELECT count() FROM system.processes WHERE query_id = ?").bind(&id);
                if count.fetch_one::<u64>().await.expect("a count") == wanted {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            panic!("the query does not come to {wanted}");
        }
    };
    let client_of_query = client.clone().with_setting("query_id", &id);
    let running =
        tokio::spawn(async move { client_of_query.query("SELECT sum(number) FROM numbers(100000000000000)").fetch_one::<u64>().await });
    counts(1).await;
    running.abort();
    counts(0).await;
}

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).expect("the URL of a server");
    for (name, compression) in [("plain", Compression::None), ("lz4", Compression::Lz4)] {
        let client = Client::default().with_url(&url).with_compression(compression);
        types(&client, name).await;
        a_million(&client, name).await;
        parameters_and_errors(&client).await;
        given_up(&client, name).await;
        println!("{name}: ok");
    }
}
