//! Bad input from outside, over TLS, against a server in a process of its own: each attack is answered by a Status with the
//! documented code, memory stays bounded, and others are served meanwhile.

#[cfg(test)]
mod bad_input {
    mod server;
    mod wire;

    mod access;
    mod documents;
    mod floods;
    mod patches;
    mod paths;
    mod routes;
}
