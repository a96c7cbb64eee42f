//! What the server owns of an object, and sets whatever the client sent. Source: the `strategy.go` of each registry in
//! `kubernetes/pkg/registry`.
