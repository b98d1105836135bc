//! `system.stack_trace`: where each thread of the process is when the table is read; `system.symbols`: the functions of the
//! program.

use std::collections::HashMap;
use std::sync::Arc;

use gristmill_access::Privileges;
use gristmill_access::rights::Object;
use gristmill_base::{Result, runtime};
use gristmill_catalog::Table;
use gristmill_introspect::processes;
use gristmill_introspect::profiler::{self, symbols};

use crate::rows::{Cell, table};

const THREADS: &str = "thread_name String, thread_id UInt64, query_id String, trace Array(UInt64), untracked_memory Int64";
const SYMBOLS: &str = "symbol String, address_begin UInt64, address_end UInt64";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "stack_trace", "SystemStackTrace", THREADS, |_, rows| {
        let queries: HashMap<u32, String> = processes::snapshot()
            .iter()
            .flat_map(|query| query.threads_at_work().into_iter().map(move |thread| (thread, query.query_id.clone())))
            .collect();
        runtime::aside(profiler::stacks).into_iter().try_for_each(|thread| {
            let trace = thread.trace.iter().map(|address| *address as i64).collect();
            rows.push([
                thread.name.into(),
                u64::from(thread.id).into(),
                queries.get(&thread.id).into(),
                Cell::Numbers(trace),
                thread.untracked.into(),
            ])
        })
    })?);
    all.push(table("system", "symbols", "SystemSymbols", SYMBOLS, |context, rows| {
        let wanted = Privileges::known("INTROSPECTION").unwrap_or_else(Privileges::all);
        context.check_access(wanted, &Object::EVERYTHING)?;
        let mut pushed = Ok(());
        runtime::aside(|| {
            symbols::each(|name, begin, end| {
                if pushed.is_ok() {
                    pushed = rows.push([name.into(), begin.into(), end.into()]);
                }
            });
        });
        pushed
    })?);
    Ok(())
}
