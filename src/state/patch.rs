//! OPA's data PATCH: a list of add, remove and replace, all or nothing. Operations see each other as in OPA's store, which is not
//! always what RFC 6902 says: what one list adds, it cannot remove.

mod updates;

use serde_json::Value as Json;

use super::incoming::Incoming;
use super::pointer::Op;
use super::tree::{Tree, WriteError};
use updates::Updates;

/// One operation of an OPA data PATCH.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
pub struct PatchOp {
    /// `add`, `remove` or `replace`.
    pub op: String,
    /// JSON pointer below the request's path; slashes at its ends do not count.
    #[serde(default)]
    pub path: String,
    /// The value of add and replace; `null` when left out, as in OPA.
    #[serde(default)]
    pub value: Option<Incoming>,
}

impl PatchOp {
    /// The operation and its whole path below `data`.
    pub fn target(&self, base: &[String]) -> Result<(Op, Vec<String>), WriteError> {
        let op = match self.op.as_str() {
            "add" => Op::Add,
            "remove" => Op::Remove,
            "replace" => Op::Replace,
            other => return Err(WriteError::Invalid(format!("bad patch operation: {other}"))),
        };
        // OPA joins both before it reads them as one pointer (`v1/server/server.go`, `prepareV1PatchSlice`); the first is decoded already.
        let mut path: Vec<_> = base.iter().map(|name| of_pointer(name)).collect();
        let below = self.path.trim_matches('/');
        if !below.is_empty() {
            for name in below.split('/') {
                path.push(unescape(name).ok_or_else(|| WriteError::Invalid(format!("bad patch path: {}", self.path)))?);
            }
        }
        Ok((op, path))
    }
}

impl Tree {
    /// Applies all operations or none; says whether anything changed.
    pub fn patch(&mut self, base: &[String], ops: &[PatchOp]) -> Result<bool, WriteError> {
        let mut updates = Updates::of(self);
        let null = Incoming::from(Json::Null);
        for patch in ops {
            let (op, path) = patch.target(base)?;
            updates.take(op, path, patch.value.as_ref().unwrap_or(&null))?;
        }
        let mut tree = self.clone();
        let changed = updates.write(&mut tree)?;
        *self = tree;
        Ok(changed)
    }
}

/// Percent-encoding first, then JSON pointer, as OPA does.
fn unescape(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    Some(of_pointer(&String::from_utf8(bytes).ok()?))
}

fn of_pointer(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests;
