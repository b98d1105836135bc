//! Asynchronous inserts (`async_insert`): small INSERTs of many clients become one.
//!
//! An INSERT that brings its data along parses it by itself, so that a bad value is its own error, and hands the rows to
//! the queue. There rows for the same table, columns and settings are gathered until they are enough
//! (`async_insert_max_data_size`) or the first of them waited long enough (`pace`); then one job writes all of them as one
//! INSERT does, with one commit, and tells each client what became of it. Where writing fails before the commit, each
//! client's rows are written by themselves, so that the error goes to the one whose rows it is about.
//!
//! Rows in the queue are in memory and nowhere else: who does not wait (`wait_for_async_insert = 0`) loses them with the
//! process, and hears of no error. The queue holds a bounded number of bytes; INSERTs wait for room. It is emptied when the
//! engine shuts down and by SYSTEM FLUSH ASYNC INSERT QUEUE.
//!
//! What is not gathered: INSERT SELECT, table functions, data over `async_insert_max_data_size`, and INSERTs that are to be
//! known again (a deduplication token, or a table that keeps a window of blocks), because one commit has one name.

pub(crate) mod pace;
pub(crate) mod queue;

pub(crate) use queue::{AsyncInserts, Entry, Key};
