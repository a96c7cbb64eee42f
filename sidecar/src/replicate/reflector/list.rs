//! A full list of a kind: all pages of all its collections, or nothing.

use std::sync::Arc;

use tokio::sync::watch::Sender;
use tokio::time::Instant;

use super::{ReaderGone, Reflector, Step, Steps, send};
use crate::cluster::Fault;
use crate::replicate::scope::Scope;
use crate::replicate::seen::Seen;
use crate::replicate::watch::Collection;
use crate::results::{ListEnd, ObjectEnd};

/// A list that did not succeed: which collection's, and why.
pub(super) struct Failed {
    pub(super) index: usize,
    pub(super) fault: Arc<Fault>,
}

impl Reflector {
    /// A full list of all collections.
    pub(super) async fn list(&self, steps: &Steps) -> Result<Result<Vec<Collection<'_>>, Failed>, ReaderGone> {
        let begun = Instant::now();
        let mut collections = Vec::new();
        for (index, scope) in self.scopes.iter().enumerate() {
            match self.list_scope(scope, begun, index == 0, steps).await? {
                Ok(version) => collections.push(Collection {
                    scope,
                    position: Sender::new(version),
                    proved: parking_lot::Mutex::new(begun),
                    index,
                }),
                Err(fault) => {
                    self.metrics.list(&self.gvr.to_string(), ListEnd::Failed);
                    return Ok(Err(Failed { index, fault: Arc::new(fault) }));
                }
            }
        }
        self.metrics.list(&self.gvr.to_string(), ListEnd::Complete);
        send(steps, Step::End).await?;
        Ok(Ok(collections))
    }

    async fn list_scope(
        &self,
        scope: &Scope,
        begun: Instant,
        is_first: bool,
        steps: &Steps,
    ) -> Result<Result<String, Fault>, ReaderGone> {
        let (mut next, mut version) = (None, None);
        loop {
            let page = match scope.page(next.as_deref()).await {
                Ok(page) => page,
                Err(fault) => return Ok(Err(fault)),
            };
            if is_first && version.is_none() {
                send(steps, Step::Begin(self.seen(&page.resource_version, begun))).await?;
            }
            let version = version.get_or_insert(page.resource_version).clone();
            page.unfit.iter().for_each(|unfit| self.warn(unfit));
            self.metrics.objects(&self.gvr.to_string(), ObjectEnd::Put, page.objects.len() as u64);
            send(steps, Step::Page(page.objects)).await?;
            next = page.next;
            if next.is_none() {
                return Ok(Ok(version));
            }
        }
    }

    fn seen(&self, version: &str, begun: Instant) -> Seen {
        if self.scopes.len() == 1 { Seen::list(version, begun) } else { Seen::together(begun) }
    }
}
