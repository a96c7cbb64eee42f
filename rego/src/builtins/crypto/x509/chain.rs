//! Whether certificates are a chain from the last to the first, as Go's `Certificate.Verify` decides: the first is trusted, the
//! last is in question, those between may help. Policies of certificates are not looked at.

use super::certificate::Certificate;
use super::options::Options;
use super::{constraints, hostname, usage};
use crate::builtins::Context;
use crate::builtins::crypto::keys::SIGNATURE_STEPS;
use crate::limits::{Account, Halt};

/// Signatures that are verified for one call, as in Go.
const MAX_SIGNATURES: usize = 100;
/// `keyCertSign`.
const SIGNS_CERTIFICATES: i64 = 1 << 5;

/// The chain, the certificate in question first.
pub(super) fn verify<'c>(
    context: &mut Context,
    certificates: &'c [Certificate],
    options: &Options,
) -> Result<Option<Vec<&'c Certificate>>, Halt> {
    let [root, between @ .., leaf] = certificates else { return Ok(None) };
    let now = options.time.unwrap_or(context.now_ns.div_euclid(1_000_000_000));
    let mut search = Search { root, between, options, now, signatures: 0, account: &mut context.account };
    let named = options.dns_name.is_empty() || hostname::matches(leaf, &options.dns_name);
    if !named || !search.is_valid(leaf, &[], Role::Leaf)? {
        return Ok(None);
    }
    if leaf.raw == root.raw { Ok(Some(vec![leaf])) } else { search.extend(&[leaf]) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Leaf,
    Between,
    Root,
}

struct Search<'c, 's> {
    root: &'c Certificate,
    between: &'c [Certificate],
    options: &'s Options,
    now: i64,
    signatures: usize,
    account: &'s mut Account,
}

impl<'c> Search<'c, '_> {
    /// A chain that goes on from this one to the root, and may be used as it should.
    fn extend(&mut self, chain: &[&'c Certificate]) -> Result<Option<Vec<&'c Certificate>>, Halt> {
        let candidates = std::iter::once((self.root, Role::Root)).chain(self.between.iter().map(|c| (c, Role::Between)));
        for (parent, role) in candidates {
            self.account.step(1)?;
            if !self.continues(chain, parent, role)? {
                continue;
            }
            let longer: Vec<_> = chain.iter().copied().chain([parent]).collect();
            let found = match role {
                Role::Root => Some(longer).filter(|chain| self.usable(chain)),
                _ => self.extend(&longer)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn continues(&mut self, chain: &[&Certificate], parent: &Certificate, role: Role) -> Result<bool, Halt> {
        let Some(child) = chain.last() else { return Ok(false) };
        if child.issuer.raw != parent.subject.raw || self.signatures >= MAX_SIGNATURES {
            return Ok(false);
        }
        let again = chain.iter().any(|other| {
            other.subject.raw == parent.subject.raw
                && other.key.raw == parent.key.raw
                && other.extensions.names.dns == parent.extensions.names.dns
        });
        if again {
            return Ok(false);
        }
        self.signatures += 1;
        self.account.step(SIGNATURE_STEPS)?;
        self.account.charge(child.signed.len())?;
        Ok(may_sign(parent) && child.is_signed_by(parent) && self.is_valid(parent, chain, role)?)
    }

    fn is_valid(&mut self, certificate: &Certificate, chain: &[&Certificate], role: Role) -> Result<bool, Halt> {
        let in_time = certificate.not_before <= self.now && self.now <= certificate.not_after;
        if !certificate.extensions.unhandled_critical.is_empty() || !in_time {
            return Ok(false);
        }
        if role == Role::Between && !matches!(certificate.extensions.constraints, Some((true, _))) {
            return Ok(false);
        }
        if let Some((_, Some(most))) = certificate.extensions.constraints
            && chain.len().saturating_sub(1) > usize::try_from(most).unwrap_or(usize::MAX)
        {
            return Ok(false);
        }
        Ok(role == Role::Leaf || constraints::allow(self.account, certificate, chain, self.options.comparisons)?)
    }

    /// Whether every certificate of the chain leaves one of the uses that are asked for.
    fn usable(&self, chain: &[&Certificate]) -> bool {
        let mut usages = self.options.usages.clone();
        if usages.contains(&usage::ANY) {
            return true;
        }
        for extensions in chain.iter().rev().map(|certificate| &certificate.extensions) {
            let unrestricted = extensions.usages.is_empty() && extensions.unknown_usages.is_empty();
            if !unrestricted && !extensions.usages.contains(&usage::ANY) {
                usages.retain(|usage| extensions.usages.contains(usage));
            }
        }
        !usages.is_empty()
    }
}

/// Whether a certificate is an authority's (Go: `CheckSignatureFrom`).
fn may_sign(parent: &Certificate) -> bool {
    let authority = match parent.extensions.constraints {
        Some((authority, _)) => authority,
        None => parent.version != 3,
    };
    let usage = parent.extensions.key_usage;
    authority && (usage == 0 || usage & SIGNS_CERTIFICATES != 0)
}
