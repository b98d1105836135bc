//! What the parameters of a lambda mean: an element of an array each; the parts of the elements of one array of tuples, as in
//! `arrayMap((a, b) -> a + b, arrayZip(x, y))`; or a map's key and value together, as in `mapFilter(pair -> pair.2 > 1, m)`.

use datafusion::common::Column;
use datafusion::logical_expr::Expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::udf;
use gristmill_types::SqlType;

use super::{Analyzer, Typed};
use crate::ast::Literal;

/// What a lambda is computed over.
pub(super) struct Given {
    pub columns: Vec<(String, SqlType)>,
    /// The parameters over these columns, and behind them the columns where they are no parameters themselves: a lambda within
    /// carries them along.
    pub parameters: Vec<(String, Typed)>,
}

impl Analyzer<'_> {
    /// `kinds`: what the function has to give; `named`: the columns' names by their hint and place. Errors: ILLEGAL_TYPE_OF_ARGUMENT,
    /// NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
    pub(super) fn given_to_lambda(
        &self,
        function: &str,
        parameters: &[String],
        kinds: Vec<SqlType>,
        named: &dyn Fn(&str, usize) -> String,
    ) -> Result<Given> {
        let is_plain = kinds.len() == parameters.len();
        let hint = |at: usize| if is_plain { parameters[at].as_str() } else { "element" };
        let columns: Vec<(String, SqlType)> =
            kinds.into_iter().enumerate().map(|(at, kind)| (named(hint(at), at), kind)).collect();
        let over: Vec<Typed> = columns
            .iter()
            .map(|(name, kind)| Typed::new(Expr::Column(Column::new_unqualified(name)), kind.clone()))
            .collect();
        let meanings = match (&over[..], parameters.len()) {
            _ if is_plain => over.clone(),
            ([tuple], count) if matches!(&tuple.kind, SqlType::Tuple(fields) if fields.len() == count) => {
                (1..=count).map(|at| self.part_of_tuple(tuple, at)).collect::<Result<_>>()?
            }
            ([key, value], 1) if function.starts_with("map") => vec![self.tuple_of(&[key, value])?],
            (given, count) => {
                let given = given.len();
                let text = format!("The lambda of {function} has {count} parameters, and there are {given} to give");
                let code = match given {
                    0 => ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    _ => ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
                };
                return Err(Error::new(code, text));
            }
        };
        let mut parameters: Vec<(String, Typed)> = parameters.iter().cloned().zip(meanings).collect();
        if !is_plain {
            parameters.extend(columns.iter().map(|(name, _)| name.clone()).zip(over));
        }
        Ok(Given { columns, parameters })
    }

    fn part_of_tuple(&self, tuple: &Typed, place: usize) -> Result<Typed> {
        let place = self.literal(&Literal::Integer(place as i128))?;
        let arguments = vec![(tuple.expr.clone(), self.argument(tuple)), (place.expr.clone(), self.argument(&place))];
        let (expr, kind) = udf::call(self.registry, "tupleElement", arguments, &self.env)?;
        Ok(Typed::new(expr, kind))
    }

    fn tuple_of(&self, parts: &[&Typed]) -> Result<Typed> {
        let arguments = parts.iter().map(|part| (part.expr.clone(), self.argument(part))).collect();
        let (expr, kind) = udf::call(self.registry, "tuple", arguments, &self.env)?;
        Ok(Typed::new(expr, kind))
    }
}
