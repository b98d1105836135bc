//! The prompt: a line editor with history, completion and colours, around the runner of statements.
//!
//! Reading a line blocks, so it happens on a thread of its own; everything else is the runner's, the same that `-q` uses.
//! What is typed is run when it ends with `;` (or `\G`, for one value a line).

mod history;
mod words;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::lexer::{self, Kind};
use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, Emacs, Highlighter, KeyCode, KeyModifiers, MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch,
    PromptHistorySearchStatus, Reedline, ReedlineEvent, ReedlineMenu, Signal, StyledText, ValidationResult, Validator,
    default_emacs_keybindings,
};

use crate::prompt::history::HistoryOfStatements;
use crate::prompt::words::Words;
use crate::runner::Runner;

const HISTORY_FILE: &str = ".gristmill-history";
const MENU: &str = "completion";

const HELP: &str = "A statement ends with ; and may take several lines. \\G instead of ; shows one value a line.
  Tab           completes keywords, functions, tables, columns, settings
  Ctrl-R, Up    search the history
  Ctrl-C        cancels what runs, or empties the line
  \\l, \\d, \\c    SHOW DATABASES, SHOW TABLES, USE (with a name)
  exit, Ctrl-D  leave
SHOW TABLES; DESCRIBE TABLE t; SELECT * FROM system.functions; tell what there is.";

/// What the prompt says of whoever runs the statements.
pub struct Greeting {
    /// What stands before `:)`.
    pub name: String,
    /// A line behind the program's version; empty: none.
    pub connected: String,
    /// Whether words are completed.
    pub completes: bool,
}

impl Default for Greeting {
    fn default() -> Self {
        Greeting { name: "gristmill".to_string(), connected: String::new(), completes: true }
    }
}

/// Runs the prompt until it is left. `history`: the file that keeps what was typed.
pub async fn run(runner: &mut Runner, history: Option<PathBuf>, greeting: Greeting) -> Result<()> {
    println!("Gristmill {}. Type help for help.\n", env!("CARGO_PKG_VERSION"));
    if !greeting.connected.is_empty() {
        println!("{}\n", greeting.connected);
    }
    let sign = Arc::new(Sign { name: format!("{} ", greeting.name) });
    let words = Words::default();
    let mut editor = editor(words.clone(), history)?;
    loop {
        words.replace(if greeting.completes { runner.completions().await } else { Vec::new() });
        let sign = sign.clone();
        let (back, signal) = tokio::task::spawn_blocking(move || {
            let signal = editor.read_line(&*sign);
            (editor, signal)
        })
        .await
        .map_err(|error| Error::logical(format!("The line editor stopped: {error}")))?;
        editor = back;
        match signal {
            Ok(Signal::Success(line)) if lexer::leaves(&line) => return Ok(()),
            Ok(Signal::Success(line)) if lexer::helps(&line) => println!("{HELP}\n"),
            Ok(Signal::Success(line)) => {
                let line = lexer::stands_for(&line).unwrap_or(line);
                if !runner.run_typed(&line).await? {
                    return Ok(());
                }
            }
            Ok(Signal::CtrlC) => {}
            Ok(_) => return Ok(()),
            Err(error) => {
                return Err(Error::new(
                    ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR,
                    format!("Cannot read from the terminal: {error}"),
                ));
            }
        }
    }
}

fn editor(words: Words, history: Option<PathBuf>) -> Result<Reedline> {
    let mut keys = default_emacs_keybindings();
    let complete = vec![ReedlineEvent::Menu(MENU.to_string()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(complete));
    let mut editor = Reedline::create()
        .use_bracketed_paste(true)
        .with_completer(Box::new(words))
        .with_partial_completions(true)
        .with_quick_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU))))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_highlighter(Box::new(Colours))
        .with_validator(Box::new(UntilSemicolon));
    let file = history.or_else(|| std::env::home_dir().map(|home| home.join(HISTORY_FILE)));
    if let Some(file) = file {
        editor = editor.with_history(Box::new(HistoryOfStatements::open(file)?));
    }
    Ok(editor)
}

struct UntilSemicolon;

impl Validator for UntilSemicolon {
    fn validate(&self, line: &str) -> ValidationResult {
        if lexer::complete(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

struct Colours;

impl Highlighter for Colours {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut styled = StyledText::new();
        for token in lexer::tokens(line) {
            let style = match token.kind {
                Kind::Word if words::is_keyword(token.text) => Style::new().bold(),
                Kind::Word if line_continues_with_call(line, token.text) => Color::Yellow.normal(),
                Kind::Number => Color::LightMagenta.normal(),
                Kind::Text => Color::Green.normal(),
                Kind::QuotedName => Color::Cyan.normal(),
                Kind::Comment => Color::DarkGray.normal(),
                Kind::End => Color::LightBlue.bold(),
                Kind::Word | Kind::Symbol | Kind::Space => Style::new(),
            };
            styled.push((style, token.text.to_string()));
        }
        styled
    }
}

/// Whether `word`, a slice of `line`, is followed by an opening bracket.
fn line_continues_with_call(line: &str, word: &str) -> bool {
    let end = (word.as_ptr() as usize + word.len()).saturating_sub(line.as_ptr() as usize);
    line.get(end..).is_some_and(|rest| rest.starts_with('('))
}

/// `name :) `, as ClickHouse has it.
struct Sign {
    /// With a space behind it.
    name: String,
}

impl Prompt for Sign {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        self.name.as_str().into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        ":) ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        ":-] ".into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let failing = if matches!(search.status, PromptHistorySearchStatus::Failing) { "nothing found, " } else { "" };
        format!("({failing}history: {}) ", search.term).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_keep_the_text_and_tell_calls_from_names() {
        let line = "SELECT count(x), 'a' FROM t;";
        let styled = Colours.highlight(line, 0);
        assert_eq!(styled.buffer.iter().map(|(_, text)| text.as_str()).collect::<String>(), line);
        let style = |word: &str| styled.buffer.iter().find(|(_, text)| text == word).map(|(style, _)| *style);
        assert_eq!(style("count"), Some(Color::Yellow.normal()));
        assert_eq!(style("x"), Some(Style::new()));
        assert_eq!(style("SELECT"), Some(Style::new().bold()));
    }
}
