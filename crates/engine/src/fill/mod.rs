//! WITH FILL: from the nodes of the logical plan to the operators; those of LIMIT are beside it (`places`).

mod cursor;
mod exec;
mod made;
mod values;

use std::sync::Arc;

use arrow::datatypes::Schema;
use async_trait::async_trait;
use datafusion::common::{DFSchema, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNode, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use gristmill_base::Error;
use gristmill_sql::lower::fill::{FillKey, FillNode, SHIFTED, Step};
use gristmill_sql::lower::places::PlacesNode;

use exec::{FillExec, PhysicalKey, PhysicalStep};

use crate::places::PlacesExec;

/// Plans what DataFusion plans, and nodes of ours.
#[derive(Debug)]
pub struct Planner;

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn datafusion::catalog::Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(FillPlanner)]);
        planner.create_physical_plan(plan, session).await
    }
}

struct FillPlanner;

#[async_trait]
impl ExtensionPlanner for FillPlanner {
    async fn plan_extension(
        &self,
        _: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &dyn datafusion::catalog::Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let [input] = inputs else { return Ok(None) };
        if let Some(node) = node.as_any().downcast_ref::<PlacesNode>() {
            return Ok(Some(Arc::new(PlacesExec::of(node, input.clone())?)));
        }
        let Some(node) = node.as_any().downcast_ref::<FillNode>() else { return Ok(None) };
        let schema = node.input.schema();
        let column = |name: &str| {
            let found = schema.fields().iter().position(|field| field.name() == name);
            found.ok_or_else(|| Error::logical(format!("The plan has no column {name} that WITH FILL wants")))
        };
        // Whatever sorts below is to stay, by all its keys: one that is a constant in each part of a union is none of the whole.
        let sort = input.downcast_ref::<SortExec>();
        let ordering = sort.map(SortExec::expr).or_else(|| input.output_ordering()).cloned();
        let prefix = node.prefix.iter().map(|name| Ok(column(name)?)).collect::<Result<_>>()?;
        let keys = node.keys.iter().map(|key| self::key(key, column(&key.column)?, schema)).collect::<Result<_>>()?;
        let computed = node.interpolated.iter().map(|(name, expr)| Ok((column(name)?, physical(expr, schema)?)));
        let computed = computed.collect::<Result<_>>()?;
        let filled = Arc::new(UserDefinedLogicalNodeCore::schema(node).as_arrow().clone());
        let defaults = node.defaults.clone();
        Ok(Some(Arc::new(FillExec::new(input.clone(), filled, ordering, prefix, keys, computed, defaults))))
    }
}

fn key(key: &FillKey, column: usize, schema: &DFSchema) -> Result<PhysicalKey> {
    let value = schema.field(column).as_ref().clone().with_name(SHIFTED).with_nullable(false);
    let value = DFSchema::try_from(Schema::new(vec![value]))?;
    let step = |step: &Step| -> Result<PhysicalStep> {
        Ok(match step {
            Step::Add(number) => PhysicalStep::Add(*number),
            Step::Shift(expr) => PhysicalStep::Shift(physical(expr, &value)?),
        })
    };
    Ok(PhysicalKey {
        column,
        kind: key.kind.clone(),
        bounds: key.bounds,
        descending: key.descending,
        from: key.from,
        to: key.to,
        step: step(&key.step)?,
        staleness: key.staleness.as_ref().map(step).transpose()?,
    })
}

fn physical(expr: &Expr, schema: &DFSchema) -> Result<Arc<dyn PhysicalExpr>> {
    create_physical_expr(expr, schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())
}
