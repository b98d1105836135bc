//! Asks for a password on the terminal, where it is not shown.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};

/// The terminal with its echo off, until this is dropped.
struct Silent<'a> {
    terminal: &'a File,
    before: libc::termios,
}

impl Silent<'_> {
    fn of(terminal: &File) -> Option<Silent<'_>> {
        // SAFETY: a `termios` is plain numbers, for which zero is a value; it is overwritten below.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open for as long as the file is, and the pointer is valid.
        if unsafe { libc::tcgetattr(terminal.as_raw_fd(), &raw mut before) } != 0 {
            return None;
        }
        let mut silent = before;
        silent.c_lflag &= !libc::ECHO;
        silent.c_lflag |= libc::ECHONL;
        // SAFETY: as above.
        let set = unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, &raw const silent) } == 0;
        set.then_some(Silent { terminal, before })
    }
}

impl Drop for Silent<'_> {
    fn drop(&mut self) {
        // SAFETY: as in `of`.
        unsafe { libc::tcsetattr(self.terminal.as_raw_fd(), libc::TCSANOW, &raw const self.before) };
    }
}

/// The password of that user, as it is typed. Error: CANNOT_READ_FROM_FILE_DESCRIPTOR, where there is no terminal.
pub fn asked_for(user: &str) -> Result<Secret> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR,
            format!("Cannot ask for the password on the terminal: {error}. Give --password TEXT, or CLICKHOUSE_PASSWORD"),
        )
    };
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(failed)?;
    // Before it is asked for: what is typed at once is not shown either.
    let silent = Silent::of(&terminal);
    let mut shown = &terminal;
    write!(shown, "Password for user ({user}): ").and_then(|()| shown.flush()).map_err(failed)?;
    let mut line = String::new();
    BufReader::new(&terminal).read_line(&mut line).map_err(failed)?;
    drop(silent);
    Ok(Secret::new(line.trim_end_matches(['\n', '\r'])))
}
