//! The registers that a walk of a stack begins with.

/// Of a thread at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    pub instruction: u64,
    pub stack: u64,
    /// Of the frame.
    pub frame: u64,
    /// Where the innermost function returns to, on processors that keep it in a register.
    pub link: u64,
}

impl Registers {
    /// Those of the caller, which is not to return before its stack is copied.
    #[inline(always)]
    pub fn here() -> Registers {
        let mut registers = Registers::default();
        // SAFETY: registers are read, and nothing is written but these.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!(
                "lea {instruction}, [rip]",
                "mov {stack}, rsp",
                "mov {frame}, rbp",
                instruction = out(reg) registers.instruction,
                stack = out(reg) registers.stack,
                frame = out(reg) registers.frame,
                options(nomem, nostack, preserves_flags),
            );
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!(
                "adr {instruction}, .",
                "mov {stack}, sp",
                "mov {frame}, x29",
                "mov {link}, x30",
                instruction = out(reg) registers.instruction,
                stack = out(reg) registers.stack,
                frame = out(reg) registers.frame,
                link = out(reg) registers.link,
                options(nomem, nostack, preserves_flags),
            );
        }
        registers
    }

    /// Those of what a signal interrupted.
    ///
    /// # Safety
    /// `context` is what the kernel gave to a handler.
    pub unsafe fn of_signal(context: *const libc::ucontext_t) -> Registers {
        // SAFETY: the caller says that it is one.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            let all = &(*context).uc_mcontext.gregs;
            let of = |register: i32| all[register as usize] as u64;
            Registers { instruction: of(libc::REG_RIP), stack: of(libc::REG_RSP), frame: of(libc::REG_RBP), link: 0 }
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            let all = &(*context).uc_mcontext;
            Registers { instruction: all.pc, stack: all.sp, frame: all.regs[29], link: all.regs[30] }
        }
    }
}
