//! What a CustomResourceDefinition must be like.
