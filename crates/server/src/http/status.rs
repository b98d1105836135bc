//! Which status of HTTP an error has: ClickHouse's choice, which clients know.

use gristmill_base::ErrorCode;
use hyper::StatusCode;

pub fn of(code: ErrorCode) -> StatusCode {
    match code.name() {
        "REQUIRED_PASSWORD" => StatusCode::UNAUTHORIZED,
        "UNKNOWN_USER" | "WRONG_PASSWORD" | "AUTHENTICATION_FAILED" | "ACCESS_DENIED" | "SET_NON_GRANTED_ROLE" => {
            StatusCode::FORBIDDEN
        }
        "BAD_ARGUMENTS"
        | "CANNOT_COMPILE_REGEXP"
        | "CANNOT_PARSE_TEXT"
        | "CANNOT_PARSE_ESCAPE_SEQUENCE"
        | "CANNOT_PARSE_QUOTED_STRING"
        | "CANNOT_PARSE_DATE"
        | "CANNOT_PARSE_DATETIME"
        | "CANNOT_PARSE_NUMBER"
        | "CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING"
        | "CANNOT_PARSE_IPV4"
        | "CANNOT_PARSE_IPV6"
        | "CANNOT_PARSE_INPUT_ASSERTION_FAILED"
        | "CANNOT_PARSE_UUID"
        | "DUPLICATE_COLUMN"
        | "ILLEGAL_COLUMN"
        | "THERE_IS_NO_COLUMN"
        | "UNKNOWN_ELEMENT_IN_AST"
        | "UNKNOWN_TYPE_OF_AST_NODE"
        | "TOO_DEEP_AST"
        | "TOO_BIG_AST"
        | "TOO_SLOW_PARSING"
        | "UNEXPECTED_AST_STRUCTURE"
        | "SYNTAX_ERROR"
        | "INCORRECT_DATA"
        | "TYPE_MISMATCH"
        | "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE" => StatusCode::BAD_REQUEST,
        "UNKNOWN_TABLE"
        | "UNKNOWN_FUNCTION"
        | "UNKNOWN_IDENTIFIER"
        | "UNKNOWN_TYPE"
        | "UNKNOWN_STORAGE"
        | "UNKNOWN_DATABASE"
        | "UNKNOWN_SETTING"
        | "UNKNOWN_DIRECTION_OF_SORTING"
        | "UNKNOWN_AGGREGATE_FUNCTION"
        | "UNKNOWN_FORMAT"
        | "UNKNOWN_DATABASE_ENGINE"
        | "UNKNOWN_TYPE_OF_QUERY"
        | "UNKNOWN_ROLE" => StatusCode::NOT_FOUND,
        "TIMEOUT_EXCEEDED" => StatusCode::REQUEST_TIMEOUT,
        "HTTP_LENGTH_REQUIRED" => StatusCode::LENGTH_REQUIRED,
        "QUERY_IS_TOO_LARGE" => StatusCode::PAYLOAD_TOO_LARGE,
        "NOT_IMPLEMENTED" => StatusCode::NOT_IMPLEMENTED,
        "SOCKET_TIMEOUT" | "CANNOT_OPEN_FILE" | "CANNOT_SCHEDULE_TASK" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
