//! One error type: ClickHouse's numeric code and name, a message that says what to do, and what was being done.
//!
//! An error starts where it is noticed (`Error::new`) and gains context on its way up (`ResultExt::context`), outermost
//! last. It crosses DataFusion, Arrow and Parquet inside their `External` variants and is taken out again unharmed by
//! `From<DataFusionError>`, so a code chosen in a leaf reaches the client.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use parquet::errors::ParquetError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A numeric code of ClickHouse's. Names come from the table of all codes, `error_codes.tsv`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ErrorCode(pub i32);

static NAMES: LazyLock<HashMap<i32, &'static str>> = LazyLock::new(|| {
    include_str!("error_codes.tsv")
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(code, name)| Some((code.parse().ok()?, name)))
        .collect()
});

impl ErrorCode {
    /// The upper-case name, such as `UNKNOWN_TABLE`; codes that are not in the table are `UNKNOWN_EXCEPTION`.
    pub fn name(self) -> &'static str {
        self.known_name().unwrap_or("UNKNOWN_EXCEPTION")
    }

    /// The name of a code that is in the table.
    pub fn known_name(self) -> Option<&'static str> {
        NAMES.get(&self.0).copied()
    }
}

macro_rules! codes {
    ($($name:ident = $code:literal),* $(,)?) => {
        impl ErrorCode {
            $(pub const $name: ErrorCode = ErrorCode($code);)*
        }

        #[cfg(test)]
        const DECLARED: &[(&str, i32)] = &[$((stringify!($name), $code)),*];
    };
}

codes! {
    UNSUPPORTED_METHOD = 1,
    UNSUPPORTED_PARAMETER = 2,
    CANNOT_PARSE_TEXT = 6,
    INCORRECT_NUMBER_OF_COLUMNS = 7,
    THERE_IS_NO_COLUMN = 8,
    NOT_FOUND_COLUMN_IN_BLOCK = 10,
    PARAMETER_OUT_OF_BOUND = 12,
    DUPLICATE_COLUMN = 15,
    NUMBER_OF_COLUMNS_DOESNT_MATCH = 20,
    NO_SUCH_COLUMN_IN_TABLE = 16,
    SIZE_OF_FIXED_STRING_DOESNT_MATCH = 19,
    CANNOT_PARSE_ESCAPE_SEQUENCE = 25,
    CANNOT_PARSE_QUOTED_STRING = 26,
    CANNOT_PARSE_INPUT_ASSERTION_FAILED = 27,
    CANNOT_PRINT_FLOAT_OR_DOUBLE_NUMBER = 28,
    ATTEMPT_TO_READ_AFTER_EOF = 32,
    CANNOT_READ_ALL_DATA = 33,
    TOO_MANY_ARGUMENTS_FOR_FUNCTION = 34,
    TOO_FEW_ARGUMENTS_FOR_FUNCTION = 35,
    BAD_ARGUMENTS = 36,
    WITH_TIES_WITHOUT_ORDER_BY = 476,
    CANNOT_PARSE_DATE = 38,
    TOO_LARGE_SIZE_COMPRESSED = 39,
    CHECKSUM_DOESNT_MATCH = 40,
    CANNOT_PARSE_DATETIME = 41,
    NUMBER_OF_ARGUMENTS_DOESNT_MATCH = 42,
    ILLEGAL_TYPE_OF_ARGUMENT = 43,
    ILLEGAL_COLUMN = 44,
    UNKNOWN_FUNCTION = 46,
    UNKNOWN_IDENTIFIER = 47,
    NOT_IMPLEMENTED = 48,
    LOGICAL_ERROR = 49,
    UNKNOWN_TYPE = 50,
    EMPTY_LIST_OF_COLUMNS_QUERIED = 51,
    TYPE_MISMATCH = 53,
    STORAGE_REQUIRES_PARAMETER = 55,
    UNKNOWN_STORAGE = 56,
    TABLE_ALREADY_EXISTS = 57,
    ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER = 59,
    UNKNOWN_TABLE = 60,
    SYNTAX_ERROR = 62,
    UNKNOWN_AGGREGATE_FUNCTION = 63,
    CANNOT_GET_SIZE_OF_FIELD = 68,
    ARGUMENT_OUT_OF_BOUND = 69,
    CANNOT_CONVERT_TYPE = 70,
    CANNOT_PARSE_NUMBER = 72,
    UNKNOWN_FORMAT = 73,
    CANNOT_READ_FROM_FILE_DESCRIPTOR = 74,
    CANNOT_WRITE_TO_FILE_DESCRIPTOR = 75,
    CANNOT_OPEN_FILE = 76,
    INCORRECT_QUERY = 80,
    UNKNOWN_DATABASE = 81,
    DATABASE_ALREADY_EXISTS = 82,
    FORMAT_IS_NOT_SUITABLE_FOR_INPUT = 85,
    RECEIVED_ERROR_FROM_REMOTE_IO_SERVER = 86,
    EMPTY_LIST_OF_COLUMNS_PASSED = 90,
    EMPTY_DATA_PASSED = 92,
    UNKNOWN_COMPRESSION_METHOD = 89,
    UNKNOWN_PACKET_FROM_CLIENT = 99,
    UNKNOWN_PACKET_FROM_SERVER = 100,
    UNEXPECTED_PACKET_FROM_CLIENT = 101,
    UNEXPECTED_PACKET_FROM_SERVER = 102,
    FILE_DOESNT_EXIST = 107,
    NO_DATA_TO_INSERT = 108,
    UNKNOWN_SETTING = 115,
    THERE_IS_NO_DEFAULT_VALUE = 116,
    INCORRECT_DATA = 117,
    ILLEGAL_INDEX = 127,
    TOP_AND_LIMIT_TOGETHER = 406,
    FUNCTION_NOT_ALLOWED = 446,
    NO_SUCH_PROJECTION_IN_TABLE = 582,
    ILLEGAL_PROJECTION = 583,
    PROJECTION_NOT_USED = 584,
    BAD_TYPE_OF_FIELD = 169,
    INDEX_NOT_USED = 277,
    BAD_TTL_EXPRESSION = 450,
    DATA_TYPE_CANNOT_BE_USED_IN_KEY = 549,
    ENGINE_REQUIRED = 119,
    TABLE_NOT_EMPTY = 705,
    CANNOT_INSERT_VALUE_OF_DIFFERENT_SIZE_INTO_TUPLE = 120,
    INCOMPATIBLE_COLUMNS = 122,
    INCORRECT_RESULT_OF_SCALAR_SUBQUERY = 125,
    TOO_LARGE_ARRAY_SIZE = 128,
    FUNCTION_IS_SPECIAL = 129,
    CANNOT_READ_ARRAY_FROM_TEXT = 130,
    TOO_LARGE_STRING_SIZE = 131,
    AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS = 133,
    ZERO_ARRAY_OR_TUPLE_INDEX = 135,
    UNKNOWN_ELEMENT_IN_CONFIG = 137,
    NO_ELEMENTS_IN_CONFIG = 139,
    SAMPLING_NOT_SUPPORTED = 141,
    ILLEGAL_DIVISION = 153,
    TOO_MANY_ROWS = 158,
    TIMEOUT_EXCEEDED = 159,
    TOO_SLOW = 160,
    BAD_GET = 170,
    TOO_SLOW_PARSING = 718,
    UNKNOWN_LOAD_BALANCING = 212,
    UNKNOWN_TOTALS_MODE = 213,
    UNKNOWN_DISTRIBUTED_PRODUCT_MODE = 283,
    UNKNOWN_UNION = 557,
    UNKNOWN_JOIN = 418,
    UNKNOWN_OVERFLOW_MODE = 145,
    USER_SESSION_LIMIT_EXCEEDED = 700,
    READONLY = 164,
    THERE_IS_NO_PROFILE = 180,
    INVALID_CONFIG_PARAMETER = 318,
    TOO_MANY_COLUMNS = 161,
    TOO_MANY_TEMPORARY_COLUMNS = 165,
    TOO_MANY_TEMPORARY_NON_CONST_COLUMNS = 166,
    TOO_DEEP_SUBQUERIES = 162,
    TOO_DEEP_AST = 167,
    TOO_BIG_AST = 168,
    CYCLIC_ALIASES = 174,
    MULTIPLE_EXPRESSIONS_FOR_ALIAS = 179,
    UNEXPECTED_EXPRESSION = 183,
    ILLEGAL_FINAL = 181,
    ILLEGAL_PREWHERE = 182,
    ILLEGAL_AGGREGATION = 184,
    SET_SIZE_LIMIT_EXCEEDED = 191,
    UNKNOWN_USER = 192,
    WRONG_PASSWORD = 193,
    REQUIRED_PASSWORD = 194,
    DNS_ERROR = 198,
    TOO_MANY_SIMULTANEOUS_QUERIES = 202,
    ALIAS_REQUIRED = 206,
    QUERY_IS_PROHIBITED = 392,
    AMBIGUOUS_IDENTIFIER = 207,
    SOCKET_TIMEOUT = 209,
    NETWORK_ERROR = 210,
    CLIENT_HAS_CONNECTED_TO_WRONG_PORT = 217,
    NOT_AN_AGGREGATE = 215,
    INCOMPATIBLE_TYPE_OF_JOIN = 264,
    QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING = 216,
    DATABASE_NOT_EMPTY = 219,
    UNEXPECTED_AST_STRUCTURE = 223,
    QUERY_IS_TOO_LARGE = 229,
    MEMORY_LIMIT_EXCEEDED = 241,
    TABLE_IS_READ_ONLY = 242,
    NOT_ENOUGH_SPACE = 243,
    CORRUPTED_DATA = 246,
    INVALID_PARTITION_VALUE = 248,
    TOO_MANY_PARTS = 252,
    UNION_ALL_RESULT_STRUCTURES_MISMATCH = 258,
    CANNOT_COMPRESS = 270,
    CANNOT_DECOMPRESS = 271,
    LIMIT_EXCEEDED = 290,
    DIRECTORY_ALREADY_EXISTS = 84,
    TOO_DEEP_RECURSION = 306,
    TOO_MANY_BYTES = 307,
    VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE = 321,
    SUPPORT_IS_DISABLED = 344,
    CANNOT_ASSIGN_OPTIMIZE = 388,
    UNKNOWN_POLICY = 478,
    UNKNOWN_DISK = 479,
    TOO_MANY_PARTITIONS = 565,
    TOO_MANY_MUTATIONS = 692,
    CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN = 349,
    INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE = 353,
    SESSION_NOT_FOUND = 372,
    SESSION_IS_LOCKED = 373,
    INVALID_SESSION_TIMEOUT = 374,
    CANNOT_PARSE_UUID = 376,
    HTTP_LENGTH_REQUIRED = 381,
    NO_COMMON_TYPE = 386,
    QUERY_WAS_CANCELLED = 394,
    FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT = 399,
    TOO_MANY_ROWS_OR_BYTES = 396,
    QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW = 397,
    CANNOT_STAT = 400,
    INVALID_JOIN_ON_EXPRESSION = 403,
    DECIMAL_OVERFLOW = 407,
    EXPECTED_ALL_OR_ANY = 417,
    CANNOT_PARSE_PROTOBUF_SCHEMA = 434,
    INVALID_LIMIT_EXPRESSION = 440,
    CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING = 441,
    BAD_DATABASE_FOR_TEMPORARY_TABLE = 442,
    UNKNOWN_QUERY_PARAMETER = 456,
    BAD_QUERY_PARAMETER = 457,
    CANNOT_PARSE_BOOL = 467,
    VIOLATED_CONSTRAINT = 469,
    INVALID_SETTING_VALUE = 471,
    INVALID_WITH_FILL_EXPRESSION = 475,
    INVALID_USAGE_OF_INPUT = 477,
    INVALID_TEMPLATE_FORMAT = 474,
    PATH_ACCESS_DENIED = 481,
    SIZES_OF_ARRAYS_DONT_MATCH = 190,
    NO_SUCH_DATA_PART = 232,
    BAD_DATA_PART_NAME = 233,
    UNKNOWN_VOLUME = 548,
    ILLEGAL_STATISTICS = 708,
    ABORTED = 236,
    UNFINISHED = 341,
    INTO_OUTFILE_NOT_ALLOWED = 358,
    DATA_TYPE_CANNOT_BE_USED_IN_TABLES = 370,
    DATA_TYPE_CANNOT_HAVE_ARGUMENTS = 378,
    CANNOT_COMPILE_REGEXP = 427,
    FUNCTION_THROW_IF_VALUE_IS_NON_ZERO = 395,
    AGGREGATE_FUNCTION_THROW = 503,
    MULTIPLE_ASSIGNMENTS_TO_COLUMN = 419,
    CANNOT_UPDATE_COLUMN = 420,
    CANNOT_ADD_DIFFERENT_AGGREGATE_STATES = 421,
    ILLEGAL_SYNTAX_FOR_CODEC_TYPE = 431,
    UNKNOWN_CODEC = 432,
    ILLEGAL_CODEC_PARAMETER = 433,
    SETTING_CONSTRAINT_VIOLATION = 452,
    READONLY_SETTING = 472,
    UNACCEPTABLE_URL = 491,
    ACCESS_ENTITY_ALREADY_EXISTS = 493,
    TOO_MANY_REDIRECTS = 483,
    ACCESS_STORAGE_READONLY = 495,
    ACCESS_DENIED = 497,
    INVALID_GRANT = 509,
    UNKNOWN_ROLE = 511,
    SET_NON_GRANTED_ROLE = 512,
    ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND = 514,
    NAMED_COLLECTION_DOESNT_EXIST = 669,
    NAMED_COLLECTION_ALREADY_EXISTS = 670,
    NAMED_COLLECTION_IS_IMMUTABLE = 671,
    S3_ERROR = 499,
    AZURE_BLOB_STORAGE_ERROR = 500,
    AUTHENTICATION_FAILED = 516,
    ALTER_OF_COLUMN_IS_FORBIDDEN = 524,
    CANNOT_FSTAT = 531,
    CANNOT_RESTORE_FROM_FIELD_DUMP = 536,
    EXPECTED_ALL_OR_DISTINCT = 558,
    TLD_LIST_NOT_FOUND = 562,
    TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT = 359,
    FUNCTION_ALREADY_EXISTS = 609,
    CANNOT_EXTRACT_TABLE_STRUCTURE = 636,
    CANNOT_APPEND_TO_FILE = 641,
    INVALID_TRANSACTION = 649,
    ONLY_NULLS_WHILE_READING_SCHEMA = 652,
    CANNOT_PARSE_IPV4 = 675,
    CANNOT_PARSE_IPV6 = 676,
    UNKNOWN_ELEMENT_OF_ENUM = 691,
    CLUSTER_DOESNT_EXIST = 701,
    CANNOT_DETECT_FORMAT = 715,
    TOO_MANY_TABLES = 724,
    DEDUPLICATION_IS_NOT_POSSIBLE = 764,
    TABLE_IS_PERMANENTLY_READ_ONLY = 774,
    TABLE_SIZE_LIMIT_EXCEEDED = 1016,
    AVRO_EXCEPTION = 748,
    STD_EXCEPTION = 1001,
    UNKNOWN_EXCEPTION = 1002,
}

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
    fn every_declared_code_has_the_name_clickhouse_gives_it() {
        for (name, code) in DECLARED {
            assert_eq!(ErrorCode(*code).name(), *name, "code {code}");
        }
    }

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
