//! Objects whose initializers have not answered yet: who may write them, who waits for them, and what the server does in the
//! place of an initializer that does not answer. Source of the waiting: `apiserver` `pkg/registry/generic/registry/store.go`
//! (`WaitForInitialized`), 1.7 to 1.13; the timers and the read repair were designed for 1.7 and never built.
//!
//! ```text
//!   create ─► stored, pending [a, b] ─► wait ◄─────────────────── initialized: 201; refused: its status; late: 504
//!                  │                                                 ▲
//!                  ├─► timers: a is late ─► pass over: Ignore ─► pending [b]; Fail ─► result, removed
//!                  └─► read repair: a GET, long after ──► the same
//! ```
//!
//! Departures from upstream. A GET hides such an object as lists do (`GetVisibility`), so whatever else would show it to those
//! who may not `initialize` is refused before it is looked at: a patch, a status, a scale. A creator who waits does not count as
//! a write in flight: those who are waited for could not get in. The refusal and the removal are one transaction. An
//! initializer with policy `Fail` fails closed in read repair too; the first design opened it.

mod guard;
mod pass_over;
mod read_repair;
mod refusal;
mod timers;
mod wait;

pub use guard::may_write;
pub use read_repair::read_repaired;
pub use timers::run;
pub use wait::wait;
