//! What is to be written and said, and when: pure, the time is passed in.
//!
//! ```text
//!  row ──► plan ──► queue ──gate, brake, budget, pace──► the next patch
//!                   ▲ └─────────────────────────► the next note
//!                   └── answer ◄───────────────── what the API server said
//! ```

pub mod aggregate;
pub mod answer;
pub mod brake;
pub mod budget;
pub mod gate;
pub mod note;
pub mod pace;
pub mod queue;
pub mod row;

#[cfg(test)]
mod converges;
