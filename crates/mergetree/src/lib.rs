//! mergetree
