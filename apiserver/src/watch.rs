//! Watches: an endless answer, one line for each event. A watcher holds a place in the history of its collection, no
//! buffer; who is too slow is told so (`410` in the stream) and lists again. Source of the rules: Kubernetes' API concepts
//! ("Efficient detection of changes"), `apiserver` `pkg/storage/cacher`, KEP-3157 (watch list).

mod encode;
mod options;
mod stream;

pub use options::{Options, Start};
pub use stream::{Lines, open};
