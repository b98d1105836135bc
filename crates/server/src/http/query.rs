//! A query over HTTP: from its request to the last byte of its answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use gristmill_access::Identity;
use gristmill_access::control::Credentials;
use gristmill_access::entity::Chosen;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::engine::{timezone, timezone_name};
use gristmill_engine::{Brought, Execution, ExternalTable, InputData, Session, StatementText};
use gristmill_formats::extremes::Extremes;
use gristmill_formats::{Format, OutputContext, OutputFormat, ResultSummary, Told, writer};
use gristmill_introspect::query_lines::{self, LinesHeard, QueryLine};
use gristmill_introspect::{Client, QueryContext, custom, processes};
use gristmill_types::Columns;
use hyper::Method;
use hyper::body::Incoming;
use hyper::http::request::Parts;

use super::ahead::Ahead;
use super::answer::Responder;
use super::external;
use super::framing::Framer;
use super::handlers::{Handler, Rule, Taking};
use super::head::Head;
use super::input::{self, Rest, Taken};
use super::lines;
use super::outgoing::{Holding, Outgoing, Wrapping};
use super::request::{self, Parameters, header};
use super::response_headers;
use super::sessions::Held;
use crate::core::{Before, Core, Place};
use crate::known_settings;
use crate::metered::Meter;
use crate::sessions_log::CameIn;
use crate::user_sessions::Open;

/// Bytes of an answer that wait for an error, unless the client says how many.
const BUFFER_BYTES: u64 = 1 << 20;
/// How often a query is asked whether it is over its time.
const TICK: Duration = Duration::from_millis(100);

/// A request and where its answer goes.
pub struct Exchange {
    pub core: Arc<Core>,
    pub parts: Parts,
    pub body: Incoming,
    pub peer: Peer,
    pub responder: Responder,
    /// The rule of the configuration that brought it here.
    pub rule: Option<Arc<Rule>>,
}

/// Who sends a request.
#[derive(Clone, Copy)]
pub struct Peer {
    pub address: SocketAddr,
    /// The number of its connection.
    pub connection: u64,
    /// It came by TLS.
    pub is_secure: bool,
}

/// What was found out of a request before its statement runs.
struct Ready {
    session: Session,
    /// The session that the client named, and its place among the user's.
    named: Option<Held>,
    _open: Option<Open>,
    _came_in: CameIn,
    taken: Taken,
    external: Vec<ExternalTable>,
    default_format: Option<String>,
    _place: Place,
}

/// How a statement ended.
struct Answered {
    /// The last bytes of its result.
    last: Vec<u8>,
    /// The error that they tell of, where the format has a place for it and the client wants it there.
    error: Option<Error>,
}

/// How the answer of a request is to be.
struct Wishes {
    wrapping: Wrapping,
    holding: Holding,
}

pub async fn run(exchange: Exchange) {
    let Exchange { core, parts, body, peer, responder, rule } = exchange;
    let env = &core.engine.env;
    let (taking, configured) = match rule.as_deref().map(|rule| &rule.handler) {
        Some(Handler::Query { taking, credentials }) => (taking.clone(), credentials.clone()),
        _ => (Taking::default(), None),
    };
    let mut parameters = Parameters::taken(parts.uri.query(), taking);
    if let Some(rule) = &rule {
        parameters.of_query.extend(rule.captured(&parts));
    }
    let id = parameters.get("query_id").or(header(&parts, "x-clickhouse-query-id")).filter(|id| !id.is_empty());
    let mut head = Head {
        query_id: id.map_or_else(|| env.uuid().to_string(), str::to_string),
        display_name: core.display_name.clone(),
        keep_alive: core.keep_alive,
        timezone: timezone_name(&gristmill_introspect::Settings::default()),
        tag: format!("{:016x}", env.random_u64()),
        ahead: parts.extensions.get::<Ahead>().cloned(),
        configured: rule.map(|rule| rule.response_headers.clone()).unwrap_or_default(),
        ..Head::default()
    };
    let mut wishes = Wishes { wrapping: Wrapping::default(), holding: Holding::Briefly(BUFFER_BYTES as usize) };
    let rest = Rest::waiting(core.settings.http_receive_longest());
    let credentials = request::credentials(&parts, &parameters, configured, peer.address.ip());
    let ready = match credentials {
        Ok(given) => prepare(&core, &parts, (body, &rest), (peer, given), &mut parameters, &mut head, &mut wishes).await,
        Err(error) => Err(error),
    };
    head.codec = wishes.wrapping.codec;
    let folder = core.engine.data_path.join("tmp");
    let meter = parts.extensions.get::<Arc<Meter>>().cloned().unwrap_or_default();
    if let Ok(ready) = &ready {
        meter.wait(ready.session.settings.http_send_longest());
    }
    let mut outgoing = Outgoing::new(responder, wishes.wrapping, wishes.holding, folder, (meter, rest.received.clone()));
    let mut context = None;
    let answered = match ready {
        Ok(ready) => answer(ready, &mut head, &mut outgoing, &mut context).await,
        Err(error) => Err(error),
    };
    let finished = match answered {
        Ok(Answered { last, error: None }) => {
            let Some(context) = &context else { return };
            outgoing.finish(&last, || head.success(context)).await
        }
        Ok(Answered { last, error: Some(error) }) => {
            tracing::debug!("Query {} from {}: {error}", head.query_id, peer.address);
            head.closes = !rest.drain().await;
            outgoing.finish(&last, || head.failure_in_format(&error, context.as_deref())).await
        }
        Err(error) => {
            tracing::debug!("Query {} from {}: {error}", head.query_id, peer.address);
            let text = head.error_text(&error);
            let tag = head.tag.clone();
            head.closes = !rest.drain().await;
            outgoing.fail(&error, &text, &tag, || head.failure(&error, context.as_deref())).await;
            return;
        }
    };
    if let Err(error) = finished {
        tracing::debug!("Query {} from {}: its answer was not sent to its end: {error}", head.query_id, peer.address);
    }
}

async fn prepare(
    core: &Arc<Core>,
    parts: &Parts,
    (body, rest): (Incoming, &Rest),
    (peer, credentials): (Peer, Credentials),
    parameters: &mut Parameters,
    head: &mut Head,
    wishes: &mut Wishes,
) -> Result<Ready> {
    core.check_open()?;
    let session_id = parameters.get("session_id").unwrap_or_default().to_string();
    let mut client = request::client(parts, peer);
    if let Some(key) = parameters.get("quota_key") {
        client.quota_key = key.to_string();
    }
    let is_nobody = credentials.user.is_empty() && credentials.password.is_empty();
    let asking = Arc::new(client.clone());
    let (identity, came_in) = core.come_in(credentials, &session_id, client).await.map_err(|error| match error.code() {
        // A browser asks for a name and a password then.
        ErrorCode::AUTHENTICATION_FAILED if is_nobody => Error::new(ErrorCode::REQUIRED_PASSWORD, error.message()),
        _ => error,
    })?;
    // Strangers are not told how the server is built.
    head.stacktrace = parameters.flag("stacktrace")? && core.http_stacktrace;
    has_length(parts)?;
    // Before the body, which takes memory.
    let place = core.admission.enter();
    let codec = request::content_encoding(parts)?;
    let boundary = external::boundary(header(parts, "content-type"));
    let mut data: Option<InputData> = None;
    let mut form = Vec::new();
    match boundary {
        Some(boundary) => {
            place.as_ref().map_err(Error::clone)?;
            rest.wait(form_longest(core, parameters, &identity)?);
            // A form comes as it is, whatever Content-Encoding says: so ClickHouse reads it, and clients rely on it.
            form = external::read_form(input::raw(body, rest), boundary, parameters).await?;
        }
        None => data = Some(input::body(body, rest, codec, parameters.flag("decompress")?)),
    }
    if parameters.wants_body() {
        place.as_ref().map_err(Error::clone)?;
        let body = data.replace(futures::stream::empty().boxed());
        parameters.take_body(&input::whole(body.unwrap_or_else(|| futures::stream::empty().boxed())).await?);
    }
    let (session, named) = session(core, parts, parameters, &identity)?;
    let settings = &session.settings;
    rest.wait(settings.http_receive_longest());
    let open =
        named.as_ref().map(|_| core.user_sessions.open(&identity.user, settings.max_sessions_for_user)).transpose()?;
    head.timezone = timezone_name(settings);
    head.cors = settings.add_http_cors_header && header(parts, "origin").is_some();
    wishes.wrapping.framed = parameters.flag("compress")?;
    if settings.enable_http_compression {
        wishes.wrapping.codec = request::accepted_encoding(parts);
        wishes.wrapping.level = settings.http_zlib_compression_level.clamp(0, 9) as i32;
    }
    wishes.holding = holding(parameters, &session)?;
    let external = external::tables(form, parameters, settings)?;
    let longest = Duration::from_millis(settings.queue_max_wait_ms);
    let query = parameters.query.as_deref().unwrap_or_default();
    let taken = input::take(query, data.unwrap_or_else(|| futures::stream::empty().boxed())).await?;
    let place = core.admission.or_wait(place, &taken.statement.text, longest).await?;
    let default_format = header(parts, "x-clickhouse-format").or(parameters.get("default_format"));
    let default_format = default_format.filter(|name| !name.is_empty()).map(str::to_string);
    let mut session = session;
    session.query_id.clone_from(&head.query_id);
    session.client = asking;
    Ok(Ready { session, named, _open: open, _came_in: came_in, taken, external, default_format, _place: place })
}

/// How long the next piece of a form is waited for, which may bring settings itself.
fn form_longest(core: &Arc<Core>, parameters: &Parameters, identity: &Identity) -> Result<Duration> {
    let mut settings = core.session(identity)?.settings;
    for (name, value) in parameters.settings.iter().filter(|(name, _)| name == "http_receive_timeout") {
        known_settings::set(&mut settings, name, value)?;
    }
    Ok(settings.http_receive_longest())
}

/// HTTP says how long a body is, or that it comes in chunks.
fn has_length(parts: &Parts) -> Result<()> {
    let told = ["content-length", "transfer-encoding"].iter().any(|name| parts.headers.contains_key(*name));
    if parts.method == Method::POST && !told {
        return Err(Error::new(
            ErrorCode::HTTP_LENGTH_REQUIRED,
            "A POST without length: send Content-Length, or Transfer-Encoding: chunked",
        ));
    }
    Ok(())
}

/// The session of a request, as it is for its statement, and the one that the client named.
fn session(
    core: &Arc<Core>,
    parts: &Parts,
    parameters: &Parameters,
    identity: &Identity,
) -> Result<(Session, Option<Held>)> {
    let named = parameters
        .session()?
        .map(|request| core.sessions.take(&identity.user, &request, || core.session(identity)))
        .transpose()?;
    let mut session = named.as_ref().map_or_else(|| core.session(identity), |held| Ok(held.session.clone()))?;
    let database = header(parts, "x-clickhouse-database").or(parameters.get("database"));
    if let Some(database) = database.filter(|name| !name.is_empty()) {
        session.check_database(database)?;
        session.database = database.to_string();
    }
    if !parameters.roles.is_empty() {
        session.set_roles(Some(Chosen::These(parameters.roles.clone())))?;
    }
    // Whoever follows a link must not change anything.
    if parts.method != Method::POST && session.settings.readonly == 0 {
        session.settings.readonly = 2;
    }
    for (name, value) in &parameters.settings {
        // In a URL any text is a value.
        let text = || custom::Value::Text(value.clone()).text();
        let value = if custom::is_custom(name) { text() } else { value.clone() };
        known_settings::set_of_session(&mut session, name, &value)?;
    }
    for (name, value) in &parameters.of_query {
        session.parameters.insert(name.clone(), value.clone());
    }
    Ok((session, named))
}

fn holding(parameters: &Parameters, session: &Session) -> Result<Holding> {
    let settings = &session.settings;
    let waits = match parameters.get("wait_end_of_query") {
        Some(_) => parameters.flag("wait_end_of_query")?,
        None => settings.http_wait_end_of_query,
    };
    if waits {
        return Ok(Holding::All);
    }
    let asked = match parameters.get("buffer_size") {
        Some(text) => text.parse().map_err(|_| {
            Error::new(ErrorCode::BAD_ARGUMENTS, format!("Parameter buffer_size is '{text}': give a number of bytes"))
        })?,
        None => settings.http_response_buffer_size,
    };
    // What waits for an error waits in memory.
    Ok(match asked {
        0 => Holding::Briefly(BUFFER_BYTES as usize),
        bytes => Holding::Bytes(bytes.min(16 * BUFFER_BYTES) as usize),
    })
}

/// Runs the statement and sends its result; gives the last bytes of it.
async fn answer(
    ready: Ready,
    head: &mut Head,
    outgoing: &mut Outgoing,
    told: &mut Option<Arc<QueryContext>>,
) -> Result<Answered> {
    let Ready { mut session, mut named, taken, external, default_format, _place, _open, _came_in } = ready;
    let before = Before::of(&session);
    let brought = Brought { external, refuses_outfile: true, ..Brought::default() };
    let (lines_told, mut lines) = query_lines::queue();
    session.client = Arc::new(Client { lines: Some(lines_told), ..Client::clone(&session.client) });
    let (user, tells) = (session.user.clone(), session.settings.send_progress_in_http_headers);
    let begins = session.execute_with(&taken.statement, taken.data, brought);
    let begun = if tells { told_until_begun(begins, &user, head).await } else { begins.await };
    let execution = match begun {
        Ok(execution) => execution,
        Err(error) => {
            head.lines.note_rest(&mut lines);
            return failed_before(&session, &taken.statement, default_format, head, error);
        }
    };
    *told = Some(execution.context.clone());
    outgoing.begins(&execution.context);
    let answered = result(execution, default_format, head, outgoing, &mut lines).await;
    head.lines.note_rest(&mut lines);
    let answered = answered?;
    if let Some(named) = &mut named
        && answered.error.is_none()
    {
        before.repeat(&session, &mut named.session);
    }
    Ok(answered)
}

/// Waits for a statement to begin. Some do all of their work before: how far they are is told meanwhile.
async fn told_until_begun(
    begins: impl Future<Output = Result<Execution>>,
    user: &str,
    head: &mut Head,
) -> Result<Execution> {
    tokio::pin!(begins);
    let mut ticker = tokio::time::interval(TICK);
    ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            begun = begins.as_mut() => return begun,
            _ = ticker.tick() => {
                let running = processes::snapshot();
                if let Some(own) = running.iter().find(|query| query.query_id == head.query_id && &*query.user == user) {
                    head.tell_progress(own);
                }
            }
        }
    }
}

/// The answer to a statement that failed before its columns were known: in the format of its result, where the client wants that
/// and the format has a place for errors. Else the error itself.
fn failed_before(
    session: &Session,
    statement: &StatementText,
    default_format: Option<String>,
    head: &mut Head,
    error: Error,
) -> Result<Answered> {
    let (settings, format) = session.shown(statement);
    let named = format.or(default_format).and_then(|name| Format::by_name(&name).ok());
    let named = named.filter(|_| settings.http_write_exception_in_output_format);
    let Ok(zone) = timezone(&settings) else { return Err(error) };
    let output = OutputContext { settings: Arc::new(settings), timezone: zone, terminal: false, width: None };
    if let Ok(Some(framer)) = Framer::of(&output.settings, &output, &head.display_name) {
        head.framing = Some(framer.content_type());
        return Ok(Answered { last: framer.failed(&head.error_text(&error)), error: Some(error) });
    }
    let Some(format) = named else { return Err(error) };
    let Ok(mut formatted) = writer(format, &Columns::default(), output) else { return Err(error) };
    let mut last = Vec::new();
    formatted.start(&mut last)?;
    if !formatted.fail(&ResultSummary::default(), &head.error_text(&error), &mut last)? {
        return Err(error);
    }
    head.format = Some(format);
    Ok(Answered { last, error: Some(error) })
}

/// How far a query is, for formats that tell it.
fn told(context: &QueryContext) -> Told {
    let progress = context.progress.snapshot();
    Told {
        read_rows: progress.read_rows,
        read_bytes: progress.read_bytes,
        total_rows_to_read: progress.total_rows_to_read,
        elapsed_ns: context.elapsed().as_nanos() as u64,
    }
}

/// Where what is told beside the rows goes.
struct Beside<'a> {
    context: &'a QueryContext,
    framer: &'a mut Option<Framer>,
    head: &'a mut Head,
}

impl Beside<'_> {
    /// A line of the query's log: into a packet, or into the result where its format has a place for it, else into the head.
    fn tell(
        &mut self,
        line: &QueryLine,
        formatted: Option<&mut (dyn OutputFormat + 'static)>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(framer) = self.framer.as_mut() {
            return framer.line(&self.context.query_id, line);
        }
        if !formatted.is_some_and(|formatted| formatted.log(&lines::object(line), out)) {
            self.head.lines.note(line);
        }
        Ok(())
    }

    /// Bytes that can be handed over, in the place of those of the result.
    fn framed(&mut self, out: &mut Vec<u8>) {
        if let Some(framer) = self.framer.as_mut() {
            framer.take(out);
        }
    }
}

async fn result(
    execution: Execution,
    default_format: Option<String>,
    head: &mut Head,
    outgoing: &mut Outgoing,
    lines: &mut LinesHeard,
) -> Result<Answered> {
    let context = execution.context.clone();
    let settings = &context.settings;
    let output = OutputContext { settings: settings.clone(), timezone: timezone(settings)?, terminal: false, width: None };
    let mut framer = Framer::of(settings, &output, &head.display_name)?;
    head.framing = framer.as_ref().map(Framer::content_type);
    let mut beside = Beside { context: &context, framer: &mut framer, head: &mut *head };
    let answered = rows_sent(execution, output, default_format, &mut beside, outgoing, lines).await;
    match (answered, framer) {
        (Ok(_), Some(framer)) => Ok(Answered { last: framer.ended(&context)?, error: None }),
        // Who takes nothing does not take this either.
        (Err(error), Some(framer)) if error.code() != ErrorCode::SOCKET_TIMEOUT => {
            Ok(Answered { last: framer.failed(&head.error_text(&error)), error: Some(error) })
        }
        (answered, _) => answered,
    }
}

async fn rows_sent(
    execution: Execution,
    output: OutputContext,
    default_format: Option<String>,
    beside: &mut Beside<'_>,
    outgoing: &mut Outgoing,
    lines: &mut LinesHeard,
) -> Result<Answered> {
    let Execution { context, columns, format, mut rows, totals, .. } = execution;
    let settings = context.settings.clone();
    // SETTINGS of the query itself may name another.
    beside.head.timezone = timezone_name(&settings);
    beside.head.asked = response_headers::of_setting(&settings.http_response_headers)?;
    let mut out = Vec::new();
    let mut formatted = match columns.is_empty() {
        true => None,
        false => {
            let format = Format::by_name(format.as_deref().or(default_format.as_deref()).unwrap_or("TabSeparated"))?;
            if let Some(framer) = beside.framer.as_ref() {
                framer.check(format)?;
            }
            beside.head.format = Some(format);
            let mut formatted = writer(format, &columns, output)?;
            formatted.start(&mut out)?;
            Some(formatted)
        }
    };
    // How far the query is leaves before its first row.
    let tells = beside.framer.is_some() || beside.head.format.is_some_and(|format| format.name().ends_with("WithProgress"));
    let mut extremes = settings.extremes.then(|| Extremes::new(&columns));
    let mut count = 0;
    let progress_every = Duration::from_millis(settings.http_headers_progress_interval_ms.max(1));
    let mut ticker = tokio::time::interval(TICK.min(progress_every));
    ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let streamed: Result<()> = async {
        loop {
            tokio::select! {
                biased;
                line = lines.next() => beside.tell(&line, formatted.as_deref_mut(), &mut out)?,
                batch = rows.next() => {
                    let Some(batch) = batch.transpose().map_err(Error::from)? else { return Ok(()) };
                    if let Some(extremes) = &mut extremes {
                        extremes.add(&batch)?;
                    }
                    if let Some(formatted) = &mut formatted {
                        let _working = context.works();
                        formatted.progress(&told(&context), &mut out);
                        formatted.write(&batch, &mut out)?;
                    }
                    count += batch.num_rows() as u64;
                    if out.len() >= outgoing.chunk_bytes() {
                        beside.framed(&mut out);
                        outgoing.push(&out, || beside.head.success(&context)).await?;
                        out.clear();
                    }
                }
                _ = ticker.tick() => {
                    context.check()?;
                    if let Some(framer) = beside.framer.as_mut() {
                        framer.tick(&context)?;
                    }
                    if let Some(formatted) = &mut formatted {
                        formatted.progress(&told(&context), &mut out);
                    }
                    if !outgoing.head_is_sent() {
                        beside.head.tell_progress(&context);
                    }
                    // Rows of a slow query leave as they come. Before the first there may still be an error with a status of its own.
                    let fresh = !out.is_empty() || beside.framer.as_ref().is_some_and(Framer::has_packets);
                    if (count > 0 || (tells && fresh)) && outgoing.is_due(fresh) {
                        beside.framed(&mut out);
                        outgoing.push(&out, || beside.head.success(&context)).await?;
                        out.clear();
                    }
                }
            }
        }
    }
    .await;
    // The query is over, and in the log, before its answer is.
    drop(rows);
    while let Some(line) = lines.there() {
        beside.tell(&line, formatted.as_deref_mut(), &mut out)?;
    }
    if let Err(error) = streamed {
        if let Some(framer) = beside.framer.as_mut() {
            framer.hold(&mut out);
            return Err(error);
        }
        let Some(formatted) = formatted.as_mut().filter(|_| settings.http_write_exception_in_output_format) else {
            return Err(error);
        };
        let summary = ResultSummary { rows: count, ..ResultSummary::default() };
        return match formatted.fail(&summary, &beside.head.error_text(&error), &mut out)? {
            true => Ok(Answered { last: out, error: Some(error) }),
            false => Err(error),
        };
    }
    for line in query_lines::of_limit(&context) {
        beside.tell(&line, formatted.as_deref_mut(), &mut out)?;
    }
    if let Some(formatted) = &mut formatted {
        let progress = context.progress.snapshot();
        let summary = ResultSummary {
            rows: count,
            elapsed_seconds: context.elapsed().as_secs_f64(),
            read_rows: progress.read_rows,
            read_bytes: progress.read_bytes,
            total_rows_to_read: progress.total_rows_to_read,
            rows_before_limit: context.progress.rows_before_limit(),
            totals,
            extremes: extremes.as_ref().map(Extremes::rows).transpose()?.flatten(),
        };
        match (beside.framer.as_mut(), beside.head.format) {
            (Some(framer), Some(format)) => framer.finish(format, &mut **formatted, summary, &mut out)?,
            _ => formatted.finish(&summary, &mut out)?,
        }
    }
    Ok(Answered { last: out, error: None })
}
