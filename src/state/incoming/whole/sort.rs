//! The members of an encoded object in order.

use super::{Encoder, Member};

impl Encoder {
    /// Puts the members of an object in order whose text begins at `start` and whose members from `first` on; they are forgotten.
    pub(super) fn sort(&mut self, start: usize, first: usize) {
        let members = self.members.get_mut(first..).unwrap_or_default();
        if !is_sorted(&self.text, members) {
            order(&self.text, members);
            rearrange(&mut self.text, start, members);
        }
        self.members.truncate(first);
    }
}

/// The encoded name, without its quotes.
fn name(text: &[u8], member: Member) -> &[u8] {
    text.get(member.start.saturating_add(1)..member.named.saturating_sub(1)).unwrap_or_default()
}

/// Whether each name is greater than the one before it; escapes need a closer look.
fn is_sorted(text: &[u8], members: &[Member]) -> bool {
    let plain = |member: &Member| !name(text, *member).contains(&b'\\');
    members.is_sorted_by(|a, b| name(text, *a) < name(text, *b)) && (members.len() < 2 || members.iter().all(plain))
}

/// By name; those of one name stay in the order in which they came.
fn order(text: &[u8], members: &mut [Member]) {
    match members.iter().any(|member| name(text, *member).contains(&b'\\')) {
        // As the names are, not as they are written.
        true => members.sort_by_cached_key(|member| decoded(text, *member)),
        false => members.sort_by(|a, b| name(text, *a).cmp(name(text, *b))),
    }
}

fn decoded(text: &[u8], member: Member) -> String {
    let quoted = text.get(member.start..member.named).unwrap_or_default();
    // It was encoded here.
    serde_json::from_slice(quoted).unwrap_or_default()
}

/// Writes the members anew, of each name the last, and puts them into the place of what is there.
fn rearrange(text: &mut Vec<u8>, start: usize, members: &[Member]) {
    // No more than it takes: the text may be large.
    let mut sorted = Vec::with_capacity(text.len().saturating_sub(start));
    for (at, member) in members.iter().enumerate() {
        // What is equal is written equally.
        let next = members.get(at.saturating_add(1));
        if next.is_some_and(|next| name(text, *next) == name(text, *member)) {
            continue;
        }
        if !sorted.is_empty() {
            sorted.push(b',');
        }
        sorted.extend_from_slice(text.get(member.start..member.end).unwrap_or_default());
    }
    text.truncate(start);
    text.append(&mut sorted);
}
