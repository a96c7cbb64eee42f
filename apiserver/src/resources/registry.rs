//! Every resource that is served right now: the built-in rows and the rows of CustomResourceDefinitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value as Json;

use super::crd;
use super::resource::Resource;
use super::rows::{TableError, built_in};
use super::schema::Schema;

/// An immutable table of kinds. A new one is built when CustomResourceDefinitions change.
#[derive(Debug, Default)]
pub struct Registry {
    groups: Vec<Group>,
    resources: Vec<Arc<Resource>>,
    /// Built-in rows that are switched off.
    unserved: Vec<Arc<Resource>>,
    by_plural: BTreeMap<Name, usize>,
    by_kind: BTreeMap<Name, usize>,
    definitions: Arc<BTreeMap<String, Arc<Schema>>>,
}

/// Group, version, plural or kind.
type Name = (String, String, String);

type Rows = Vec<Arc<Resource>>;

/// An API group, as discovery lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Empty for core.
    pub name: String,
    /// Served versions, the preferred one first.
    pub versions: Vec<String>,
}

/// The current table: readers take what is there, changes swap it.
#[derive(Debug)]
pub struct Live {
    built_in: Arc<Registry>,
    current: ArcSwap<Registry>,
}

// --- Registry ---

impl Registry {
    /// The built-in kinds alone.
    pub fn built_in() -> Result<Self, TableError> {
        let table = built_in()?;
        let resources = table.resources.into_iter().map(Arc::new).collect();
        Ok(Self::of(&table.groups, (resources, Vec::new()), Arc::new(table.definitions)))
    }

    /// These rows, of which only those that `is_served` says are served.
    pub(super) fn serving(&self, is_served: impl Fn(&Resource) -> bool) -> Self {
        let every = self.served_or_not().cloned();
        Self::of(&self.order(), every.partition(|row| is_served(row)), Arc::clone(&self.definitions))
    }

    /// These rows, of which those of a group are not served.
    pub fn without_group(&self, group: &str) -> Self {
        let is_served = |row: &Resource| row.group != group && self.find(&row.group, &row.version, &row.plural).is_some();
        self.serving(is_served)
    }

    /// These and the rows of CustomResourceDefinitions. What is built in, served or not, is not replaced, nor are its objects shown in a
    /// version that a definition makes up.
    pub fn with_custom(&self, custom: impl IntoIterator<Item = Resource>) -> Self {
        let mut resources = self.resources.clone();
        let built_in: BTreeSet<&str> = self.served_or_not().map(|row| &*row.collection).collect();
        resources.extend(custom.into_iter().filter(|row| !built_in.contains(&*row.collection)).map(Arc::new));
        Self::of(&self.order(), (resources, self.unserved.clone()), Arc::clone(&self.definitions))
    }

    fn order(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.clone()).collect()
    }

    fn of(order: &[String], (resources, unserved): (Rows, Rows), definitions: Arc<BTreeMap<String, Arc<Schema>>>) -> Self {
        let name = |row: &Resource, last: &str| (row.group.clone(), row.version.clone(), last.to_owned());
        let by_plural = resources.iter().enumerate().map(|(at, row)| (name(row, &row.plural), at)).collect();
        let by_kind = resources.iter().enumerate().map(|(at, row)| (name(row, &row.kind), at)).collect();
        Registry { groups: groups(order, &resources), resources, unserved, by_plural, by_kind, definitions }
    }

    /// The resource that a path names.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        self.at(&self.by_plural, group, version, plural)
    }

    /// The resource that `apiVersion` and `kind` name.
    pub fn by_kind(&self, group: &str, version: &str, kind: &str) -> Option<Arc<Resource>> {
        self.at(&self.by_kind, group, version, kind)
    }

    /// The same, also where the version is switched off: the server's own objects are of it all the same.
    pub fn known(&self, group: &str, version: &str, kind: &str) -> Option<Arc<Resource>> {
        let is_named = |row: &&Arc<Resource>| row.group == group && row.version == version && row.kind == kind;
        self.by_kind(group, version, kind).or_else(|| self.unserved.iter().find(is_named).cloned())
    }

    fn at(&self, index: &BTreeMap<Name, usize>, group: &str, version: &str, last: &str) -> Option<Arc<Resource>> {
        let at = index.get(&(group.to_owned(), version.to_owned(), last.to_owned()))?;
        self.resources.get(*at).cloned()
    }

    /// Every row that is served.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.iter()
    }

    /// Every row, also those that are switched off: objects of them may be stored.
    pub fn served_or_not(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.iter().chain(&self.unserved)
    }

    /// API groups in the order of discovery, core (with an empty name) first.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The rows of one collection: one for each served version.
    pub fn in_collection(&self, collection: &str) -> Vec<Arc<Resource>> {
        self.resources.iter().filter(|row| &*row.collection == collection).cloned().collect()
    }

    /// The row of the version that a collection is stored in, served or not; of another version where a definition has no such row.
    pub fn stored(&self, collection: &str) -> Option<Arc<Resource>> {
        let mut rows = self.served_or_not().filter(|row| &*row.collection == collection).peekable();
        let first = rows.peek().map(|row| Arc::clone(row));
        rows.find(|row| row.api_version() == row.stored_as).cloned().or(first)
    }

    /// Every named schema of the built-in types, such as `io.k8s.api.apps.v1.Deployment`.
    pub fn definitions(&self) -> &BTreeMap<String, Arc<Schema>> {
        &self.definitions
    }
}

/// Groups in the given order, then others by name; versions as Kubernetes ranks them.
fn groups(order: &[String], resources: &[Arc<Resource>]) -> Vec<Group> {
    let mut groups: Vec<Group> = order.iter().map(|name| Group { name: name.clone(), versions: Vec::new() }).collect();
    let known = groups.len();
    for row in resources {
        let at = groups.iter().position(|group| group.name == row.group).unwrap_or_else(|| {
            groups.push(Group { name: row.group.clone(), versions: Vec::new() });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(at).filter(|group| !group.versions.contains(&row.version)) {
            group.versions.push(row.version.clone());
        }
    }
    if let Some(others) = groups.get_mut(known..) {
        others.sort_by(|a, b| a.name.cmp(&b.name));
    }
    groups.retain(|group| !group.versions.is_empty());
    for group in &mut groups {
        group.versions.sort_by_key(|version| std::cmp::Reverse(crd::version_rank(version)));
    }
    groups
}

// --- Live ---

impl Live {
    /// The built-in kinds, all of them served.
    pub fn new() -> Result<Self, TableError> {
        Ok(Self::of(Registry::built_in()?))
    }

    /// The kinds of a table of built-in ones.
    pub fn of(built_in: Registry) -> Self {
        let built_in = Arc::new(built_in);
        Live { current: ArcSwap::new(Arc::clone(&built_in)), built_in }
    }

    /// The table as it is now.
    pub fn load(&self) -> Arc<Registry> {
        self.current.load_full()
    }

    /// Builds the table anew from every stored CustomResourceDefinition; what is Established is served from here on.
    pub fn rebuild<'a>(&self, definitions: impl IntoIterator<Item = &'a Json>) {
        let meta = self.built_in.definitions().get(super::definitions::OBJECT_META).cloned().unwrap_or_default();
        let rows = definitions.into_iter().flat_map(|definition| crd::rows(definition, &meta));
        self.current.store(Arc::new(self.built_in.with_custom(rows)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_embedded_table_is_whole() {
        let registry = Registry::built_in().unwrap();
        let deployments = registry.find("apps", "v1", "deployments").unwrap();
        assert_eq!(deployments.short_names, ["deploy"]);
        assert!(deployments.subresources.status && deployments.subresources.scale.is_some());
        assert_eq!(registry.by_kind("", "v1", "Namespace").unwrap().plural, "namespaces");
        let groups: Vec<&str> = registry.groups().iter().map(|group| group.name.as_str()).collect();
        assert_eq!(groups.first(), Some(&""));
        assert!(groups.contains(&"federation") && groups.contains(&"extensions"));
    }

    #[test]
    fn two_versions_share_a_collection() {
        let registry = Registry::built_in().unwrap();
        for (collection, versions) in [("apps/deployments", 2), ("core/events", 2), ("core/configmaps", 1)] {
            assert_eq!(registry.in_collection(collection).len(), versions, "{collection}");
        }
        assert_eq!(registry.stored("apps/replicasets").unwrap().group, "apps");
        assert_eq!(registry.stored("core/events").unwrap().group, "");
    }

    fn definition() -> Json {
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}});
        let mut definition = json!({
            "spec": {
                "group": "example.com", "scope": "Cluster",
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": ["wd"], "categories": ["all"]},
                "versions": [
                    {"name": "v1alpha1", "served": false, "storage": false, "schema": schema},
                    {"name": "v1beta1", "served": true, "storage": false, "schema": schema},
                    {
                        "name": "v1", "served": true, "storage": true, "schema": schema,
                        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                        "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1}]
                    }
                ]
            }
        });
        crd::names::initialize(&mut definition);
        definition
    }

    #[test]
    fn a_definition_is_served_once_it_is_established() {
        let live = Live::new().unwrap();
        let mut definition = definition();
        live.rebuild([&definition]);
        assert!(live.load().find("example.com", "v1", "widgets").is_none());
        crd::names::settle(&mut definition, &[], "2026-01-01T00:00:00Z");
        live.rebuild([&definition]);
        let registry = live.load();
        let row = registry.find("example.com", "v1", "widgets").unwrap();
        assert_eq!((row.kind.as_str(), row.scope, row.custom), ("Widget", super::super::Scope::Cluster, true));
        assert_eq!(row.short_names, ["wd"]);
        assert!(row.subresources.status);
        assert_eq!(row.subresources.scale.as_ref().unwrap().spec_replicas, "spec.replicas");
        let columns: Vec<(&str, i32)> = row.columns.iter().map(|column| (column.name.as_str(), column.priority)).collect();
        assert_eq!(columns, [("Name", 0), ("Size", 1)]);
        let beta = registry.by_kind("example.com", "v1beta1", "Widget").unwrap();
        assert_eq!(beta.columns[1].name, "Age");
        assert_eq!((beta.stored_as.as_str(), &beta.collection), ("example.com/v1", &row.collection));
        assert!(registry.find("example.com", "v1alpha1", "widgets").is_none());
        let group = registry.groups().last().unwrap();
        assert_eq!(
            (group.name.as_str(), group.versions.as_slice()),
            ("example.com", &["v1".to_owned(), "v1beta1".to_owned()][..])
        );
        live.rebuild([]);
        assert!(live.load().find("example.com", "v1", "widgets").is_none());
    }
}
