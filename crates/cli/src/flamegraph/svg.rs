//! A flame graph as an SVG: frames stand on the frames that called them, each as wide as its share of all samples, those of one
//! caller by their names. (Brendan Gregg's form: <https://www.brendangregg.com/flamegraphs.html>.)
//!
//! A click makes a frame as wide as the picture, Ctrl-F marks what holds a text. What is narrower than a tenth of a pixel is left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use gristmill_base::{Error, ErrorCode, Result};

const WIDTH: f64 = 1200.0;
const FRAME: usize = 16;
/// Above the frames: the title, and a line for what is found.
const HEAD: usize = 48;
/// Around the frames.
const MARGIN: f64 = 10.0;
/// The share of the picture below which nothing is drawn.
const LEAST_SHARE: f64 = 0.1 / WIDTH;

/// What a graph is of.
pub struct Look<'a> {
    pub title: &'a str,
    /// What is counted: samples, bytes.
    pub unit: &'a str,
    pub is_memory: bool,
}

/// A frame with what was called from it.
#[derive(Default)]
struct Frame<'a> {
    count: u64,
    called: BTreeMap<&'a str, Frame<'a>>,
}

/// `stacks`: names from the outermost on, with `;` between them, then how many. Error: BAD_ARGUMENTS.
pub fn graph(stacks: &[String], look: &Look<'_>) -> Result<String> {
    let mut root = Frame::default();
    for line in stacks {
        let read = line.rsplit_once(' ').and_then(|(names, count)| Some((names, count.parse::<u64>().ok()?)));
        let (names, count) =
            read.ok_or_else(|| Error::new(ErrorCode::BAD_ARGUMENTS, format!("No stack with a number behind it: {line}")))?;
        let mut frame = &mut root;
        frame.count += count;
        for name in names.split(';') {
            frame = frame.called.entry(name).or_default();
            frame.count += count;
        }
    }
    let depth = depth_of(&root, root.count);
    let height = HEAD + FRAME * depth + MARGIN as usize;
    let mut out = format!(
        "<?xml version=\"1.0\" standalone=\"no\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" font-size=\"12\">\n<style>\n\
         .f {{ cursor: pointer }} .f:hover rect {{ stroke: #000; stroke-width: 0.5 }} .m rect {{ fill: #e600e6 }}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#f8f8f8\"/>\n\
         <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"16\">{}</text>\n<text id=\"found\" x=\"{MARGIN}\" y=\"38\"/>\n",
        WIDTH / 2.0,
        escaped(look.title)
    );
    let picture = Picture { all: root.count.max(1), height, look };
    picture.draw(&mut out, "all", &root, 0, 0);
    let _ = write!(out, "<script><![CDATA[{SCRIPT}]]></script>\n</svg>\n");
    Ok(out)
}

fn depth_of(frame: &Frame<'_>, all: u64) -> usize {
    let drawn = |frame: &&Frame<'_>| frame.count as f64 >= all as f64 * LEAST_SHARE;
    1 + frame.called.values().filter(drawn).map(|called| depth_of(called, all)).max().unwrap_or(0)
}

struct Picture<'a> {
    all: u64,
    height: usize,
    look: &'a Look<'a>,
}

impl Picture<'_> {
    /// A frame that begins behind `before` of the count, and what stands on it.
    fn draw(&self, out: &mut String, name: &str, frame: &Frame<'_>, before: u64, level: usize) {
        let share = |count: u64| count as f64 / self.all as f64;
        let (left, width) = (share(before), share(frame.count));
        if width < LEAST_SHARE {
            return;
        }
        let inner = WIDTH - 2.0 * MARGIN;
        let (x, wide) = (MARGIN + left * inner, width * inner);
        let y = self.height - MARGIN as usize - FRAME * (level + 1);
        let told = format!("{} ({} {}, {:.2}%)", escaped(name), frame.count, self.look.unit, 100.0 * width);
        // Writing to a text does not fail.
        let _ = writeln!(
            out,
            "<g class=\"f\" data-x=\"{left:.6}\" data-w=\"{width:.6}\"><title>{told}</title><rect x=\"{x:.1}\" y=\"{y}\" \
             width=\"{wide:.1}\" height=\"{}\" fill=\"{}\" rx=\"1\"/><text x=\"{:.1}\" y=\"{}\">{}</text></g>",
            FRAME - 1,
            self.color(name),
            x + 3.0,
            y + 12,
            escaped(&shortened(name, wide))
        );
        let mut at = before;
        for (name, called) in &frame.called {
            self.draw(out, name, called, at, level + 1);
            at += called.count;
        }
    }

    /// One name has one color, warm for time and green for memory; what is waited for is grey.
    fn color(&self, name: &str) -> String {
        // FNV-1a.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let (a, b) = (hash % 60, (hash >> 8) % 90);
        if name.starts_with("[waiting") {
            return format!("rgb({0}, {0}, {0})", 170 + a / 2);
        }
        if self.look.is_memory {
            format!("rgb({}, {}, {})", 60 + a, 165 + b, 90 + a)
        } else {
            format!("rgb({}, {}, {})", 195 + a, 90 + b, 40 + a / 2)
        }
    }
}

/// As much of a name as fits, in letters of seven pixels.
fn shortened(name: &str, wide: f64) -> String {
    let fits = ((wide - 6.0) / 7.2).max(0.0) as usize;
    if name.chars().count() <= fits {
        return name.to_string();
    }
    if fits < 3 { String::new() } else { name.chars().take(fits - 2).chain("..".chars()).collect() }
}

fn escaped(text: &str) -> String {
    // Control characters are nothing that XML may hold.
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const SCRIPT: &str = r#"
const frames = [...document.querySelectorAll('.f')], inner = 1180;
const name = frame => frame.querySelector('title').textContent;
function show(left, width) {
  for (const frame of frames) {
    const x = (frame.dataset.x - left) / width, w = frame.dataset.w / width;
    const from = Math.max(x, 0), to = Math.min(x + w, 1), wide = (to - from) * inner;
    frame.style.display = wide > 0.1 ? '' : 'none';
    if (wide <= 0.1) continue;
    const rect = frame.querySelector('rect'), text = frame.querySelector('text');
    rect.setAttribute('x', 10 + from * inner); rect.setAttribute('width', wide);
    text.setAttribute('x', 13 + from * inner);
    const full = name(frame).replace(/ \([^(]*\)$/, ''), fits = Math.floor((wide - 6) / 7.2);
    text.textContent = full.length <= fits ? full : fits < 3 ? '' : full.slice(0, fits - 2) + '..';
  }
}
for (const frame of frames) frame.addEventListener('click', () => show(+frame.dataset.x, +frame.dataset.w));
addEventListener('keydown', event => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
  event.preventDefault();
  const wanted = prompt('Mark functions whose name holds') || '';
  let share = 0, end = -1;
  for (const frame of frames) {
    const holds = wanted !== '' && name(frame).includes(wanted);
    frame.classList.toggle('m', holds);
    if (holds && +frame.dataset.x >= end - 1e-9) { share += +frame.dataset.w; end = +frame.dataset.x + +frame.dataset.w; }
  }
  document.getElementById('found').textContent = wanted ? `${wanted}: ${(100 * share).toFixed(1)}%` : '';
});
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_as_wide_as_their_share() {
        let stacks = ["main;sort 30", "main;hash;probe 10"].map(str::to_string);
        let svg = graph(&stacks, &Look { title: "q", unit: "samples", is_memory: false }).expect("a graph");
        assert!(svg.contains("data-x=\"0.000000\" data-w=\"0.250000\"><title>hash (10 samples, 25.00%)"), "{svg}");
        assert!(svg.contains("data-x=\"0.250000\" data-w=\"0.750000\"><title>sort (30 samples, 75.00%)"), "{svg}");
        assert!(svg.contains("<title>all (40 samples, 100.00%)"), "{svg}");
    }

    #[test]
    fn what_is_no_stack_is_an_error() {
        let error =
            graph(&["main;sort".to_string()], &Look { title: "", unit: "", is_memory: true }).expect_err("no number");
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
    }
}
