//! objstore
