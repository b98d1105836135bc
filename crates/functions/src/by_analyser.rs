//! Functions that are about the query and not about values, as far as the functions' side of them goes.
//!
//! The analyser lowers the ones named here itself: `arrayJoin` multiplies rows, `in` and its relatives look into sets, `getSetting` reads
//! the session's settings, `joinGet` tables of the engine Join. They are no entries of the registry, only names to be listed. `indexHint` and the `IgnoreSet` relatives
//! of `in` are functions like any other: the first is true of every row, and MergeTree's choice of granules looks at what it is given;
//! what the others mean to an analyser is nothing here, so only their value is left.

use SqlType as T;
use gristmill_types::SqlType;

use crate::columns::truths;
use crate::define::{arity, own_nulls};
use crate::registry::Registry;
use crate::scalar::Bound;

const NAMES: &[&str] = &[
    "arrayJoin",
    "getSetting",
    "getSettingOrDefault",
    "globalIn",
    "globalNotIn",
    "globalNotNullIn",
    "globalNullIn",
    "in",
    "joinGet",
    "joinGetOrNull",
    "notIn",
    "notNullIn",
    "nullIn",
];

/// Names that are no entries of the registry, as the analyser takes their calls.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    NAMES.iter().copied()
}

pub fn register(registry: &mut Registry) {
    registry.scalar("indexHint", own_nulls(|_, _, _| Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| true)))));
    for name in ["inIgnoreSet", "notInIgnoreSet", "globalInIgnoreSet", "globalNotInIgnoreSet"] {
        registry.scalar(
            name,
            own_nulls(|name, arguments, _| {
                arity(name, arguments, 2..=2)?;
                if arguments[0].kind.is_null_literal() {
                    return Ok(Bound::null());
                }
                Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| false)))
            }),
        );
    }
    for name in ["nullInIgnoreSet", "notNullInIgnoreSet", "globalNullInIgnoreSet", "globalNotNullInIgnoreSet"] {
        registry.scalar(
            name,
            own_nulls(|name, arguments, _| {
                arity(name, arguments, 2..=2)?;
                Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| false)))
            }),
        );
    }
    registry.alias("unnest", "arrayJoin");
    registry.any_case("unnest");
}
