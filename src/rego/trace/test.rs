//! The steps of a test.

use plimsoll_rego::testing;

use super::{Steps, Trace};
use crate::rego::prepared::{guarded, request};
use crate::rego::{EvalError, Limits, Prepared, Test};

impl Prepared {
    /// Runs a test of this program once more, and tells how it went: as far as the limits let it. Nothing is told of what cannot be
    /// asked, such as a function.
    pub fn explain_test(&self, test: &Test, limits: &Limits, steps: Steps) -> Result<Trace, EvalError> {
        let bound = self.program().tested().bind(self.bound.data().clone());
        guarded(&test.to_string(), || {
            let told = testing::explain_test(&bound, &test.test, &request(None, limits), steps);
            Ok(told.map(Trace::from).unwrap_or_default())
        })
    }
}
