//! The store from outside: the contract of upstream's storage suites, crashes, linearizability, watches, damaged files.

#[cfg(test)]
mod storage {
    mod disk;
    mod support;
    mod wgl;

    mod contract;
    mod crash;
    mod files;
    mod group;
    mod last_state;
    mod linear;
    mod paging;
    mod watch;
    mod watch_properties;
}
