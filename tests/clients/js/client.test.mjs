// @clickhouse/client against a running server: GRISTMILL_URL says where.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { createClient, ClickHouseError } from '@clickhouse/client'

const url = process.env.GRISTMILL_URL
const clients = [
  ['plain', createClient({ url })],
  ['compressed', createClient({ url, compression: { request: true, response: true } })],
]
after(() => Promise.all(clients.map(([, client]) => client.close())))

const rows = async (client, query, options = {}) =>
  (await client.query({ query, format: 'JSONEachRow', ...options })).json()

for (const [name, client] of clients) {
  test(`${name}: ping`, async () => {
    assert.deepEqual(await client.ping(), { success: true })
  })

  test(`${name}: types make a round trip`, async () => {
    const table = `js_types_${name}`
    await client.command({
      query: `CREATE OR REPLACE TABLE ${table} (i Int64, u UInt8, f Float64, s String, b Bool, d Date, t DateTime('UTC'),
        t3 DateTime64(3, 'UTC'), n Nullable(Int32), a Array(String), m Map(String, UInt32), p Tuple(x Int32, y String),
        l LowCardinality(String), id UUID, dec Decimal(18, 4), e Enum8('a' = 1, 'b' = 2), ip IPv4) ENGINE = MergeTree ORDER BY i`,
    })
    const row = {
      i: '-9007199254740993', u: 255, f: 1.5, s: 'Grüße\n\t"quoted" \\', b: true, d: '2024-02-29', t: '2024-02-29 23:59:59',
      t3: '2024-02-29 23:59:59.123', n: null, a: ['x', ''], m: { k: 7 }, p: { x: -1, y: 'y' }, l: 'low',
      id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0', dec: 12345.6789, e: 'b', ip: '192.168.0.1',
    }
    await client.insert({ table, values: [row], format: 'JSONEachRow' })
    const settings = { output_format_json_quote_64bit_integers: 1, output_format_json_named_tuples_as_objects: 1 }
    assert.deepEqual(await rows(client, `SELECT * FROM ${table}`, { clickhouse_settings: settings }), [row])
    await client.command({ query: `DROP TABLE ${table}` })
  })

  test(`${name}: a million rows go in and come out as streams`, async () => {
    const table = `js_million_${name}`
    await client.command({ query: `CREATE OR REPLACE TABLE ${table} (k UInt32, s String) ENGINE = MergeTree ORDER BY k` })
    const values = Readable.from(
      (function* () {
        for (let k = 0; k < 1_000_000; k++) yield [k, `row ${k}`]
      })(),
      { objectMode: true },
    )
    const inserted = await client.insert({ table, values, format: 'JSONCompactEachRow' })
    assert.equal(inserted.summary?.written_rows, '1000000')
    const result = await client.query({ query: `SELECT k, s FROM ${table} ORDER BY k`, format: 'JSONCompactEachRow' })
    let [count, sum] = [0, 0]
    for await (const batch of result.stream()) {
      for (const row of batch) {
        const [k] = row.json()
        sum += k
        count += 1
      }
    }
    assert.deepEqual([count, sum], [1_000_000, 499_999_500_000])
    await client.command({ query: `DROP TABLE ${table}` })
  })

  test(`${name}: parameters keep their values`, async () => {
    const found = await rows(client, 'SELECT {n:Int32} AS n, {s:String} AS s, {a:Array(String)} AS a, {d:Nullable(String)} AS d', {
      query_params: { n: -5, s: "it's a\ttab", a: ["x'y", 'z'], d: null },
    })
    assert.deepEqual(found, [{ n: -5, s: "it's a\ttab", a: ["x'y", 'z'], d: null }])
  })

  test(`${name}: errors have code and type`, async () => {
    const error = await client.query({ query: 'SELECT * FROM no_such_table' }).catch((error) => error)
    assert.ok(error instanceof ClickHouseError)
    assert.equal(error.code, '60')
    assert.equal(error.type, 'UNKNOWN_TABLE')
    const late = await client.query({
      query: 'SELECT throwIf(number = 3000000) FROM numbers(4000000)',
      format: 'JSONEachRow',
      clickhouse_settings: { http_response_buffer_size: '1000', max_block_size: '10000' },
    })
    await assert.rejects(async () => {
      for await (const _ of late.stream());
    })
  })

  test(`${name}: a query that is given up ends on the server`, async () => {
    const controller = new AbortController()
    const query_id = `js-cancel-${name}-${process.pid}`
    const running = client
      .query({ query: 'SELECT sum(number) FROM numbers(100000000000000)', query_id, abort_signal: controller.signal })
      .catch((error) => error)
    const count = async () =>
      (await rows(client, `SELECT count() AS c FROM system.processes WHERE query_id = '${query_id}'`))[0].c
    for (let tries = 0; (await count()) == 0 && tries < 600; tries++) await new Promise((done) => setTimeout(done, 100))
    controller.abort()
    assert.ok((await running) instanceof Error)
    let tries = 0
    for (; (await count()) != 0 && tries < 600; tries++) await new Promise((done) => setTimeout(done, 100))
    assert.ok(tries < 600, 'the query goes on')
  })
}

test('a session keeps its settings, and users are told apart', async () => {
  const session = createClient({ url, session_id: `js-${process.pid}` })
  await session.command({ query: 'SET max_threads = 3' })
  assert.deepEqual(await rows(session, "SELECT getSetting('max_threads') AS t"), [{ t: 3 }])
  await session.close()
  const wrong = createClient({ url, username: 'default', password: 'wrong' })
  const error = await wrong.query({ query: 'SELECT 1' }).catch((error) => error)
  assert.equal(error.type, 'AUTHENTICATION_FAILED')
  await wrong.close()
})
