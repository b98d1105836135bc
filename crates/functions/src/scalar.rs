//! What a scalar function is.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::ArrayRef;
use datafusion::common::ScalarValue;
use gristmill_access::effective::Effective;
use gristmill_base::Result;
use gristmill_introspect::tag_groups::TagGroups;
use gristmill_introspect::{Client, Settings, Used};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, Overflow};
use gristmill_types::scan::address::LenientAddresses;
use gristmill_types::scan::best_effort::Customs;

/// An argument as the analyser knows it: its type, and its value where it is a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    pub kind: SqlType,
    pub constant: Option<ScalarValue>,
}

/// What functions need to know of the session. Two statements with equal environments bind alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionEnv {
    /// IANA name of the session's time zone.
    pub timezone: Arc<str>,
    pub database: Arc<str>,
    pub user: Arc<str>,
    pub roles: Arc<SessionRoles>,
    pub query_id: Arc<str>,
    /// Start of the query in microseconds since the Unix epoch: what `now()` says.
    pub now_micros: i64,
    pub cast_keep_nullable: bool,
    pub cast_string_to_date_time_mode: Arc<str>,
    pub addresses: AddressRules,
    /// Elements that `range` may make in a block.
    pub range_elements_max: u64,
    pub json: JsonRules,
    pub limits: FunctionLimits,
    pub asker: Asker,
}

/// Where a text that is no address becomes the default of its type, rather than an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AddressRules {
    /// Wherever it is converted.
    pub converted: bool,
    /// By CAST, and into a column.
    pub cast: LenientAddresses,
}

impl AddressRules {
    pub fn of(settings: &Settings) -> AddressRules {
        let converted = settings.cast_ipv4_ipv6_default_on_conversion_error;
        AddressRules {
            converted,
            cast: LenientAddresses {
                v4: converted || settings.input_format_ipv4_default_on_conversion_error,
                v6: converted || settings.input_format_ipv6_default_on_conversion_error,
            },
        }
    }

    /// Those of functions that are no CAST.
    pub fn of_functions(self) -> LenientAddresses {
        LenientAddresses { v4: self.converted, v6: self.converted }
    }
}

/// What settings say of functions that read or write JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonRules {
    /// `toJSONString` writes `"nan"` and `"inf"` rather than null.
    pub quotes_denormals: bool,
    /// `JSON_VALUE` gives NULL where nothing is found.
    pub value_is_nullable: bool,
    /// `JSON_VALUE` gives objects and arrays as their text.
    pub value_is_complex: bool,
}

/// What settings limit of functions, beside `range_elements_max` (0: no limit), and what else they say of single ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionLimits {
    /// Whether several regular expressions may be searched for at once.
    pub allows_regexps: bool,
    /// Bytes of each of them.
    pub regexp_bytes_max: u64,
    /// Bytes of all of them.
    pub regexps_bytes_max: u64,
    /// Trials of a random distribution, or its mean.
    pub trials_max: u64,
    /// The bits of a Float64, which is told apart by them.
    degrees_max: u64,
    /// Whether the last of at most so many parts of a text is all the rest of it. Else the rest is dropped.
    pub keeps_rest: bool,
    /// Pairs of keys and values that a text may have.
    pub pairs_max: u64,
    /// Whether decimals wrap around where they overflow.
    pub decimals_wrap: bool,
    /// What the letters of patterns of times stand for.
    pub letters: DateLetters,
    /// What becomes of days and moments beyond the type that they are converted to.
    pub overflow: Overflow,
}

impl FunctionLimits {
    pub fn of(settings: &Settings) -> FunctionLimits {
        FunctionLimits {
            allows_regexps: settings.allow_hyperscan,
            regexp_bytes_max: settings.max_hyperscan_regexp_length,
            regexps_bytes_max: settings.max_hyperscan_regexp_total_length,
            trials_max: settings.max_rand_distribution_trials,
            degrees_max: settings.max_rand_distribution_parameter.to_bits(),
            keeps_rest: settings.splitby_max_substrings_includes_remaining_string,
            pairs_max: settings.extract_key_value_pairs_max_pairs_per_row,
            decimals_wrap: !settings.decimal_check_overflow,
            letters: DateLetters::of(settings),
            overflow: Overflow::of(&settings.date_time_overflow_behavior),
        }
    }

    /// Degrees of freedom of a random distribution.
    pub fn degrees_max(&self) -> f64 {
        f64::from_bits(self.degrees_max)
    }
}

/// What settings say of the letters of `formatDateTime` and `parseDateTime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateLetters {
    /// `%M` is the name of a month. Else it is the minute.
    pub m_is_month: bool,
    /// `%f` has the digits of the type, or one zero where it has none.
    pub f_is_short: bool,
    /// `%f` has the digits of the type, or six zeros where it has none.
    pub f_is_scaled: bool,
    /// `%e` is written with a blank before one digit.
    pub e_is_padded: bool,
    /// `%c`, `%l` and `%k` are written without a zero before one digit.
    pub writes_bare: bool,
    /// `%e` is read of two characters.
    pub reads_padded: bool,
    /// `%c`, `%l` and `%k` may be read of one digit.
    pub reads_bare: bool,
}

impl DateLetters {
    fn of(settings: &Settings) -> DateLetters {
        DateLetters {
            m_is_month: settings.formatdatetime_parsedatetime_m_is_month_name,
            f_is_short: settings.formatdatetime_f_prints_single_zero,
            f_is_scaled: settings.formatdatetime_f_prints_scale_number_of_digits,
            e_is_padded: settings.formatdatetime_e_with_space_padding,
            writes_bare: settings.formatdatetime_format_without_leading_zeros,
            reads_padded: settings.parsedatetime_e_requires_space_padding,
            reads_bare: settings.parsedatetime_parse_without_leading_zeros,
        }
    }
}

impl Default for FunctionLimits {
    fn default() -> FunctionLimits {
        FunctionLimits::of(&Settings::default())
    }
}

/// What the user of the query may do, and where the query comes from; by default nothing, from nowhere.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    pub access: Arc<Effective>,
    /// Who asks.
    pub client: Arc<Client>,
    /// Where it is noted what the query uses.
    pub used: Arc<Used>,
    /// Groups of tags that the query has met.
    pub tags: Arc<TagGroups>,
}

/// Of one query, as its id says; so it is no part of what tells two environments apart.
impl PartialEq for Asker {
    fn eq(&self, _other: &Asker) -> bool {
        true
    }
}

impl Eq for Asker {}

impl Hash for Asker {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

/// `FunctionEnv::range_elements_max` where no setting says it.
pub const RANGE_ELEMENTS_MAX: u64 = 500_000_000;

impl FunctionEnv {
    /// How texts of dates with times are understood. `us`: months come before days.
    pub fn customs(&self, us: bool) -> Customs {
        Customs { us, now_seconds: Some(self.now_micros.div_euclid(1_000_000)) }
    }

    /// How values are cast. Errors: BAD_ARGUMENTS where the zone is none.
    pub fn cast_options(&self) -> Result<CastOptions> {
        Ok(CastOptions {
            timezone: crate::text::timezone(self)?,
            best_effort_dates: self.cast_string_to_date_time_mode.starts_with("best_effort"),
            customs: self.customs(&*self.cast_string_to_date_time_mode == "best_effort_us"),
            lenient_addresses: self.addresses.cast,
            overflow: self.limits.overflow,
            ..CastOptions::default()
        })
    }
}

/// Names of the user's roles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionRoles {
    /// Those that SET ROLE chose.
    pub current: Vec<String>,
    /// With those that they bring.
    pub enabled: Vec<String>,
    /// Those that are on when a session begins.
    pub default: Vec<String>,
}

/// Computes `rows` values from arrays of `rows` values each; constants arrive as arrays of one value. May return one
/// value for all rows where every argument has one.
pub type Kernel = Arc<dyn Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nulls {
    /// The framework handles NULL: `bind` sees types without Nullable and LowCardinality, the kernel sees the values
    /// below the null masks, the result is NULL where any argument is. `bind`'s result type is made Nullable where an
    /// argument is.
    Propagate,
    /// The function sees Nullable types and null masks itself.
    Own,
}

pub struct Bound {
    pub result: SqlType,
    /// Types that the arguments are cast to before the kernel sees them; empty: as they are.
    pub arguments: Vec<SqlType>,
    pub kernel: Kernel,
}

pub trait ScalarFunction: Send + Sync {
    fn nulls(&self) -> Nulls {
        Nulls::Propagate
    }

    /// False for `rand()`, `generateUUIDv4()` and the like: computed anew for each row and never folded.
    fn deterministic(&self) -> bool {
        true
    }

    /// As `deterministic`, of a call with these arguments: some functions only hide that a constant is one.
    fn deterministic_of(&self, _arguments: &[Argument]) -> bool {
        self.deterministic()
    }

    /// As `bind`, of a first argument that is Nullable: for functions of `Propagate` that make NULL of what they cannot take then.
    fn bind_nullable(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
        self.bind(name, arguments, env)
    }

    /// Whether the same arguments may give something else in another query, as with `now()` and `currentUser()`: what is
    /// kept for ever (keys, TTL) cannot be computed with it.
    fn changes(&self) -> bool {
        !self.deterministic()
    }

    /// Chooses result type and kernel by the arguments. Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
    /// ILLEGAL_TYPE_OF_ARGUMENT, … with the function's name in the message.
    fn bind(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound>;
}
