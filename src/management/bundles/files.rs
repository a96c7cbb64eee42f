//! The files of a bundle in memory: paths that stay inside, sizes within limits.

use std::collections::BTreeMap;
use std::io::Read;

use super::BundleError;
use crate::budget::{Budget, Weight, weight};
use crate::policy_set::data::folder;

/// Files of one bundle.
const COUNT: usize = 100_000;
/// What OPA allows one file; here it bounds all of them together.
const SIZE: u64 = 1 << 30;

/// The largest size of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together, unpacked; also of the tarball.
    pub bytes: u64,
    /// Number of files.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: SIZE, files: COUNT }
    }
}

impl Limits {
    /// Returns the limits, lowered to the memory that there is: all files are in memory while they are read.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        Self { bytes: self.bytes.min(budget.left() / 2), ..self }
    }
}

/// Files by path, without a leading slash.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Files {
    by_path: BTreeMap<String, Vec<u8>>,
    bytes: u64,
}

impl Files {
    /// Takes in one file.
    pub fn add(&mut self, path: &str, content: impl Read, limits: Limits) -> Result<(), BundleError> {
        let path = inside(path)?;
        if self.by_path.len() >= limits.files {
            return Err(BundleError::TooMany(limits.files));
        }
        let left = limits.bytes.saturating_sub(self.bytes);
        let mut bytes = Vec::new();
        let failed = |source| BundleError::Read { path: path.clone(), source };
        // One more than allowed, whatever the header claims.
        content.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > left {
            return Err(BundleError::TooLarge { path, limit: limits.bytes });
        }
        self.bytes += bytes.len() as u64;
        match self.by_path.insert(path.clone(), bytes) {
            None => Ok(()),
            Some(_) => Err(BundleError::Twice(path)),
        }
    }

    /// Bytes that reading them takes at the peak, beside the files themselves.
    pub fn cost(&self) -> u64 {
        let documents = self.iter().filter(|(path, _)| ["json", "yaml", "yml"].iter().any(|end| path.ends_with(end))).count();
        let cost = |(path, bytes): (&str, &[u8])| match path.rsplit('.').next() {
            // Where several files have a part of one object, that is opened; a patch goes who knows where.
            Some("json") if documents == 1 && base(path) == "data.json" => weight::of_documents(bytes, folder(path).len()),
            Some("json") => Weight::of(bytes).stored(),
            Some("yaml" | "yml") => Weight::of_yaml(bytes).stored(),
            Some("rego") => weight::of_policies(bytes.len()),
            _ => 0,
        };
        self.iter().map(cost).fold(0, u64::saturating_add)
    }

    /// Every file, in the order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.by_path.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// The content of one file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.by_path.get(path).map(Vec::as_slice)
    }
}

/// The path without `/` and `./` before it; one that leads out is refused.
fn inside(path: &str) -> Result<String, BundleError> {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() || parts.contains(&"..") || path.contains(['\\', '\0']) {
        return Err(BundleError::Escapes(path.into()));
    }
    Ok(parts.join("/"))
}

/// The last name of a path.
pub fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let table =
            [("a.rego", Some("a.rego")), ("/a/b.rego", Some("a/b.rego")), ("./a/./b", Some("a/b")), ("a//b", Some("a/b"))];
        for (path, expected) in table {
            assert_eq!(inside(path).ok().as_deref(), expected, "{path}");
        }
        for path in ["../a", "a/../../b", "/..", "", "/", ".", "a\\..\\b", "a\0b"] {
            assert!(matches!(inside(path), Err(BundleError::Escapes(named)) if named == path), "{path:?}");
        }
    }

    #[test]
    fn sizes_and_numbers_are_bounded_and_no_name_comes_twice() {
        let limits = Limits { bytes: 10, files: 2 };
        let mut files = Files::default();
        files.add("a", &b"12345"[..], limits).unwrap();
        assert!(matches!(files.add("b", &b"123456"[..], limits), Err(BundleError::TooLarge { path, limit: 10 }) if path == "b"));
        assert!(matches!(files.add("/a", &b"1"[..], limits), Err(BundleError::Twice(_))));
        files.add("b", &b"1"[..], limits).unwrap();
        assert!(matches!(files.add("c", &b""[..], limits), Err(BundleError::TooMany(2))));
    }
}
