//! A call of a table function as the statement has it, before the function gives its arguments a meaning.

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum CallArgument {
    /// `'text'`
    Text(String),
    /// A text that is no UTF-8, beside how it is shown.
    Bytes(Vec<u8>, String),
    /// `42`, `-1.5`: constant expressions arrive computed.
    Number(String),
    /// `NOSIGN`, `auto`, `CSV`
    Identifier(String),
    /// `headers('name' = 'value', …)`, `extra_credentials(role_arn = '…')`
    Pairs(String, Vec<(String, String)>),
}

impl CallArgument {
    /// The argument as a word, whether it is quoted or not.
    pub fn word(&self) -> &str {
        match self {
            CallArgument::Text(text)
            | CallArgument::Bytes(_, text)
            | CallArgument::Number(text)
            | CallArgument::Identifier(text) => text,
            CallArgument::Pairs(name, _) => name,
        }
    }

    pub fn of_text(bytes: Vec<u8>) -> CallArgument {
        String::from_utf8(bytes).map_or_else(
            |error| {
                let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
                CallArgument::Bytes(error.into_bytes(), shown)
            },
            CallArgument::Text,
        )
    }

    /// The bytes of a text, those of the word else.
    pub fn bytes(&self) -> &[u8] {
        match self {
            CallArgument::Bytes(bytes, _) => bytes,
            other => other.word().as_bytes(),
        }
    }
}

/// `name(argument, …, key = value, …)`
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TableFunctionCall {
    pub name: String,
    pub positional: Vec<CallArgument>,
    pub named: Vec<(String, CallArgument)>,
}
