//! Names and lines of addresses.
//!
//! The program's own file is read lazily, by one thread at a time (`/proc/self/exe`: the file that runs, even where another
//! has its name by now). Names come from its table of symbols (`names`), of which a few megabytes are kept. What is made of its tables of
//! lines takes some hundred megabytes where much was asked for, so it is given back when the log has been written (`close`); what
//! was asked for stays known. Functions of libraries are found as the loader does, which knows those that they export.

use std::collections::HashMap;
use std::ffi::CStr;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use addr2line::Loader;
use gristmill_base::allocations;
use parking_lot::Mutex;

use super::demangle::demangle;
use super::modules::{self, Module};
use super::names::Names;
use super::pseudo;

/// What is known of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The function, as it is written in the program; empty: nobody knows.
    pub name: Arc<str>,
    /// File and line as `file:line`, or the file of the program or library alone.
    pub line: Arc<str>,
}

struct Program {
    /// Of lines. `None`: nobody asked since it was closed, or it cannot be read.
    loader: Option<Loader>,
    cannot_be_read: bool,
    /// `None` outside: nobody asked; inside: it cannot be read.
    names: Option<Option<Names>>,
    path: String,
    known: HashMap<u64, Known>,
    /// Names alone, without lines: to find these takes far more.
    named: HashMap<u64, Arc<str>>,
}

// SAFETY: the loader is reached under the lock alone, and nothing that it lends outlives that; what it shares within itself
// it shares with nobody else.
unsafe impl Send for Program {}

/// Addresses that are remembered.
const KNOWN_MAX: usize = 1 << 16;

static PROGRAM: LazyLock<Mutex<Program>> = LazyLock::new(|| {
    let path = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("gristmill"));
    let path = path.to_string_lossy().into_owned();
    Mutex::new(Program::of(path))
});

static MODULES: LazyLock<Vec<Module>> = LazyLock::new(modules::loaded);

/// The name of the function at an address, as the linker knows it; empty: there is none.
pub fn symbol(address: u64) -> String {
    if let Some(wait) = pseudo::name(address) {
        return wait.to_string();
    }
    if !is_of_program(address) {
        return library(address).map_or_else(String::new, |(name, _)| name);
    }
    PROGRAM.lock().symbol(address).unwrap_or_default()
}

/// Gives the program's functions, as the linker knows them: the name of each, where it begins, and where the next one does. None,
/// where the file has no such table.
pub fn each(with: impl FnMut(String, u64, u64)) {
    // A file that is cut short gives what it has.
    let _ = File::open("/proc/self/exe").and_then(Names::of).and_then(|names| names.each(with));
}

/// The place in the source, as `file:line`; else the file that has the address.
pub fn line(address: u64) -> String {
    if !is_of_program(address) {
        return library(address).map_or_else(String::new, |(_, file)| file);
    }
    PROGRAM.lock().line(address)
}

/// The line in the function itself, then those of functions that the compiler put into it, the innermost first, as
/// `file:line:function`.
pub fn line_with_inlines(address: u64) -> Vec<String> {
    if !is_of_program(address) {
        return vec![line(address)];
    }
    let mut program = PROGRAM.lock();
    let frames = program.frames(address);
    match frames.split_last() {
        Some(((_, outer), inlined)) => {
            let outer = if outer.is_empty() { program.path.clone() } else { outer.clone() };
            let inlined = inlined.iter().map(|(name, line)| format!("{line}:{name}"));
            std::iter::once(outer).chain(inlined).collect()
        }
        None => vec![program.path.clone()],
    }
}

/// What is known of each.
pub fn of_all(addresses: &[u64]) -> Vec<Known> {
    let mut program = PROGRAM.lock();
    addresses.iter().map(|address| program.known(*address)).collect()
}

/// The names of the functions alone; empty where nobody knows.
pub fn names(addresses: &[u64]) -> Vec<Arc<str>> {
    let mut program = PROGRAM.lock();
    addresses.iter().map(|address| program.name(*address)).collect()
}

/// Addresses of this process as those of the program's file.
pub fn in_file(addresses: &[u64]) -> Vec<u64> {
    let program = MODULES.first();
    let in_file = |address: &u64| match program.filter(|program| program.range.contains(address)) {
        Some(program) => address - program.base,
        None => *address,
    };
    addresses.iter().map(in_file).collect()
}

/// Gives back what was made of the program's tables of lines; the next look makes it anew.
pub fn close() {
    PROGRAM.lock().loader = None;
}

/// Addresses of the program's file are below all others.
fn is_of_program(address: u64) -> bool {
    MODULES.first().is_some_and(|program| address < program.range.end - program.base)
}

/// A function that a library exports, and the library's file.
fn library(address: u64) -> Option<(String, String)> {
    // SAFETY: the call fills the struct, with texts that live as long as the library.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const libc::c_void, &mut found) == 0 {
            return None;
        }
        let text = |text: *const libc::c_char| match text.is_null() {
            true => String::new(),
            false => CStr::from_ptr(text).to_string_lossy().into_owned(),
        };
        Some((text(found.dli_sname), text(found.dli_fname)))
    }
}

impl Program {
    fn of(path: String) -> Program {
        let (known, named) = (HashMap::new(), HashMap::new());
        Program { loader: None, cannot_be_read: false, names: None, path, known, named }
    }

    fn loader(&mut self) -> Option<&Loader> {
        if self.loader.is_none() && !self.cannot_be_read {
            self.loader = Loader::new("/proc/self/exe").or_else(|_| Loader::new(&self.path)).ok();
            self.cannot_be_read = self.loader.is_none();
        }
        self.loader.as_ref()
    }

    fn symbol(&mut self, address: u64) -> Option<String> {
        let path = &self.path;
        let open = || {
            // Whoever asks first does not keep it.
            let _nobody = allocations::enter_none();
            Names::of(File::open("/proc/self/exe").or_else(|_| File::open(path)).ok()?).ok()
        };
        self.names.get_or_insert_with(open).as_ref()?.find(address)
    }

    fn name(&mut self, address: u64) -> Arc<str> {
        if let Some(known) = self.known.get(&address) {
            return known.name.clone();
        }
        if let Some(name) = self.named.get(&address) {
            return name.clone();
        }
        let name = match is_of_program(address) {
            true => self.symbol(address).unwrap_or_default(),
            false => library(address).map_or_else(String::new, |(name, _)| name),
        };
        let name: Arc<str> = demangle(&name).into();
        if self.named.len() >= KNOWN_MAX {
            self.named.clear();
        }
        self.named.insert(address, name.clone());
        name
    }

    fn line(&mut self, address: u64) -> String {
        let found = self.loader().and_then(|loader| loader.find_location(address).ok()?).as_ref().map(written);
        found.unwrap_or_else(|| self.path.clone())
    }

    /// Functions and lines, the innermost first.
    fn frames(&mut self, address: u64) -> Vec<(String, String)> {
        let Some(mut frames) = self.loader().and_then(|loader| loader.find_frames(address).ok()) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok().map(|name| demangle(&name)));
            all.push((name.unwrap_or_default(), frame.location.as_ref().map(written).unwrap_or_default()));
        }
        all
    }

    fn known(&mut self, address: u64) -> Known {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let (name, line) = match pseudo::name(address) {
            Some(wait) => (wait.to_string(), String::new()),
            None if is_of_program(address) => (self.symbol(address).unwrap_or_default(), self.line(address)),
            None => library(address).unwrap_or_default(),
        };
        let known = Known { name: demangle(&name).into(), line: line.into() };
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(address, known.clone());
        known
    }
}

fn written(location: &addr2line::Location<'_>) -> String {
    let file = location.file.unwrap_or("?");
    match location.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn turns_the_stone() -> u64 {
        std::hint::black_box(5)
    }

    #[test]
    fn names_alone_open_no_tables_of_lines() {
        let mut program = Program::of("there is no such file".to_string());
        turns_the_stone();
        let address = in_file(&[turns_the_stone as *const () as u64])[0];
        assert!(program.name(address).ends_with("turns_the_stone"), "{}", program.name(address));
        assert!(program.loader.is_none() && program.names.is_some());
    }
}
