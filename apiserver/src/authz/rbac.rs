//! Role-based access control over the roles and bindings of the store. Purely additive: what no rule allows is denied.
//! Source of the rules: `kubernetes` `plugin/pkg/auth/authorizer/rbac` and `pkg/registry/rbac`.

mod aggregate;
pub mod bootstrap;
mod cover;
mod object;
mod policy;
mod rule;

pub use cover::EscalationError;
pub use object::RoleRef;
pub use policy::{COLLECTIONS, Policy};
pub use rule::Rule;

/// The API group of roles and bindings.
pub const GROUP: &str = "rbac.authorization.k8s.io";
