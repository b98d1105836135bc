//! The index of type `text`: of each chunk a dictionary of the tokens of its units, with the units that have each. A unit is a
//! granule, so a condition that tokens must be there for leaves out every granule that lacks one of them, and no filter's guess
//! stands in between.
//!
//! ```text
//! one Arrow IPC stream of one batch, a row a token in the order of bytes: the token · the units that have it, ascending.
//! Its schema's metadata say the form: gristmill.text = 1
//! ```
//! (Rejected: one dictionary a part, with lists of rows. It would have to be made of all rows before the first is written, while a
//! chunk ends with its row group; and rows are found by their conditions anyway, so lists of granules are a thousandth of it.)

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, ListArray, RecordBatch, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Schema, UInt32Type};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::{IpcWriteOptions, StreamWriter};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::strings::Tokenizer;

use super::terms::{Anchored, Terms};

/// Of the schema's metadata: which form the batch has.
const FORM_KEY: &str = "gristmill.text";
const FORM: &str = "1";

/// Parameters that say how ClickHouse lays its own data out. Here they change nothing.
const OF_LAYOUT: [&str; 5] = [
    "dictionary_block_size",
    "dictionary_block_frontcoding_compression",
    "max_cardinality_for_embedded_postings",
    "posting_list_block_size",
    "posting_list_codec",
];

/// How an index takes texts apart.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTokens {
    tokenizer: Arc<Tokenizer>,
    /// Texts are in the index as another expression makes them.
    pub is_preprocessed: bool,
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text.into())
}

/// Parameters, cut at commas that stand neither in brackets nor in quotes.
fn parameters(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

impl TextTokens {
    /// Of `text(tokenizer = ngrams(3))`, by what is in the brackets. Errors: BAD_ARGUMENTS.
    pub fn parse(arguments: &str) -> Result<TextTokens> {
        let (mut tokenizer, mut is_preprocessed) = (None, false);
        for parameter in parameters(arguments) {
            let Some((name, value)) = parameter.split_once('=') else {
                return Err(bad("Cannot mix key-value pair and single argument as text index arguments"));
            };
            match (name.trim(), value.trim()) {
                ("tokenizer", value) => tokenizer = Some(value),
                ("preprocessor", _) => is_preprocessed = true,
                (name, _) if OF_LAYOUT.contains(&name) => {}
                (name, _) => return Err(bad(format!("Unexpected text index arguments: {name}"))),
            }
        }
        let written = tokenizer.ok_or_else(|| bad("Text index argument 'tokenizer' is required"))?;
        // In quotes stands a name alone.
        let name = written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if let Some(name) = name.filter(|name| name.contains('(')) {
            return Err(bad(format!("Unknown tokenizer: '{name}'")));
        }
        let tokenizer = Tokenizer::parsed("text index", name.unwrap_or(written))?;
        Ok(TextTokens { tokenizer: Arc::new(tokenizer), is_preprocessed })
    }

    /// Runs of letters and digits.
    pub fn words() -> TextTokens {
        TextTokens { tokenizer: Arc::new(Tokenizer::NonAlpha), is_preprocessed: false }
    }

    /// The tokens of a text, as functions see them.
    pub fn of(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let mut tokens = Vec::new();
        self.tokenizer.tokens(text, &mut tokens);
        tokens.into_iter().map(<[u8]>::to_vec).collect()
    }

    /// Calls `visit` with the tokens of a value; some come more than once.
    pub fn each(&self, value: &[u8], mut visit: impl FnMut(&[u8])) {
        let mut tokens = Vec::new();
        self.tokenizer.tokens(value, &mut tokens);
        tokens.into_iter().for_each(&mut visit);
        // Of bytes that are no UTF-8 these cut n-grams otherwise, and parts of texts are asked by them.
        if let Some(terms @ Terms::Ngrams(_)) = self.terms() {
            terms.each(value, Anchored::WHOLE, visit);
        }
    }

    /// What is known of a value by a part of it. `None`: nothing.
    pub fn terms(&self) -> Option<Terms> {
        match *self.tokenizer {
            Tokenizer::NonAlpha => Some(Terms::Tokens),
            Tokenizer::Grams(length) => Some(Terms::Ngrams(length)),
            _ => None,
        }
    }

    /// Whether texts are taken apart so as well where a call says `written`, or nothing.
    pub fn is(&self, written: Option<&str>) -> bool {
        let other = match written {
            None => return *self.tokenizer == Tokenizer::NonAlpha,
            Some(written) => Tokenizer::parsed("text index", written),
        };
        other.is_ok_and(|other| other == *self.tokenizer)
    }
}

/// The tokens of some units, in the order of their bytes, and which units have each, ascending.
#[derive(Debug)]
pub struct Dictionary {
    tokens: BinaryArray,
    units: ListArray,
}

impl Dictionary {
    /// Of the tokens of each unit.
    pub fn of(units: Vec<HashSet<Box<[u8]>>>) -> Result<Dictionary> {
        let mut sorted: BTreeMap<Box<[u8]>, Vec<u32>> = BTreeMap::new();
        for (unit, tokens) in units.into_iter().enumerate() {
            for token in tokens {
                sorted.entry(token).or_default().push(unit as u32);
            }
        }
        let tokens = BinaryArray::from_iter_values(sorted.keys());
        let offsets = OffsetBuffer::from_lengths(sorted.values().map(Vec::len));
        let numbers = UInt32Array::from_iter_values(sorted.values().flatten().copied());
        let item = Arc::new(Field::new("item", DataType::UInt32, false));
        Ok(Dictionary { tokens, units: ListArray::try_new(item, offsets, Arc::new(numbers), None)? })
    }

    /// The units that have a token.
    pub fn units(&self, token: &[u8]) -> &[u32] {
        let (mut from, mut to) = (0, self.tokens.len());
        while from < to {
            let middle = from + (to - from) / 2;
            match self.tokens.value(middle).cmp(token) {
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
                Ordering::Equal => return self.of_row(middle),
            }
        }
        &[]
    }

    fn of_row(&self, row: usize) -> &[u32] {
        let offsets = self.units.value_offsets();
        let numbers = self.units.values().as_primitive::<UInt32Type>().values();
        &numbers[offsets[row] as usize..offsets[row + 1] as usize]
    }

    pub fn encode(&self) -> Result<Vec<u8>> {
        self.encoded(FORM)
    }

    fn encoded(&self, form: &str) -> Result<Vec<u8>> {
        let field = |name: &str, column: &dyn Array| Field::new(name, column.data_type().clone(), false);
        let metadata = [(FORM_KEY.to_string(), form.to_string())].into();
        let fields = vec![field("token", &self.tokens), field("units", &self.units)];
        let schema = Arc::new(Schema::new(fields).with_metadata(metadata));
        let columns: Vec<ArrayRef> = vec![Arc::new(self.tokens.clone()), Arc::new(self.units.clone())];
        let batch = RecordBatch::try_new(schema.clone(), columns)?;
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, IpcWriteOptions::default())?;
        writer.write(&batch)?;
        Ok(writer.into_inner()?)
    }

    /// `units`: how many there are. Errors: CORRUPTED_DATA, UNSUPPORTED_PARAMETER where a newer program wrote it.
    pub fn decode(payload: &[u8], units: usize) -> Result<Dictionary> {
        let corrupt = |what: &str| Error::new(ErrorCode::CORRUPTED_DATA, what.to_string());
        let mut reader = StreamReader::try_new(Cursor::new(payload), None)?;
        match reader.schema().metadata().get(FORM_KEY).map(String::as_str) {
            Some(FORM) => {}
            Some(other) => {
                return Err(Error::new(
                    ErrorCode::UNSUPPORTED_PARAMETER,
                    format!("its dictionary is of form {other}, this program reads form {FORM}: update it"),
                ));
            }
            None => return Err(corrupt("it holds no dictionary")),
        }
        let batch = reader.next().transpose()?.ok_or_else(|| corrupt("it is empty"))?;
        let [tokens, lists] = batch.columns() else { return Err(corrupt("it is no dictionary")) };
        let (Some(tokens), Some(lists)) = (tokens.as_binary_opt::<i32>(), lists.as_list_opt::<i32>()) else {
            return Err(corrupt("its dictionary is of another type"));
        };
        if *lists.values().data_type() != DataType::UInt32 || tokens.null_count() + lists.null_count() > 0 {
            return Err(corrupt("its units are of another type"));
        }
        let dictionary = Dictionary { tokens: tokens.clone(), units: lists.clone() };
        let is_sound = |row: usize| {
            let of_token = dictionary.of_row(row);
            let is_in_order = row == 0 || tokens.value(row - 1) < tokens.value(row);
            is_in_order && of_token.is_sorted() && of_token.last().is_some_and(|last| (*last as usize) < units)
        };
        match (0..tokens.len()).all(is_sound) {
            true => Ok(dictionary),
            false => Err(corrupt("its tokens are in no order, or in units that are not there")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(parameters: &str, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        let of = TextTokens::parse(parameters).unwrap_or_else(|error| panic!("{parameters}: {error}"));
        of.each(text.as_bytes(), |token| all.push(String::from_utf8_lossy(token).into_owned()));
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn parameters_say_how_texts_are_taken_apart() {
        assert_eq!(tokens("tokenizer = splitByNonAlpha", "ab, cd-ab"), ["ab", "cd"]);
        assert_eq!(tokens("tokenizer = 'splitByNonAlpha', dictionary_block_size = 64", "ab"), ["ab"]);
        assert_eq!(tokens("tokenizer = ngrams(2)", "abé"), ["ab", "bé"]);
        assert_eq!(tokens("tokenizer = ngrams", "abcd"), ["abc", "bcd"]);
        assert_eq!(tokens("tokenizer = splitByString([', ', ';'])", "a b, c;d"), ["a b", "c", "d"]);
        assert_eq!(tokens("tokenizer = array", "a b"), ["a b"]);
        let preprocessed = TextTokens::parse("preprocessor = concat(s, ', '), tokenizer = array").expect("known");
        assert!(preprocessed.is_preprocessed && !TextTokens::words().is_preprocessed);
        for (wrong, code) in [
            ("", ErrorCode::BAD_ARGUMENTS),
            ("tokenizer = 'foo'", ErrorCode::BAD_ARGUMENTS),
            ("tokenizer = 'ngrams(4)'", ErrorCode::BAD_ARGUMENTS),
            ("tokenizer = ngrams(0)", ErrorCode::BAD_ARGUMENTS),
            ("tokenizer = array, foo = 1", ErrorCode::BAD_ARGUMENTS),
            ("'array'", ErrorCode::BAD_ARGUMENTS),
            ("preprocessor = lower(s)", ErrorCode::BAD_ARGUMENTS),
        ] {
            assert_eq!(TextTokens::parse(wrong).expect_err(wrong).code(), code, "{wrong}");
        }
    }

    #[test]
    fn calls_ask_where_they_take_texts_apart_alike() {
        let of = |parameters: &str| TextTokens::parse(parameters).expect(parameters);
        assert!(of("tokenizer = splitByNonAlpha").is(None) && of("tokenizer = ngrams").is(Some("ngrams(3)")));
        assert!(!of("tokenizer = ngrams").is(None) && !of("tokenizer = ngrams(4)").is(Some("ngrams")));
        assert!(!of("tokenizer = array").is(Some("no such")));
    }

    #[test]
    fn a_dictionary_comes_back_and_damage_is_found() {
        let unit = |tokens: &[&str]| tokens.iter().map(|token| Box::from(token.as_bytes())).collect::<HashSet<Box<[u8]>>>();
        let dictionary = Dictionary::of(vec![unit(&["a", "b"]), unit(&[]), unit(&["b", ""])]).expect("fits");
        let encoded = dictionary.encode().expect("encodes");
        let decoded = Dictionary::decode(&encoded, 3).expect("decodes");
        assert_eq!((decoded.units(b"a"), decoded.units(b"b"), decoded.units(b"")), (&[0][..], &[0, 2][..], &[2][..]));
        assert!(decoded.units(b"c").is_empty());
        Dictionary::decode(&encoded, 2).expect_err("a unit that is not there");
        Dictionary::decode(&encoded[..encoded.len() / 2], 3).expect_err("cut off");
        let newer = Dictionary::decode(&dictionary.encoded("2").expect("encodes"), 3).expect_err("newer");
        assert_eq!(newer.code(), ErrorCode::UNSUPPORTED_PARAMETER);
    }
}
