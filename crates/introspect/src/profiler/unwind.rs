//! Walks a copy of a stack: from the registers outwards, each function's frame by what the compiler said of it.

use framehop::{ExplicitModuleSectionInfo, Unwinder as _};
use gristmill_base::sampling::{COUNTS, Registers};
use std::sync::atomic::Ordering;

use super::modules::{self, Module};

#[cfg(target_arch = "x86_64")]
type Inner = framehop::x86_64::UnwinderX86_64<&'static [u8]>;
#[cfg(target_arch = "x86_64")]
type Cache = framehop::x86_64::CacheX86_64;
#[cfg(target_arch = "aarch64")]
type Inner = framehop::aarch64::UnwinderAarch64<&'static [u8]>;
#[cfg(target_arch = "aarch64")]
type Cache = framehop::aarch64::CacheAarch64;

/// Frames beyond these are left out.
const FRAMES_MAX: usize = 512;

pub struct Unwinder {
    inner: Inner,
    cache: Cache,
    modules: Vec<Module>,
}

impl Unwinder {
    /// Of the stacks of this process.
    pub fn of_process() -> Unwinder {
        let mut inner = Inner::new();
        let modules = modules::loaded();
        for module in &modules {
            let svma =
                |range: &std::ops::Range<u64>| range.start.wrapping_sub(module.base)..range.end.wrapping_sub(module.base);
            let sections = ExplicitModuleSectionInfo {
                text_svma: module.code.as_ref().map(svma),
                text: module.code.as_ref().map(Module::bytes),
                eh_frame_svma: module.eh_frame.as_ref().map(svma),
                eh_frame: module.eh_frame.as_ref().map(Module::bytes),
                eh_frame_hdr_svma: module.eh_frame_hdr.as_ref().map(svma),
                eh_frame_hdr: module.eh_frame_hdr.as_ref().map(Module::bytes),
                ..ExplicitModuleSectionInfo::default()
            };
            inner.add_module(framehop::Module::new(module.name.clone(), module.range.clone(), module.base, sections));
        }
        Unwinder { inner, cache: Cache::new(), modules }
    }

    /// Addresses of the functions, the innermost first, each within the instruction that is at work. `stack`: what lies from the
    /// stack's register on.
    pub fn walk(&mut self, registers: &Registers, stack: &[u8]) -> Vec<u64> {
        let from = registers.stack;
        let mut read = |address: u64| {
            let at = address.checked_sub(from).and_then(|at| usize::try_from(at).ok()).ok_or(())?;
            let bytes = at.checked_add(8).and_then(|end| stack.get(at..end)).ok_or(())?;
            bytes.try_into().map(u64::from_ne_bytes).map_err(|_| ())
        };
        #[cfg(target_arch = "x86_64")]
        let start = framehop::x86_64::UnwindRegsX86_64::new(registers.instruction, from, registers.frame);
        #[cfg(target_arch = "aarch64")]
        let start = framehop::aarch64::UnwindRegsAarch64::new(registers.link, from, registers.frame);
        let mut frames = self.inner.iter_frames(registers.instruction, start, &mut self.cache, &mut read);
        let mut addresses = Vec::new();
        while addresses.len() < FRAMES_MAX
            && let Ok(Some(frame)) = frames.next()
        {
            addresses.push(frame.address_for_lookup());
        }
        if addresses.len() < 2 {
            COUNTS.errors.fetch_add(1, Ordering::Relaxed);
        }
        let program = self.modules.first();
        addresses.iter().map(|address| of_file(program, *address)).collect()
    }
}

/// An address of the program as its file has it; others as they are.
fn of_file(program: Option<&Module>, address: u64) -> u64 {
    match program.filter(|program| program.range.contains(&address)) {
        Some(program) => address - program.base,
        None => address,
    }
}
