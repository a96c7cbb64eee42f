//! Where policy sets come from: a directory, watched; bodies of the API.
