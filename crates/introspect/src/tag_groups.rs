//! Groups of tags of a query: equal tags have the same number, from 1 on as they are met; no tags are 0. Also the groups that series
//! have by their identifiers.

use std::collections::HashMap;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::Mutex;

/// Names and values, by name. No value is empty.
pub type Tags = Vec<(Vec<u8>, Vec<u8>)>;

#[derive(Debug, Default)]
pub struct TagGroups(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    groups: Vec<Arc<Tags>>,
    numbers: HashMap<Arc<Tags>, u64>,
    /// By the types of the identifiers and their bytes.
    series: HashMap<(String, Vec<u8>), u64>,
}

impl TagGroups {
    pub fn number(&self, tags: Tags) -> u64 {
        if tags.is_empty() {
            return 0;
        }
        let mut known = self.0.lock();
        if let Some(number) = known.numbers.get(&tags) {
            return *number;
        }
        let tags = Arc::new(tags);
        known.groups.push(tags.clone());
        let number = known.groups.len() as u64;
        known.numbers.insert(tags, number);
        number
    }

    /// Error: BAD_ARGUMENTS.
    pub fn tags(&self, number: u64) -> Result<Arc<Tags>> {
        let Some(before) = number.checked_sub(1) else { return Ok(Arc::default()) };
        let known = self.0.lock();
        let found = usize::try_from(before).ok().and_then(|index| known.groups.get(index).cloned());
        found.ok_or_else(|| {
            let text = format!("Group {number} is out of bounds, must be between 0 and {}", known.groups.len());
            Error::new(ErrorCode::BAD_ARGUMENTS, text)
        })
    }

    /// From now on a series has these tags. `kind`: the type of its identifier.
    pub fn store(&self, kind: &str, id: Vec<u8>, tags: Tags) {
        let number = self.number(tags);
        self.0.lock().series.insert((kind.to_string(), id), number);
    }

    /// The group of a series; `None`: nothing was said of it.
    pub fn of_series(&self, kind: &str, id: Vec<u8>) -> Option<u64> {
        self.0.lock().series.get(&(kind.to_string(), id)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tags_have_one_number() {
        let groups = TagGroups::default();
        let tags = |value: &str| vec![(b"a".to_vec(), value.as_bytes().to_vec())];
        assert_eq!([groups.number(tags("x")), groups.number(tags("y")), groups.number(tags("x"))], [1, 2, 1]);
        assert_eq!((groups.number(Vec::new()), groups.tags(0).unwrap().len()), (0, 0));
        assert_eq!(*groups.tags(2).unwrap(), tags("y"));
        assert!(groups.tags(3).is_err());
    }
}
