//! What the system tables tell of, from the engine whose they are.

use std::sync::Arc;

use gristmill_engine::Engine;
use gristmill_engine::opener::ENGINES;
use gristmill_system::Known;

pub fn known(engine: &Engine) -> Known {
    Known {
        databases: Arc::downgrade(&engine.databases),
        registry: engine.registry.clone(),
        user_functions: engine.user_functions.clone(),
        mergetree: engine.mergetree.clone(),
        sources: engine.hints.caches.clone(),
        access: engine.access.clone(),
        data_path: engine.data_path.clone(),
        calibrations: engine.calibrations.clone(),
        engines: ENGINES,
    }
}
