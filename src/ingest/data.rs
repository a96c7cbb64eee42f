//! Writes of OPA's data API.

use serde_json::Value as Json;

use crate::snapshot::store::{Next, Store};
use crate::snapshot::{Snapshot, conflicts};
use crate::state::{Incoming, Op, PatchOp, State, Tree, WriteError, not_there};

impl Store {
    /// OPA's `PUT /v1/data/<path>`: upsert with parents.
    pub fn put_data(&self, path: &[String], value: impl Into<Incoming>) -> Result<(), WriteError> {
        let value = value.into();
        self.write(&[path], |tree| tree.write(Op::Put, path, &value))
    }

    /// OPA's `PATCH /v1/data/<path>`: all or nothing.
    pub fn patch_data(&self, path: &[String], ops: &[PatchOp]) -> Result<(), WriteError> {
        let targets = ops.iter().map(|op| op.target(path).map(|(_, target)| target)).collect::<Result<Vec<_>, _>>()?;
        self.write(&targets, |tree| tree.patch(path, ops))
    }

    /// OPA's `DELETE /v1/data/<path>`.
    pub fn delete_data(&self, path: &[String]) -> Result<(), WriteError> {
        self.write(&[path], |tree| tree.write(Op::Remove, path, Json::Null).map_err(|error| not_there(error, path)))
    }

    fn write<P: AsRef<[String]>>(
        &self,
        paths: &[P],
        write: impl FnOnce(&mut Tree) -> Result<bool, WriteError>,
    ) -> Result<(), WriteError> {
        self.change(|current| {
            paths.iter().try_for_each(|path| owned(current, path.as_ref()))?;
            let mut tree = current.state.tree.clone();
            if !write(&mut tree)? {
                return Ok(None);
            }
            let mut paths = paths.iter().map(AsRef::as_ref);
            paths.try_for_each(|path| conflicts::of_write(&current.policies, &tree, path))?;
            let state = State { tree, ..current.state.clone() };
            Ok(Some(Next { policies: current.policies.clone(), state }))
        })
        .map(drop)
    }
}

fn owned(current: &Snapshot, path: &[String]) -> Result<(), WriteError> {
    current.policies.owned_by_bundle(path)?;
    match current.state.owner(path) {
        Some((path, source)) => Err(WriteError::Owned { path, source_name: source.into() }),
        None => Ok(()),
    }
}
