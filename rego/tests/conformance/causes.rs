//! What does not pass, grouped by what seems to be the cause, for people.

use std::collections::BTreeMap;

use super::cases::Case;
use super::judge::Verdict;

/// One group after another, the largest first: its cause, and its cases with what was found.
pub(super) fn grouped(cases: &[Case], verdicts: &[Verdict]) -> String {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (case, verdict) in cases.iter().zip(verdicts).filter(|(_, verdict)| !matches!(verdict, Verdict::Pass)) {
        let line = format!("  {} {} `{}`: {verdict}", case.version.name(), case.folder, case.note);
        groups.entry(cause(case, verdict)).or_default().push(line);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.len()));
    let group = |(cause, lines): (String, Vec<String>)| format!("{} {cause}\n{}\n", lines.len(), lines.join("\n"));
    groups.into_iter().map(group).collect()
}

/// Messages without what differs from case to case; for answers that differ, the topic.
fn cause(case: &Case, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => String::new(),
        Verdict::Refused(why) => format!("refused: {}", general(why)),
        Verdict::Differs(how) => match how.split_once(", found ") {
            Some((_, found)) if !found.starts_with(['{', 's']) => {
                let error = found.split_once(": eval_").map_or(found, |(_, error)| error);
                format!("found {}", general(error))
            }
            Some(_) if case.want_result.is_none() => format!("no error in {}", case.folder),
            Some(_) => format!("another answer in {}", case.folder),
            None => how.clone(),
        },
    }
}

/// The first line of a message, without numbers and quoted text.
fn general(message: &str) -> String {
    let mut general = String::new();
    let mut quote = None;
    for c in message.lines().next().unwrap_or_default().chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => {
                general.push('…');
                quote = Some(c);
            }
            None if c.is_ascii_digit() => {
                if !general.ends_with('#') {
                    general.push('#');
                }
            }
            None => general.push(c),
        }
    }
    general
}
