//! One folder of manifests, looked at again and again. Source: `apiserver` `pkg/admission/plugin/webhook/manifest/source/source.go`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::error::ManifestError;
use super::{files, loader};
use crate::admission::webhook::configuration::Webhook;
use crate::admission::webhook::metrics::Type;
use crate::resources::Resource;

/// The folder of one stage.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) stage: Type,
    pub(super) folder: PathBuf,
    /// The kind that registers webhooks of the stage.
    row: Arc<Resource>,
    looks: Mutex<Looks>,
    /// What was acted on last could not be used.
    in_trouble: AtomicBool,
}

/// The whole content of a folder.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) hash: String,
    pub(super) webhooks: Vec<Arc<Webhook>>,
}

/// The state of the folder at one reading. The folder has changed when two readings differ.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// Manifests with this [hash](files::Files::hash).
    Content(String),
    /// A folder that cannot be read, for this reason: the text of a [`ManifestError`], which has no equality of its own.
    Unreadable(String),
}

/// What was found before.
#[derive(Debug)]
struct Looks {
    /// By the last look.
    last: Option<Found>,
    /// What was acted on last.
    settled: Found,
}

impl Source {
    /// Loads a folder for the first time. Fails when it, or a file or document in it, cannot be used.
    pub(super) fn open(stage: Type, folder: PathBuf, row: Arc<Resource>) -> Result<(Self, Loaded), ManifestError> {
        let files = files::read(&folder)?;
        let webhooks = loader::webhooks(&files, stage, &row)?;
        let looks = Mutex::new(Looks { last: None, settled: Found::Content(files.hash.clone()) });
        let in_trouble = AtomicBool::new(false);
        Ok((Self { stage, folder, row, looks, in_trouble }, Loaded { hash: files.hash, webhooks }))
    }

    /// Looks at the folder. Returns what is to be acted on: something new, whether it can be used or not, that the look before found
    /// too. Content that was replaced and comes back is new.
    pub(super) fn look(&self) -> Option<Result<Loaded, ManifestError>> {
        let files = files::read(&self.folder);
        let found = match &files {
            Ok(files) => Found::Content(files.hash.clone()),
            Err(error) => Found::Unreadable(error.to_string()),
        };
        if !self.looks.lock().is_due(found) {
            return None;
        }
        let load = |files: files::Files| {
            let webhooks = loader::webhooks(&files, self.stage, &self.row)?;
            Ok(Loaded { hash: files.hash, webhooks })
        };
        let loaded = files.and_then(load);
        if loaded.is_err() {
            self.in_trouble.store(true, Ordering::Relaxed);
        }
        Some(loaded)
    }

    /// Whether what was just loaded is the first that can be used after something that could not; said once.
    pub(super) fn ends_trouble(&self) -> bool {
        self.in_trouble.swap(false, Ordering::Relaxed)
    }
}

impl Looks {
    fn is_due(&mut self, found: Found) -> bool {
        let twice = self.last.as_ref() == Some(&found);
        let due = twice && self.settled != found;
        if due {
            self.settled.clone_from(&found);
        }
        self.last = Some(found);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_due_once_it_was_found_twice_in_a_row() {
        // What each look finds (an upper case letter is an error), and whether it is due.
        let table = [
            ("a a a", "- - -"),
            ("a b b b", "- - ! -"),
            ("b b", "- !"),
            ("b c b c", "- - - -"),
            ("b c c b b", "- - ! - !"),
            ("X X X a a", "- ! - - !"),
            ("X Y Y X", "- - ! -"),
            ("b a b b", "- - - !"),
        ];
        for (finds, expected) in table {
            let mut looks = Looks { last: None, settled: Found::Content("a".into()) };
            let due = finds.split(' ').map(|found| match found.chars().all(char::is_uppercase) {
                true => looks.is_due(Found::Unreadable(found.into())),
                false => looks.is_due(Found::Content(found.into())),
            });
            let due: Vec<&str> = due.map(|due| if due { "!" } else { "-" }).collect();
            assert_eq!(due.join(" "), expected, "{finds}");
        }
    }
}
