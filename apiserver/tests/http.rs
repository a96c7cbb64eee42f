//! The server from outside: codes and texts, lists, watches, the life of objects.

#[cfg(test)]
mod http {
    mod life;
    mod lists;
    mod server;
    mod texts;
    mod versions;
    mod watches;
}
