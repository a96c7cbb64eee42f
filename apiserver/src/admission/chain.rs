//! Runs a write through the stages, and times each.

use std::sync::Arc;
use std::time::Instant;

use super::metrics::{Metrics, Phase, Stage};
use super::{Attributes, Mutating, Validating};
use crate::status::Status;

/// The stages, in order. The validating ones see what all mutating ones left.
#[derive(Clone)]
pub struct Chain {
    mutating: Vec<Arc<dyn Mutating>>,
    validating: Vec<Arc<dyn Validating>>,
    metrics: Metrics,
}

impl Chain {
    /// No stages yet.
    pub fn new(metrics: Metrics) -> Self {
        Self { mutating: Vec::new(), validating: Vec::new(), metrics }
    }

    /// With one more mutating stage, after the others.
    #[must_use]
    pub fn mutating(mut self, stage: impl Mutating + 'static) -> Self {
        self.mutating.push(Arc::new(stage));
        self
    }

    /// With one more validating stage, after the others.
    #[must_use]
    pub fn validating(mut self, stage: impl Validating + 'static) -> Self {
        self.validating.push(Arc::new(stage));
        self
    }

    /// The mutating phase; the first refusal ends it. A webhook that changed the object may cause a second pass.
    pub async fn admit(&self, request: &mut Attributes) -> Result<(), Status> {
        let start = Instant::now();
        let mut result = self.pass(request).await;
        if result.is_ok() && request.reinvocation.begin_second() {
            result = self.pass(request).await;
        }
        self.metrics.step(Phase::Admit, request.operation, result.is_err(), start.elapsed());
        result
    }

    async fn pass(&self, request: &mut Attributes) -> Result<(), Status> {
        for stage in &self.mutating {
            let at_work = Stage { name: stage.name(), operation: request.operation, phase: Phase::Admit };
            let start = Instant::now();
            let result = stage.admit(request).await;
            self.metrics.stage(at_work, result.is_err(), start.elapsed());
            result?;
        }
        Ok(())
    }

    /// The validating phase: `request.object` is as it will be stored. The first refusal ends it.
    pub async fn validate(&self, request: &mut Attributes) -> Result<(), Status> {
        let start = Instant::now();
        let result = self.judge(request).await;
        self.metrics.step(Phase::Validate, request.operation, result.is_err(), start.elapsed());
        result
    }

    async fn judge(&self, request: &mut Attributes) -> Result<(), Status> {
        for stage in &self.validating {
            let at_work = Stage { name: stage.name(), operation: request.operation, phase: Phase::Validate };
            let start = Instant::now();
            let result = stage.validate(request).await;
            self.metrics.stage(at_work, result.is_err(), start.elapsed());
            request.warnings.get_mut().extend(result?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::LocalBoxFuture;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::admission::testing::{attributes, metrics};
    use crate::admission::{Operation, forbidden};

    /// Appends its name to `seen`, or refuses.
    struct Scripted {
        name: &'static str,
        refuses: bool,
    }

    impl Mutating for Scripted {
        fn name(&self) -> &'static str {
            self.name
        }

        fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>> {
            let refusal = forbidden(request, self.name);
            let seen = request.object.as_mut().and_then(|object| object["seen"].as_array_mut()).unwrap();
            seen.push(self.name.into());
            std::future::ready(if self.refuses { Err(refusal) } else { Ok(()) }).boxed_local()
        }
    }

    impl Validating for Scripted {
        fn name(&self) -> &'static str {
            self.name
        }

        fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>> {
            let seen = request.object.as_ref().map(|object| object["seen"].to_string()).unwrap();
            std::future::ready(if self.refuses { Err(forbidden(request, self.name)) } else { Ok(vec![seen]) }).boxed_local()
        }
    }

    fn stage(name: &'static str, refuses: bool) -> Scripted {
        Scripted { name, refuses }
    }

    fn request() -> Attributes {
        attributes(Operation::Create, json!({"metadata": {"generateName": "web-"}, "seen": []}))
    }

    #[tokio::test]
    async fn stages_run_in_order_and_validating_ones_see_what_the_mutating_ones_left() {
        let chain = Chain::new(metrics()).mutating(stage("a", false)).mutating(stage("b", false));
        let chain = chain.validating(stage("c", false));
        let mut request = request();
        chain.admit(&mut request).await.unwrap();
        chain.validate(&mut request).await.unwrap();
        assert_eq!(*request.warnings.borrow(), [r#"["a","b"]"#]);
    }

    #[tokio::test]
    async fn the_first_refusal_ends_a_phase() {
        let chain = Chain::new(metrics()).mutating(stage("a", true)).mutating(stage("b", false));
        let chain = chain.validating(stage("c", true)).validating(stage("d", false));
        let mut request = request();
        let refusal = chain.admit(&mut request).await.unwrap_err();
        assert_eq!(refusal.message, r#"replicasets.apps "web-" is forbidden: a"#);
        assert_eq!(request.object.as_ref().map(|object| &object["seen"]), Some(&Json::from(vec!["a"])));
        assert!(chain.validate(&mut request).await.is_err());
        assert!(request.warnings.borrow().is_empty());
    }
}
