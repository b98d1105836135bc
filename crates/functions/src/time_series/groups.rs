//! Groups of tags (`TagGroups`): functions take a group's number for its tags, and give the number of other tags.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, BinaryViewBuilder};
use arrow::datatypes::{UInt8Type, UInt64Type};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::tag_groups::{TagGroups, Tags};
use gristmill_types::SqlType;

use super::tags::{Given, pair_kind};
use crate::arrays::Lists;
use crate::columns::{Bytes, Numbers, at, broadcast, list, numbers};
use crate::define::{arity, has_null, illegal, of_query, plain, volatile};
use crate::hash::city_hash_64_from;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv, ScalarFunction};
use crate::strings::pattern::regex;
use crate::tuples::struct_array;

fn value_of<'t>(tags: &'t Tags, name: &[u8]) -> Option<&'t [u8]> {
    let at = tags.binary_search_by(|(known, _)| known.as_slice().cmp(name)).ok()?;
    Some(&tags[at].1)
}

/// With another value of a tag; without it where that is empty.
fn set(tags: &mut Tags, name: &[u8], value: &[u8]) {
    tags.retain(|(known, _)| known != name);
    if !value.is_empty() {
        let place = tags.partition_point(|(known, _)| known.as_slice() < name);
        tags.insert(place, (name.to_vec(), value.to_vec()));
    }
}

/// The arguments of a row.
struct Row<'a> {
    args: &'a [ArrayRef],
    row: usize,
}

impl<'a> Row<'a> {
    fn text(&self, i: usize) -> Result<&'a [u8]> {
        Ok(Bytes::of(&self.args[i])?.get(self.row))
    }

    fn texts(&self, i: usize) -> Result<Vec<Vec<u8>>> {
        let lists = Lists::of(&self.args[i])?;
        let values = lists.values().clone();
        let range = lists.range(self.row);
        let values = Bytes::of(&values)?;
        Ok(range
            .map(|place| match &values {
                Bytes::View(array) => array.value(place).to_vec(),
                Bytes::Fixed(array) => array.value(place).to_vec(),
            })
            .collect())
    }
}

/// What an argument behind the group is.
#[derive(Clone, Copy)]
enum Takes {
    Group,
    Text,
    Texts,
}

/// Whether the arguments are a group and those; the types to cast them to.
fn expect(name: &str, arguments: &[Argument], takes: &[Takes]) -> Result<Vec<SqlType>> {
    arity(name, arguments, takes.len()..=takes.len())?;
    let fits = |(i, takes): (usize, &Takes)| match (takes, &arguments[i].kind) {
        (Takes::Group, T::UInt64) => Ok(T::UInt64),
        (Takes::Group, _) => Err(illegal(name, arguments, i, "UInt64")),
        (Takes::Text, kind) if kind.is_string() => Ok(T::String),
        (Takes::Text, _) => Err(illegal(name, arguments, i, "String")),
        (Takes::Texts, T::Array(element)) if element.is_string() || **element == T::Nothing => Ok(SqlType::array(T::String)),
        (Takes::Texts, _) => Err(illegal(name, arguments, i, "Array(String)")),
    };
    takes.iter().enumerate().map(fits).collect()
}

/// A function from a group and more to another group.
fn to_group(
    takes: &'static [Takes],
    f: impl Fn(&mut Tags, &Row<'_>, &TagGroups) -> Result<()> + Clone + Send + Sync + 'static,
) -> Arc<dyn ScalarFunction> {
    in_query(move |name, arguments, env| {
        let casts = expect(name, arguments, takes)?;
        let (groups, f) = (env.asker.tags.clone(), f.clone());
        Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
            let given = Numbers::of::<UInt64Type>(&args[0])?;
            numbers::<UInt64Type>(rows, |row| {
                let mut tags = groups.tags(given.get(row))?.as_ref().clone();
                f(&mut tags, &Row { args, row }, &groups)?;
                Ok(groups.number(tags))
            })
        }))
    })
}

/// NULL is the framework's affair, and numbers mean something within one query alone.
fn in_query<F>(bind: F) -> Arc<dyn ScalarFunction>
where
    F: Fn(&str, &[Argument], &FunctionEnv) -> Result<Bound> + Send + Sync + 'static,
{
    plain(bind)
}

pub fn register(registry: &mut Registry) {
    use Takes::{Group, Text, Texts};
    registry.scalar(
        "timeSeriesTagsToGroup",
        of_query(|name, arguments, env| {
            let given = Given::of(name, arguments, 0)?;
            let groups = env.asker.tags.clone();
            Ok(Bound::cast(given.casts.clone(), T::UInt64, move |args, rows| {
                numbers::<UInt64Type>(rows, |row| Ok(groups.number(given.tags(args, row)?)))
            }))
        }),
    );
    registry.scalar(
        "timeSeriesGroupToTags",
        in_query(|name, arguments, env| {
            let casts = expect(name, arguments, &[Group])?;
            let groups = env.asker.tags.clone();
            Ok(Bound::cast(casts, SqlType::array(pair_kind()), move |args, rows| {
                let given = Numbers::of::<UInt64Type>(&args[0])?;
                pairs((0..rows).map(|row| groups.tags(given.get(row))))
            }))
        }),
    );
    registry.alias("timeSeriesTagsGroupToTags", "timeSeriesGroupToTags");
    registry.scalar(
        "timeSeriesGroupToSamplingKey",
        in_query(|name, arguments, env| {
            let casts = expect(name, arguments, &[Group])?;
            let groups = env.asker.tags.clone();
            Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
                let given = Numbers::of::<UInt64Type>(&args[0])?;
                let parts =
                    |tags: &Tags| tags.iter().flat_map(|(name, value)| [name.clone(), value.clone()]).collect::<Vec<_>>();
                numbers::<UInt64Type>(rows, |row| {
                    let tags = groups.tags(given.get(row))?;
                    Ok(parts(&tags).iter().fold(0, |key, part| city_hash_64_from(part, key)))
                })
            }))
        }),
    );
    registry.scalar(
        "timeSeriesExtractTag",
        in_query(|name, arguments, env| {
            let casts = expect(name, arguments, &[Group, Text])?;
            let groups = env.asker.tags.clone();
            Ok(Bound::cast(casts, T::String.nullable(), move |args, rows| {
                let given = Numbers::of::<UInt64Type>(&args[0])?;
                let mut values = BinaryViewBuilder::with_capacity(rows);
                for row in 0..rows {
                    let tags = groups.tags(given.get(row))?;
                    values.append_option(value_of(&tags, Row { args, row }.text(1)?));
                }
                Ok(Arc::new(values.finish()) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "timeSeriesRemoveTag",
        to_group(&[Group, Text], |tags, row, _| {
            set(tags, row.text(1)?, b"");
            Ok(())
        }),
    );
    registry.scalar(
        "timeSeriesRemoveTags",
        to_group(&[Group, Texts], |tags, row, _| {
            let names = row.texts(1)?;
            tags.retain(|(known, _)| !names.contains(known));
            Ok(())
        }),
    );
    registry.scalar(
        "timeSeriesRemoveAllTagsExcept",
        to_group(&[Group, Texts], |tags, row, _| {
            let names = row.texts(1)?;
            tags.retain(|(known, _)| names.contains(known));
            Ok(())
        }),
    );
    registry.scalar(
        "timeSeriesCopyTag",
        to_group(&[Group, Group, Text], |tags, row, groups| copy(tags, row, groups, &[row.text(2)?.to_vec()])),
    );
    registry.scalar(
        "timeSeriesCopyTags",
        to_group(&[Group, Group, Texts], |tags, row, groups| copy(tags, row, groups, &row.texts(2)?)),
    );
    registry.scalar(
        "timeSeriesJoinTags",
        to_group(&[Group, Text, Text, Texts], |tags, row, _| {
            let names = row.texts(3)?;
            let values: Vec<&[u8]> = names.iter().map(|name| value_of(tags, name).unwrap_or_default()).collect();
            let joined = values.join(row.text(2)?);
            set(tags, row.text(1)?, &joined);
            Ok(())
        }),
    );
    registry.scalar("timeSeriesReplaceTag", to_group(&[Group, Text, Text, Text, Text], |tags, row, _| replace(tags, row)));
    registry.scalar(
        "timeSeriesThrowDuplicateSeriesIf",
        of_query(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            if has_null(arguments) {
                return Ok(Bound::null());
            }
            if arguments[0].kind != T::UInt8 {
                return Err(illegal(name, arguments, 0, "UInt8"));
            }
            let mut casts = vec![T::UInt8];
            casts.extend(expect(name, &arguments[1..], &[Group])?);
            let groups = env.asker.tags.clone();
            Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
                let (wrong, given) = (Numbers::of::<UInt8Type>(&args[0])?, Numbers::of::<UInt64Type>(&args[1])?);
                numbers::<UInt8Type>(rows, |row| match wrong.get(row) {
                    0 => Ok(0),
                    _ => Err(duplicate(groups.tags(given.get(row))?.as_ref())),
                })
            }))
        }),
    );
    series(registry);
}

fn duplicate(tags: &Tags) -> Error {
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let tags: Vec<String> = tags.iter().map(|(name, value)| format!("'{}': '{}'", shown(name), shown(value))).collect();
    let text = format!("Multiple series have the same tags {{{}}}", tags.join(", "));
    Error::new(ErrorCode(768), format!("{text}, duplicate series in the same result set are not allowed"))
}

fn copy(tags: &mut Tags, row: &Row<'_>, groups: &TagGroups, names: &[Vec<u8>]) -> Result<()> {
    let from = groups.tags(Numbers::of::<UInt64Type>(&row.args[1])?.get(row.row))?;
    names.iter().for_each(|name| set(tags, name, value_of(&from, name).unwrap_or_default()));
    Ok(())
}

/// The expression must match the whole value; one that is not there is empty.
fn replace(tags: &mut Tags, row: &Row<'_>) -> Result<()> {
    let expression = [b"^(?s:", row.text(4)?, b")$"].concat();
    let value = value_of(tags, row.text(3)?).unwrap_or_default();
    let mut expanded = Vec::new();
    match regex(&expression, false)?.captures(value) {
        Some(found) => found.expand(row.text(2)?, &mut expanded),
        None => return Ok(()),
    }
    set(tags, row.text(1)?, &expanded);
    Ok(())
}

fn pairs(all: impl Iterator<Item = Result<Arc<Tags>>>) -> Result<ArrayRef> {
    let (mut names, mut values) = (BinaryViewBuilder::new(), BinaryViewBuilder::new());
    let (mut lengths, mut total) = (Vec::new(), 0);
    for tags in all {
        let tags = tags?;
        for (name, value) in tags.iter() {
            names.append_value(name);
            values.append_value(value);
        }
        lengths.push(tags.len());
        total += tags.len();
    }
    let columns: Vec<ArrayRef> = vec![Arc::new(names.finish()), Arc::new(values.finish())];
    list(struct_array(&pair_kind(), columns, total)?, &lengths)
}

/// Functions of series: which tags one has is said in the query itself, so they run where they stand and are not folded.
fn series(registry: &mut Registry) {
    registry.scalar(
        "timeSeriesStoreTags",
        volatile(|name, arguments, env| {
            let given = Given::of(name, arguments, 1)?;
            let (groups, kind) = (env.asker.tags.clone(), arguments[0].kind.clone());
            let series_kind = kind.plain().to_string();
            Ok(Bound::cast(given.casts.clone(), kind, move |args, rows| {
                let ids = broadcast(&args[0], rows)?;
                let encoded = encoded(&ids)?;
                for (row, id) in encoded.into_iter().enumerate() {
                    if ids.is_valid(row) {
                        groups.store(&series_kind, id, given.tags(args, row)?);
                    }
                }
                Ok(ids)
            }))
        }),
    );
    registry.scalar(
        "timeSeriesIdToGroup",
        volatile(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            if has_null(arguments) {
                return Ok(Bound::null());
            }
            let (groups, kind) = (env.asker.tags.clone(), arguments[0].kind.plain().to_string());
            Ok(Bound::new(T::UInt64, move |args, rows| {
                let found = of_ids(&args[0], rows, &kind, &groups)?;
                numbers::<UInt64Type>(rows, |row| Ok(found[row]))
            }))
        }),
    );
    registry.alias("timeSeriesIdToTagsGroup", "timeSeriesIdToGroup");
    registry.scalar(
        "timeSeriesIdToTags",
        volatile(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            if has_null(arguments) {
                return Ok(Bound::null());
            }
            let (groups, kind) = (env.asker.tags.clone(), arguments[0].kind.plain().to_string());
            Ok(Bound::new(SqlType::array(pair_kind()), move |args, rows| {
                let found = of_ids(&args[0], rows, &kind, &groups)?;
                pairs((0..rows).map(|row| groups.tags(found[row])))
            }))
        }),
    );
}

/// Bytes that are equal where values are.
fn encoded(ids: &ArrayRef) -> Result<Vec<Vec<u8>>> {
    let converter = RowConverter::new(vec![SortField::new(ids.data_type().clone())])?;
    let rows = converter.convert_columns(std::slice::from_ref(ids))?;
    Ok(rows.iter().map(|row| row.as_ref().to_vec()).collect())
}

/// The groups of series. Error: BAD_ARGUMENTS for one that has none.
fn of_ids(ids: &ArrayRef, rows: usize, kind: &str, groups: &TagGroups) -> Result<Vec<u64>> {
    let encoded = encoded(ids)?;
    let find = |row: usize| {
        groups.of_series(kind, encoded[at(ids.len(), row)].clone()).ok_or_else(|| {
            let shown = arrow::util::display::array_value_to_string(ids, at(ids.len(), row)).unwrap_or_default();
            Error::new(ErrorCode::BAD_ARGUMENTS, format!("Unknown identifier {shown}"))
        })
    };
    (0..rows).map(find).collect()
}
