//! The server from outside: codes and texts, lists, watches, the life of objects.

#[path = "http/life.rs"]
mod life;
#[path = "http/lists.rs"]
mod lists;
#[path = "http/server.rs"]
mod server;
#[path = "http/texts.rs"]
mod texts;
#[path = "http/watches.rs"]
mod watches;
