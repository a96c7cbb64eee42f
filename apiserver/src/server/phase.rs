//! How far the server is.

/// How far the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The first objects are not there yet.
    Starting,
    /// Answering.
    Serving,
    /// Still answering, but not ready, so that callers go elsewhere.
    Leaving,
    /// Watches end, connections close.
    Draining,
}
