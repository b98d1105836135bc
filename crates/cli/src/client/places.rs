//! Several servers on one line: `--host a --port 1 --host b`. A port belongs to the host before it, or, where that has one or there is
//! none, to the host behind it, as clickhouse-client reads them. `--host a:1` says both.

use clap::ArgMatches;

/// A server as the line names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub host: Option<String>,
    pub port: Option<u16>,
}

#[derive(Clone, Debug)]
enum Word {
    Host(String),
    Port(u16),
    Both(String, u16),
}

/// A host, with its port where one colon stands before a number: several are an address of IPv6.
fn word(host: &str) -> Word {
    match host.split_once(':').map(|(name, port)| (name, port.parse())) {
        Some((name, Ok(port))) if !name.is_empty() => Word::Both(name.to_string(), port),
        _ => Word::Host(host.to_string()),
    }
}

/// In their order; one that says nothing where the line says nothing.
pub fn of(matches: &ArgMatches) -> Vec<Place> {
    let hosts = matches.get_many::<String>("host").unwrap_or_default().map(|host| word(host));
    let ports = matches.get_many::<u16>("port").unwrap_or_default().copied().map(Word::Port);
    let places = |name| matches.indices_of(name).unwrap_or_default();
    let mut words: Vec<(usize, Word)> = places("host").zip(hosts).chain(places("port").zip(ports)).collect();
    words.sort_by_key(|(at, _)| *at);
    paired(words.into_iter().map(|(_, word)| word))
}

fn paired(words: impl Iterator<Item = Word>) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    let mut open = Place::default();
    for word in words {
        let is_told = match &word {
            Word::Host(_) => open.host.is_some(),
            Word::Port(_) => open.port.is_some(),
            Word::Both(..) => open != Place::default(),
        };
        if is_told {
            all.push(std::mem::take(&mut open));
        }
        match word {
            Word::Host(host) => open.host = Some(host),
            Word::Port(port) => open.port = Some(port),
            Word::Both(host, port) => open = Place { host: Some(host), port: Some(port) },
        }
        if open.host.is_some() && open.port.is_some() {
            all.push(std::mem::take(&mut open));
        }
    }
    if open != Place::default() || all.is_empty() {
        all.push(open);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let words = line.split_whitespace().map(|text| text.parse().map_or_else(|_| word(text), Word::Port));
        let text = |place: Place| {
            let port = place.port.map_or("-".to_string(), |port| port.to_string());
            format!("{}:{port}", place.host.unwrap_or("-".to_string()))
        };
        paired(words).into_iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ports_belong_to_hosts() {
        assert_eq!(shown(""), "-:-");
        assert_eq!(shown("a"), "a:-");
        assert_eq!(shown("1"), "-:1");
        assert_eq!(shown("a b"), "a:- b:-");
        assert_eq!(shown("a 1 b 2 c"), "a:1 b:2 c:-");
        assert_eq!(shown("1 a 2 b"), "a:1 b:2");
        assert_eq!(shown("a b 2"), "a:- b:2");
        assert_eq!(shown("a:1 b c:3"), "a:1 b:- c:3");
        assert_eq!(shown("2 a:1"), "-:2 a:1");
        assert_eq!(shown("::1"), "::1:-");
    }
}
