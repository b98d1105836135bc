//! Partitions as statements name them: by an id, or by the value of the table's partition key.
//!
//! A value has to be one of the key's type, exactly. A cast would do for most of what is written, but it makes 44 of 300 in
//! an Int8 and a day of a moment, and then a partition goes that nobody named.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{PartitionChoice, Table};
use gristmill_mergetree::read::PARTITION_ID;
use gristmill_sql::ast::{InSet, Node, call, text};
use gristmill_sql::lower::{Analyzer, ResolvedTables, Typed};
use gristmill_sql::statement::Partition;
use gristmill_types::SqlType;

use super::Interpreter;
use crate::engine::Engine;

impl Interpreter {
    /// A partition as it was named, in the types of the table's key. Errors: NOT_IMPLEMENTED, INVALID_PARTITION_VALUE,
    /// TYPE_MISMATCH, ARGUMENT_OUT_OF_BOUND.
    pub(super) fn partition_choice(&self, table: &Arc<dyn Table>, partition: &Partition) -> Result<PartitionChoice> {
        let invalid = |message: String| Error::new(ErrorCode::INVALID_PARTITION_VALUE, message);
        let Some(kinds) = table.partition_key() else { return Err(table.unsupported("partitions")) };
        let node = match partition {
            Partition::All => return Ok(PartitionChoice::All),
            Partition::Id(id) if id.is_empty() => return Err(invalid("Partition id is empty".to_string())),
            Partition::Id(id) => return Ok(PartitionChoice::Id(id.clone())),
            Partition::Value(node) => node,
            Partition::Several(_) => return Err(Error::not_implemented("Several partitions of one command")),
        };
        let values = match node.as_ref() {
            Node::Call(call) if call.name == "tuple" => &call.arguments[..],
            value => std::slice::from_ref(value),
        };
        if values.len() != kinds.len() {
            let (given, wanted) = (values.len(), kinds.len());
            return Err(invalid(format!("Wrong number of fields in the partition expression: {given}, must be: {wanted}")));
        }
        let tables = ResolvedTables::default();
        let analyzer =
            Analyzer::new(&self.engine.registry, Engine::function_env(&self.context), &self.context.settings, &tables);
        let values = values.iter().zip(&kinds).map(|(node, kind)| exact_value(&analyzer, node, kind));
        Ok(PartitionChoice::Value(values.collect::<Result<_>>()?))
    }

    /// The partition of a command that is about one, and not about ALL. Errors: SUPPORT_IS_DISABLED, those of `partition_choice`.
    pub(super) fn one_partition(&self, table: &Arc<dyn Table>, partition: &Partition) -> Result<PartitionChoice> {
        match self.partition_choice(table, partition)? {
            PartitionChoice::All => {
                let text = "Only support DROP/DETACH/ATTACH PARTITION ALL currently.";
                Err(Error::new(ErrorCode::SUPPORT_IS_DISABLED, text))
            }
            one => Ok(one),
        }
    }

    /// A condition on rows that are in one of some partitions: a mutation is of one partition, or of all. Errors: those of
    /// `one_partition`.
    pub(super) fn condition_within(
        &self,
        table: &Arc<dyn Table>,
        partitions: &[Partition],
        condition: &Node,
    ) -> Result<Node> {
        let mut ids = Vec::new();
        for partition in partitions {
            let id = table.partition_id(&self.one_partition(table, partition)?)?;
            ids.extend(id.as_deref().map(text));
        }
        let left = Box::new(Node::Name(vec![PARTITION_ID.to_string()]));
        let within = Node::In { left, set: InSet::List(ids), negated: false };
        Ok(call("and", vec![within, condition.clone()]))
    }
}

/// A constant in a type that holds exactly it. Errors: TYPE_MISMATCH where it is of another sort, ARGUMENT_OUT_OF_BOUND where
/// the type has others of its sort.
fn exact_value(analyzer: &Analyzer<'_>, node: &Node, kind: &SqlType) -> Result<ScalarValue> {
    let mismatch = |why: &str| {
        let text = format!("Cannot convert {node} to type {kind} of the partition key{why}");
        Error::new(ErrorCode::TYPE_MISMATCH, text)
    };
    let given = analyzer.constant(node)?;
    let value = analyzer.constant_as_kind(node, kind, false).map_err(|error| mismatch(&format!(": {}", error.message())))?;
    if given.0.is_null() || given.1.plain() == kind.plain() {
        return Ok(value);
    }
    if value.is_null() {
        return Err(mismatch(""));
    }
    match compare(analyzer, given, (value.clone(), kind)) {
        Ok(Compared::Same) => Ok(value),
        Ok(Compared::OutOfRange) => {
            let text = format!("Cannot convert value {node}: it cannot be represented as {kind}");
            Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text))
        }
        Ok(Compared::OtherSort) | Err(_) => Err(mismatch("")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Same,
    OutOfRange,
    OtherSort,
}

impl Compared {
    fn in_range(is_same: bool) -> Compared {
        if is_same { Compared::Same } else { Compared::OutOfRange }
    }

    fn of_sort(is_same: bool) -> Compared {
        if is_same { Compared::Same } else { Compared::OtherSort }
    }
}

/// Whether what was given is what came out of the cast. An error: they are not comparable.
fn compare(analyzer: &Analyzer<'_>, given: (ScalarValue, SqlType), value: (ScalarValue, &SqlType)) -> Result<Compared> {
    let text = |(value, from): &(ScalarValue, SqlType), through: Option<&SqlType>| text_of(analyzer, value, from, through);
    let (from, kind) = (given.1.plain().clone(), value.1.plain().clone());
    let value = (value.0, value.1.clone());
    let written = || text(&given, None);
    // What is counted: days, seconds, places in an enum.
    let number = match &kind {
        SqlType::Date => Some(SqlType::UInt16),
        SqlType::Date32 => Some(SqlType::Int32),
        SqlType::DateTime(_) => Some(SqlType::UInt32),
        SqlType::Enum8(_) => Some(SqlType::Int8),
        SqlType::Enum16(_) => Some(SqlType::Int16),
        SqlType::Bool => Some(SqlType::UInt8),
        _ => None,
    };
    let is_number = kind.is_integer() || number.is_some();
    Ok(match &from {
        SqlType::Bool if is_number => {
            Compared::in_range(text(&given, Some(&SqlType::UInt8))? == text(&value, number.as_ref())?)
        }
        from if from.is_integer() && is_number => Compared::in_range(written()? == text(&value, number.as_ref())?),
        // A fraction is no day, no moment and no name.
        from if from.is_float() && number.is_some() => Compared::OtherSort,
        from if from.is_float() && kind.is_integer() => {
            let is_whole = matches!(&given.0, ScalarValue::Float64(Some(float)) if float.fract() == 0.0);
            Compared::in_range(is_whole && text(&given, Some(&SqlType::Int256))? == text(&value, None)?)
        }
        SqlType::String if kind.is_integer() => {
            let written = written()?;
            let wide = if written.starts_with('-') { SqlType::Int256 } else { SqlType::UInt256 };
            Compared::in_range(text(&given, Some(&wide))? == text(&value, None)?)
        }
        SqlType::String if matches!(kind, SqlType::Date | SqlType::Date32) => {
            Compared::of_sort(!written()?.contains([' ', 'T', ':']))
        }
        SqlType::String if matches!(kind, SqlType::DateTime(_)) => Compared::of_sort(!written()?.contains('.')),
        SqlType::String if matches!(kind, SqlType::DateTime64(..)) => {
            let scale = if let SqlType::DateTime64(scale, _) = &kind { usize::from(*scale) } else { 0 };
            let written = written()?;
            let fraction = written.split_once('.').map_or("", |(_, digits)| digits.trim_end_matches('0'));
            Compared::of_sort(fraction.len() <= scale)
        }
        // Zero bytes behind a FixedString, letters of an address, names of an enum: none of them can be two values.
        SqlType::String if !matches!(kind, SqlType::Decimal { .. }) => Compared::Same,
        _ if matches!(kind, SqlType::Decimal { .. }) => {
            let number = SqlType::Float64;
            Compared::in_range(text(&given, Some(&number))? == text(&value, Some(&number))?)
        }
        _ if kind == SqlType::String => Compared::Same,
        from => Compared::in_range(written()? == text(&value, Some(from))?),
    })
}

fn text_of(analyzer: &Analyzer<'_>, value: &ScalarValue, from: &SqlType, through: Option<&SqlType>) -> Result<String> {
    let mut typed = Typed::new(Expr::Literal(value.clone(), None), from.clone());
    if let Some(through) = through {
        typed = analyzer.cast_to(typed, through)?;
    }
    match analyzer.cast_to(typed, &SqlType::String)?.expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => Ok(text),
        Expr::Literal(ScalarValue::Binary(Some(bytes)) | ScalarValue::BinaryView(Some(bytes)), _) => {
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => Err(Error::new(ErrorCode::TYPE_MISMATCH, "a value of a partition key is no constant")),
    }
}
