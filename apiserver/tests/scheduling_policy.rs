//! The scheduling-policy hook against engines that fail in every way, and against one that works.

#[cfg(test)]
mod scheduling_policy {
    mod engine;
    mod hook;

    mod faults;
    mod policies;
    mod protocol;
    mod tls;
}
