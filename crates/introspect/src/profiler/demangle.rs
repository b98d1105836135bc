//! Names of functions as they are written, from what a compiler made of them for the linker.

/// The name of a function of Rust (without the hash at its end) or C++; other text as it is.
pub fn demangle(name: &str) -> String {
    if let Ok(of_rust) = rustc_demangle::try_demangle(name) {
        return format!("{of_rust:#}");
    }
    // What the compiler did with a part of the function stands behind a dot.
    let (symbol, part) = match name.split_once('.') {
        Some((symbol, part)) if symbol.starts_with("_Z") => (symbol, Some(part)),
        _ => (name, None),
    };
    // Some linkers know names with one underscore more.
    let symbol = if symbol.starts_with("__Z") { &symbol[1..] } else { symbol };
    let of_cpp = symbol.starts_with("_Z").then(|| cpp_demangle::Symbol::new(symbol).ok()).flatten();
    match of_cpp.and_then(|symbol| symbol.demangle().ok()) {
        Some(written) => match part {
            Some(part) => format!("{} (.{part})", usual(written)),
            None => usual(written),
        },
        None => name.to_string(),
    }
}

/// Of what is no function, as other tools have it: `{vtable(X)}` is the vtable for X.
fn usual(written: String) -> String {
    for (begins, usual) in [
        ("{vtable(", "vtable for "),
        ("{vtt(", "VTT for "),
        ("{typeinfo(", "typeinfo for "),
        ("{typeinfo name(", "typeinfo name for "),
    ] {
        if let Some(of) = written.strip_prefix(begins).and_then(|rest| rest.strip_suffix(")}")) {
            return format!("{usual}{of}");
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rust_and_cpp_are_read_and_others_stay() {
        for (name, written) in [
            ("_ZN4core3fmt5Write9write_str17h0123456789abcdefE", "core::fmt::Write::write_str"),
            ("_RNvC7mycrate3foo", "mycrate::foo"),
            ("_ZN3foo3barEv", "foo::bar()"),
            ("__ZN3fooEv", "foo()"),
            ("_Z3fooi.cold", "foo(int) (.cold)"),
            ("_ZTV3Foo", "vtable for Foo"),
            ("main", "main"),
            ("_Z", "_Z"),
            ("", ""),
            ("[waiting for the client]", "[waiting for the client]"),
        ] {
            assert_eq!(demangle(name), written, "{name}");
        }
    }
}
