//! What a query is a part of: W3C's trace context, of <https://www.w3.org/TR/trace-context/>.

/// The lowest bit of the flags: whoever asks records the trace.
const SAMPLED: u8 = 1;
/// Vendors' words beside the ids are no longer than that.
const TRACESTATE_BYTES_MAX: usize = 512;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceContext {
    /// Not 0.
    pub trace_id: u128,
    /// The span that the query is a part of; 0: it is the first.
    pub span_id: u64,
    /// Words of vendors, which are passed on.
    pub tracestate: String,
    pub flags: u8,
}

impl TraceContext {
    /// Of the headers `traceparent` and `tracestate`. `None`: there is no trace, or what is said of it is none.
    pub fn of_headers(traceparent: &str, tracestate: &str) -> Option<TraceContext> {
        let mut fields = traceparent.trim().split('-');
        let (version, trace, span, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        // Later versions may say more behind what is known.
        let version = number(version, 2)?;
        if version == 255 || (version == 0 && fields.next().is_some()) {
            return None;
        }
        let (trace_id, span_id) = (number(trace, 32)?, number(span, 16)? as u64);
        if span_id == 0 {
            return None;
        }
        TraceContext::of_ids(trace_id, span_id, tracestate, number(flags, 2)? as u8)
    }

    /// As the native protocol has it. `None`: there is no trace.
    pub fn of_ids(trace_id: u128, span_id: u64, tracestate: &str, flags: u8) -> Option<TraceContext> {
        let fits = tracestate.len() <= TRACESTATE_BYTES_MAX && !tracestate.chars().any(char::is_control);
        let tracestate = if fits { tracestate.to_string() } else { String::new() };
        (trace_id != 0).then_some(TraceContext { trace_id, span_id, tracestate, flags })
    }

    /// As the header `traceparent` says it.
    pub fn traceparent(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, self.flags)
    }

    /// Whether its spans are to be recorded.
    pub fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// One that begins here.
    pub(super) fn begun_here(trace_id: u128) -> Option<TraceContext> {
        TraceContext::of_ids(trace_id, 0, "", SAMPLED)
    }
}

/// A number of so many digits, in small letters as W3C has them.
fn number(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_w3c_are_read() {
        let context = TraceContext::of_headers("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1,b=2");
        let context = context.expect("a trace");
        assert_eq!(context.trace_id, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!((context.span_id, context.tracestate.as_str()), (0xb7ad_6b71_6920_3331, "a=1,b=2"));
        assert!(context.is_sampled());
        let quiet = TraceContext::of_headers("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more", "");
        assert!(!quiet.expect("a later version").is_sampled());
    }

    #[test]
    fn what_is_no_trace_is_none() {
        for text in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::of_headers(text, ""), None, "{text}");
        }
        assert_eq!(TraceContext::of_ids(0, 1, "", 1), None);
        let long = TraceContext::of_ids(1, 1, &"x".repeat(1000), 1).expect("a trace");
        assert_eq!(long.tracestate, "");
    }
}
