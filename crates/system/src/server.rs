//! How the server is set up: `system.server_settings`, `system.macros`, `system.disks`, `system.storage_policies`.

use std::sync::Arc;

use gristmill_base::{Result, machine};
use gristmill_catalog::Table;
use gristmill_introspect::{macros, server_settings};

use crate::Known;
use crate::rows::{Cell, table};

const SETTINGS: &str = "name String, value String, default String, changed UInt8, description String, type String, \
    changeable_without_restart Enum8('No' = 0, 'IncreaseOnly' = 1, 'DecreaseOnly' = 2, 'Yes' = 3), is_obsolete UInt8";
const DISKS: &str = "name String, path String, free_space UInt64, total_space UInt64, unreserved_space UInt64, \
    type String, object_storage_type String, metadata_type String, is_encrypted UInt8, is_read_only UInt8, is_remote UInt8";
const POLICIES: &str = "policy_name String, volume_name String, volume_priority UInt64, disks Array(String), \
    volume_type Enum8('JBOD' = 0, 'SINGLE_DISK' = 1, 'UNKNOWN' = 2)";

/// There is one disk, in one volume of one policy.
const ONLY: &str = "default";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    all.push(table("system", "server_settings", "SystemServerSettings", SETTINGS, |_, rows| {
        server_settings::DECLARED.iter().try_for_each(|setting| {
            let value = setting.value();
            rows.push([
                setting.name.into(),
                (&value).into(),
                setting.default.into(),
                (value != setting.default).into(),
                setting.description.into(),
                setting.kind.into(),
                if setting.is_changeable { "Yes" } else { "No" }.into(),
                false.into(),
            ])
        })
    })?);
    all.push(table("system", "macros", "SystemMacros", "macro String, substitution String", |_, rows| {
        macros::all().iter().try_for_each(|(name, text)| rows.push([name.into(), text.into()]))
    })?);
    let path = known.data_path.clone();
    all.push(table("system", "disks", "SystemDisks", DISKS, move |_, rows| {
        // A folder that the system tells nothing of has no space.
        let told = machine::filesystem(&path).ok();
        rows.push([
            ONLY.into(),
            // ClickHouse's ends with a slash, and what comes behind is joined to it.
            path.join("").display().to_string().into(),
            told.map_or(0, |told| told.available).into(),
            told.map_or(0, |told| told.capacity).into(),
            told.map_or(0, |told| told.available).into(),
            "Local".into(),
            "None".into(),
            "None".into(),
            false.into(),
            false.into(),
            false.into(),
        ])
    })?);
    all.push(table("system", "storage_policies", "SystemStoragePolicies", POLICIES, |_, rows| {
        rows.push([ONLY.into(), ONLY.into(), 1u64.into(), Cell::Texts(vec![ONLY.to_string()]), "JBOD".into()])
    })?);
    Ok(())
}
