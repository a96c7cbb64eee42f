//! What is to be written and said, and when: pure, the time is passed in.
//!
//! ```text
//!  row ──► plan ──► queue ──gate, budget──► the next patch
//!                     └───────────────────► the next note
//! ```

pub mod budget;
pub mod gate;
pub mod note;
pub mod queue;
pub mod row;
