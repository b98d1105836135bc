//! The tests of tables, one binary: each binary links the whole engine, which takes half a minute and a third of a gigabyte.

mod concurrent_changes;
mod condition_cache;
mod crashes;
mod damage;
mod deletes;
mod dictionaries;
mod engines;
mod evolution;
mod faulty_store;
mod final_reading;
mod insert_and_read;
mod loads;
mod merges;
mod merging;
mod numbers;
mod power_loss;
mod projections;
mod pruning;
mod random_kills;
mod reading;
mod reading_in_order;
mod skip_indexes;
mod slow_store;
mod ttl;
mod types;
