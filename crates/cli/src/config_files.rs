//! Configurations of several files, by ClickHouse's rules. Over the file that is named go those of the folders `name.d` and
//! `conf.d` beside it, in the order of their paths.
//!
//! An element goes over the one of its name that is there: its children by the same rule, its text in the place of the
//! other's. Where a name comes several times, the first goes over the first, the second over the second, and what finds no
//! other is added. With the attribute `replace` it takes the place of the other as it is, with `remove` the other goes. Then
//! comes what is elsewhere: `from_env`, the text of a variable, and `incl`, an element of the file that `include_from`
//! names.

use std::path::{Path, PathBuf};

use gristmill_base::{Error, ErrorCode, Result, ResultExt};

use crate::config_tree::{Node, invalid, parsed, read as read_text};
use crate::yaml;

/// What such files end with.
const EXTENSIONS: &[&str] = &["xml", "conf", "yaml", "yml"];
/// The folder for all files beside it.
const FOLDER_OF_ALL: &str = "conf.d";
/// Where included elements are if no `include_from` says it.
const INCLUDED_FROM: &str = "/etc/metrika.xml";
/// What ClickHouse writes beside its own files, for people to look at.
const PREPROCESSED: &str = "-preprocessed";
/// Elements within elements, of which some may include themselves.
const DEPTH_MAX: usize = 64;

/// What the files say together.
#[derive(Debug, Default)]
pub struct Whole {
    pub root: Node,
    /// The files, and the folders in which others may come to be.
    pub sources: Vec<PathBuf>,
    /// The file that elements are included from.
    pub included: Option<PathBuf>,
}

/// Reads a file and what goes over it. `included`: where elements are included from, unless it says another file. Errors:
/// CANNOT_OPEN_FILE, INVALID_CONFIG_PARAMETER.
pub fn read(file: &Path, included: Option<&Path>) -> Result<Whole> {
    let mut root = parsed_file(file)?;
    let mut sources = vec![file.to_path_buf()];
    let mut others = Vec::new();
    for folder in folders(file) {
        others.extend(files_in(&folder)?.into_iter().filter(|other| other != file));
        sources.push(folder);
    }
    others.sort();
    for other in others {
        let gone_over = parsed_file(&other).and_then(|over| {
            check_root(&root, &over)?;
            merge(&mut root, over, true)
        });
        gone_over.context(|| format!("in {}", other.display()))?;
        sources.push(other);
    }
    let said = root.text(&["include_from"]).map(|name| beside(file, &name));
    let usual = || Some(PathBuf::from(INCLUDED_FROM)).filter(|file| file.is_file());
    let included = said.or_else(|| included.map(Path::to_path_buf)).or_else(usual);
    let from = match &included {
        Some(from) => Some(parsed_file(from).context(|| format!("in {}, which <include_from> names", from.display()))?),
        None => None,
    };
    sources.extend(included.clone());
    fill(&mut root, from.as_ref(), 0)?;
    Ok(Whole { root, sources, included })
}

/// A file whose name is no whole path lies beside the one that names it.
pub fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(name)
}

fn parsed_file(file: &Path) -> Result<Node> {
    let text = read_text(file)?;
    let is_yaml = file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    if is_yaml { yaml::parsed(&text) } else { parsed(&text) }
}

/// `config.d` and `conf.d` of `config.xml`.
fn folders(file: &Path) -> Vec<PathBuf> {
    let own = file.with_extension("d");
    let of_all = file.with_file_name(FOLDER_OF_ALL);
    if own == of_all { vec![own] } else { vec![own, of_all] }
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read {}: {error}", folder.display()))
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
        let is_meant = EXTENSIONS.contains(&extension) && !name.starts_with('.') && !stem.ends_with(PREPROCESSED);
        if is_meant && path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

/// Both have to be of one kind. Error: INVALID_CONFIG_PARAMETER.
fn check_root(root: &Node, over: &Node) -> Result<()> {
    // In YAML nothing is around the others.
    let kind = |node: &Node| match node.name.as_str() {
        "" | "yandex" => "clickhouse".to_string(),
        name => name.to_string(),
    };
    match (kind(root), kind(over)) {
        (root, over) if root == over => Ok(()),
        (root, over) => {
            Err(invalid(format!("<{over}> is around its elements, and <{root}> around those that they go over")))
        }
    }
}

/// Puts what an element says over what is there. At the top what is removed leaves its name, so that what is there without
/// any element can be switched off, too.
fn merge(base: &mut Node, over: Node, is_top: bool) -> Result<()> {
    let says_something = !over.text.trim().is_empty() || !over.children.is_empty();
    if says_something || over.from_env.is_some() || over.incl.is_some() {
        (base.from_env, base.incl, base.optional) = (over.from_env, over.incl, over.optional);
    }
    (base.text, base.remove) = (over.text, false);
    base.overridable = over.overridable.or(base.overridable);
    // Each is gone over once.
    let there = std::mem::take(&mut base.children);
    let mut there: Vec<(Option<Node>, bool)> = there.into_iter().map(|node| (Some(node), true)).collect();
    let mut added = Vec::new();
    for child in over.children {
        if child.remove && child.replace {
            return Err(invalid(format!("<{}> has both attributes, remove and replace", child.name)));
        }
        let is_its_own = |node: &Option<Node>| node.as_ref().is_some_and(|node| node.name == child.name);
        let other = there.iter_mut().find(|(node, is_free)| *is_free && is_its_own(node));
        let left = || is_top.then(|| Node { name: child.name.clone(), remove: true, ..Node::default() });
        match other {
            Some((node, is_free)) => {
                *is_free = false;
                if child.remove {
                    *node = left();
                } else if let (Some(node), false) = (node.as_mut(), child.replace) {
                    merge(node, child, false)?;
                } else {
                    *node = Some(as_it_is(child));
                }
            }
            None if child.remove => added.extend(left()),
            None => added.push(as_it_is(child)),
        }
    }
    base.children = there.into_iter().filter_map(|(node, _)| node).chain(added).collect();
    Ok(())
}

/// Without what it would remove from another.
fn as_it_is(mut node: Node) -> Node {
    let children = std::mem::take(&mut node.children);
    node.children = children.into_iter().filter(|child| !child.remove).map(as_it_is).collect();
    node
}

/// Puts in what is elsewhere. Error: INVALID_CONFIG_PARAMETER, where a variable is not set.
fn fill(node: &mut Node, included: Option<&Node>, depth: usize) -> Result<()> {
    if depth > DEPTH_MAX {
        return Err(invalid(format!("More than {DEPTH_MAX} elements within each other, in <{}>", node.name)));
    }
    for mut child in std::mem::take(&mut node.children) {
        if let Some(variable) = child.from_env.take() {
            match std::env::var(&variable) {
                Ok(text) => child.text = text,
                Err(_) if child.optional => continue,
                Err(_) => {
                    return Err(invalid(format!(
                        "<{}> is to come from the variable {variable}, which is not set",
                        child.name
                    )));
                }
            }
        }
        // Such an element stands for others, and is none itself.
        let is_place = child.name == "include";
        if let Some(name) = child.incl.take() {
            let names: Vec<&str> = name.split('/').collect();
            match included.and_then(|root| root.path(&names)) {
                Some(found) => {
                    if child.replace {
                        child.text.clear();
                        child.children.clear();
                    }
                    child.text.push_str(&found.text);
                    child.children.extend(found.children.iter().cloned());
                }
                None if child.optional => continue,
                None => tracing::warn!("<{}> is to include {name}, which is not there", child.name),
            }
        }
        fill(&mut child, included, depth + 1)?;
        match is_place {
            true => node.children.append(&mut child.children),
            false => node.children.push(child),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A configuration of files by their names, the first of which is read.
    fn whole(files: &[(&str, &str)]) -> Result<Whole> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("makes it");
            std::fs::write(file, text).expect("writes");
        }
        read(&folder.path().join(files[0].0), None)
    }

    fn xml(text: &str) -> String {
        format!("<clickhouse>{text}</clickhouse>")
    }

    #[test]
    fn files_of_folders_go_over_the_one_that_is_named() {
        let base =
            xml("<a>1</a><b><c>1</c><d>1</d></b><host>x</host><host>y</host><gone/><users><default><e/></default></users>");
        let first = xml("<a>2</a><b><c>2</c></b><host>z</host><new>1</new><gone remove=\"1\"/>");
        let last = xml("<new>2</new><b replace=\"1\"><f>3</f></b><users><default remove=\"remove\"/><me>1</me></users>");
        let (base, first, last) = (base.as_str(), first.as_str(), last.as_str());
        let others = [("config.d/10.xml", first), ("config.d/20.xml", last), ("config.d/no.txt", "<")];
        let files: Vec<(&str, &str)> = std::iter::once(("config.xml", base)).chain(others).collect();
        let whole = whole(&files).expect("reads");
        let root = &whole.root;
        assert_eq!((root.text(&["a"]).as_deref(), root.text(&["new"]).as_deref()), (Some("2"), Some("2")));
        let hosts: Vec<&str> = root.children("host").map(|node| node.text.as_str()).collect();
        assert_eq!(hosts, ["z", "y"]);
        let inner: Vec<&str> = root.child("b").expect("is there").children.iter().map(|node| &*node.name).collect();
        assert_eq!(inner, ["f"]);
        assert!(root.child("gone").is_some_and(|gone| gone.remove));
        assert!(root.path(&["users", "default"]).is_none() && root.path(&["users", "me"]).is_some());
        // The file, two folders, two others.
        assert_eq!(whole.sources.len(), 5);
    }

    #[test]
    fn yaml_goes_over_xml() {
        let (base, over) = (xml("<a><b>1</b></a><l>1</l>"), "a:\n  b: 2\nl:\n  '@replace': 1\n  m: 3\n");
        let root = whole(&[("config.xml", base.as_str()), ("conf.d/x.yaml", over)]).expect("reads").root;
        assert_eq!((root.text(&["a", "b"]).as_deref(), root.text(&["l", "m"]).as_deref()), (Some("2"), Some("3")));
    }

    #[test]
    fn elements_are_included() {
        let base = xml("<include_from>other.xml</include_from><nets incl=\"nets\" replace=\"1\"><ip>::/0</ip></nets>\
             <x incl=\"none\" optional=\"1\"/><include incl=\"more\"/><kept incl=\"none\">1</kept>\
             <y from_env=\"NOT_SET_ANYWHERE\" optional=\"1\"/>");
        let other = xml("<nets><ip>::1</ip></nets><more><z>2</z></more>");
        let root = whole(&[("config.xml", base.as_str()), ("other.xml", other.as_str())]).expect("reads").root;
        let networks: Vec<&str> = root.child("nets").expect("is there").children.iter().map(|node| &*node.text).collect();
        assert_eq!(networks, ["::1"]);
        assert!(root.child("x").is_none() && root.child("y").is_none());
        assert_eq!((root.text(&["z"]).as_deref(), root.text(&["kept"]).as_deref()), (Some("2"), Some("1")));
    }

    #[test]
    fn mistakes_are_told_with_their_files() {
        let message = |over: &str| {
            let files = [("config.xml", "<clickhouse/>"), ("config.d/a.xml", over)];
            whole(&files).expect_err("a mistake").to_string()
        };
        assert!(message("<clickhouse>").contains("config.d/a.xml"));
        assert!(message("<other><a/></other>").contains("<other> is around"));
        assert!(message("<yandex><a remove=\"1\" replace=\"1\"/></yandex>").contains("both attributes"));
        assert!(message("<clickhouse><a from_env=\"NOT_SET_ANYWHERE\"/></clickhouse>").contains("NOT_SET_ANYWHERE"));
    }
}
