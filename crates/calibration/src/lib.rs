//! What this machine can do at best: rates and latencies of its processor, caches, memory and disk, measured once, and of
//! the object stores that it talks to, learned from traffic. The limit of a query (`EXPLAIN LIMIT`) is its work over these.
//!
//! `measure` runs the kernels that queries consist of (decoding, hashing, sorting, copying, reading), each for a moment, and
//! keeps the best that it saw: what disturbs a measurement only ever makes it slower. What was measured is a list of figures
//! (`figures`), kept as a versioned file (`file`) together with the machine it was measured on (`fingerprint`), and measured
//! anew on another (`keeper`).

pub mod endpoints;
pub mod figures;
pub mod file;
pub mod fingerprint;
pub mod keeper;
pub mod measure;

pub use endpoints::EndpointSeen;
pub use figures::{Calibration, Figure, Form, Resource};
pub use fingerprint::Fingerprint;
pub use keeper::Calibrations;
