//! How far a query is from what this machine can do ("speed of light"), and which change would help most.
//!
//! A query is watched from when it is planned (`watch`). When it is over, the operators of its plans say what they did, and
//! `work` turns that into units that the machine was measured in: bytes decoded, keys hashed, rows sorted, bytes from the
//! disk, requests. `least` divides them by the rates of the calibration: the least time by resource, with all cores at work,
//! everything overlapped and nothing done twice. Rates are those of the fastest form, where the plan does not tell the form,
//! so that the least time is never more than the query could need. `times` says where the time by the clock went. What both
//! say is the report (`report`), and rules (`advice`) look at it for a change that would help, each with a model of its own
//! of what it gains.

mod advice;
mod explain;
mod least;
mod report;
mod times;
mod watch;
mod work;

pub(crate) use watch::LimitWatch;
pub(crate) use work::Kind;
