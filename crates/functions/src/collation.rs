//! `ORDER BY … COLLATE 'locale'`: texts are ordered as the locale's language does.
//!
//! A text becomes the sort key that Unicode's algorithm has for it in the language (Unicode Technical Standard 10): keys are bytes,
//! and their order is that of the texts. Whatever sorts, ranks or merges rows needs not know of languages then; it costs a key for
//! each row, of about twice the text's bytes. Bytes that are no UTF-8 count as U+FFFD.

mod locale;

use std::sync::{Arc, LazyLock};

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray, make_array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use icu_collator::CollatorBorrowed;
use locale::collator_of;

use crate::columns::strings;
use crate::define::own_nulls;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::udf::call_function;

/// The locales that ICU has collations of, each with its language in English, in the order of their names; without the eight whose
/// order the library's data leaves out (Tibetan, Hawaiian, Kalaallisut, Lakota, Lingala, Northern and Inari Sami, Yiddish).
static COLLATIONS: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| include_str!("collation/locales.tsv").lines().filter_map(|line| line.split_once('\t')).collect());

/// Locales that may be collated by, and their languages.
pub fn collations() -> &'static [(&'static str, &'static str)] {
    &COLLATIONS
}

/// What `expr`, of type `kind`, is ordered by in a locale: of the same type, with a sort key in the place of each text.
/// Errors: UNSUPPORTED_COLLATION_LOCALE, BAD_COLLATION, those of `collator_of`.
pub fn collated_expr(expr: Expr, kind: &SqlType, locale: &str, env: &FunctionEnv) -> Result<Expr> {
    let collator = Arc::new(collator_of(locale)?);
    if !may_be_collated(&expr, kind) {
        let text = format!(
            "COLLATE is for String, LowCardinality(String), Nullable(String), and arrays and tuples of these, not for {kind}"
        );
        return Err(Error::new(ErrorCode::BAD_COLLATION, text));
    }
    if matches!(expr, Expr::Literal(..)) {
        // A constant orders nothing.
        return Ok(expr);
    }
    let of = kind.clone();
    let function = own_nulls(move |_, _, _| {
        let (of, collator) = (of.clone(), collator.clone());
        Ok(Bound::new(of.clone(), move |args, _| collated(&args[0], &of, &collator)))
    });
    // The locale is an argument for what tells two keys apart, which looks at arguments.
    let locale = ScalarValue::BinaryView(Some(locale.to_ascii_lowercase().into_bytes()));
    let arguments = vec![
        (expr, Argument { kind: kind.clone(), constant: None }),
        (lit(locale.clone()), Argument { kind: T::String, constant: Some(locale) }),
    ];
    Ok(call_function("__collationKey", function, arguments, env)?.0)
}

/// Elements of a tuple that is written as one are keys by themselves.
fn may_be_collated(expr: &Expr, kind: &SqlType) -> bool {
    match (expr, kind.plain()) {
        (Expr::ScalarFunction(call), T::Tuple(fields)) if call.func.name() == "tuple" => {
            fields.iter().all(|(_, kind)| is_collated(kind))
        }
        _ => is_collated(kind),
    }
}

/// Whether a value of the type has texts in it that are collated. A tuple needs one element that is; others keep their order.
fn is_collated(kind: &SqlType) -> bool {
    match kind.plain() {
        T::String => true,
        T::Array(element) => is_collated(element),
        T::Tuple(fields) => fields.iter().any(|(_, kind)| is_collated(kind)),
        _ => false,
    }
}

fn collated(array: &ArrayRef, kind: &SqlType, collator: &CollatorBorrowed<'static>) -> Result<ArrayRef> {
    if !is_collated(kind) {
        return Ok(array.clone());
    }
    let not_carried = || Error::logical(format!("A value of type {kind} came as {}", array.data_type()));
    match kind.plain() {
        T::Array(element) => {
            let list = array.as_list_opt::<i32>().ok_or_else(not_carried)?;
            let DataType::List(item) = list.data_type() else { return Err(not_carried()) };
            // A slice of a list holds the elements of all of it.
            let offsets = list.offsets();
            let (first, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            let values = collated(&list.values().slice(first, end - first), element, collator)?;
            let offsets = OffsetBuffer::from_lengths(offsets.lengths());
            Ok(Arc::new(ListArray::try_new(item.clone(), offsets, values, list.nulls().cloned())?))
        }
        T::Tuple(kinds) => {
            let tuple = array.as_struct_opt().ok_or_else(not_carried)?;
            let columns = tuple.columns().iter().zip(kinds).map(|(column, (_, kind))| collated(column, kind, collator));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            Ok(Arc::new(StructArray::try_new(tuple.fields().clone(), columns, tuple.nulls().cloned())?))
        }
        _ => {
            let texts = array.as_binary_view_opt().ok_or_else(not_carried)?;
            let keys = strings(texts.len(), |row, key| {
                if texts.is_valid(row) {
                    let Ok(()) = collator.write_sort_key_utf8_to(texts.value(row), key);
                }
                Ok(())
            })?;
            Ok(make_array(keys.to_data().into_builder().nulls(texts.nulls().cloned()).build()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::BinaryViewArray;

    use super::*;

    fn sorted<'t>(locale: &str, texts: &[&'t str]) -> Vec<&'t str> {
        let collator = collator_of(locale).expect(locale);
        let column: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(texts.iter().map(|text| text.as_bytes())));
        let keys = collated(&column, &T::String, &collator).expect("keys");
        let keys = keys.as_binary_view();
        let mut rows: Vec<usize> = (0..texts.len()).collect();
        rows.sort_by_key(|row| keys.value(*row));
        rows.into_iter().map(|row| texts[row]).collect()
    }

    #[test]
    fn languages_have_orders_of_their_own() {
        assert_eq!(sorted("en", &["b", "a", "B", "A", "ä", ""]), ["", "a", "A", "ä", "b", "B"]);
        assert_eq!(sorted("sv", &["z", "ä", "a", "å"]), ["a", "z", "å", "ä"]);
        assert_eq!(sorted("es", &["nz", "ñ", "o"]), ["nz", "ñ", "o"]);
        assert_eq!(sorted("tr", &["ı", "i", "h", "j"]), ["h", "ı", "i", "j"]);
        assert_eq!(sorted("de-u-co-phonebk-kn", &["az", "ä", "a10", "a9"]), ["a9", "a10", "ä", "az"]);
    }

    #[test]
    fn null_stays_null_and_a_slice_of_lists_keeps_its_elements() {
        let collator = collator_of("en").expect("en");
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter([Some("b"), None, Some("A")]));
        let keys = collated(&texts, &T::String.nullable(), &collator).expect("keys");
        assert!(keys.is_null(1) && keys.is_valid(2));
        let kind = T::array(T::String.nullable());
        let list = ListArray::new(T::String.nullable().field("item"), OffsetBuffer::from_lengths([1, 2]), texts, None);
        let slice: ArrayRef = Arc::new(list.slice(1, 1));
        let lists = collated(&slice, &kind, &collator).expect("lists");
        assert_eq!(&lists.as_list::<i32>().value(0), &keys.slice(1, 2));
    }
}
