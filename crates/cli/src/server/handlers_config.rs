//! `<http_handlers>` of the configuration, in ClickHouse's form: rules by the URL, the method and the headers of a request, each
//! with what answers it.

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_server::{Content, Entry, Handler, Handlers, Pattern, Rule, Taking, response_header};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use crate::config_tree::{Node, invalid};

/// Headers of all rules.
const COMMON: &str = "common_http_response_headers";
/// Of a static answer that does not say what it is.
const TEXT: &str = "text/plain; charset=UTF-8";
/// What is read of a rule; the names of other elements are told.
const KNOWN: &[&str] = &["url", "full_url", "empty_query_string", "methods", "method", "headers", "handler"];

type Headers = Vec<(HeaderName, HeaderValue)>;

/// The rules, in their order; `None`: the file says nothing of them. Errors: INVALID_CONFIG_PARAMETER, UNKNOWN_ELEMENT_IN_CONFIG,
/// CANNOT_COMPILE_REGEXP, those of a query that cannot be read.
pub fn read(root: &Node) -> Result<Option<Handlers>> {
    let Some(all) = root.child("http_handlers") else { return Ok(None) };
    let common = headers(all.child(COMMON)).context(|| format!("in <{COMMON}> of <http_handlers>"))?;
    let mut entries = Vec::new();
    for (at, node) in all.children.iter().enumerate() {
        match node.name.as_str() {
            "defaults" => entries.push(Entry::Defaults),
            COMMON => {}
            name if name.starts_with("rule") => {
                let rule = rule(node, &common, root).context(|| format!("in rule {} of <http_handlers>", at + 1))?;
                entries.push(Entry::Rule(rule.into()));
            }
            other => {
                let text = format!("Unknown element in config: http_handlers.{other}, must be 'rule' or 'defaults'");
                return Err(Error::new(ErrorCode::UNKNOWN_ELEMENT_IN_CONFIG, text));
            }
        }
    }
    Ok(Some(Handlers(entries)))
}

fn rule(node: &Node, common: &Headers, root: &Node) -> Result<Rule> {
    for unknown in node.children.iter().filter(|child| !KNOWN.contains(&child.name.as_str())) {
        tracing::warn!("<{}> in a rule of <http_handlers> means nothing here", unknown.name);
    }
    let pattern = |name: &str| node.text(&[name]).map(|text| Pattern::of(&text)).transpose();
    let methods = node.text(&["methods"]).or_else(|| node.text(&["method"])).unwrap_or_default();
    let methods = methods.split(',').map(|method| method.trim().to_ascii_uppercase());
    let of_request = node.children("headers").flat_map(|all| &all.children);
    let of_request = of_request.map(|header| Ok((header.name.clone(), Pattern::of(header.text.trim())?)));
    let handler = node.child("handler").ok_or_else(|| invalid("It has no <handler>".to_string()))?;
    let mut response_headers = common.clone();
    for (name, value) in headers(handler.child("http_response_headers"))? {
        response_headers.retain(|(known, _)| *known != name);
        response_headers.push((name, value));
    }
    // The older place of one of them.
    if let Some(kind) = handler.text(&["content_type"])
        && !response_headers.iter().any(|(name, _)| *name == CONTENT_TYPE)
    {
        response_headers.push(response_header("Content-Type", &kind)?);
    }
    let answers = answers(handler, root)?;
    let says_nothing = !response_headers.iter().any(|(name, _)| *name == CONTENT_TYPE);
    if matches!(answers, Handler::Static { .. }) && says_nothing {
        response_headers.push((CONTENT_TYPE, HeaderValue::from_static(TEXT)));
    }
    Ok(Rule {
        url: pattern("url")?,
        full_url: pattern("full_url")?,
        // The element alone says it.
        without_query: node.child("empty_query_string").is_some_and(|node| !["0", "false"].contains(&node.text.trim())),
        methods: methods.filter(|method| !method.is_empty()).collect(),
        headers: of_request.collect::<Result<_>>()?,
        response_headers,
        handler: answers,
    })
}

fn headers(node: Option<&Node>) -> Result<Headers> {
    let all = node.into_iter().flat_map(|node| &node.children);
    all.map(|header| response_header(&header.name, header.text.trim())).collect()
}

fn answers(handler: &Node, root: &Node) -> Result<Handler> {
    let kind = handler.text(&["type"]).ok_or_else(|| invalid("Its handler has no <type>".to_string()))?;
    let wanted = |name: &str| {
        let missing = || invalid(format!("A handler of the type {kind} wants <{name}>"));
        handler.text(&[name]).ok_or_else(missing)
    };
    Ok(match kind.as_str() {
        "static" => {
            let status = handler.number::<u16>(&["status"])?.unwrap_or(200);
            let status = StatusCode::from_u16(status).map_err(|_| invalid(format!("<status>{status}</status> is none")))?;
            Handler::Static { status, content: content(handler, root)? }
        }
        "redirect" => {
            let location = wanted("location")?;
            let value = HeaderValue::from_str(&location);
            Handler::Redirect(value.map_err(|_| invalid(format!("<location>{location}</location> is no address")))?)
        }
        "dynamic_query_handler" => {
            let parameter = handler.text(&["query_param_name"]).unwrap_or_else(|| "query".to_string());
            Handler::Query { taking: Taking::Parameter(parameter), credentials: credentials(handler) }
        }
        "predefined_query_handler" => {
            Handler::Query { taking: Taking::predefined(&wanted("query")?)?, credentials: credentials(handler) }
        }
        "prometheus" => Handler::Prometheus,
        "ping" | "replicas_status" | "index" => Handler::Alive,
        "play" => Handler::Play,
        "dashboard" => Handler::Dashboard,
        "merges" => Handler::Merges,
        "jemalloc" => Handler::Memory,
        "binary" => Handler::Binary,
        other => {
            return Err(invalid(format!(
                "The type of its handler is '{other}': there are static, redirect, dynamic_query_handler, predefined_query_handler, \
                 prometheus, ping, replicas_status, index, play, dashboard, merges, jemalloc and binary"
            )));
        }
    })
}

/// Whose rights the queries of a handler have, where it says so.
fn credentials(handler: &Node) -> Option<(String, Secret)> {
    let user = handler.text(&["user"]);
    // Every byte of it counts.
    let password = handler.child("password").map(|node| node.text.clone());
    (user.is_some() || password.is_some())
        .then(|| (user.unwrap_or_else(|| "default".to_string()), Secret::new(password.unwrap_or_default())))
}

/// `file://name`, `config://element.element`, or the answer itself.
fn content(handler: &Node, root: &Node) -> Result<Content> {
    let text = handler.child("response_content").map(|node| node.text.as_str()).unwrap_or_default();
    let named = text.trim();
    if let Some(file) = named.strip_prefix("file://") {
        return Ok(Content::File(file.to_string()));
    }
    if let Some(element) = named.strip_prefix("config://") {
        let path: Vec<&str> = element.split('.').collect();
        let node = root.path(&path).ok_or_else(|| invalid(format!("There is no <{}> to answer with", path.join("/"))))?;
        return Ok(Content::Bytes(node.text.clone().into_bytes()));
    }
    Ok(Content::Bytes(text.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_tree::parsed;

    fn handlers(text: &str) -> Result<Handlers> {
        let root = parsed(&format!("<clickhouse><hello>Hi</hello><http_handlers>{text}</http_handlers></clickhouse>"))?;
        Ok(read(&root)?.expect("the element is there"))
    }

    #[test]
    fn rules_of_clickhouse_are_read() {
        let Handlers(entries) = handlers(
            "<common_http_response_headers><X-All>1</X-All><X-Own>0</X-Own></common_http_response_headers>\
             <rule><url><![CDATA[regex:/q/(?P<a>\\w+)]]></url><methods>get, POST</methods><headers><XXX>x</XXX></headers>\
             <handler><type>predefined_query_handler</type><query>SELECT {a:String}</query><user>web</user>\
             <http_response_headers><X-Own>2</X-Own></http_response_headers></handler></rule>\
             <rule><full_url>/hi?x=1</full_url><empty_query_string/><handler><type>static</type><status>402</status>\
             <content_type>text/html</content_type><response_content>config://hello</response_content></handler></rule>\
             <defaults/>",
        )
        .expect("reads");
        let [Entry::Rule(query), Entry::Rule(hello), Entry::Defaults] = &entries[..] else { panic!("three") };
        assert_eq!((query.methods.join(" "), query.headers.len()), ("GET POST".to_string(), 1));
        let shown: Vec<String> = query.response_headers.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        assert_eq!(shown, ["x-all=\"1\"", "x-own=\"2\""]);
        let Handler::Query { taking, credentials } = &query.handler else { panic!("a query") };
        assert_eq!(*taking, Taking::predefined("SELECT {a:String}").expect("a query"));
        assert_eq!(credentials.as_ref().map(|(user, _)| user.as_str()), Some("web"));
        let Handler::Static { status, content: Content::Bytes(bytes) } = &hello.handler else { panic!("static") };
        assert_eq!((status.as_u16(), bytes.as_slice(), hello.without_query), (402, &b"Hi"[..], true));
    }

    #[test]
    fn mistakes_are_named() {
        let code = |text: &str| handlers(text).expect_err(text).code();
        let of_handler = |text: &str| code(&format!("<rule><handler>{text}</handler></rule>"));
        assert_eq!(code("<other/>"), ErrorCode::UNKNOWN_ELEMENT_IN_CONFIG);
        assert_eq!(code("<rule><url>/a</url></rule>"), ErrorCode::INVALID_CONFIG_PARAMETER);
        assert_eq!(of_handler("<type>tcmalloc</type>"), ErrorCode::INVALID_CONFIG_PARAMETER);
        assert_eq!(of_handler("<type>predefined_query_handler</type>"), ErrorCode::INVALID_CONFIG_PARAMETER);
        let wrong = "<rule><url>regex:(</url><handler><type>ping</type></handler></rule>";
        assert_eq!(code(wrong), ErrorCode::CANNOT_COMPILE_REGEXP);
        assert_eq!(
            of_handler("<type>static</type><response_content>config://none</response_content>"),
            ErrorCode::INVALID_CONFIG_PARAMETER
        );
    }
}
