//! Text that looks like posts about programming: HTML paragraphs and code blocks of words drawn by Zipf's law.
//!
//! What matters for a database is that it compresses and searches like real text: a vocabulary of some thousand words of
//! real lengths whose frequencies follow Zipf's law gives zstd about a third of the size, as the real posts do. The
//! first few hundred words are English and the trade's own; the long tail is made of syllables.

use crate::demo::random::{Random, Weighted, mix};

const FREQUENT: &str = "the to a is in i and of it this that for you have with on be not but as are my if can an or from \
    use do code when how so get at your what there error using file by one want function data like then i'm just which we \
    all will here need work class value how no any should some has trying would was more list how way array string same \
    server user method table them does out page try object here's problem following name first new each add only set \
    other make type run return also example query into time call line where up two number how table's column change \
    create query's following test project works column's using instead find example's know don't know server's solution \
    application version select without default model variable html input index result database could loop see image \
    view null element request response id parameter path module import library thread memory client connection event \
    button template compile build package install config environment update insert delete join index's key sort filter \
    group count sum average performance slow fast cache buffer stream parse format date string's integer float boolean";

const TAGS: &str = "javascript python java c# php android html jquery c++ css ios mysql sql r node.js arrays c asp.net reactjs \
    ruby-on-rails json .net sql-server swift python-3.x objective-c django angular excel regex pandas ruby linux ajax \
    iphone xml vba spring database wordpress string postgresql wpf bash windows xcode git oracle list vb.net amazon-s3 \
    multithreading dataframe macos azure typescript docker rust clickhouse parquet apache-spark haskell go scala matlab";

const SYLLABLES: &[&str] = &[
    "al", "an", "ar", "ba", "be", "bo", "ca", "ce", "co", "cu", "da", "de", "di", "do", "el", "en", "er", "es", "fa", "fi",
    "fo", "ga", "ge", "gu", "ha", "he", "in", "io", "is", "it", "ja", "ke", "la", "le", "li", "lo", "ma", "me", "mi", "mo",
    "na", "ne", "ni", "no", "on", "or", "pa", "pe", "po", "pro", "qu", "ra", "re", "ri", "ro", "sa", "se", "si", "so",
    "sta", "ta", "te", "ti", "to", "tra", "ul", "un", "ur", "va", "ve", "vi", "wa", "we", "xe", "yo", "ze",
];

const VOCABULARY: usize = 12_000;

/// The words, end to end, and how often each is drawn.
#[derive(Debug)]
pub struct Vocabulary {
    text: String,
    /// Byte ranges of `text`, most frequent word first.
    spans: Vec<(u32, u32)>,
    words: Weighted,
    tags: Vec<&'static str>,
    tag_weights: Weighted,
}

impl Vocabulary {
    pub fn new() -> Self {
        let mut text = String::new();
        let mut spans = Vec::with_capacity(VOCABULARY);
        let mut push = |word: &dyn Fn(&mut String)| {
            let start = text.len() as u32;
            word(&mut text);
            spans.push((start, text.len() as u32));
        };
        for word in FREQUENT.split_whitespace() {
            push(&|text| text.push_str(word));
        }
        let frequent = FREQUENT.split_whitespace().count();
        for rank in frequent..VOCABULARY {
            push(&|text| {
                let mut bits = mix(rank as u64);
                for _ in 0..2 + bits % 3 {
                    bits = mix(bits);
                    text.push_str(SYLLABLES[(bits % SYLLABLES.len() as u64) as usize]);
                }
            });
        }
        let tags: Vec<&str> = TAGS.split_whitespace().collect();
        let tag_weights = Weighted::zipf(tags.len(), 0.9);
        Vocabulary { text, spans, words: Weighted::zipf(VOCABULARY, 1.05), tags, tag_weights }
    }

    fn word(&self, random: &mut Random) -> &str {
        let (start, end) = self.spans[self.words.draw(random)];
        &self.text[start as usize..end as usize]
    }

    /// A post's body: paragraphs, code blocks, now and then a link, until about `target_bytes` long.
    pub fn body(&self, random: &mut Random, target_bytes: usize, out: &mut String) {
        while out.len() < target_bytes {
            match random.below(10) {
                0..=6 => {
                    out.push_str("<p>");
                    for _ in 0..1 + random.below(4) {
                        self.sentence(random, out);
                        out.push(' ');
                    }
                    if random.chance(0.12) {
                        self.link(random, out);
                    }
                    out.push_str("</p>\n\n");
                }
                7..=8 => self.code(random, out),
                _ => {
                    out.push_str("<ul>\n");
                    for _ in 0..2 + random.below(4) {
                        out.push_str("<li>");
                        self.sentence(random, out);
                        out.push_str("</li>\n");
                    }
                    out.push_str("</ul>\n\n");
                }
            }
        }
    }

    /// A question's title, without its last punctuation mark half of the time.
    pub fn title(&self, random: &mut Random, out: &mut String) {
        let start = out.len();
        for word in 0..5 + random.below(8) {
            if word > 0 {
                out.push(' ');
            }
            out.push_str(self.word(random));
        }
        capitalize(out, start);
        if random.chance(0.5) {
            out.push('?');
        }
    }

    /// One to five tags between bars: `|python|pandas|`.
    pub fn tags(&self, random: &mut Random, out: &mut String) {
        out.push('|');
        let mut last = usize::MAX;
        for _ in 0..1 + random.below(5) {
            let tag = self.tag_weights.draw(random);
            if tag != last {
                out.push_str(self.tags[tag]);
                out.push('|');
            }
            last = tag;
        }
    }

    fn sentence(&self, random: &mut Random, out: &mut String) {
        let start = out.len();
        for word in 0..6 + random.below(14) {
            if word > 0 {
                out.push_str(if random.below(16) == 0 { ", " } else { " " });
            }
            if random.below(40) == 0 {
                out.push_str("<code>");
                out.push_str(self.word(random));
                out.push_str("()</code>");
            } else {
                out.push_str(self.word(random));
            }
        }
        capitalize(out, start);
        out.push(['.', '.', '.', '?', '!'][random.below(5) as usize]);
    }

    fn link(&self, random: &mut Random, out: &mut String) {
        out.push_str("<a href=\"https://");
        out.push_str(self.word(random));
        out.push_str(".example.com/");
        out.push_str(self.word(random));
        out.push('/');
        out.push_str(itoa(random.below(1_000_000)).as_str());
        out.push_str("\" rel=\"noreferrer\">");
        out.push_str(self.word(random));
        out.push_str("</a>");
    }

    fn code(&self, random: &mut Random, out: &mut String) {
        out.push_str("<pre><code>");
        for _ in 0..2 + random.below(8) {
            for _ in 0..random.below(3) {
                out.push_str("    ");
            }
            match random.below(4) {
                0 => {
                    out.push_str("var ");
                    out.push_str(self.word(random));
                    out.push_str(" = ");
                    out.push_str(self.word(random));
                    out.push_str(";\n");
                }
                1 => {
                    out.push_str("if (");
                    out.push_str(self.word(random));
                    out.push_str(" &lt; ");
                    out.push_str(itoa(random.below(1000)).as_str());
                    out.push_str(") {\n");
                }
                2 => out.push_str("}\n"),
                _ => {
                    out.push_str(self.word(random));
                    out.push('.');
                    out.push_str(self.word(random));
                    out.push('(');
                    out.push_str(self.word(random));
                    out.push_str(", &quot;");
                    out.push_str(self.word(random));
                    out.push_str("&quot;);\n");
                }
            }
        }
        out.push_str("</code></pre>\n\n");
    }
}

fn capitalize(text: &mut str, start: usize) {
    if let Some(first) = text.get_mut(start..start + 1) {
        first.make_ascii_uppercase();
    }
}

fn itoa(value: u64) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_html_of_about_the_length_asked_for() {
        let vocabulary = Vocabulary::new();
        let mut body = String::new();
        vocabulary.body(&mut Random::new(1, 2), 900, &mut body);
        assert!((900..2500).contains(&body.len()), "{} bytes", body.len());
        assert_eq!(body.matches("<p>").count(), body.matches("</p>").count());
        assert_eq!(body.matches("<pre>").count(), body.matches("</pre>").count());
    }

    #[test]
    fn text_compresses_to_about_a_third_like_real_posts() {
        let vocabulary = Vocabulary::new();
        let mut random = Random::new(3, 0);
        let mut text = String::new();
        while text.len() < 1 << 20 {
            let end = text.len() + 1000;
            vocabulary.body(&mut random, end, &mut text);
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).expect("writes to memory");
        let ratio = text.len() as f64 / encoder.finish().expect("writes to memory").len() as f64;
        assert!((2.2..4.5).contains(&ratio), "compressed {ratio:.2} times");
    }
}
