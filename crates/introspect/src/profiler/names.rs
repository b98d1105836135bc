//! Names of the program's functions, out of the table of symbols in its file.
//!
//! The debug information has them as well, and takes hundreds of megabytes as soon as anybody looks into it. So the table is read by itself, once
//! and in pieces, and of each function 8 bytes are kept: where it begins, and where its name lies. A name is read from the file
//! when somebody asks for it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Bytes of the table that are read at a time: whole symbols.
const PIECE_BYTES: usize = SYMBOL_BYTES * 8192;
/// Bytes of a name that are read at a time.
const NAME_BYTES: usize = 512;
/// Names of generic functions may be long; beyond that one is cut.
const NAME_BYTES_MAX: usize = 1 << 20;

// Of an ELF file of 64 bits, as its specification has them.
const HEADER_BYTES: usize = 64;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const ALL_SYMBOLS: u32 = 2;
const EXPORTED_SYMBOLS: u32 = 11;
const FUNCTION: u8 = 2;
const FUNCTION_OF_CHOICE: u8 = 10;

#[derive(Debug)]
pub struct Names {
    file: File,
    /// Where a function begins in the upper half, where its name stands in the lower one; sorted.
    functions: Vec<u64>,
    /// The bytes of the file with the names.
    texts: Range<u64>,
}

struct Section {
    kind: u32,
    bytes: Range<u64>,
    /// Of a table of symbols: the number of the section with their names.
    linked: u32,
}

fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> [u8; BYTES] {
    let mut number = [0; BYTES];
    if let Some(found) = bytes.get(at..at + BYTES) {
        number.copy_from_slice(found);
    }
    number
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(number(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(number(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(number(bytes, at))
}

impl Names {
    /// Error: there is no such table in the file.
    pub fn of(file: File) -> io::Result<Names> {
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        const CLASS_64_LITTLE_ENDIAN: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
        if !header.starts_with(&CLASS_64_LITTLE_ENDIAN) || usize::from(u16_at(&header, 58)) != SECTION_BYTES {
            return Err(no_table());
        }
        let sections_at = u64_at(&header, 40);
        let section = |place: u32| -> io::Result<Section> {
            let mut bytes = [0; SECTION_BYTES];
            let at = sections_at.checked_add(u64::from(place) * SECTION_BYTES as u64).ok_or_else(no_table)?;
            file.read_exact_at(&mut bytes, at)?;
            let from = u64_at(&bytes, 24);
            let end = from.checked_add(u64_at(&bytes, 32)).ok_or_else(no_table)?;
            Ok(Section { kind: u32_at(&bytes, 4), bytes: from..end, linked: u32_at(&bytes, 40) })
        };
        let count = u32::from(u16_at(&header, 60));
        let mut table: Option<Section> = None;
        for place in 0..count {
            let found = section(place)?;
            // A program without the whole table has that of what it exports.
            if found.kind == ALL_SYMBOLS || found.kind == EXPORTED_SYMBOLS && table.is_none() {
                table = Some(found);
            }
        }
        let table = table.ok_or_else(no_table)?;
        let texts = section(table.linked)?.bytes;
        let functions = functions(&file, table.bytes)?;
        Ok(Names { file, functions, texts })
    }

    /// The name of the function at an address, as the linker knows it.
    pub fn find(&self, address: u64) -> Option<String> {
        let after = self.functions.partition_point(|function| function >> 32 <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        self.text(function & u64::from(u32::MAX)).ok()
    }

    /// Gives each function's name, where it begins, and where the next one does.
    pub fn each(&self, mut with: impl FnMut(String, u64, u64)) -> io::Result<()> {
        for (at, function) in self.functions.iter().enumerate() {
            let begin = function >> 32;
            // Functions of one content may be one, under all of their names.
            let next = self.functions[at..].iter().map(|function| function >> 32).find(|next| *next > begin);
            with(self.text(function & u64::from(u32::MAX))?, begin, next.unwrap_or(begin));
        }
        Ok(())
    }

    /// From so many bytes behind the beginning on.
    fn text(&self, at: u64) -> io::Result<String> {
        let mut at = self.texts.start.saturating_add(at);
        let mut text = Vec::new();
        while text.len() < NAME_BYTES_MAX && at < self.texts.end {
            let mut piece = [0; NAME_BYTES];
            let read = self.file.read_at(&mut piece, at)?;
            let piece = &piece[..read.min((self.texts.end - at).min(NAME_BYTES as u64) as usize)];
            match piece.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&piece[..end]);
                    break;
                }
                None if piece.is_empty() => break,
                None => text.extend_from_slice(piece),
            }
            at += piece.len() as u64;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

fn no_table() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "The file has no table of symbols")
}

/// Reads a table of symbols.
fn functions(file: &File, table: Range<u64>) -> io::Result<Vec<u64>> {
    let mut functions = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut at = table.start;
    while at < table.end {
        let bytes = (table.end - at).min(PIECE_BYTES as u64) as usize;
        file.read_exact_at(&mut piece[..bytes], at)?;
        for symbol in piece[..bytes].chunks_exact(SYMBOL_BYTES) {
            let (name, kind, section) = (u32_at(symbol, 0), symbol[4] & 0xf, u16_at(symbol, 6));
            // Sections of a program lie within 4 GiB; a function of no section is another file's.
            let Ok(address) = u32::try_from(u64_at(symbol, 8)) else { continue };
            if matches!(kind, FUNCTION | FUNCTION_OF_CHOICE) && section != 0 && address != 0 {
                functions.push(u64::from(address) << 32 | u64::from(name));
            }
        }
        at += bytes as u64;
    }
    functions.sort_unstable();
    functions.shrink_to_fit();
    Ok(functions)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::profiler::symbols;

    #[inline(never)]
    fn sifts_the_flour() -> u64 {
        std::hint::black_box(7)
    }

    #[test]
    fn a_function_of_the_program_is_found_from_any_place_within() {
        let names = Names::of(File::open("/proc/self/exe").expect("opens")).expect("names");
        sifts_the_flour();
        for within in [0, 1, 3] {
            let address = symbols::in_file(&[sifts_the_flour as *const () as u64 + within])[0];
            let name = names.find(address).expect("a name");
            assert!(name.contains("sifts_the_flour"), "{name}");
        }
        assert_eq!(names.find(0), None);
        let (address, mut found) = (symbols::in_file(&[sifts_the_flour as *const () as u64])[0], 0);
        names
            .each(|name, begin, end| {
                found += u32::from(name.contains("sifts_the_flour") && begin == address && end > begin);
            })
            .expect("reads");
        assert!(found > 0);
        assert!(names.functions.is_sorted() && names.functions.len() > 1000);
        let of_file = std::fs::metadata("/proc/self/exe").expect("is there").len();
        assert!((names.functions.capacity() * 8) as u64 <= of_file / 10, "{} of {of_file}", names.functions.capacity());
    }

    #[test]
    fn a_file_that_is_no_program_has_none() {
        let program = std::fs::read("/proc/self/exe").expect("reads");
        let mut wrong = program[..HEADER_BYTES].to_vec();
        // More sections than there are bytes.
        wrong[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        for bytes in [&b""[..], b"\x7fELF", &[0; 100], &program[..HEADER_BYTES], &wrong[..]] {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(bytes).expect("written");
            assert!(Names::of(file).is_err());
        }
    }
}
