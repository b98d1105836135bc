//! What is drawn on a terminal: the progress bar and the summary; and what kind of terminal there is.

pub mod interrupts;
pub mod progress_bar;
pub mod summary;

use std::io::{IsTerminal, Write};

/// Which of the three standard streams are terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    pub input: bool,
    pub output: bool,
    pub errors: bool,
}

impl Terminal {
    pub fn of_process() -> Self {
        Terminal {
            input: std::io::stdin().is_terminal(),
            output: std::io::stdout().is_terminal(),
            errors: std::io::stderr().is_terminal(),
        }
    }
}

/// A line on standard error. That nobody reads it any more (`2>&1 | head`) is no reason to end otherwise.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Columns of the terminal that standard error is, or standard output; `None` where neither is one.
pub fn width() -> Option<usize> {
    [libc::STDERR_FILENO, libc::STDOUT_FILENO].into_iter().find_map(|stream| {
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: TIOCGWINSZ writes one `winsize` behind the pointer, which is valid for that long.
        let answered = unsafe { libc::ioctl(stream, libc::TIOCGWINSZ, &raw mut size) } == 0;
        (answered && size.ws_col > 0).then_some(size.ws_col as usize)
    })
}
