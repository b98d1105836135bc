//! Configuration files as trees of elements: ClickHouse's XML, for servers and clients. What several files make together, and
//! what comes from elsewhere: `config_files`.

use std::path::Path;

use gristmill_base::{Error, ErrorCode, Result};
use quick_xml::events::{BytesStart, Event};

/// An element of the file.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub name: String,
    /// What stands in it, beside its children.
    pub text: String,
    pub children: Vec<Node>,
    /// The attribute of that name, as the others below.
    pub overridable: Option<bool>,
    /// The element switches off what it names.
    pub remove: bool,
    /// It takes the place of what it names.
    pub replace: bool,
    /// The variable that its text is in.
    pub from_env: Option<String>,
    /// The element of another file that it consists of.
    pub incl: Option<String>,
    /// It is left out where what it takes from elsewhere is not there.
    pub optional: bool,
}

impl Node {
    /// Takes what an attribute says.
    pub fn attribute(&mut self, name: &str, value: &str) {
        // As in ClickHouse, where the attribute itself says it.
        let is_on = !matches!(value, "0" | "false");
        match name {
            "overridable" => self.overridable = Some(matches!(value, "1" | "true")),
            "remove" => self.remove = is_on,
            "replace" => self.replace = is_on,
            "optional" => self.optional = is_on,
            "from_env" => self.from_env = Some(value.to_string()),
            "incl" => self.incl = Some(value.to_string()),
            _ => {}
        }
    }

    /// The children of that name.
    pub fn children(&self, name: &str) -> impl Iterator<Item = &Node> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The last child of that name.
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children(name).last()
    }

    /// The element that names lead to, from this one.
    pub fn path(&self, names: &[&str]) -> Option<&Node> {
        names.iter().try_fold(self, |node, name| node.child(name))
    }

    /// The text there, trimmed; `None`: there is none.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        self.path(names).map(|node| node.text.trim().to_string()).filter(|text| !text.is_empty())
    }

    /// The number there. Error: INVALID_CONFIG_PARAMETER.
    pub fn number<N: std::str::FromStr>(&self, names: &[&str]) -> Result<Option<N>> {
        let Some(text) = self.text(names) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| invalid(format!("<{}> is '{text}': give a number", names.join("/"))))
    }
}

/// INVALID_CONFIG_PARAMETER
pub fn invalid(text: String) -> Error {
    Error::new(ErrorCode::INVALID_CONFIG_PARAMETER, text)
}

/// The text of a file. Error: CANNOT_OPEN_FILE.
pub fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file)
        .map_err(|error| Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read {}: {error}", file.display())))
}

/// The element that all others are in. Error: INVALID_CONFIG_PARAMETER.
pub fn parsed(text: &str) -> Result<Node> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open = vec![Node::default()];
    let broken = |error: &dyn std::fmt::Display, at: u64| invalid(format!("It is no XML at byte {at}: {error}"));
    loop {
        let at = reader.buffer_position();
        let event = reader.read_event().map_err(|error| broken(&error, at))?;
        let last = open.len() - 1;
        match event {
            Event::Start(start) => open.push(node(&start)?),
            Event::Empty(start) => open[last].children.push(node(&start)?),
            Event::Text(text) => open[last].text.push_str(&text.decode().map_err(|error| broken(&error, at))?),
            Event::CData(text) => open[last].text.push_str(&text.decode().map_err(|error| broken(&error, at))?),
            Event::GeneralRef(name) => {
                let name = name.decode().map_err(|error| broken(&error, at))?;
                let reference = format!("&{name};");
                let text = quick_xml::escape::unescape(&reference).map_err(|error| broken(&error, at))?;
                open[last].text.push_str(&text);
            }
            Event::End(_) => {
                let Some(done) = open.pop() else { break };
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Err(broken(&"an element ends that did not begin", at)),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match (open.len(), open.pop().and_then(|mut root| root.children.pop())) {
        (1, Some(root)) => Ok(root),
        _ => Err(invalid("It is no XML with one element around all others".to_string())),
    }
}

fn node(start: &BytesStart<'_>) -> Result<Node> {
    let mut node = Node { name: String::from_utf8_lossy(start.name().as_ref()).into_owned(), ..Node::default() };
    for attribute in start.attributes().flatten() {
        let value = String::from_utf8_lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&value).map_err(|error| invalid(format!("In <{}>: {error}", node.name)))?;
        node.attribute(&String::from_utf8_lossy(attribute.key.as_ref()), &value);
    }
    Ok(node)
}
