//! `kinds.txt`, read.

/// A type of a column, and what is asked of it.
#[derive(Debug)]
pub struct Kind {
    pub name: String,
    /// As text; `NULL` is none.
    values: Vec<String>,
    /// Expressions that a table can be sorted by; none: it has no order.
    pub keys: Vec<String>,
    pub indexes: Vec<String>,
    pub conditions: Vec<String>,
}

pub fn kinds() -> Vec<Kind> {
    let text = include_str!("kinds.txt");
    let blocks = text.split("\n\n").filter(|block| !block.starts_with("# Types"));
    blocks.map(kind).collect()
}

fn kind(block: &str) -> Kind {
    let mut lines = block.trim_matches('\n').lines();
    let name = lines.next().expect("a type").to_string();
    let mut kind = Kind { name, values: Vec::new(), keys: Vec::new(), indexes: Vec::new(), conditions: Vec::new() };
    for line in lines {
        let (sign, rest) = line.split_at(1);
        let between_bars = || rest.split('|').map(|text| text.trim().to_string());
        let named = || between_bars().filter(|text| !text.is_empty()).collect();
        match sign {
            "=" => kind.values = between_bars().collect(),
            "+" => kind.keys = named(),
            "%" => kind.indexes = named(),
            "?" => kind.conditions.push(rest.trim().to_string()),
            other => panic!("{other} begins no line: {line}"),
        }
    }
    assert!(!kind.values.is_empty() && !kind.conditions.is_empty(), "{block}");
    kind
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

impl Kind {
    /// Values as texts in quotes.
    pub fn texts(&self) -> Vec<String> {
        self.values.iter().map(|value| quoted(value)).collect()
    }

    /// Values as constants of the type.
    pub fn constants(&self) -> Vec<String> {
        let constant = |value: &String| match value.as_str() {
            "NULL" => "NULL".to_string(),
            value => format!("CAST({}, {})", quoted(value), quoted(&self.name)),
        };
        self.values.iter().map(constant).collect()
    }

    /// The texts of an expression in the type.
    pub fn cast(&self, expression: &str) -> String {
        let of = match self.values.iter().any(|value| value == "NULL") {
            true => format!("nullIf({expression}, 'NULL')"),
            false => expression.to_string(),
        };
        format!("CAST({of}, {})", quoted(&self.name))
    }

    pub fn is_tuple(&self) -> bool {
        self.name.starts_with("Tuple(")
    }
}
