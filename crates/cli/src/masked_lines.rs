//! Lines of the log as the rules of `<query_masking_rules>` let them be seen, on their way to where they are written.

use std::io::{self, Write};

use gristmill_base::redact::masking;
use tracing_subscriber::fmt::MakeWriter;

/// Around what makes the writers.
#[derive(Debug)]
pub struct MaskedLines<M>(pub M);

/// Around one of the writers. A line comes as a whole.
#[derive(Debug)]
pub struct MaskedWriter<W>(W);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for MaskedLines<M> {
    type Writer = MaskedWriter<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        MaskedWriter(self.0.make_writer())
    }
}

impl<W: Write> Write for MaskedWriter<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let masked = masking::masked(String::from_utf8_lossy(line).into_owned());
        self.0.write_all(masked.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
