//! Members of collections (opa `v1/ast/index.go`, `updateMember`, `updateCollectionKey`).

use super::constraint::{Indices, Wanted};
use super::expr::{Collector, Constants, Operand};
use super::references::Located;
use super::resolve::{parts, variable};
use crate::compile::terms::is_scalar;
use crate::compile::vars::DATA;
use crate::syntax::tree::{Kind, Term};

impl Collector<'_> {
    /// `input.x in ["a", "b"]`, and `"a" in input.x`.
    pub(super) fn member<'t>(
        &mut self,
        indices: &mut Indices<'_>,
        (item, collection): (&Operand<'t>, &Operand<'t>),
        constants: &Constants<'t>,
    ) {
        if let Some(reference) = variable(item).and_then(|name| self.resolve(indices, name)) {
            return self.one_of(indices, reference, collection, constants);
        }
        let item = variable(item).and_then(|name| constants.get(name)).map_or(item.as_ref(), |value| *value);
        let is_var = variable(item).is_some();
        if !is_var && !is_scalar(item) {
            return;
        }
        let Some(reference) = self.looked_up(indices, collection) else { return };
        let wanted = if is_var { Wanted::Equal } else { Wanted::Member };
        self.insert(indices, reference, wanted, item.clone());
    }

    /// The value is one of a collection that is written down (`updateMemberRefInValue`).
    fn one_of<'t>(&mut self, indices: &mut Indices<'_>, reference: Located, collection: &Operand<'t>, constants: &Constants<'t>) {
        let collection = variable(collection).and_then(|name| constants.get(name)).map_or(collection.as_ref(), |value| *value);
        let members: Vec<&Term> = match &collection.kind {
            Kind::Array(items) | Kind::Set(items) => items.iter().collect(),
            Kind::Object(members) => members.iter().map(|(_, value)| value).collect(),
            _ => return,
        };
        if !members.is_empty() {
            let reference = self.references.intern(reference);
            indices.insert_members(reference, &members);
        }
    }

    /// `data.groups.admins[input.user]`: the key has to be one of a base document. Says whether the term is such a reference.
    pub(super) fn collection_key(&mut self, indices: &mut Indices<'_>, term: &Term) -> bool {
        let Kind::Ref(all) = &term.kind else { return false };
        let Some((last, prefix)) = all.split_last() else { return false };
        if prefix.first().and_then(Term::as_var) != Some(&DATA) {
            return false;
        }
        let Some(collection) = self.written(prefix) else { return false };
        let key = match variable(last) {
            Some(name) => self.resolve(indices, name),
            None => parts(last).and_then(|parts| self.written(parts)),
        };
        let Some(key) = key.filter(|key| !self.is_above_rules(key)) else { return false };
        let known = |(a, b): &(Located, Located)| a.reference == key.reference && b.reference == collection.reference;
        if !indices.memberships.iter().any(known) {
            let number = self.references.intern(key.clone());
            indices.memberships.push((key, collection));
            indices.stats.count(number, 1);
        }
        true
    }

    fn is_above_rules(&self, located: &Located) -> bool {
        located.reference.root == crate::ir::IndexRoot::Data && (self.is_virtual)(&located.reference.path)
    }
}
