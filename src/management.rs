//! OPA's management: its configuration file, the services that it names, and the plugins that talk to them.
//!
//! ```text
//!  --config-file ─► config ─► services ─┬─► bundles: fetched, checked, offered to the Store
//!                                       ├─◄ decision_log: each decision, masked, in batches
//!                                       └─◄ status: how bundles, logs and plugins are
//! ```

pub mod bundles;
pub mod config;
pub mod decision_log;
pub mod plugins;
pub mod services;
pub mod status;
