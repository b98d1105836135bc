//! The context of a task with something changed, for operators that run others.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionConfig;

/// The task with another configuration and runtime.
pub fn changed(task: &TaskContext, config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Arc<TaskContext> {
    // Functions are looked up by their names where a plan is read from bytes, never where one runs.
    Arc::new(TaskContext::new(
        task.task_id(),
        task.session_id(),
        config,
        HashMap::new(),
        HashMap::new(),
        HashMap::new(),
        HashMap::new(),
        runtime,
    ))
}
