//! The background job of a table.
use std::sync::Weak;

use crate::table::Core;

pub async fn run(_core: Weak<Core>) {}
