//! Initializers from outside: real servers, real requests.

#[cfg(test)]
mod initializers {
    #[path = "../support/eventually.rs"]
    mod eventually;
    mod server;

    mod attacks;
    mod configurations;
    mod creating;
    mod restarts;
    mod timers;
    mod visibility;
}
