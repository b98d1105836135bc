//! `flameGraph(trace[, size[, ptr]])`: stacks that are alike, added up, as lines that tools for flame graphs read.
//!
//! Each group knows its different stacks in the order in which they came, with the sum of the sizes of each. Where rows say
//! which memory they are about, what is given back takes its size from the stack that allocated it, whichever of the two rows
//! comes first; what is given back and was never allocated counts nowhere. The lines are those of the tree of stacks, each function
//! behind those that stand under it, as in ClickHouse.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, Int64Array, ListArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result, runtime};
use gristmill_introspect::profiler::symbols;
use gristmill_types::SqlType;

use super::groups::Groups;
use super::natives::natives;
use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype, strings};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("flameGraph", family(NullRule::Default, plan));
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    if !call.parameters.is_empty() {
        let text = format!("Aggregate function {} cannot have parameters", call.name);
        return Err(Error::new(ErrorCode::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS, text));
    }
    call.arity(1..=3)?;
    let frames = match &call.kinds[0] {
        SqlType::Array(item) if *item.plain() == SqlType::UInt64 => Frames::Addresses,
        SqlType::Array(item) if *item.plain() == SqlType::String => Frames::Names,
        _ => return Err(call.illegal(0, "Array(UInt64) or Array(String), the trace")),
    };
    if call.kinds.get(1).is_some_and(|kind| *kind != SqlType::Int64) {
        return Err(call.illegal(1, "Int64, the size"));
    }
    if call.kinds.get(2).is_some_and(|kind| *kind != SqlType::UInt64) {
        return Err(call.illegal(2, "UInt64, the pointer"));
    }
    let of_frames = if frames == Frames::Names { SqlType::String } else { SqlType::UInt64 };
    let mut arguments = vec![SqlType::array(of_frames), SqlType::Int64, SqlType::UInt64];
    arguments.truncate(call.kinds.len());
    let state = [DataType::Binary, DataType::Int64, DataType::UInt64].map(list_of).to_vec();
    let result = SqlType::array(SqlType::String);
    let carrier = result.arrow();
    Ok(Plan::new(result, arguments, state, move || FlameGraphs {
        frames,
        result: carrier.clone(),
        groups: Vec::new(),
        bytes: 0,
    }))
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Frames {
    Addresses,
    Names,
}

#[derive(Default)]
struct Group {
    /// Places of stacks, by their frames as bytes (`encoded`).
    places: HashMap<Arc<[u8]>, usize>,
    /// With the sum of each.
    stacks: Vec<(Arc<[u8]>, i64)>,
    /// Places of the stacks that allocated memory which was not given back, by its address and size.
    allocated: HashMap<(u64, i64), Vec<usize>>,
    /// How often memory was given back that nobody had allocated yet.
    freed: HashMap<(u64, i64), usize>,
}

/// About what an entry of a group takes beside its bytes.
const ENTRY_BYTES: usize = 96;

impl Group {
    /// Gives how many bytes more it takes.
    fn add(&mut self, stack: &[u8], size: i64, pointer: u64) -> usize {
        if size == 0 || (pointer == 0 && size < 0) {
            return 0;
        }
        if size < 0 {
            let whose = (pointer, size.saturating_neg());
            match self.allocated.get_mut(&whose).and_then(Vec::pop) {
                Some(at) => self.stacks[at].1 = self.stacks[at].1.saturating_sub(whose.1),
                None => *self.freed.entry(whose).or_default() += 1,
            }
            return ENTRY_BYTES;
        }
        if let Some(times) = self.freed.get_mut(&(pointer, size)).filter(|times| **times > 0) {
            *times -= 1;
            return 0;
        }
        let (at, grown) = match self.places.get(stack) {
            Some(at) => (*at, 0),
            None => {
                let stack: Arc<[u8]> = stack.into();
                self.places.insert(stack.clone(), self.stacks.len());
                self.stacks.push((stack.clone(), 0));
                (self.stacks.len() - 1, stack.len() + ENTRY_BYTES)
            }
        };
        self.stacks[at].1 = self.stacks[at].1.saturating_add(size);
        if pointer == 0 {
            return grown;
        }
        self.allocated.entry((pointer, size)).or_default().push(at);
        grown + ENTRY_BYTES
    }

    /// Rows that make the same group of an empty one.
    fn rows(&self) -> Vec<(&[u8], i64, u64)> {
        let mut of_stacks: Vec<Vec<(u64, i64)>> = vec![Vec::new(); self.stacks.len()];
        for (whose, places) in &self.allocated {
            places.iter().for_each(|at| of_stacks[*at].push(*whose));
        }
        let mut rows = Vec::new();
        for ((stack, sum), allocated) in self.stacks.iter().zip(&of_stacks) {
            let of_nobody = sum.saturating_sub(allocated.iter().map(|(_, size)| size).sum());
            if of_nobody > 0 {
                rows.push((stack.as_ref(), of_nobody, 0));
            }
            rows.extend(allocated.iter().map(|(pointer, size)| (stack.as_ref(), *size, *pointer)));
        }
        for ((pointer, size), times) in &self.freed {
            rows.extend(std::iter::repeat_n((&[][..], -size, *pointer), *times));
        }
        rows
    }
}

/// The functions of all stacks, each below the one that called it; the first is nobody's. (Stacks may be as long as arrays: nothing
/// here descends by calling itself.)
struct Tree {
    nodes: Vec<Node>,
    places: HashMap<(usize, Vec<u8>), usize>,
}

#[derive(Default)]
struct Node {
    frame: Vec<u8>,
    /// Of the stacks that end here.
    sum: i64,
    /// In the order in which they came.
    children: Vec<usize>,
}

impl Tree {
    fn new() -> Tree {
        Tree { nodes: vec![Node::default()], places: HashMap::new() }
    }

    fn add(&mut self, frames: Vec<Vec<u8>>, sum: i64) {
        let mut at = 0;
        for frame in frames {
            let next = self.nodes.len();
            let child = *self.places.entry((at, frame.clone())).or_insert(next);
            if child == next {
                self.nodes[at].children.push(child);
                self.nodes.push(Node { frame, ..Node::default() });
            }
            at = child;
        }
        self.nodes[at].sum += sum;
    }

    fn lines(&self, named: impl Fn(&[u8]) -> String) -> Vec<String> {
        let mut lines = Vec::new();
        // Where we are: nodes, how many of their children were seen, and how long the path was before each.
        let (mut path, mut above) = (String::new(), vec![(0, 0, 0)]);
        while let Some((at, seen, before)) = above.pop() {
            let node = &self.nodes[at];
            if let Some(child) = node.children.get(seen) {
                above.push((at, seen + 1, before));
                let length = path.len();
                if at != 0 {
                    path.push(';');
                }
                path.push_str(&named(&self.nodes[*child].frame));
                above.push((*child, 0, length));
                continue;
            }
            if node.sum > 0 {
                lines.push(format!("{path} {}", node.sum));
            }
            path.truncate(before);
        }
        lines
    }
}

struct FlameGraphs {
    frames: Frames,
    result: DataType,
    groups: Vec<Group>,
    bytes: usize,
}

impl FlameGraphs {
    /// The frames of a row side by side: numbers of eight bytes, or texts behind their lengths. A zero ends a stack of
    /// addresses.
    fn encoded(&self, values: &dyn Array, rows: std::ops::Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.frames {
            Frames::Addresses => {
                let addresses = &values.as_primitive::<UInt64Type>().values()[rows];
                for address in addresses.iter().take_while(|address| **address != 0) {
                    bytes.extend_from_slice(&address.to_le_bytes());
                }
            }
            Frames::Names => {
                let names = values.as_binary_view();
                for row in rows {
                    bytes.extend_from_slice(&(names.value(row).len() as u64).to_le_bytes());
                    bytes.extend_from_slice(names.value(row));
                }
            }
        }
        bytes
    }

    fn decoded(&self, mut bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        while let Some((number, rest)) = bytes.split_first_chunk::<8>() {
            let length = match self.frames {
                Frames::Addresses => 0,
                Frames::Names => usize::try_from(u64::from_le_bytes(*number)).unwrap_or(usize::MAX).min(rest.len()),
            };
            frames.push(if self.frames == Frames::Addresses { number.to_vec() } else { rest[..length].to_vec() });
            bytes = &rest[length..];
        }
        frames
    }

    fn lines(&self, group: &Group) -> Vec<String> {
        let mut tree = Tree::new();
        for (stack, sum) in group.stacks.iter().filter(|(_, sum)| *sum > 0) {
            tree.add(self.decoded(stack), *sum);
        }
        let named = |frame: &[u8]| match (self.frames, <[u8; 8]>::try_from(frame)) {
            (Frames::Addresses, Ok(address)) => name_of(u64::from_le_bytes(address)),
            _ => String::from_utf8_lossy(frame).into_owned(),
        };
        tree.lines(named)
    }
}

/// The function there, or the address itself.
fn name_of(address: u64) -> String {
    match symbols::of_all(&[address]).pop() {
        // A semicolon stands between functions, and within names of types, such as [u8; 8].
        Some(known) if !known.name.is_empty() => known.name.replace(';', ","),
        _ => {
            let mut text = String::new();
            // Writing into a text cannot fail.
            let _ = write!(text, "0x{address:016x}");
            text
        }
    }
}

impl Groups for FlameGraphs {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, Group::default);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let traces = args[0].as_list::<i32>();
        let sizes = args.get(1).map(|array| natives::<i64>(array)).transpose()?;
        let pointers = args.get(2).map(|array| natives::<u64>(array)).transpose()?;
        for (row, group) in groups.iter().enumerate() {
            let range = traces.value_offsets()[row] as usize..traces.value_offsets()[row + 1] as usize;
            let stack = self.encoded(traces.values(), range);
            let size = sizes.as_ref().map_or(1, |sizes| sizes[row]);
            let pointer = pointers.as_ref().map_or(0, |pointers| pointers[row]);
            self.bytes += self.groups[*group].add(&stack, size, pointer);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let (mut stacks, mut sizes, mut pointers) = (BinaryBuilder::new(), Vec::new(), Vec::new());
        let mut lengths = Vec::with_capacity(groups);
        for group in &self.groups[..groups] {
            let rows = group.rows();
            lengths.push(rows.len());
            for (stack, size, pointer) in rows {
                stacks.append_value(stack);
                sizes.push(size);
                pointers.push(pointer);
            }
        }
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        let values: [ArrayRef; 3] =
            [Arc::new(stacks.finish()), Arc::new(Int64Array::from(sizes)), Arc::new(UInt64Array::from(pointers))];
        let lists = values.into_iter().map(|values| {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, offsets.clone(), values, None)?) as ArrayRef)
        });
        lists.collect()
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = [&states[0], &states[1], &states[2]].map(|state| state.as_list::<i32>());
        for (i, group) in groups.iter().enumerate() {
            let [stacks, sizes, pointers] = lists.map(|list| list.value(i));
            let (sizes, pointers) = (sizes.as_primitive::<Int64Type>(), pointers.as_primitive::<UInt64Type>());
            let rows = stacks.as_binary::<i32>().iter().zip(sizes.values()).zip(pointers.values());
            for ((stack, size), pointer) in rows {
                self.bytes += self.groups[*group].add(stack.unwrap_or_default(), *size, *pointer);
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        // The first name makes the program's whole table of symbols be read.
        let lines: Vec<Vec<String>> =
            runtime::aside(|| self.groups[..groups].iter().map(|group| self.lines(group)).collect());
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        let all: Vec<&String> = lines.iter().flatten().collect();
        let texts = strings(all.len(), |at, out| {
            out.extend_from_slice(all[at].as_bytes());
            Ok(())
        })?;
        retype(&list(texts, &lengths)?, &self.result)
    }

    fn drop_first(&mut self, groups: usize) {
        self.groups.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.groups.capacity() * size_of::<Group>()
    }
}
