//! Who answers for `authorizer` in match conditions: this server, about whoever makes the request.

use std::sync::Arc;

use crate::admission::Attributes;
use crate::authn::User;
use crate::authn::user::{service_account_groups, service_account_name};
use crate::authz::{Access, Authorizer, What};
use crate::expression::{self, Answer, Authorization, Question, Requested, Subject};

/// The server's authorizer, and who makes the request.
#[derive(Debug)]
struct Asked {
    authorizer: Arc<Authorizer>,
    requester: User,
}

/// For the conditions of one request; the resource is the one that was requested, whatever version a webhook wants.
pub(super) fn of(authorizer: &Arc<Authorizer>, request: &Attributes) -> Authorization {
    let resource = Requested {
        group: request.resource.group.to_string(),
        resource: request.resource.plural.to_string(),
        subresource: request.subresource.clone(),
        namespace: request.told_namespace().to_owned(),
        name: request.name.clone(),
    };
    let asked = Asked { authorizer: Arc::clone(authorizer), requester: request.user.clone() };
    Authorization { authorizer: Arc::new(asked), resource }
}

impl expression::Authorizer for Asked {
    fn authorize(&self, subject: &Subject, question: &Question<'_>) -> Answer {
        let what = match *question {
            Question::Path { verb, path } => What::Path { verb, path },
            Question::Resource { verb, resource } => What::Resource(access(verb, resource)),
        };
        let verdict = match subject {
            Subject::Requester => self.authorizer.authorize(&self.requester, &what),
            Subject::ServiceAccount { namespace, name } => self.authorizer.authorize(&account(namespace, name), &what),
        };
        Answer { allowed: verdict.is_allowed(), reason: verdict.reason().to_owned() }
    }
}

fn access<'a>(verb: &'a str, resource: &'a Requested) -> Access<'a> {
    let Requested { group, resource, subresource, namespace, name } = resource;
    Access { verb, group, resource, subresource, namespace, name }
}

/// In the groups of its namespace, and not in that of everybody who has proved who they are, as upstream.
fn account(namespace: &str, name: &str) -> User {
    let (name, groups) = (service_account_name(namespace, name), service_account_groups(namespace));
    User { name, groups, ..User::default() }
}
