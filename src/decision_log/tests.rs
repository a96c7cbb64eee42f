//! The log from outside: what is written, in which order, and what happens when nobody takes it.
