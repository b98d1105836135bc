//! Commands of ALTER TABLE that take parts out of a table, and put parts in.

use std::collections::HashSet;
use std::sync::Arc;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{PartChoice, PartitionChoice, StoragePlace, Table, Transfer};
use gristmill_mergetree::check_part_name;
use gristmill_sql::statement::{AlterCommand, PartName, Partition};

use super::Interpreter;

const NOTHING_TO_FETCH: &str =
    "there are no other replicas. ATTACH PARTITION … FROM takes a partition of another table, INSERT … SELECT any rows";
const NOTHING_TO_FORGET: &str =
    "there are no replicas that keep anything of a partition without parts, so nothing has to be done";

/// That a table does not do something, and why that is no loss or what does it.
fn instead(table: &dyn Table, what: &str, text: &str) -> Error {
    Error::new(ErrorCode::NOT_IMPLEMENTED, format!("{}: {text}", table.unsupported(what).message()))
}

impl Interpreter {
    /// That the commands can be carried out one after the other, as far as it can be known before the first is. `alike`: whether
    /// tables that rows go to or come from have to be alike now already: not where the statement changes one of them.
    /// Errors: those of the commands.
    pub(super) async fn check_parts(&self, table: &Arc<dyn Table>, commands: &[AlterCommand], alike: bool) -> Result<()> {
        let context = &self.context;
        // Names of parts that commands before take out.
        let mut gone = HashSet::new();
        // Whether commands before put parts in, under names that nobody knows yet.
        let mut unknown = false;
        for command in commands {
            if !matches!(command, AlterCommand::Freeze { .. } | AlterCommand::Unfreeze { .. }) {
                table.check_writable()?;
            }
            match command {
                AlterCommand::DropParts { detached: true, .. } if !context.settings.allow_drop_detached => {
                    let text = "Cannot execute query: DROP DETACHED PART is disabled (see allow_drop_detached setting)";
                    return Err(Error::new(ErrorCode::SUPPORT_IS_DISABLED, text));
                }
                AlterCommand::DropParts { parts, detached: false } | AlterCommand::DetachParts(parts) => {
                    let chosen = self.part_choice(table, parts)?;
                    if let PartChoice::Part(name) = &chosen
                        && !gone.insert(name.clone())
                    {
                        let text = format!("No part {name} in the table: a command before this one takes it out");
                        return Err(Error::new(ErrorCode::NO_SUCH_DATA_PART, text));
                    }
                    if !unknown {
                        table.check_parts(context, &chosen, false).await?;
                        self.check_drops_parts(table, &chosen)?;
                    }
                    unknown |= matches!(command, AlterCommand::DetachParts(_));
                }
                AlterCommand::DropParts { parts, detached: true } | AlterCommand::AttachParts(parts) => {
                    let chosen = self.part_choice(table, parts)?;
                    if !unknown {
                        table.check_parts(context, &chosen, true).await?;
                    }
                    unknown = true;
                }
                AlterCommand::CopyPartition { partition, from, replaces } => {
                    let chosen = self.carried(table, partition, *replaces)?;
                    if *replaces {
                        self.check_drops_parts(table, &PartChoice::Partition(chosen))?;
                    }
                    let (database, name) = self.full(from);
                    let from = self.table(database, name)?;
                    if alike {
                        table.check_takes(from.as_ref())?;
                    }
                    unknown = true;
                }
                AlterCommand::MovePartition { partition, to } => {
                    self.one_partition(table, partition)?;
                    let (database, name) = self.full(to);
                    let to = self.table(database, name)?;
                    to.check_writable()?;
                    if alike {
                        to.check_takes(table.as_ref())?;
                    }
                }
                AlterCommand::Freeze { partition: Some(partition), .. }
                | AlterCommand::Unfreeze { partition: Some(partition), .. } => {
                    self.one_partition(table, partition)?;
                }
                // It changes nothing: it only says why not.
                AlterCommand::MoveParts { .. } => self.change_parts_of(table, command).await?,
                AlterCommand::OfReplicas { parts, fetches } => return Err(self.why_no_replicas(table, parts, *fetches)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// No table has replicas: the error that says so. Errors: those of the name of a part or partition.
    fn why_no_replicas(&self, table: &Arc<dyn Table>, parts: &PartName, fetches: bool) -> Result<Error> {
        let chosen = self.one_part_choice(table, parts)?;
        Ok(match &chosen {
            PartChoice::Part(name) => {
                check_part_name(name)?;
                instead(table.as_ref(), "FETCH PART", NOTHING_TO_FETCH)
            }
            PartChoice::Partition(_) if fetches => instead(table.as_ref(), "FETCH PARTITION", NOTHING_TO_FETCH),
            PartChoice::Partition(_) if table.bytes_of(&chosen)? > 0 => {
                let text = "The partition is not empty: nothing of it is forgotten. DROP PARTITION removes its rows";
                Error::new(ErrorCode::CANNOT_FORGET_PARTITION, text)
            }
            PartChoice::Partition(_) => instead(table.as_ref(), "FORGET PARTITION", NOTHING_TO_FORGET),
        })
    }

    fn part_choice(&self, table: &Arc<dyn Table>, parts: &PartName) -> Result<PartChoice> {
        Ok(match parts {
            PartName::Part(name) => PartChoice::Part(name.clone()),
            PartName::Partition(partition) => PartChoice::Partition(self.partition_choice(table, partition)?),
        })
    }

    /// The partition that another table gives: REPLACE takes one, ATTACH may take all.
    fn carried(&self, table: &Arc<dyn Table>, partition: &Partition, replaces: bool) -> Result<PartitionChoice> {
        if replaces { self.one_partition(table, partition) } else { self.partition_choice(table, partition) }
    }

    /// Parts of a command that is about one partition, and not about ALL.
    fn one_part_choice(&self, table: &Arc<dyn Table>, parts: &PartName) -> Result<PartChoice> {
        match parts {
            PartName::Part(_) => self.part_choice(table, parts),
            PartName::Partition(partition) => self.one_partition(table, partition).map(PartChoice::Partition),
        }
    }

    pub(super) async fn change_parts(&self, database: &str, name: &str, command: AlterCommand) -> Result<()> {
        self.change_parts_of(&self.table(database, name)?, &command).await
    }

    async fn change_parts_of(&self, table: &Arc<dyn Table>, command: &AlterCommand) -> Result<()> {
        let table = table.clone();
        let choice = |parts: &PartName| self.part_choice(&table, parts);
        let context = &self.context;
        match command {
            AlterCommand::DropParts { parts, detached } => match choice(parts)? {
                PartChoice::Partition(partition) if !detached => table.drop_partitions(context, &[partition]).await,
                chosen => table.drop_parts(context, &chosen, *detached).await,
            },
            AlterCommand::DetachParts(parts) => table.detach(context, &choice(parts)?).await,
            AlterCommand::AttachParts(parts) => table.attach(context, &choice(parts)?).await,
            AlterCommand::CopyPartition { partition, from, replaces } => {
                let partition = self.carried(&table, partition, *replaces)?;
                let (database, name) = self.full(from);
                let from = self.table(database, name)?;
                let transfer = if *replaces { Transfer::Replace } else { Transfer::Add };
                self.take_partition(table, from, partition, transfer).await
            }
            AlterCommand::MovePartition { partition, to } => {
                let partition = self.partition_choice(&table, partition)?;
                let (database, name) = self.full(to);
                let to = self.table(database, name)?;
                self.take_partition(to, table, partition, Transfer::Move).await
            }
            AlterCommand::Freeze { partition, name } => {
                let partition = partition.as_ref().map(|partition| self.partition_choice(&table, partition)).transpose()?;
                let partition = partition.unwrap_or(PartitionChoice::All);
                let (context, name) = (self.context.clone(), name.clone());
                let freezing = async move { table.freeze(&context, &partition, name.as_deref()).await.map(drop) };
                Task::on(&runtime::cpu(), freezing).join().await?
            }
            AlterCommand::MoveParts { parts, volume, name } => {
                let to = StoragePlace { volume: *volume, name: name.clone() };
                table.move_parts(context, &self.one_part_choice(&table, parts)?, &to).await
            }
            AlterCommand::Unfreeze { partition, name } => {
                let partition = partition.as_ref().map(|partition| self.partition_choice(&table, partition)).transpose()?;
                table.unfreeze(context, &partition.unwrap_or(PartitionChoice::All), name).await
            }
            _ => Err(Error::logical("A command that is not about parts")),
        }
    }

    pub(in crate::interpret) async fn take_partition(
        &self,
        to: Arc<dyn Table>,
        from: Arc<dyn Table>,
        partition: PartitionChoice,
        transfer: Transfer,
    ) -> Result<()> {
        let context = self.context.clone();
        let taking = async move { to.take_partition(&context, from.as_ref(), &partition, transfer).await };
        Task::on(&runtime::cpu(), taking).join().await?
    }
}
