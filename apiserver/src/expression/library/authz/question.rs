//! The question, the answer, and who gives it.

use std::fmt::Debug;
use std::sync::Arc;

use cel::common::types::Type;

use crate::expression::library::opaque::{Opaque, kind};

/// Whoever knows what may be done.
pub trait Authorizer: Debug + Send + Sync {
    /// Whether `subject` may do it.
    fn authorize(&self, subject: &Subject, question: &Question<'_>) -> Answer;
}

/// Who is asked by `authorizer`, and what the request is for.
#[derive(Clone, Debug)]
pub struct Authorization {
    /// Who is asked.
    pub authorizer: Arc<dyn Authorizer>,
    /// Where `authorizer.requestResource` begins.
    pub resource: Requested,
}

/// About whom is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Whoever makes the request.
    Requester,
    /// A ServiceAccount, which need not exist.
    ServiceAccount {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'a> {
    /// Something with a path that is no resource.
    Path {
        /// The HTTP method in lower case.
        verb: &'a str,
        /// Such as `/metrics`.
        path: &'a str,
    },
    /// Something with a resource.
    Resource {
        /// Such as `get`.
        verb: &'a str,
        /// Which one.
        resource: &'a Requested,
    },
}

/// A resource, as authorization names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requested {
    /// Empty for core.
    pub group: String,
    /// The plural.
    pub resource: String,
    /// Mostly empty.
    pub subresource: String,
    /// Empty for the whole cluster.
    pub namespace: String,
    /// Empty for a whole collection.
    pub name: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it is yes.
    pub allowed: bool,
    /// Why, for people; mostly empty for a no.
    pub reason: String,
}

impl Opaque for Answer {
    const KIND: &'static Type = &kind("kubernetes.authorization.Decision");
}
