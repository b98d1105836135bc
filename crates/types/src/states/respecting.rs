//! The value that one of the rows had, where NULL counts as one: states of `any_respect_nulls`.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use gristmill_base::{Error, ErrorCode, Result};

use super::read::cut;
use crate::SqlType;
use crate::binary::Gathered;

/// What the first byte of a state says.
const NONE: u8 = 1;
const NULL: u8 = 2;
const VALUE: u8 = 3;

/// Gathers such values.
pub(super) struct Respecting {
    values: Gathered,
    is_nullable: bool,
    present: Vec<bool>,
}

impl Respecting {
    pub(super) fn new(kind: &SqlType) -> Result<Respecting> {
        Ok(Respecting { values: Gathered::new(kind)?, is_nullable: kind.is_nullable(), present: Vec::new() })
    }

    /// Passes over one. False: the bytes end within it. Errors: INCORRECT_DATA.
    pub(super) fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let Some(mark) = bytes.get(*at) else { return Ok(false) };
        *at += 1;
        match *mark {
            NONE => Ok(true),
            NULL if self.is_nullable => Ok(true),
            VALUE => self.values.skip(bytes, at),
            other => {
                let text = format!("Incorrect type ({other}) in a state of any_respect_nulls");
                Err(Error::new(ErrorCode::INCORRECT_DATA, text))
            }
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let mark = *bytes.get(*at).ok_or_else(cut)?;
        *at += 1;
        match mark {
            VALUE => self.values.take(bytes, at)?,
            _ => self.values.take_default()?,
        }
        self.present.push(mark != NONE);
        Ok(())
    }

    /// Appends the columns; no rows are left.
    pub(super) fn finish(&mut self, out: &mut Vec<ArrayRef>) -> Result<()> {
        out.push(self.values.finish()?);
        out.push(Arc::new(BooleanArray::from(std::mem::take(&mut self.present))));
        Ok(())
    }
}
