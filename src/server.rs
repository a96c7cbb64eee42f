//! The edge: HTTP in, decisions out.
