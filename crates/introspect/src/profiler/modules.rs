//! The program and its libraries as they lie in memory: where, and what they say of their frames (.eh_frame, by its index).
//! Libraries stay loaded as long as the process lives: nothing here closes one.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// One of them.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    /// Of the segments that are loaded.
    pub range: Range<u64>,
    /// What is added to addresses of the file.
    pub base: u64,
    /// Segments with code.
    pub code: Option<Range<u64>>,
    /// The index of what is said of frames, and that itself.
    pub eh_frame_hdr: Option<Range<u64>>,
    pub eh_frame: Option<Range<u64>>,
}

impl Module {
    /// The bytes there.
    pub fn bytes(range: &Range<u64>) -> &'static [u8] {
        // SAFETY: ranges are of segments that are loaded to be read, for as long as the process lives.
        unsafe { std::slice::from_raw_parts(range.start as *const u8, (range.end - range.start) as usize) }
    }
}

/// All of them, the program first.
pub fn loaded() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: the callback gets the pointer that is given here.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut modules).cast()) };
    modules
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _size: libc::size_t, modules: *mut c_void) -> c_int {
    // SAFETY: the loader gives a description, and our pointer back.
    let (info, modules) = unsafe { (&*info, &mut *modules.cast::<Vec<Module>>()) };
    // SAFETY: the loader's table of so many headers.
    let headers = match info.dlpi_phdr.is_null() {
        true => &[][..],
        false => unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) },
    };
    let base = info.dlpi_addr;
    let range = |header: &libc::Elf64_Phdr| {
        let from = base.wrapping_add(header.p_vaddr);
        from..from.wrapping_add(header.p_memsz)
    };
    let loads = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let (Some(low), Some(high)) = (loads().map(|load| range(load).start).min(), loads().map(|load| range(load).end).max())
    else {
        return 0;
    };
    let eh_frame_hdr = headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME).map(range);
    let of_frame = eh_frame_hdr.as_ref().and_then(|index| {
        let from = eh_frame_at(index)?;
        let segment = loads().map(range).find(|segment| segment.contains(&from))?;
        Some(from..segment.end)
    });
    // SAFETY: a text that ends with zero.
    let name = match info.dlpi_name.is_null() {
        true => String::new(),
        false => unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned(),
    };
    modules.push(Module {
        name,
        range: low..high,
        base,
        code: loads().find(|load| load.p_flags & libc::PF_X != 0 && load.p_flags & libc::PF_R != 0).map(range),
        eh_frame_hdr,
        eh_frame: of_frame,
    });
    0
}

/// Where the index says that the frames are told of. `None`: in a way that no linker uses.
fn eh_frame_at(index: &Range<u64>) -> Option<u64> {
    // A version, three encodings, then the place: as 32 bits, from where it stands.
    const RELATIVE_32_BITS: u8 = 0x1b;
    let bytes = Module::bytes(index);
    let place = bytes.get(4..8).filter(|_| bytes[0] == 1 && bytes[1] == RELATIVE_32_BITS)?;
    let relative = i32::from_le_bytes(place.try_into().ok()?);
    Some((index.start + 4).wrapping_add_signed(i64::from(relative)))
}
