//! From a bundle's content to what the store is offered.

use super::content::{Change, Content, invalid};
use super::{BundleError, Manifest, ManifestError};
use crate::policy_set::data::Data;
use crate::rego::Module;
use crate::snapshot::{Bundle, Document, Offer, PolicySet};
use crate::state::{Op, Tree, WriteError};

/// The whole set that a bundle with modules and data is.
pub fn whole(name: &str, etag: &str, content: Content) -> Offer {
    let Content { manifest, modules, data, .. } = content;
    let key = |path: &str| format!("{}/{path}", name.trim_end_matches('/'));
    let rego = modules.iter().filter_map(|(path, _)| Some((key(path), manifest.rego_of(path)?))).collect();
    let documents = rooted(name, &manifest.roots(), &data);
    let bundle = described(name, etag, &manifest, rego);
    let modules = modules.into_iter().map(|(path, text)| Module { key: key(&path), text }).collect();
    Offer { modules, documents, bundle: Some(bundle) }
}

/// The set in force with a delta applied: same modules, changed data.
pub fn patched(set: &PolicySet, etag: &str, content: &Content) -> Result<Offer, BundleError> {
    let Some(bundle) = &set.bundle else {
        return Err(ManifestError::DeltaFirst.into());
    };
    let (mut now, mut before) = (content.manifest.roots(), bundle.roots.clone());
    now.sort();
    before.sort();
    if now != before {
        return Err(ManifestError::DeltaRoots(bundle.name.clone()).into());
    }
    let data = changed(&set.documents, content.patch.as_deref().unwrap_or_default())?;
    let documents = rooted(&bundle.name, &bundle.roots, &data);
    let bundle = described(&bundle.name, etag, &content.manifest, bundle.rego.clone());
    Ok(Offer { modules: set.modules.clone(), documents, bundle: Some(bundle) })
}

fn described(name: &str, etag: &str, manifest: &Manifest, rego: Vec<(String, crate::rego::RegoVersion)>) -> Bundle {
    Bundle {
        name: name.into(),
        revision: manifest.revision.clone(),
        roots: manifest.roots(),
        etag: etag.into(),
        rego,
        manifest: manifest.shown(),
    }
}

/// One document for each root that has data.
fn rooted(name: &str, roots: &[String], data: &Data) -> Vec<Document> {
    let origin = format!("bundle {name:?}");
    let at = |root: &String| -> Option<Document> {
        let path: Vec<String> = root.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let value = data.at(&path)?;
        let nothing = path.is_empty() && data.is_empty();
        (!nothing).then(|| Document { path, value, origin: origin.clone() })
    };
    roots.iter().filter_map(at).collect()
}

fn changed(documents: &[Document], patch: &[Change]) -> Result<Data, BundleError> {
    let mut tree = Tree::default();
    for document in documents {
        tree.write(Op::Put, &document.path, &document.value).map_err(|error| invalid(&document.origin, error))?;
    }
    for change in patch {
        apply(&mut tree, change).map_err(|error| invalid(&change.path, error))?;
    }
    Ok(tree.root().clone().into())
}

fn apply(tree: &mut Tree, change: &Change) -> Result<bool, WriteError> {
    let (path, value) = (change.segments(), &change.value);
    match change.op.as_str() {
        // A parent that is there may be an array, in which an element is inserted.
        "upsert" => match tree.write(Op::Add, &path, value) {
            Err(WriteError::NotFound(_)) => tree.write(Op::Put, &path, value),
            written => written,
        },
        "replace" => tree.write(Op::Replace, &path, value),
        "remove" => tree.write(Op::Remove, &path, value),
        other => Err(WriteError::Invalid(format!("bad patch operation: {other}"))),
    }
}
