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
    let is_mangled = symbol.starts_with("_Z") || symbol.starts_with("__Z");
    let of_cpp = is_mangled.then(|| {
        cpp_demangle::Symbol::new(symbol.strip_prefix('_').filter(|rest| rest.starts_with("_Z")).unwrap_or(symbol)).ok()
    });
    match of_cpp.flatten().and_then(|symbol| symbol.demangle().ok()) {
        Some(written) => match part {
            Some(part) => format!("{written} (.{part})"),
            None => written,
        },
        None => name.to_string(),
    }
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
            ("main", "main"),
            ("_Z", "_Z"),
            ("", ""),
            ("[waiting for the client]", "[waiting for the client]"),
        ] {
            assert_eq!(demangle(name), written, "{name}");
        }
    }
}
