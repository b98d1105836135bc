//! Patterns of keys: `*` (any text without `/`), `**` (any text), `?` (one character, not `/`), `{a,b}` (either, nested),
//! `{1..9}`, `{01..12}` (numbers, leading zeros kept, in either direction).
//!
//! A pattern is a sequence of nodes. Matching carries the set of positions that can be reached after each node, so it
//! takes time proportional to the length of the key times that of the pattern, whatever the pattern is. The same walk
//! tells whether a folder can hold matching keys at all. `{…}` whose braces do not close, and `}` alone, are plain text.
//!
//! A pattern with braces but without wildcards names its keys exactly (`expansions`): nothing has to be listed. Otherwise
//! the braces before the first wildcard are expanded into prefixes, as far as these stay few.

use gristmill_base::{Error, ErrorCode, Result};

/// Names that a pattern is expanded into at most; one with more is matched against a listing.
pub const EXPANSIONS_MAX: usize = 100_000;
/// Prefixes that are listed for one pattern at most.
pub const PREFIXES_MAX: usize = 256;
/// Braces inside braces.
const DEPTH_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Text(String),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**`
    Stars,
    Either(Vec<Vec<Node>>),
    /// Each number from `from` to `to`, written with at least `width` digits.
    Numbers {
        from: u64,
        to: u64,
        width: usize,
    },
}

/// A pattern of keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Glob {
    text: String,
    nodes: Vec<Node>,
}

impl Glob {
    pub fn parse(text: &str) -> Result<Glob> {
        Ok(Glob { text: text.to_string(), nodes: parse(text, 0)? })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the name of one key.
    pub fn is_literal(&self) -> bool {
        self.nodes.iter().all(|node| matches!(node, Node::Text(_)))
    }

    pub fn matches(&self, key: &str) -> bool {
        if !key.starts_with(self.literal_prefix()) {
            return false;
        }
        let walk = walk(&self.nodes, key, Positions::start(key));
        walk.reached.last()
    }

    /// Whether a key that starts with `prefix` can match.
    pub fn can_match_under(&self, prefix: &str) -> bool {
        let walk = walk(&self.nodes, prefix, Positions::start(prefix));
        walk.unfinished || walk.reached.last()
    }

    /// The text that every matching key starts with.
    pub fn literal_prefix(&self) -> &str {
        match self.nodes.first() {
            Some(Node::Text(text)) => text,
            _ => "",
        }
    }

    /// The keys it names, in the order written, where it has no wildcards and they are not too many.
    pub fn expansions(&self) -> Option<Vec<String>> {
        let (names, rest) = expand(&self.nodes, EXPANSIONS_MAX);
        rest.is_empty().then(|| unique(names))
    }

    /// Few prefixes, none the start of another, such that every matching key starts with one of them.
    pub fn prefixes(&self) -> Vec<String> {
        let (mut names, _) = expand(&self.nodes, PREFIXES_MAX);
        names.sort_unstable();
        names.dedup_by(|longer, shorter| longer.starts_with(shorter.as_str()));
        names
    }

    /// Whether listing folder by folder can leave folders out: a wildcard in a folder's name, and text in the name of a
    /// folder after it.
    pub fn prunes_folders(&self) -> bool {
        let Some(folders) = self.text.rfind('/').map(|at| &self.text[..at]) else { return false };
        let wild = |segment: &str| segment.contains(['*', '?']);
        let mut segments = folders.split('/').skip_while(|segment| !wild(segment));
        let _first = segments.next();
        let mut text_after = false;
        for segment in segments {
            if segment.contains("**") {
                break;
            }
            text_after |= segment.chars().any(|c| !matches!(c, '*' | '?'));
        }
        text_after
    }

    /// Whether it has `**`.
    pub fn is_recursive(&self) -> bool {
        fn any(nodes: &[Node]) -> bool {
            nodes.iter().any(|node| match node {
                Node::Stars => true,
                Node::Either(branches) => branches.iter().any(|branch| any(branch)),
                _ => false,
            })
        }
        any(&self.nodes)
    }
}

fn unique(names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::with_capacity(names.len());
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

fn push_text(nodes: &mut Vec<Node>, text: &str) {
    match nodes.last_mut() {
        Some(Node::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => nodes.push(Node::Text(text.to_string())),
    }
}

fn parse(text: &str, depth: usize) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let special = rest.find(['*', '?', '{']).unwrap_or(rest.len());
        push_text(&mut nodes, &rest[..special]);
        at += special;
        let rest = &text[at..];
        match rest.as_bytes().first() {
            Some(b'?') => {
                nodes.push(Node::One);
                at += 1;
            }
            Some(b'*') => {
                let stars = rest.bytes().take_while(|b| *b == b'*').count();
                nodes.push(if stars > 1 { Node::Stars } else { Node::Star });
                at += stars;
            }
            Some(_) => match closing(rest) {
                Some(end) => {
                    push_group(&mut nodes, &rest[1..end], depth)?;
                    at += end + 1;
                }
                None => {
                    push_text(&mut nodes, "{");
                    at += 1;
                }
            },
            None => {}
        }
    }
    Ok(nodes)
}

/// Where the brace that `text` begins with closes.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0;
    text.bytes().position(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        open == 0
    })
}

fn push_group(nodes: &mut Vec<Node>, inside: &str, depth: usize) -> Result<()> {
    if depth >= DEPTH_MAX {
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("The pattern nests braces deeper than {DEPTH_MAX} levels: write it as several patterns"),
        ));
    }
    if let Some(numbers) = numbers(inside)? {
        nodes.push(numbers);
        return Ok(());
    }
    let mut open = 0;
    let mut branches = vec![String::new()];
    for c in inside.chars() {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            ',' if open == 0 => {
                branches.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(branch) = branches.last_mut() {
            branch.push(c);
        }
    }
    let branches = branches.iter().map(|branch| parse(branch, depth + 1)).collect::<Result<Vec<_>>>()?;
    nodes.push(Node::Either(branches));
    Ok(())
}

/// `01..12`, and `None` for what is no range of numbers.
fn numbers(inside: &str) -> Result<Option<Node>> {
    let Some((from, to)) = inside.split_once("..") else { return Ok(None) };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(from) || !digits(to) {
        return Ok(None);
    }
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("The number {text} in {{{inside}}} is too large for a range: expected one below 2^64"),
            )
        })
    };
    let padded = [from, to].iter().any(|text| text.len() > 1 && text.starts_with('0'));
    let width = if padded { from.len().max(to.len()) } else { 0 };
    Ok(Some(Node::Numbers { from: number(from)?, to: number(to)?, width }))
}

/// Expands a sequence from its start as far as it has only text and braces and `most` is not exceeded. Gives what that
/// made and the nodes that are left.
fn expand(nodes: &[Node], most: usize) -> (Vec<String>, &[Node]) {
    let mut names = vec![String::new()];
    for (i, node) in nodes.iter().enumerate() {
        let Some(endings) = endings(node, most / names.len()) else { return (names, &nodes[i..]) };
        names = match endings.as_slice() {
            [one] => {
                names.iter_mut().for_each(|name| name.push_str(one));
                names
            }
            _ => names.iter().flat_map(|name| endings.iter().map(move |ending| format!("{name}{ending}"))).collect(),
        };
    }
    (names, &[])
}

fn endings(node: &Node, most: usize) -> Option<Vec<String>> {
    let names = match node {
        Node::Text(text) => vec![text.clone()],
        Node::One | Node::Star | Node::Stars => return None,
        Node::Numbers { from, to, width } => {
            if usize::try_from(from.abs_diff(*to)).ok()? >= most {
                return None;
            }
            let show = |number: u64| format!("{number:0width$}");
            if from <= to { (*from..=*to).map(show).collect() } else { (*to..=*from).rev().map(show).collect() }
        }
        Node::Either(branches) => {
            let mut names = Vec::new();
            for branch in branches {
                let (more, rest) = expand(branch, most);
                if !rest.is_empty() || names.len() + more.len() > most {
                    return None;
                }
                names.extend(more);
            }
            names
        }
    };
    (names.len() <= most).then_some(names)
}

/// Positions between the bytes of a key, as a set.
#[derive(Clone)]
struct Positions(Vec<bool>);

impl Positions {
    fn none(key: &str) -> Self {
        Positions(vec![false; key.len() + 1])
    }

    fn start(key: &str) -> Self {
        let mut positions = Self::none(key);
        positions.0[0] = true;
        positions
    }

    fn last(&self) -> bool {
        self.0.last() == Some(&true)
    }

    fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter_map(|(at, set)| set.then_some(at))
    }
}

struct Walk {
    reached: Positions,
    /// Whether the key ended before the pattern did, with the pattern satisfied so far.
    unfinished: bool,
}

fn walk(nodes: &[Node], key: &str, from: Positions) -> Walk {
    let mut walk = Walk { reached: from, unfinished: false };
    for node in nodes {
        if walk.reached.is_empty() {
            break;
        }
        walk.unfinished |= walk.reached.last();
        let mut next = Positions::none(key);
        match node {
            Node::Text(text) => {
                for at in walk.reached.iter() {
                    let rest = &key.as_bytes()[at..];
                    if rest.starts_with(text.as_bytes()) {
                        next.0[at + text.len()] = true;
                    }
                    walk.unfinished |= text.as_bytes().starts_with(rest);
                }
            }
            Node::One => {
                for at in walk.reached.iter() {
                    if let Some(c) = key[at..].chars().next().filter(|c| *c != '/') {
                        next.0[at + c.len_utf8()] = true;
                    }
                }
            }
            Node::Star | Node::Stars => {
                let mut within = false;
                for at in 0..=key.len() {
                    within |= walk.reached.0[at];
                    next.0[at] = within && key.is_char_boundary(at);
                    if *node == Node::Star && key.as_bytes().get(at) == Some(&b'/') {
                        within = false;
                    }
                }
            }
            Node::Either(branches) => {
                for branch in branches {
                    let inner = self::walk(branch, key, walk.reached.clone());
                    walk.unfinished |= inner.unfinished;
                    next.0.iter_mut().zip(&inner.reached.0).for_each(|(set, more)| *set |= more);
                }
            }
            Node::Numbers { from, to, width } => {
                for at in walk.reached.iter() {
                    let digits = key.as_bytes()[at..].iter().take(20.max(*width)).take_while(|b| b.is_ascii_digit()).count();
                    for length in 1..=digits {
                        let text = &key[at..at + length];
                        let within = text.parse::<u64>().is_ok_and(|number| {
                            (*from.min(to)..=*from.max(to)).contains(&number) && *text == format!("{number:0width$}")
                        });
                        next.0[at + length] |= within;
                    }
                    // More digits may follow where the key ends.
                    walk.unfinished |= at + digits == key.len();
                }
            }
        }
        walk.reached = next;
    }
    walk
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn glob(text: &str) -> Glob {
        Glob::parse(text).expect("pattern")
    }

    #[test]
    fn wildcards_stop_at_folders_unless_doubled() {
        assert!(glob("a/*.csv").matches("a/b.csv"));
        assert!(!glob("a/*.csv").matches("a/b/c.csv"));
        assert!(glob("a/**.csv").matches("a/b/c.csv"));
        assert!(glob("a/**/c.csv").matches("a/x/y/c.csv"));
        assert!(glob("?.csv").matches("ä.csv"));
        assert!(!glob("a?b").matches("a/b"));
        assert!(glob("*").matches(""));
        assert!(!glob("a*").matches("b"));
    }

    #[test]
    fn braces_are_expanded_without_a_listing() {
        assert_eq!(
            glob("x/{a,b{1,2}}.csv").expansions(),
            Some(vec!["x/a.csv".into(), "x/b1.csv".into(), "x/b2.csv".into()])
        );
        assert_eq!(glob("{08..10}").expansions(), Some(vec!["08".into(), "09".into(), "10".into()]));
        assert_eq!(glob("{3..1}").expansions(), Some(vec!["3".into(), "2".into(), "1".into()]));
        assert_eq!(glob("{a,a,b}").expansions(), Some(vec!["a".into(), "b".into()]));
        assert_eq!(glob("plain").expansions(), Some(vec!["plain".into()]));
        assert_eq!(glob("a/*").expansions(), None);
        assert_eq!(glob("{0..99999999}").expansions(), None);
        assert!(glob("{0..99999999}").matches("12345"));
        assert!(!glob("{01..99}").matches("1"));
        assert!(glob("{1..010}").matches("007"));
    }

    #[test]
    fn unclosed_braces_are_text() {
        assert!(glob("a{b").is_literal());
        assert!(glob("a}b").is_literal());
        assert_eq!(glob("a{b*").literal_prefix(), "a{b");
        assert!(Glob::parse(&format!("{}{}", "{a,".repeat(40), "}".repeat(40))).is_err());
        assert!(Glob::parse("{1..99999999999999999999999}").is_err());
    }

    #[test]
    fn only_what_can_match_is_listed() {
        assert_eq!(glob("d/{2020..2022}/*.csv").prefixes(), vec!["d/2020/", "d/2021/", "d/2022/"]);
        assert_eq!(glob("{a,ab}*").prefixes(), vec!["a"], "a listing of 'a' has everything of 'ab'");
        assert_eq!(glob("d/*.{csv,tsv}").prefixes(), vec!["d/"]);
        assert_eq!(glob("d/{0..100000}/*").prefixes(), vec!["d/"]);
        assert_eq!(glob("d/year=*/month=12/*").literal_prefix(), "d/year=");
        assert!(glob("d/year=*/month=12/*").prunes_folders());
        assert!(!glob("d/*/*.parquet").prunes_folders());
        assert!(!glob("d/*.parquet").prunes_folders());
    }

    #[test]
    fn folders_that_cannot_hold_a_match_are_told() {
        let glob = glob("d/year=*/month=12/*.csv");
        assert!(glob.can_match_under("d/"));
        assert!(glob.can_match_under("d/year=2020/"));
        assert!(glob.can_match_under("d/year=2020/month=12/"));
        assert!(!glob.can_match_under("d/year=2020/month=11/"));
        assert!(!glob.can_match_under("d/other/"));
    }

    /// The model: the same pattern as a regular expression.
    fn regex_of(nodes: &[Node]) -> String {
        nodes
            .iter()
            .map(|node| match node {
                Node::Text(text) => regex::escape(text),
                Node::One => "[^/]".to_string(),
                Node::Star => "[^/]*".to_string(),
                Node::Stars => "(?s:.*)".to_string(),
                Node::Either(branches) => {
                    format!("(?:{})", branches.iter().map(|branch| regex_of(branch)).collect::<Vec<_>>().join("|"))
                }
                Node::Numbers { from, to, width } => {
                    let all = *from.min(to)..=*from.max(to);
                    format!("(?:{})", all.map(|n| format!("{n:0width$}")).collect::<Vec<_>>().join("|"))
                }
            })
            .collect()
    }

    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            4 => "[abé/0-2.]{1,3}",
            1 => Just("*".to_string()),
            1 => Just("**".to_string()),
            1 => Just("?".to_string()),
            1 => (0u64..12, 0u64..12).prop_map(|(a, b)| format!("{{{a}..{b}}}")),
            1 => (0u64..12, 0u64..12).prop_map(|(a, b)| format!("{{{a:02}..{b:02}}}")),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner, 1..4).prop_map(|parts| format!("{{{}}}", parts.join(","))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn matching_agrees_with_the_regular_expression(pattern in pattern(), key in "[abé/0-2.]{0,8}") {
            let glob = glob(&pattern);
            let model = regex::Regex::new(&format!("^{}$", regex_of(&glob.nodes))).expect("regex");
            prop_assert_eq!(glob.matches(&key), model.is_match(&key), "{} on {}", pattern, key);
        }

        #[test]
        fn expansions_match_and_are_all_that_matches(pattern in pattern(), key in "[abé/0-2.]{0,4}") {
            let glob = glob(&pattern);
            if let Some(names) = glob.expansions() {
                prop_assert!(names.iter().all(|name| glob.matches(name)), "{:?}", names);
                prop_assert_eq!(glob.matches(&key), names.contains(&key));
            }
        }

        #[test]
        fn every_match_is_under_a_prefix_and_in_a_folder_that_can_match(pattern in pattern(), key in "[abé/0-2.]{0,8}") {
            let glob = glob(&pattern);
            if glob.matches(&key) {
                prop_assert!(key.starts_with(glob.literal_prefix()));
                let prefixes = glob.prefixes();
                prop_assert_eq!(prefixes.iter().filter(|prefix| key.starts_with(prefix.as_str())).count(), 1);
                for (at, _) in key.char_indices() {
                    prop_assert!(glob.can_match_under(&key[..at]), "{} under {}", pattern, &key[..at]);
                }
            }
        }
    }
}
