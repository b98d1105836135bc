//! Kinds of what tables are made of: `system.codecs`, `system.tokenizers`, `system.data_skipping_index_types`,
//! `system.disk_types`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::strings::Tokenizer;
use gristmill_mergetree::index::skip::definition::KINDS;
use gristmill_types::codec::CODECS;

use crate::rows::table;
use crate::settings::TIER;

/// What there is to say of a kind.
const DOCUMENTED: &str = "name String, description String, syntax String, examples String, introduced_in String, \
    related Array(String)";

/// Types of disks, as those of indexes are told.
pub const DISKS: &[(&str, &str, &str)] = &[("local", "", "A folder of the machine, where all tables lie.")];

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    let structure = format!(
        "name String, method_byte UInt8, is_compression UInt8, is_generic_compression UInt8, is_encryption UInt8, \
         is_timeseries_codec UInt8, is_experimental UInt8, tier {TIER}, description String"
    );
    all.push(table("system", "codecs", "SystemCodecs", &structure, |_, rows| {
        CODECS.iter().try_for_each(|codec| {
            rows.push([
                codec.name.into(),
                u64::from(codec.method).into(),
                codec.compresses.into(),
                codec.is_generic.into(),
                false.into(),
                codec.is_for_time_series.into(),
                false.into(),
                "Production".into(),
                codec.description.into(),
            ])
        })
    })?);
    all.push(table("system", "tokenizers", "SystemTokenizers", "name String", |_, rows| {
        Tokenizer::NAMES.iter().try_for_each(|name| rows.push([(*name).into()]))
    })?);
    let documented = |name, engine, kinds: &'static [(&'static str, &'static str, &'static str)]| {
        table("system", name, engine, DOCUMENTED, move |_, rows| {
            kinds.iter().try_for_each(|(name, syntax, description)| {
                let none = || "".into();
                rows.push([(*name).into(), (*description).into(), (*syntax).into(), none(), none(), Vec::new().into()])
            })
        })
    };
    all.push(documented("data_skipping_index_types", "SystemDataSkippingIndexTypes", KINDS)?);
    all.push(documented("disk_types", "SystemDiskTypes", DISKS)?);
    Ok(())
}
