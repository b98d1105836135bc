//! Enough of SQL's expressions for tables of tests: literals, calls, `+ - * /`, `INTERVAL n unit`, `::Type`, arrays, tuples.

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(Vec<u8>),
    Call(String, Vec<Tree>),
}

pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

pub fn parse(text: &str) -> Tree {
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    let tree = parser.sum();
    parser.space();
    assert_eq!(parser.at, text.len(), "the expression '{text}' goes on");
    tree
}

impl Parser<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token.as_bytes());
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn sum(&mut self) -> Tree {
        let mut left = self.product();
        loop {
            let name = if self.eat("+") {
                "plus"
            } else if self.eat("-") {
                "minus"
            } else {
                return left;
            };
            left = Tree::Call(name.into(), vec![left, self.product()]);
        }
    }

    fn product(&mut self) -> Tree {
        let mut left = self.cast();
        loop {
            let name = if self.eat("*") {
                "multiply"
            } else if self.eat("/") {
                "divide"
            } else {
                return left;
            };
            left = Tree::Call(name.into(), vec![left, self.cast()]);
        }
    }

    fn cast(&mut self) -> Tree {
        let mut value = self.primary();
        while self.eat("::") {
            let start = self.at;
            let mut depth = 0;
            while let Some(c) = self.text.get(self.at) {
                match c {
                    b'(' => depth += 1,
                    b')' if depth > 0 => depth -= 1,
                    c if depth > 0 || c.is_ascii_alphanumeric() => {}
                    _ => break,
                }
                self.at += 1;
            }
            value = Tree::Call("CAST".into(), vec![value, Tree::Text(self.text[start..self.at].to_vec())]);
        }
        value
    }

    fn list(&mut self, end: &str) -> Vec<Tree> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(self.sum());
            self.eat(",");
        }
        items
    }

    fn primary(&mut self) -> Tree {
        self.space();
        match self.text.get(self.at).copied() {
            Some(b'\'') => self.string(),
            Some(b'[') => {
                self.at += 1;
                Tree::Call("array".into(), self.list("]"))
            }
            Some(b'(') => {
                self.at += 1;
                let mut items = self.list(")");
                if items.len() == 1 { items.remove(0) } else { Tree::Call("tuple".into(), items) }
            }
            Some(b'-') => {
                self.at += 1;
                match self.cast() {
                    Tree::Integer(value) => Tree::Integer(-value),
                    Tree::Float(value) => Tree::Float(-value),
                    other => Tree::Call("negate".into(), vec![other]),
                }
            }
            Some(b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn number(&mut self) -> Tree {
        let start = self.at;
        while let Some(c) = self.text.get(self.at) {
            let exponent_sign = matches!(c, b'-' | b'+') && matches!(self.text[self.at - 1], b'e' | b'E');
            if !c.is_ascii_alphanumeric() && *c != b'.' && !exponent_sign {
                break;
            }
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).unwrap();
        text.parse().map(Tree::Integer).unwrap_or_else(|_| Tree::Float(text.parse().unwrap()))
    }

    fn string(&mut self) -> Tree {
        let mut value = Vec::new();
        self.at += 1;
        loop {
            match self.text[self.at] {
                b'\'' => {
                    self.at += 1;
                    return Tree::Text(value);
                }
                b'\\' => {
                    self.at += 1;
                    value.push(match self.text[self.at] {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'0' => 0,
                        other => other,
                    });
                    self.at += 1;
                }
                c => {
                    value.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn name(&mut self) -> String {
        self.space();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            self.at += 1;
        }
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }

    fn word(&mut self) -> Tree {
        let name = self.name();
        assert!(!name.is_empty(), "nothing to read at byte {} of '{}'", self.at, String::from_utf8_lossy(self.text));
        match name.as_str() {
            "NULL" => return Tree::Null,
            "true" => return Tree::Bool(true),
            "false" => return Tree::Bool(false),
            "INTERVAL" => {
                let amount = self.primary();
                let unit = self.name().to_lowercase();
                let unit = format!("{}{}", unit[..1].to_uppercase(), unit[1..].trim_end_matches('s'));
                return Tree::Call(format!("toInterval{unit}"), vec![amount]);
            }
            _ => {}
        }
        assert!(self.eat("("), "'{name}' is no call");
        let mut items = Vec::new();
        while !self.eat(")") {
            items.push(self.sum());
            if self.eat("AS ") {
                let start = self.at;
                let end = self.text.len() - 1;
                self.at = end;
                items.push(Tree::Text(self.text[start..end].to_vec()));
            }
            self.eat(",");
        }
        Tree::Call(name, items)
    }
}
