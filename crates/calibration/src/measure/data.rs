//! What the kernels work on: numbers and texts as tables have them, the same at each run.

/// A stream of numbers in no order (xorshift64*), of one seed.
pub struct Scatter(u64);

impl Scatter {
    pub fn new() -> Scatter {
        Scatter(0x9e37_79b9_7f4a_7c15)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound.max(1)
    }
}

/// Times that go on by a few seconds from row to row, as events have them.
pub fn rising_numbers(count: usize) -> Vec<i64> {
    let (mut scatter, mut time) = (Scatter::new(), 1_700_000_000i64);
    let next = |_| {
        time += scatter.below(8) as i64;
        time
    };
    (0..count).map(next).collect()
}

/// So many different numbers in no order.
pub fn few_numbers(count: usize, different: u64) -> Vec<i64> {
    let mut scatter = Scatter::new();
    (0..count).map(|_| scatter.below(different) as i64 * 1_000_003).collect()
}

/// Addresses of pages: a common beginning, some parts of few values, and a number.
pub fn texts(count: usize) -> Vec<String> {
    const PARTS: [&str; 8] = ["news", "shop", "search", "photos", "users", "archive", "help", "about"];
    let mut scatter = Scatter::new();
    let text = |_| {
        let (one, other) = (PARTS[scatter.below(8) as usize], PARTS[scatter.below(8) as usize]);
        format!("https://example.com/{one}/{other}/{}", scatter.below(1 << 24))
    };
    (0..count).map(text).collect()
}

/// So many different texts in no order.
pub fn few_texts(count: usize, different: usize) -> Vec<String> {
    let known = texts(different);
    let mut scatter = Scatter::new();
    (0..count).map(|_| known[scatter.below(different as u64) as usize].clone()).collect()
}
