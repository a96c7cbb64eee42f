//! Queries against a compiled set (`v1/ast/compile.go`, `queryCompiler`).
