//! A document in the interpreter's own form; opaque to the rest of the program.

/// A JSON document that policies can read. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub(in crate::rego) regorus::Value);

impl Value {
    /// Parses JSON.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(text).map(Self)
    }

    /// An object of named documents.
    pub fn object(members: impl IntoIterator<Item = (String, Self)>) -> Self {
        let mut object = regorus::Value::new_object();
        if let Ok(map) = object.as_object_mut() {
            map.extend(members.into_iter().map(|(k, v)| (regorus::Value::String(k.into()), v.0)));
        }
        Self(object)
    }
}
