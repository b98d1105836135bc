//! Merges.

pub mod background;

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::OptimizeRequest;
use gristmill_introspect::QueryContext;

use crate::table::Core;

pub async fn optimize(_core: &Arc<Core>, _context: &Arc<QueryContext>, _request: &OptimizeRequest) -> Result<()> {
    Ok(())
}
