//! The steps of a question, from `authorizer` to what is checked.

use std::sync::Arc;

use cel::common::types::Type;
use cel::{Context, ExecutionError};

use super::{Answer, Authorization, Authorizer, Meter, Question, Requested, Subject};
use crate::expression::library::opaque::{Held, Opaque, kind};

/// Who is asked, and about whom.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    authorizer: Arc<dyn Authorizer>,
    subject: Subject,
    meter: Meter,
}

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PathCheck {
    pub(super) asked: Asked,
    pub(super) path: String,
}

/// Resources of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupCheck {
    pub(super) asked: Asked,
    pub(super) group: String,
}

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResourceCheck {
    pub(super) asked: Asked,
    pub(super) resource: Requested,
}

/// Gives an evaluation its variables `authorizer` and `authorizer.requestResource`.
pub(in crate::expression) fn bind(context: &mut Context<'_, '_>, authorization: &Authorization, meter: Meter) {
    let Authorization { authorizer, resource } = authorization;
    let asked = Asked { authorizer: Arc::clone(authorizer), subject: Subject::Requester, meter };
    let check = ResourceCheck { asked: asked.clone(), resource: resource.clone() };
    context.add_variable_as_val("authorizer", Box::new(Held(asked)));
    context.add_variable_as_val("authorizer.requestResource", Box::new(Held(check)));
}

impl Asked {
    /// The same about a ServiceAccount.
    pub(super) fn about(&self, namespace: &str, name: &str) -> Self {
        let subject = Subject::ServiceAccount { namespace: namespace.to_owned(), name: name.to_owned() };
        Self { subject, ..self.clone() }
    }

    /// What the authorizer says. Fails when that would cost more than is left.
    pub(super) fn ask(&self, question: &Question<'_>) -> Result<Answer, ExecutionError> {
        self.meter.spend()?;
        Ok(self.authorizer.authorize(&self.subject, question))
    }
}

/// Of one authorizer about one subject.
impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.authorizer, &other.authorizer) && self.subject == other.subject
    }
}

impl Opaque for Asked {
    const KIND: &'static Type = &kind("kubernetes.authorization.Authorizer");
}

impl Opaque for PathCheck {
    const KIND: &'static Type = &kind("kubernetes.authorization.PathCheck");
}

impl Opaque for GroupCheck {
    const KIND: &'static Type = &kind("kubernetes.authorization.GroupCheck");
}

impl Opaque for ResourceCheck {
    const KIND: &'static Type = &kind("kubernetes.authorization.ResourceCheck");
}
