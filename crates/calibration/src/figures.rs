//! Figures: what was measured, of which resource, at which level. One declaration a resource gives its name in the file and
//! in `system.calibration`, its unit and its description.
//!
//! A resource that depends on a size (a hash table's, a working set's) has a figure for several, and what lies between two
//! is taken from the line between them over the logarithm of the size: caches end within a doubling or two, so that is as
//! much as few figures can tell.

use crate::endpoints::EndpointSeen;
use crate::fingerprint::Fingerprint;

macro_rules! resources {
    ($($variant:ident, $name:literal, $unit:literal, $doc:literal;)*) => {
        /// What is measured.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Resource { $(#[doc = $doc] $variant),* }

        impl Resource {
            pub const ALL: &[Resource] = &[$(Resource::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Resource::$variant => $name),* }
            }

            pub fn unit(self) -> &'static str {
                match self { $(Resource::$variant => $unit),* }
            }

            pub fn description(self) -> &'static str {
                match self { $(Resource::$variant => $doc),* }
            }

            pub fn named(name: &str) -> Option<Resource> {
                Resource::ALL.iter().copied().find(|resource| resource.name() == name)
            }
        }
    };
}

resources! {
    MemoryRead, "memory_read", "bytes/s", "Memory read in order, far more than the caches hold.";
    CacheRead, "cache_read", "bytes/s", "That many bytes read in order by a core, again and again, so that the cache of that level holds them; all cores: each its own.";
    MemoryCopy, "memory_copy", "bytes/s", "Memory copied by one core; bytes are those copied.";
    MemoryLatency, "memory_latency", "ns", "One read whose address depends on the one before, in a working set of that many bytes.";
    Lz4Decode, "lz4_decode", "bytes/s", "LZ4 blocks decompressed by one core; bytes are those that come out.";
    Lz4Encode, "lz4_encode", "bytes/s", "LZ4 blocks compressed by one core; bytes are those that go in.";
    ZstdDecode, "zstd_decode", "bytes/s", "ZSTD blocks (level 1) decompressed by one core; bytes are those that come out.";
    ZstdEncode, "zstd_encode", "bytes/s", "ZSTD blocks (level 1) compressed by one core; bytes are those that go in.";
    ParquetDecode, "parquet_decode", "bytes/s", "Uncompressed pages of Parquet decoded by one core; bytes are those of the values.";
    ParquetOpen, "parquet_open", "files/s", "Footers of Parquet files of 20 columns decoded by one core.";
    HashBuild, "hash_build", "keys/s", "Keys of 8 bytes put into a hash table of that many by one core.";
    HashProbe, "hash_probe", "keys/s", "Keys of 8 bytes looked up in a hash table of that many by one core, in no order.";
    Sort, "sort", "rows/s", "Rows sorted by one core by one key in no order, as many at a time as the size says.";
    Filter, "filter", "bytes/s", "Numbers of which half are taken by a filter, by one core; bytes are those that go in.";
    DiskSequential, "disk_sequential_read", "bytes/s", "The data folder's disk read in order in blocks of 1 MiB, so many at a time.";
    DiskRandom, "disk_random_read", "requests/s", "Blocks of 4 KiB read from anywhere on the data folder's disk, so many at a time.";
}

pub const ONE_CORE: &str = "one core";
pub const ALL_CORES: &str = "all cores";
pub const NUMBERS: &str = "numbers";
pub const TEXTS: &str = "texts";

/// One measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub resource: Resource,
    /// What tells figures of a resource apart: `one core`, `texts`, `plain numbers`; empty where only the size does.
    pub level: String,
    /// Bytes of the working set, keys of the table, rows, or requests at a time; 0: the figure depends on no size.
    pub size: u64,
    pub value: f64,
}

/// How thoroughly it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In a second or two.
    Quick,
    /// Within half a minute.
    Full,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::Quick => "quick",
            Form::Full => "full",
        }
    }
}

/// Everything that is known of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    pub form: Form,
    /// Since the Unix epoch.
    pub measured_at_micros: i64,
    pub took_ms: u64,
    pub fingerprint: Fingerprint,
    /// Whether the disk's figures are the disk's: it was read around the page cache.
    pub disk_is_direct: bool,
    pub figures: Vec<Figure>,
    pub endpoints: Vec<EndpointSeen>,
}

impl Calibration {
    /// The figure of a level that depends on no size.
    pub fn value(&self, resource: Resource, level: &str) -> Option<f64> {
        let found = self.figures.iter().find(|figure| figure.resource == resource && figure.level == level);
        found.map(|figure| figure.value).filter(|value| *value > 0.0)
    }

    /// The figure for a size, between those that were measured; outside of them that of the nearest.
    pub fn at_size(&self, resource: Resource, level: &str, size: u64) -> Option<f64> {
        self.between(resource, size, |of| of == level)
    }

    /// How many bytes a second are read in order of that many, wherever these are. `cores`: one core, or all.
    pub fn read_rate(&self, cores: &str, size: u64) -> Option<f64> {
        let near = self.between(Resource::CacheRead, size, |of| of.ends_with(cores));
        near.or_else(|| self.value(Resource::MemoryRead, cores))
    }

    fn between(&self, resource: Resource, size: u64, is_level: impl Fn(&str) -> bool) -> Option<f64> {
        let of_level = |figure: &&Figure| figure.resource == resource && is_level(&figure.level) && figure.value > 0.0;
        let (mut below, mut above): (Option<&Figure>, Option<&Figure>) = (None, None);
        for figure in self.figures.iter().filter(of_level) {
            if figure.size <= size && below.is_none_or(|known| known.size < figure.size) {
                below = Some(figure);
            }
            if figure.size >= size && above.is_none_or(|known| known.size > figure.size) {
                above = Some(figure);
            }
        }
        match (below, above) {
            (Some(below), Some(above)) if below.size < above.size => {
                let logarithm = |size: u64| (size.max(1) as f64).ln();
                let share = (logarithm(size) - logarithm(below.size)) / (logarithm(above.size) - logarithm(below.size));
                // Between the logarithms of the values: rates fall by factors.
                Some((below.value.ln() + (above.value.ln() - below.value.ln()) * share).exp())
            }
            (below, above) => below.or(above).map(|figure| figure.value),
        }
    }

    /// The best of the levels whose name ends so: the rate of the fastest form that values of a kind may have.
    pub fn best(&self, resource: Resource, ending: &str) -> Option<f64> {
        let of = self.figures.iter().filter(|figure| figure.resource == resource && figure.level.ends_with(ending));
        of.map(|figure| figure.value).fold(None, |best: Option<f64>, value| Some(best.map_or(value, |best| best.max(value))))
    }

    pub fn endpoint(&self, name: &str) -> Option<&EndpointSeen> {
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(figures: &[(Resource, &str, u64, f64)]) -> Calibration {
        let figure = |(resource, level, size, value): &(Resource, &str, u64, f64)| Figure {
            resource: *resource,
            level: level.to_string(),
            size: *size,
            value: *value,
        };
        Calibration {
            form: Form::Quick,
            measured_at_micros: 0,
            took_ms: 0,
            fingerprint: Fingerprint::default(),
            disk_is_direct: true,
            figures: figures.iter().map(figure).collect(),
            endpoints: Vec::new(),
        }
    }

    #[test]
    fn sizes_between_figures_are_on_the_line_between_them() {
        let known = calibration(&[
            (Resource::HashProbe, "", 1 << 10, 400.0),
            (Resource::HashProbe, "", 1 << 20, 100.0),
            (Resource::HashBuild, "", 1 << 15, 1.0),
        ]);
        let at = |size| known.at_size(Resource::HashProbe, "", size).expect("known").round();
        assert_eq!([at(1), at(1 << 10), at(1 << 15), at(1 << 20), at(1 << 30)], [400.0, 400.0, 200.0, 100.0, 100.0]);
        assert_eq!(known.at_size(Resource::Sort, "", 5), None);
    }

    #[test]
    fn what_a_cache_holds_is_read_as_fast_as_that() {
        let known = calibration(&[
            (Resource::MemoryRead, "one core", 0, 20.0),
            (Resource::CacheRead, "L1 one core", 1 << 14, 100.0),
            (Resource::CacheRead, "L1 all cores", 1 << 14, 200.0),
            (Resource::CacheRead, "L2 one core", 1 << 18, 25.0),
        ]);
        let read = |cores, size| known.read_rate(cores, size).expect("known").round();
        assert_eq!([read(ONE_CORE, 1), read(ONE_CORE, 1 << 16), read(ONE_CORE, 1 << 30)], [100.0, 50.0, 25.0]);
        assert_eq!(read(ALL_CORES, 1 << 20), 200.0);
        let older = calibration(&[(Resource::MemoryRead, "one core", 0, 20.0)]);
        assert_eq!((older.read_rate(ONE_CORE, 1), older.read_rate(ALL_CORES, 1)), (Some(20.0), None));
    }

    #[test]
    fn the_best_of_several_forms_is_taken() {
        let known = calibration(&[
            (Resource::ParquetDecode, "plain numbers", 0, 3.0),
            (Resource::ParquetDecode, "delta numbers", 0, 2.0),
            (Resource::ParquetDecode, "plain texts", 0, 9.0),
        ]);
        assert_eq!(known.best(Resource::ParquetDecode, NUMBERS), Some(3.0));
        assert_eq!(known.value(Resource::ParquetDecode, "delta numbers"), Some(2.0));
        assert_eq!(known.best(Resource::Sort, NUMBERS), None);
    }

    #[test]
    fn names_are_told_apart() {
        for resource in Resource::ALL {
            assert_eq!(Resource::named(resource.name()), Some(*resource));
        }
        assert_eq!(Resource::named("no such"), None);
    }
}
