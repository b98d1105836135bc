//! One error type: ClickHouse's numeric code and name, a message that says what to do, and what was being done.
//!
//! An error starts where it is noticed (`Error::new`) and gains context on its way up (`ResultExt::context`), outermost
//! last. It crosses DataFusion, Arrow and Parquet inside their `External` variants and is taken out again unharmed by
//! `From<DataFusionError>`, so a code chosen in a leaf reaches the client.

mod codes;

use std::fmt;
use std::sync::Arc;

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use parquet::errors::ParquetError;

pub use codes::ErrorCode;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller can do about an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The statement or its data is wrong: trying again gives the same.
    User,
    /// A limit set by the user or the machine was reached.
    Limit,
    /// The store or the network failed for now: trying again may help.
    Transient,
    /// The query was cancelled.
    Cancelled,
    /// A defect of ours.
    Internal,
}

#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: ErrorCode,
    message: String,
    context: Vec<String>,
    transient: bool,
    /// Where it began.
    trace: Arc<[u64]>,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Error(Box::new(Inner { code, message, context: Vec::new(), transient: false, trace: crate::stack::here() }))
    }

    /// A defect of ours: something that must not happen happened.
    pub fn logical(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::LOGICAL_ERROR, message)
    }

    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NOT_IMPLEMENTED, message)
    }

    /// Marks a failure that may pass when tried again (network, throttling).
    pub fn transient(mut self) -> Self {
        self.0.transient = true;
        self
    }

    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.0.context.push(context.into());
        self
    }

    /// The error of a statement, without the credentials of it that it may quote, and as the administrator's rules let it be seen.
    pub fn without_secrets_of(self, statement: &str) -> Self {
        self.told(|text| crate::redact::told_of(statement, text)).masked()
    }

    /// As the administrator's rules let it be seen.
    pub fn masked(self) -> Self {
        self.told(crate::redact::masking::masked)
    }

    fn told(mut self, tell: impl Fn(String) -> String) -> Self {
        let told = |text: &mut String| *text = tell(std::mem::take(text));
        told(&mut self.0.message);
        self.0.context.iter_mut().for_each(told);
        self
    }

    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The addresses of the calls that led to it, the innermost first; empty where they were not looked for.
    pub fn trace(&self) -> &Arc<[u64]> {
        &self.0.trace
    }

    pub fn kind(&self) -> ErrorKind {
        match self.0.code {
            _ if self.0.transient => ErrorKind::Transient,
            ErrorCode::LOGICAL_ERROR => ErrorKind::Internal,
            ErrorCode::QUERY_WAS_CANCELLED => ErrorKind::Cancelled,
            ErrorCode::MEMORY_LIMIT_EXCEEDED
            | ErrorCode::NOT_ENOUGH_SPACE
            | ErrorCode::TIMEOUT_EXCEEDED
            | ErrorCode::TOO_MANY_PARTITIONS
            | ErrorCode::TOO_MANY_MUTATIONS
            | ErrorCode::TOO_MANY_PARTS => ErrorKind::Limit,
            _ => ErrorKind::User,
        }
    }

    /// The message and its context, without code and name.
    pub fn message(&self) -> String {
        let mut text = self.0.message.clone();
        for context in &self.0.context {
            text.push_str(": ");
            text.push_str(context);
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message();
        let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
        write!(f, "Code: {}. DB::Exception: {message}{stop} ({})", self.0.code.0, self.0.code.name())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Adds what was being done to an error on its way up.
pub trait ResultExt<T> {
    fn context(self, context: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, context: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.into().with_context(context()))
    }
}

/// Finds an `Error` of ours anywhere down the chain of sources.
fn find_ours(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(ours) = error.downcast_ref::<Error>() {
            return Some(ours.clone());
        }
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && let Some(ours) = io.get_ref().and_then(|inner| find_ours(inner))
        {
            return Some(ours);
        }
        current = error.source();
    }
    None
}

/// Finds DataFusion's word of memory that is used up anywhere down the chain of sources: an error that several streams wait
/// for, as that of a join's build side, comes wrapped.
fn find_exhausted(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    let mut current = Some(error);
    while let Some(error) = current {
        match error.downcast_ref::<DataFusionError>() {
            Some(DataFusionError::ResourcesExhausted(message)) => {
                return Some(Error::new(ErrorCode::MEMORY_LIMIT_EXCEEDED, message.clone()));
            }
            // Of several errors, their source is the first of them only.
            Some(DataFusionError::Collection(errors)) => {
                return errors.iter().find_map(|error| find_exhausted(error));
            }
            Some(DataFusionError::Shared(inner)) => return find_exhausted(inner.as_ref()),
            _ => {}
        }
        current = error.source();
    }
    None
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(inner) => find_ours(inner.as_ref())
                .or_else(|| find_exhausted(inner.as_ref()))
                .unwrap_or_else(|| Error::new(ErrorCode::STD_EXCEPTION, inner.to_string())),
            DataFusionError::ArrowError(inner, _) => (*inner).into(),
            DataFusionError::ParquetError(inner) => (*inner).into(),
            // A rule of the optimizer gives its name, which says nothing to who asked the query.
            DataFusionError::Context(context, inner) if !context.contains(' ') => Error::from(*inner),
            DataFusionError::Context(context, inner) => Error::from(*inner).with_context(context),
            DataFusionError::Shared(inner) => find_ours(inner.as_ref())
                .or_else(|| find_exhausted(inner.as_ref()))
                .unwrap_or_else(|| Error::new(ErrorCode::STD_EXCEPTION, inner.to_string())),
            DataFusionError::Diagnostic(_, inner) => (*inner).into(),
            DataFusionError::ResourcesExhausted(message) => Error::new(ErrorCode::MEMORY_LIMIT_EXCEEDED, message),
            DataFusionError::NotImplemented(message) => Error::not_implemented(message),
            DataFusionError::IoError(inner) => inner.into(),
            DataFusionError::Plan(message) => Error::new(ErrorCode::BAD_ARGUMENTS, message),
            DataFusionError::Execution(message) => Error::new(ErrorCode::BAD_ARGUMENTS, message),
            other => find_ours(&other)
                .or_else(|| find_exhausted(&other))
                .unwrap_or_else(|| Error::logical(other.strip_backtrace())),
        }
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::ExternalError(inner) => find_ours(inner.as_ref())
                .or_else(|| find_exhausted(inner.as_ref()))
                .unwrap_or_else(|| Error::new(ErrorCode::STD_EXCEPTION, inner.to_string())),
            ArrowError::DivideByZero => Error::new(ErrorCode::ILLEGAL_DIVISION, "Division by zero"),
            ArrowError::CastError(message) => Error::new(ErrorCode::CANNOT_CONVERT_TYPE, message),
            ArrowError::ParseError(message) => Error::new(ErrorCode::CANNOT_PARSE_TEXT, message),
            ArrowError::MemoryError(message) => Error::new(ErrorCode::MEMORY_LIMIT_EXCEEDED, message),
            ArrowError::IoError(_, inner) => inner.into(),
            ArrowError::ParquetError(message) => Error::new(ErrorCode::INCORRECT_DATA, message),
            other => Error::new(ErrorCode::STD_EXCEPTION, other.to_string()),
        }
    }
}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => {
                find_ours(inner.as_ref()).unwrap_or_else(|| Error::new(ErrorCode::INCORRECT_DATA, inner.to_string()))
            }
            other => Error::new(ErrorCode::INCORRECT_DATA, format!("Not a valid Parquet file: {other}")),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        if let Some(ours) = error.get_ref().and_then(|inner| find_ours(inner)) {
            return ours;
        }
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::FILE_DOESNT_EXIST,
            std::io::ErrorKind::StorageFull => ErrorCode::NOT_ENOUGH_SPACE,
            std::io::ErrorKind::UnexpectedEof => ErrorCode::CANNOT_READ_ALL_DATA,
            std::io::ErrorKind::PermissionDenied => ErrorCode::CANNOT_OPEN_FILE,
            _ => ErrorCode::STD_EXCEPTION,
        };
        Error::new(code, error.to_string())
    }
}

impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        DataFusionError::External(Box::new(error))
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        ArrowError::ExternalError(Box::new(error))
    }
}

impl From<Error> for ParquetError {
    fn from(error: Error) -> Self {
        ParquetError::External(Box::new(error))
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        std::io::Error::other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_code_through_the_libraries() {
        let ours = Error::new(ErrorCode::UNKNOWN_TABLE, "Table default.x does not exist");
        let began = ours.trace().clone();
        let back = Error::from(DataFusionError::from(ArrowError::from(ours)));
        assert_eq!(back.to_string(), "Code: 60. DB::Exception: Table default.x does not exist. (UNKNOWN_TABLE)");
        assert!(Arc::ptr_eq(back.trace(), &began) && !began.is_empty(), "it began where it was made");
    }

    #[test]
    fn memory_that_is_used_up_has_its_code_however_it_is_wrapped() {
        let exhausted = || DataFusionError::ResourcesExhausted("for HashJoinInput".to_string());
        let other = || DataFusionError::Execution("another".to_string());
        for wrapped in [
            exhausted(),
            DataFusionError::Shared(Arc::new(exhausted())),
            DataFusionError::External(Box::new(DataFusionError::Shared(Arc::new(exhausted())))),
            DataFusionError::Shared(Arc::new(exhausted().context("building"))),
            exhausted().context("building"),
            DataFusionError::Collection(vec![other(), exhausted()]),
        ] {
            assert_eq!(Error::from(wrapped).code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
        }
    }
}
