//! What ALTER TABLE does to a table (read by `alter_commands`; `alter_text` has its text in `system.mutations`).

use sqlparser::ast::Query;

use crate::ast::Node;
use crate::create::{ColumnDefinition, ConstraintNode, KeyForm, SkipIndexNode};
use crate::projection::ProjectionNode;
use crate::statement::{Assignments, Partition, TableName};
use crate::statistics::StatisticsChange;
use crate::ttl::TtlElement;

/// Where a column stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    First,
    After(String),
}

/// What MODIFY COLUMN … REMOVE takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Default,
    Materialized,
    Alias,
    Comment,
    Codec,
    Ttl,
    Settings,
}

/// Parts that a command is about.
#[derive(Clone, Debug, PartialEq)]
pub enum PartName {
    Partition(Partition),
    /// By the name in `system.parts`.
    Part(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterCommand {
    AddColumn {
        column: ColumnDefinition,
        place: Option<Place>,
        if_not_exists: bool,
    },
    DropColumn {
        name: String,
        if_exists: bool,
    },
    ClearColumn {
        name: String,
        if_exists: bool,
        partition: Option<Partition>,
    },
    /// What the definition does not say stays as it is.
    ModifyColumn {
        column: ColumnDefinition,
        place: Option<Place>,
        if_exists: bool,
    },
    RemoveProperty {
        name: String,
        property: Property,
        if_exists: bool,
    },
    CommentColumn {
        name: String,
        comment: String,
        if_exists: bool,
    },
    RenameColumn {
        from: String,
        to: String,
        if_exists: bool,
    },
    MaterializeColumn {
        name: String,
        partition: Option<Partition>,
    },
    AddIndex {
        index: SkipIndexNode,
        place: Option<Place>,
        if_not_exists: bool,
    },
    DropIndex {
        name: String,
        if_exists: bool,
    },
    ClearIndex {
        name: String,
        if_exists: bool,
        partition: Option<Partition>,
    },
    MaterializeIndex {
        name: String,
        if_exists: bool,
        partition: Option<Partition>,
    },
    AddProjection {
        projection: ProjectionNode,
        place: Option<Place>,
        if_not_exists: bool,
    },
    DropProjection {
        name: String,
        if_exists: bool,
    },
    ClearProjection {
        name: String,
        if_exists: bool,
        partition: Option<Partition>,
    },
    MaterializeProjection {
        name: String,
        if_exists: bool,
        partition: Option<Partition>,
    },
    AddConstraint {
        constraint: ConstraintNode,
        if_not_exists: bool,
    },
    DropConstraint {
        name: String,
        if_exists: bool,
    },
    ModifySampleBy(Node),
    RemoveSampleBy,
    /// MODIFY COLUMN … MODIFY SETTING
    ModifyColumnSettings {
        name: String,
        settings: Assignments,
        if_exists: bool,
    },
    /// MODIFY COLUMN … RESET SETTING
    ResetColumnSettings {
        name: String,
        settings: Vec<String>,
        if_exists: bool,
    },
    Statistics {
        change: StatisticsChange,
        /// None: ALL.
        columns: Vec<String>,
        /// What follows TYPE.
        kinds: Vec<String>,
        /// IF EXISTS, or IF NOT EXISTS.
        if_exists: bool,
    },
    ModifySetting(Assignments),
    ResetSetting(Vec<String>),
    /// Keys, and for each whether it descends.
    ModifyOrderBy {
        keys: Vec<Node>,
        descending: Vec<bool>,
        form: KeyForm,
    },
    ModifyComment(String),
    ModifyTtl(Vec<TtlElement>),
    RemoveTtl,
    MaterializeTtl {
        partition: Option<Partition>,
    },
    ApplyDeletedMask {
        partition: Option<Partition>,
    },
    /// UPDATE writes parts anew at once, so there is nothing to apply.
    ApplyPatches {
        partition: Option<Partition>,
    },
    /// The query of a materialized view, with its text, which stands between these lines and columns.
    ModifyQuery {
        query: Box<Query>,
        text: String,
        start: (u64, u64),
        end: Option<(u64, u64)>,
    },
    Update {
        assignments: Vec<(String, Node)>,
        partition: Option<Partition>,
        condition: Node,
    },
    Delete {
        partition: Option<Partition>,
        condition: Node,
    },
    DropParts {
        parts: PartName,
        detached: bool,
    },
    DetachParts(PartName),
    AttachParts(PartName),
    /// REPLACE PARTITION FROM, or ATTACH PARTITION FROM, which leaves what is there.
    CopyPartition {
        partition: Partition,
        from: TableName,
        replaces: bool,
    },
    MovePartition {
        partition: Partition,
        to: TableName,
    },
    /// TO DISK, or TO VOLUME.
    MoveParts {
        parts: PartName,
        volume: bool,
        name: String,
    },
    /// FETCH from another replica; without `fetches` FORGET, of what replicas know of a partition.
    OfReplicas {
        parts: PartName,
        fetches: bool,
    },
    Freeze {
        partition: Option<Partition>,
        name: Option<String>,
    },
    Unfreeze {
        partition: Option<Partition>,
        name: String,
    },
    RewriteParts {
        partition: Option<Partition>,
    },
}
