//! Initializers from outside: real servers, real requests.

#[cfg(test)]
mod initializers {
    mod server;

    mod attacks;
    mod configurations;
    mod creating;
    mod restarts;
    mod timers;
    mod visibility;
}
