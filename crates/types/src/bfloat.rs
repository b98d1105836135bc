//! BFloat16: the high half of a Float32, which carries it in memory with a low half of zeros. So it compares and adds up as one;
//! only what makes values has to cut them.

/// The BFloat16 that a number is cut to, towards zero. NaN stays one.
#[inline]
pub fn cut(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { f32::from_bits(value.to_bits() & 0xFFFF_0000) }
}
