//! What v1 forbids (`v1/ast/rego_v1.go`, `checkRegoV1Rule`).

use super::rule::{Draft, Words};
use crate::error::{Code, Error};
use crate::syntax::token::is_keyword;
use crate::syntax::tree::{Rule, Version};

/// All findings of all rules; none for v0.
pub(super) fn check_v1(version: Version, drafts: &[Draft]) -> Vec<Error> {
    if version == Version::V0 {
        return Vec::new();
    }
    let mut errors = Vec::new();
    for draft in drafts {
        let mut rule = Some(&draft.rule);
        for words in &draft.words {
            let Some(branch) = rule else { break };
            check_rule(branch, *words, &mut errors);
            rule = branch.otherwise.as_deref();
        }
    }
    errors
}

fn check_rule(rule: &Rule, words: Words, errors: &mut Vec<Error>) {
    let kind = if rule.head.is_function() { "function" } else { "rule" };
    let head = &rule.head;
    let mut found = |message: String| errors.push(Error::new(Code::Parse, rule.span, message));
    if head.reference.len() < 2 && is_keyword(&head.name, Version::V1) {
        found(format!("{} keyword cannot be used for rule name", head.name));
    }
    if rule.generated_body && head.generated_value {
        found(format!("{kind} must have value assignment and/or body declaration"));
    }
    if !rule.generated_body && !words.has_if && !rule.default {
        found(format!("`if` keyword is required before {kind} body"));
    }
    if head.value.is_none() && !words.has_contains {
        found("`contains` keyword is required for partial set rules".to_owned());
    }
}
