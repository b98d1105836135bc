//! CREATE FUNCTION and DROP FUNCTION.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::resolve_aggregate;
use gristmill_functions::user_defined::UserFunction;

use super::Interpreter;

impl Interpreter {
    /// Error: FUNCTION_ALREADY_EXISTS.
    pub(super) fn create_function(
        &self,
        name: String,
        function: UserFunction,
        if_not_exists: bool,
        or_replace: bool,
    ) -> Result<()> {
        let exists = |text: String| Err(Error::new(ErrorCode::FUNCTION_ALREADY_EXISTS, text));
        let registry = &self.engine.registry;
        if registry.find_scalar(registry.canonical(&name)).is_some() {
            return exists(format!("The function '{name}' already exists"));
        }
        if resolve_aggregate(registry, &name).is_some() {
            return exists(format!("The aggregate function '{name}' already exists"));
        }
        self.engine.user_functions.change(|all| {
            if or_replace || !all.contains_key(&name) {
                all.insert(name, function);
                return Ok(());
            }
            match if_not_exists {
                true => Ok(()),
                false => exists(format!("User-defined object '{name}' already exists: use CREATE OR REPLACE FUNCTION")),
            }
        })
    }

    /// Errors: UNKNOWN_FUNCTION, CANNOT_DROP_FUNCTION.
    pub(super) fn drop_function(&self, name: &str, if_exists: bool) -> Result<()> {
        let registry = &self.engine.registry;
        if registry.find_scalar(name).is_some() || resolve_aggregate(registry, name).is_some() {
            return Err(Error::new(ErrorCode::CANNOT_DROP_FUNCTION, format!("Cannot drop system function '{name}'")));
        }
        self.engine.user_functions.change(|all| match all.remove(name) {
            None if !if_exists => {
                Err(Error::new(ErrorCode::UNKNOWN_FUNCTION, format!("User-defined object '{name}' doesn't exist")))
            }
            _ => Ok(()),
        })
    }
}
