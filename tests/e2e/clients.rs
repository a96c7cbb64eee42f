//! Programs of other people's making: controllers written with kube-rs and with the Python client.

mod kube_rs;
mod python;
