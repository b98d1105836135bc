//! Metrics of the catalog: sums over all tables. As in ClickHouse, those of the server itself are among them, and told apart
//! by names that end in `System`.

use std::collections::HashMap;

use gristmill_catalog::Databases;
use gristmill_catalog::databases::is_of_each_user;

use super::All;
use crate::tables::every;

#[derive(Clone, Copy, Default)]
struct Sums {
    tables: u64,
    parts: u64,
    rows: u64,
    bytes: u64,
    uncompressed_bytes: u64,
}

#[derive(Default)]
pub(super) struct OfTables {
    databases: u64,
    all: Sums,
    of_system: Sums,
    parts_of_partition: u64,
    detached_parts: u64,
    pending_mutations: u64,
}

impl OfTables {
    pub fn of(databases: &Databases) -> OfTables {
        let mut found = OfTables { databases: databases.database_names().len() as u64, ..OfTables::default() };
        for table in every(databases) {
            let mut sums = Sums { tables: 1, ..Sums::default() };
            let mut of_partitions: HashMap<String, u64> = HashMap::new();
            for part in table.parts().into_iter().filter(|part| part.active) {
                sums.parts += 1;
                sums.rows += part.rows;
                sums.bytes += part.bytes_on_disk;
                sums.uncompressed_bytes += part.data_uncompressed_bytes;
                *of_partitions.entry(part.partition_id).or_default() += 1;
            }
            found.all.add(&sums);
            if is_of_each_user(&table.definition().database) {
                found.of_system.add(&sums);
            }
            found.parts_of_partition = of_partitions.into_values().max().unwrap_or(0).max(found.parts_of_partition);
            found.detached_parts += table.detached_parts().len() as u64;
            found.pending_mutations += table.mutations().iter().filter(|mutation| !mutation.is_done).count() as u64;
        }
        found
    }

    pub fn add(&self, to: &mut All) {
        let (all, of_system) = (&self.all, &self.of_system);
        to.add_count("MaxPartCountForPartition", self.parts_of_partition, "Parts of the partition that has most.");
        to.add_count("NumberOfDatabases", self.databases, "Databases.");
        to.add_count(
            "NumberOfDetachedByUserParts",
            self.detached_parts,
            "Parts that ALTER TABLE … DETACH put aside: all that are, as the server puts none aside.",
        );
        to.add_count("NumberOfDetachedParts", self.detached_parts, "Parts that were put aside from tables.");
        to.add_count("NumberOfPendingMutations", self.pending_mutations, "Mutations that are not done in all parts.");
        to.add_count("NumberOfTables", all.tables, "Tables, those of the server itself among them.");
        to.add_count("NumberOfTablesSystem", of_system.tables, "Tables of the server itself.");
        to.add_count("TotalBytesOfMergeTreeTables", all.bytes, "Bytes of all parts that tables consist of.");
        to.add_count("TotalBytesOfMergeTreeTablesSystem", of_system.bytes, "Bytes of the parts of the server's own tables.");
        to.add_count("TotalPartsOfMergeTreeTables", all.parts, "Parts that tables consist of.");
        to.add_count("TotalPartsOfMergeTreeTablesSystem", of_system.parts, "Parts of the server's own tables.");
        to.add_count("TotalRowsOfMergeTreeTables", all.rows, "Rows of the parts that tables consist of.");
        to.add_count("TotalRowsOfMergeTreeTablesSystem", of_system.rows, "Rows of the server's own tables.");
        to.add_count(
            "TotalUncompressedBytesOfMergeTreeTables",
            all.uncompressed_bytes,
            "Bytes of the parts that tables consist of, as values in memory.",
        );
        to.add_count(
            "TotalUncompressedBytesOfMergeTreeTablesSystem",
            of_system.uncompressed_bytes,
            "Bytes of the parts of the server's own tables, as values in memory.",
        );
    }
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.tables += other.tables;
        self.parts += other.parts;
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.uncompressed_bytes += other.uncompressed_bytes;
    }
}
