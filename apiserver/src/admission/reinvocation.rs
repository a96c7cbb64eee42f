//! The second pass of the mutating phase: once, and only when a webhook changed the object. Source: `apiserver`
//! `pkg/admission/reinvocation.go` and `pkg/admission/plugin/webhook/mutating/reinvocationcontext.go`.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// What one pass remembers for the next.
#[derive(Clone, Debug, Default)]
pub struct Reinvocation {
    second: bool,
    wanted: bool,
    /// The object as the webhooks left it.
    output: Option<Json>,
    /// Called, and willing to be called again.
    willing: BTreeSet<String>,
    /// To be called again.
    again: BTreeSet<String>,
}

impl Reinvocation {
    /// Begins the second pass if one is wanted; `false` after it.
    pub fn begin_second(&mut self) -> bool {
        let begins = self.wanted && !self.second;
        self.second |= begins;
        begins
    }

    /// 0 in the first pass, 1 in the second.
    pub fn round(&self) -> usize {
        usize::from(self.second)
    }

    /// The webhooks get the object. In the second pass all that are willing are called again if another stage changed it since.
    pub fn enter(&mut self, object: Option<&Json>) {
        if self.second && self.output.as_ref() != object {
            self.call_again();
        }
    }

    /// The webhooks are done with the object.
    pub fn leave(&mut self, object: Option<&Json>) {
        // The second pass is the last one: nobody compares any more.
        if !self.second {
            self.output = object.cloned();
        }
    }

    /// Whether this webhook is called in this pass: in the second only those that must be called again.
    pub fn calls(&self, webhook: &str) -> bool {
        !self.second || self.again.contains(webhook)
    }

    /// A webhook changed the object: everybody who was called before and is willing is called again.
    pub fn changed(&mut self) {
        self.wanted = true;
        self.call_again();
    }

    /// A webhook was called that is willing to be called again. Its own change, before this, is no reason for it.
    pub fn called_willing(&mut self, webhook: &str) {
        self.willing.insert(webhook.to_owned());
    }

    fn call_again(&mut self) {
        self.again.append(&mut self.willing);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_is_called_again() {
        // The hooks in order, `c` changes the object, `w` is willing; then who is called in the second pass.
        let table = [
            ("w w", None),
            ("cw", Some(vec![])),
            ("w cw", Some(vec![0])),
            ("cw cw", Some(vec![0])),
            ("- c", Some(vec![])),
            ("cw w c", Some(vec![0, 1])),
        ];
        for (hooks, expected) in table {
            let hooks: Vec<&str> = hooks.split(' ').collect();
            let mut reinvocation = Reinvocation::default();
            for (index, hook) in hooks.iter().enumerate() {
                assert!(reinvocation.calls(&index.to_string()));
                if hook.contains('c') {
                    reinvocation.changed();
                }
                if hook.contains('w') {
                    reinvocation.called_willing(&index.to_string());
                }
            }
            reinvocation.leave(Some(&json!({})));
            let second = reinvocation.begin_second();
            reinvocation.enter(Some(&json!({})));
            let called: Vec<usize> = (0..hooks.len()).filter(|index| reinvocation.calls(&index.to_string())).collect();
            assert_eq!(second.then_some(called), expected, "{hooks:?}");
            assert!(!reinvocation.begin_second(), "never a third pass");
        }
    }

    #[test]
    fn a_stage_that_changes_the_object_in_between_calls_everybody_willing() {
        let mut reinvocation = Reinvocation::default();
        reinvocation.changed();
        reinvocation.called_willing("a");
        reinvocation.leave(Some(&json!({})));
        assert!(reinvocation.begin_second());
        reinvocation.enter(Some(&json!({"changed": true})));
        assert!(reinvocation.calls("a") && !reinvocation.calls("b"));
        assert_eq!(reinvocation.round(), 1);
    }
}
