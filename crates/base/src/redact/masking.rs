//! What an administrator wants hidden beside credentials: the rules of `<query_masking_rules>` of a server's configuration. They
//! are applied, one after the other, to whatever is logged or shown of a statement that ran. This crate knows no regular
//! expressions: a rule brings what replaces its matches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;

use crate::{Error, ErrorCode, Result};

/// The text with what matches replaced; `None`: nothing matches.
pub type Replace = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// One rule.
#[derive(Clone)]
pub struct Rule {
    pub name: String,
    pub replace: Replace,
    /// A statement that matches is not run: it ought not to have been sent.
    pub refuses: bool,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

static RULES: RwLock<Vec<Rule>> = RwLock::new(Vec::new());
/// Most servers have no rules, and each line of a log asks.
static ANY: AtomicBool = AtomicBool::new(false);
static MATCHED: AtomicU64 = AtomicU64::new(0);

/// From now on these are the rules of this process.
pub fn configure(rules: Vec<Rule>) {
    let mut kept = RULES.write();
    ANY.store(!rules.is_empty(), Ordering::Release);
    *kept = rules;
}

/// The text as the rules let it be shown.
pub fn masked(text: String) -> String {
    if !ANY.load(Ordering::Acquire) {
        return text;
    }
    RULES.read().iter().fold(text, |text, rule| match (rule.replace)(&text) {
        Some(masked) => {
            MATCHED.fetch_add(1, Ordering::Relaxed);
            masked
        }
        None => text,
    })
}

/// That no rule refuses a statement of this text. Error: LOGICAL_ERROR, as ClickHouse has it, which tells the text as the rules let
/// it be shown.
pub fn check(text: impl FnOnce() -> String) -> Result<()> {
    if !ANY.load(Ordering::Acquire) || RULES.read().iter().all(|rule| !rule.refuses) {
        return Ok(());
    }
    let text = text();
    let matches = |rule: &&Rule| rule.refuses && (rule.replace)(&text).is_some();
    let Some(rule) = RULES.read().iter().find(matches).map(|rule| rule.name.clone()) else { return Ok(()) };
    let why =
        format!("The rule {rule} of <query_masking_rules> was triggered (throw_on_match) by the statement {}", masked(text));
    Err(Error::new(ErrorCode::LOGICAL_ERROR, why))
}

/// How often a rule matched since this was asked last.
pub fn take_matched() -> u64 {
    if ANY.load(Ordering::Acquire) { MATCHED.swap(0, Ordering::Relaxed) } else { 0 }
}
