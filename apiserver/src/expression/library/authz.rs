//! What a condition may ask the server's authorizer. Source: `apiserver` `pkg/cel/library/authz.go`.

mod question;
mod value;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::types::{CelBool, CelString};
use cel::{DeclarationError, Env, ExecutionError};

use self::value::{Asked, GroupCheck, PathCheck, ResourceCheck};
use super::failed;
use super::opaque::Held;
use crate::names;

pub use question::{Answer, Authorization, Authorizer, Question, Requested, Subject};
pub(in crate::expression) use value::bind;

/// What one check costs: an expression of 1,000,000 has two of them, as upstream.
const CHECK: u64 = 350_000;

/// Counts what the checks of one evaluation cost, which depends on which of them are arrived at.
#[derive(Clone, Debug, Default)]
pub(in crate::expression) struct Meter {
    spent: Arc<AtomicU64>,
    limit: u64,
}

impl Meter {
    /// Which allows checks up to `limit`.
    pub(in crate::expression) fn new(limit: u64) -> Self {
        Self { spent: Arc::default(), limit }
    }

    /// What was spent; more than the limit if a check was refused for it.
    pub(in crate::expression) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    fn spend(&self) -> Result<(), ExecutionError> {
        let spent = self.spent.fetch_add(CHECK, Ordering::Relaxed).saturating_add(CHECK);
        if spent > self.limit { Err(failed("check", "actual cost limit exceeded")) } else { Ok(()) }
    }
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_member_overload!(env, fn path: (Held<Asked>, CelString) -> Result<Held<PathCheck>>)?;
    cel::add_member_overload!(env, fn group: (Held<Asked>, CelString) -> Held<GroupCheck>)?;
    cel::add_member_overload!(env, fn service_account: (Held<Asked>, CelString, CelString) -> Result<Held<Asked>>)?;
    cel::add_member_overload!(env, fn resource: (Held<GroupCheck>, CelString) -> Result<Held<ResourceCheck>>)?;
    cel::add_member_overload!(env, fn subresource: (Held<ResourceCheck>, CelString) -> Held<ResourceCheck>)?;
    cel::add_member_overload!(env, fn namespace: (Held<ResourceCheck>, CelString) -> Held<ResourceCheck>)?;
    cel::add_member_overload!(env, fn name: (Held<ResourceCheck>, CelString) -> Held<ResourceCheck>)?;
    cel::add_member_overload!(env, fn selector: (Held<ResourceCheck>, CelString) -> Held<ResourceCheck>, name = "fieldSelector")?;
    cel::add_member_overload!(env, fn selector: (Held<ResourceCheck>, CelString) -> Held<ResourceCheck>, name = "labelSelector")?;
    cel::add_member_overload!(env, fn check_path: (Held<PathCheck>, CelString) -> Result<Held<Answer>>, name = "check")?;
    cel::add_member_overload!(env, fn check_resource: (Held<ResourceCheck>, CelString) -> Result<Held<Answer>>, name = "check")?;
    cel::add_member_overload!(env, fn allowed: (Held<Answer>) -> CelBool)?;
    cel::add_member_overload!(env, fn reason: (Held<Answer>) -> CelString)?;
    cel::add_member_overload!(env, fn errored: (Held<Answer>) -> CelBool)?;
    cel::add_member_overload!(env, fn error: (Held<Answer>) -> CelString)
}

fn path(asked: &Held<Asked>, path: &CelString<'_>) -> Result<Held<PathCheck>, ExecutionError> {
    let path = filled("path", path)?;
    Ok(Held(PathCheck { asked: asked.0.clone(), path }))
}

fn group(asked: &Held<Asked>, group: &CelString<'_>) -> Held<GroupCheck> {
    Held(GroupCheck { asked: asked.0.clone(), group: group.inner().to_owned() })
}

/// The same questions about a ServiceAccount, which need not exist.
fn service_account(asked: &Held<Asked>, namespace: &CelString<'_>, name: &CelString<'_>) -> Result<Held<Asked>, ExecutionError> {
    let (namespace, name) = (namespace.inner(), name.inner());
    if !names::subdomain(name).is_empty() {
        return Err(failed("serviceAccount", "Invalid service account name"));
    }
    if !names::dns_label(namespace).is_empty() {
        return Err(failed("serviceAccount", "Invalid service account namespace"));
    }
    Ok(Held(asked.0.about(namespace, name)))
}

fn resource(check: &Held<GroupCheck>, resource: &CelString<'_>) -> Result<Held<ResourceCheck>, ExecutionError> {
    let GroupCheck { asked, group } = check.0.clone();
    let resource = Requested { group, resource: filled("resource", resource)?, ..Requested::default() };
    Ok(Held(ResourceCheck { asked, resource }))
}

fn subresource(check: &Held<ResourceCheck>, subresource: &CelString<'_>) -> Held<ResourceCheck> {
    with(check, |resource| subresource.inner().clone_into(&mut resource.subresource))
}

fn namespace(check: &Held<ResourceCheck>, namespace: &CelString<'_>) -> Held<ResourceCheck> {
    with(check, |resource| namespace.inner().clone_into(&mut resource.namespace))
}

fn name(check: &Held<ResourceCheck>, name: &CelString<'_>) -> Held<ResourceCheck> {
    with(check, |resource| name.inner().clone_into(&mut resource.name))
}

/// RBAC grants nothing by selectors, as upstream: one that is not well formed is passed over there, too.
fn selector(check: &Held<ResourceCheck>, _: &CelString<'_>) -> Held<ResourceCheck> {
    check.clone()
}

fn with(check: &Held<ResourceCheck>, change: impl FnOnce(&mut Requested)) -> Held<ResourceCheck> {
    let mut check = check.clone();
    change(&mut check.0.resource);
    check
}

fn check_path(check: &Held<PathCheck>, verb: &CelString<'_>) -> Result<Held<Answer>, ExecutionError> {
    let question = Question::Path { verb: verb.inner(), path: &check.0.path };
    check.0.asked.ask(&question).map(Held)
}

fn check_resource(check: &Held<ResourceCheck>, verb: &CelString<'_>) -> Result<Held<Answer>, ExecutionError> {
    let question = Question::Resource { verb: verb.inner(), resource: &check.0.resource };
    check.0.asked.ask(&question).map(Held)
}

fn allowed(answer: &Held<Answer>) -> CelBool {
    answer.0.allowed.into()
}

fn reason(answer: &Held<Answer>) -> CelString<'static> {
    answer.0.reason.clone().into()
}

/// RBAC always decides: what it could not look at is in the reason.
fn errored(_: &Held<Answer>) -> CelBool {
    false.into()
}

fn error(_: &Held<Answer>) -> CelString<'static> {
    String::new().into()
}

fn filled(what: &str, text: &CelString<'_>) -> Result<String, ExecutionError> {
    let text = text.inner();
    if text.trim().is_empty() { Err(failed(what, format!("{what} must not be empty"))) } else { Ok(text.to_owned()) }
}
