//! Whether the processor has the instructions that the binary was compiled for (`.cargo/config.toml`): asked before any other
//! work, as the first of them that is not there ends the process without a word.

/// Which of the instructions that are needed the processor lacks.
///
/// `is_x86_feature_detected!` would not tell: it is true by definition of what was compiled for.
#[cfg(target_arch = "x86_64")]
pub fn lacks() -> Vec<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    let basic = __cpuid(1);
    let extended = __cpuid_count(7, 0);
    [
        (cfg!(target_feature = "sse4.2"), basic.ecx >> 20, "SSE4.2"),
        (cfg!(target_feature = "fma"), basic.ecx >> 12, "FMA"),
        (cfg!(target_feature = "aes"), basic.ecx >> 25, "AES"),
        (cfg!(target_feature = "pclmulqdq"), basic.ecx >> 1, "PCLMULQDQ"),
        (cfg!(target_feature = "avx"), basic.ecx >> 28, "AVX"),
        (cfg!(target_feature = "avx2"), extended.ebx >> 5, "AVX2"),
        (cfg!(target_feature = "bmi2"), extended.ebx >> 8, "BMI2"),
    ]
    .into_iter()
    .filter(|(compiled, bits, _)| *compiled && bits & 1 == 0)
    .map(|(_, _, name)| name)
    .collect()
}

#[cfg(not(target_arch = "x86_64"))]
pub fn lacks() -> Vec<&'static str> {
    Vec::new()
}
