//! `format('{} of {}', a, b)`.

use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::strings;
use crate::define::{arity, bad_argument, constant_bytes, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::text::Texts;

pub fn register(registry: &mut Registry) {
    registry.scalar("format", plain(bind));
}

enum Piece {
    Text(Vec<u8>),
    /// Number of an argument, from 0.
    Argument(usize),
}

/// `{}` takes the arguments in turn, `{2}` by number (from 0), `{{` and `}}` are braces. Both ways cannot be mixed.
/// What else the pattern holds is bytes, be they UTF-8 or not.
fn pieces(name: &str, pattern: &[u8], count: usize) -> Result<Vec<Piece>> {
    let wrong = |what: &str| bad_argument(name, format!("{what} in the pattern '{}'", String::from_utf8_lossy(pattern)));
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let (mut next, mut numbered) = (0, false);
    let mut chars = pattern.iter().copied().peekable();
    while let Some(byte) = chars.next() {
        match byte {
            b'{' if chars.peek() == Some(&b'{') => {
                chars.next();
                text.push(b'{');
            }
            b'}' if chars.peek() == Some(&b'}') => {
                chars.next();
                text.push(b'}');
            }
            b'}' => return Err(wrong("a closing brace without an opening one")),
            b'{' => {
                let mut number = String::new();
                loop {
                    match chars.next() {
                        Some(b'}') => break,
                        Some(digit) if digit.is_ascii_digit() => number.push(digit as char),
                        _ => return Err(wrong("a brace that is not closed, or no number in it")),
                    }
                }
                let index = if number.is_empty() {
                    next += 1;
                    next - 1
                } else {
                    numbered = true;
                    number.parse().map_err(|_| wrong("a number that is too large"))?
                };
                if numbered && next > 0 {
                    return Err(wrong("a mix of numbered and plain places"));
                }
                if index >= count {
                    return Err(wrong("more places than arguments"));
                }
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Argument(index));
            }
            other => text.push(other),
        }
    }
    pieces.push(Piece::Text(text));
    Ok(pieces)
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    expect_string(name, arguments, 0)?;
    let pattern = constant_bytes(&arguments[0]).ok_or_else(|| not_constant(name, 0))?;
    let pieces = pieces(name, &pattern, arguments.len() - 1)?;
    let kinds: Vec<SqlType> = arguments[1..].iter().map(|argument| argument.kind.clone()).collect();
    let env = env.clone();
    Ok(Bound::new(SqlType::String, move |args, rows| {
        let texts = Texts::all(&args[1..], &kinds, &env)?;
        strings(rows, |row, out| {
            for piece in &pieces {
                match piece {
                    Piece::Text(text) => out.extend_from_slice(text),
                    Piece::Argument(i) => texts[*i].write(row, out),
                }
            }
            Ok(())
        })
    }))
}
