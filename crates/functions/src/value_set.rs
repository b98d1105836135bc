//! `expr IN` a set of values that is known before the query around it is planned, and too large to be written into the plan
//! as a list: a function that holds the set. Those who prune look inside (`set_of`).
//!
//! Values are hashed once; what is asked is hashed by the batch and compared with those of the same hash.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, UInt64Array, make_comparator};
use arrow::compute::{SortOptions, take};
use arrow::datatypes::DataType;
use datafusion::common::hash_utils::{RandomState, with_hashes};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use hashbrown::HashTable;

const NAME: &str = "__in";

/// Values that are all different, and none of them NULL.
pub struct ValueSet {
    values: ArrayRef,
    state: RandomState,
    /// Places in `values`.
    table: HashTable<u32>,
}

impl std::fmt::Debug for ValueSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-element set", self.values.len())
    }
}

impl ValueSet {
    /// Whether a set of this type can be asked. Floats cannot: their two zeros are equal and hash apart.
    pub fn holds(data_type: &DataType) -> bool {
        !data_type.is_floating() && !data_type.is_nested() && *data_type != DataType::Null
    }

    /// The different values of an array, NULL left out.
    pub fn of(array: &ArrayRef) -> Result<ValueSet> {
        let state = RandomState::default();
        let mut table: HashTable<u32> = HashTable::new();
        let mut places: Vec<u64> = Vec::new();
        with_hashes([array.as_ref()], &state, |hashes| {
            let same = make_comparator(array, array, SortOptions::default())?;
            for at in (0..array.len()).filter(|at| array.is_valid(*at)) {
                let (hash, place) = (hashes[at], places.len() as u32);
                if table.find(hash, |known| same(places[*known as usize] as usize, at).is_eq()).is_none() {
                    table.insert_unique(hash, place, |known| hashes[places[*known as usize] as usize]);
                    places.push(at as u64);
                }
            }
            Ok(())
        })?;
        let values =
            if places.len() == array.len() { array.clone() } else { take(array, &UInt64Array::from(places), None)? };
        Ok(ValueSet { values, state, table })
    }

    pub fn values(&self) -> &ArrayRef {
        &self.values
    }

    /// Where each of the needles, of the set's type, stands among the values; NULL where it does not.
    pub fn places(&self, needles: &ArrayRef) -> Result<UInt32Array> {
        with_hashes([needles.as_ref()], &self.state, |hashes| {
            let same = make_comparator(needles, &self.values, SortOptions::default())?;
            let found = |at: usize| self.table.find(hashes[at], |known| same(at, *known as usize).is_eq()).copied();
            Ok((0..needles.len()).map(|at| if needles.is_valid(at) { found(at) } else { None }).collect())
        })
    }

    /// Which of the needles, of the set's type, are in it; NULL is neither.
    pub fn contains(&self, needles: &ArrayRef) -> Result<BooleanArray> {
        with_hashes([needles.as_ref()], &self.state, |hashes| {
            let same = make_comparator(needles, &self.values, SortOptions::default())?;
            let found = |at: usize| self.table.find(hashes[at], |known| same(at, *known as usize).is_eq()).is_some();
            let found = arrow::buffer::BooleanBuffer::collect_bool(needles.len(), |at| needles.is_valid(at) && found(at));
            Ok(BooleanArray::new(found, needles.logical_nulls()))
        })
    }
}

#[derive(Debug)]
struct In {
    signature: Signature,
    set: Arc<ValueSet>,
}

impl PartialEq for In {
    fn eq(&self, other: &In) -> bool {
        Arc::ptr_eq(&self.set, &other.set)
    }
}

impl Eq for In {}

impl Hash for In {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.set.values.len().hash(state);
    }
}

impl ScalarUDFImpl for In {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        let asked = args.first().map(ToString::to_string).unwrap_or_default();
        Ok(format!("{asked} IN {}-element set", self.set.values.len()))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match &args.args[..] {
            [ColumnarValue::Array(needles)] => Ok(ColumnarValue::Array(Arc::new(self.set.contains(needles)?))),
            [ColumnarValue::Scalar(needle)] => {
                let found = self.set.contains(&needle.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::Boolean(found.is_valid(0).then(|| found.value(0)))))
            }
            _ => datafusion::common::internal_err!("{NAME} takes one argument"),
        }
    }
}

/// `expr IN set`; `expr` is of the set's type.
pub fn member_of(expr: Expr, set: Arc<ValueSet>) -> Expr {
    let signature = Signature::exact(vec![set.values.data_type().clone()], Volatility::Immutable);
    let function = Arc::new(ScalarUDF::from(In { signature, set }));
    Expr::ScalarFunction(ScalarFunction::new_udf(function, vec![expr]))
}

/// The set that a call asks, if it asks one.
pub fn set_in(function: &ScalarUDF) -> Option<&Arc<ValueSet>> {
    let inner: &dyn std::any::Any = function.inner().as_ref();
    inner.downcast_ref::<In>().map(|function| &function.set)
}

/// What is asked, and of which set.
pub fn set_of(call: &ScalarFunction) -> Option<(&Expr, &Arc<ValueSet>)> {
    Some((call.args.first()?, set_in(&call.func)?))
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryViewArray, Int64Array};

    use super::*;

    #[test]
    fn a_set_holds_each_value_once_and_null_is_neither_in_it_nor_not() {
        let set = ValueSet::of(&(Arc::new(Int64Array::from(vec![Some(3), None, Some(5), Some(3)])) as ArrayRef)).unwrap();
        assert_eq!(set.values().as_ref(), &Int64Array::from(vec![3, 5]));
        let needles: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), Some(4), None]));
        assert_eq!(set.contains(&needles).unwrap(), BooleanArray::from(vec![Some(true), Some(false), None]));
    }

    #[test]
    fn texts_are_compared_by_their_bytes() {
        let texts = |texts: &[&str]| Arc::new(BinaryViewArray::from_iter_values(texts)) as ArrayRef;
        let set = ValueSet::of(&texts(&["a", "a text that is longer than a view", ""])).unwrap();
        let needles = texts(&["A", "a text that is longer than a view", "", "a text that is longer than a vie"]);
        assert_eq!(set.contains(&needles).unwrap(), BooleanArray::from(vec![false, true, true, false]));
    }
}
