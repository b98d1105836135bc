//! A call of a table function as the statement has it, before the function gives its arguments a meaning.

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum CallArgument {
    /// `'text'`
    Text(String),
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
            CallArgument::Text(text) | CallArgument::Number(text) | CallArgument::Identifier(text) => text,
            CallArgument::Pairs(name, _) => name,
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
