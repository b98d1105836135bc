//! What the native protocol has from which revision on. Both sides speak the lower of their revisions.

/// The revision that is announced. It is the highest that needs neither chunks around packets (54470) nor roles (54472)
/// nor the second layout of dynamic columns (54473), and no client asks for more. 54429 must not be announced: clients
/// disagree about it.
pub const SERVER: u64 = 54468;
/// What our own client announces: it reads the same.
pub const CLIENT: u64 = SERVER;

pub const CLIENT_INFO: u64 = 54032;
pub const SERVER_TIMEZONE: u64 = 54058;
pub const QUOTA_KEY: u64 = 54060;
pub const DISPLAY_NAME: u64 = 54372;
pub const VERSION_PATCH: u64 = 54401;
pub const SERVER_LOGS: u64 = 54406;
pub const COLUMN_DEFAULTS: u64 = 54410;
pub const WRITTEN_PROGRESS: u64 = 54420;
pub const SETTINGS_AS_STRINGS: u64 = 54429;
pub const INTERSERVER_SECRET: u64 = 54441;
pub const OPENTELEMETRY: u64 = 54442;
pub const FORWARDED_FOR: u64 = 54443;
pub const REFERER: u64 = 54447;
pub const DISTRIBUTED_DEPTH: u64 = 54448;
pub const QUERY_START_TIME: u64 = 54449;
pub const PROFILE_EVENTS: u64 = 54451;
pub const PARALLEL_REPLICAS: u64 = 54453;
pub const PROFILE_EVENTS_IN_INSERT: u64 = 54456;
pub const ADDENDUM: u64 = 54458;
pub const PARAMETERS: u64 = 54459;
pub const ELAPSED_IN_PROGRESS: u64 = 54460;
pub const PASSWORD_RULES: u64 = 54461;
pub const INTERSERVER_NONCE: u64 = 54462;
pub const TOTAL_BYTES_IN_PROGRESS: u64 = 54463;
pub const AGGREGATION_IN_PROFILE_INFO: u64 = 54469;
pub const CHUNKED_PACKETS: u64 = 54470;
pub const PARALLEL_REPLICAS_VERSION: u64 = 54471;
pub const ROLES: u64 = 54472;
pub const SETTINGS_IN_HELLO: u64 = 54474;
pub const QUERY_LINE_NUMBERS: u64 = 54475;
pub const JWT: u64 = 54476;
pub const QUERY_PLAN_VERSION: u64 = 54477;
pub const CLUSTER_FUNCTION_VERSION: u64 = 54479;
pub const COMPRESSED_LOGS: u64 = 54481;
pub const CLIENT_AGENT: u64 = 54485;
pub const IS_INTERNAL: u64 = 54486;
pub const CURRENT_ROLES: u64 = 54488;
pub const HTTP_HANDLER: u64 = 54490;
