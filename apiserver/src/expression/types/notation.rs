//! Types as declarations write them: `list(T)`, `map(string, int)`, `net.IP`. A capital letter stands for any type.

use super::Type;

impl Type {
    /// Reads one type. `None` when it is not well formed.
    pub(in crate::expression) fn read(text: &'static str) -> Option<Self> {
        let text = text.trim();
        let Some((name, inner)) = text.split_once('(') else { return Self::named(text) };
        let inner = Self::read_all(inner.strip_suffix(')')?)?;
        Some(match (name, inner.as_slice()) {
            ("list", [of]) => Self::list(of.clone()),
            ("map", [keys, values]) => Self::map(keys.clone(), values.clone()),
            ("optional", [of]) => Self::optional(of.clone()),
            ("type", [of]) => Self::Meta(Box::new(of.clone())),
            _ => return None,
        })
    }

    /// Reads types with commas between them.
    pub(in crate::expression) fn read_all(text: &'static str) -> Option<Vec<Self>> {
        let (mut depth, mut start, mut found) = (0u32, 0, Vec::new());
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.checked_sub(1)?,
                b',' if depth == 0 => {
                    found.push(Self::read(text.get(start..at)?)?);
                    start = at + 1;
                }
                _ => {}
            }
        }
        let last = text.get(start..)?;
        if !(found.is_empty() && last.trim().is_empty()) {
            found.push(Self::read(last)?);
        }
        Some(found)
    }

    fn named(name: &'static str) -> Option<Self> {
        Some(match name {
            "" => return None,
            "dyn" => Self::Dyn,
            "bool" => Self::Bool,
            "bytes" => Self::Bytes,
            "double" => Self::Double,
            "duration" => Self::Duration,
            "int" => Self::Int,
            "null_type" => Self::Null,
            "string" => Self::Text,
            "timestamp" => Self::Timestamp,
            "uint" => Self::Uint,
            name if name.len() == 1 => Self::Parameter(name),
            name => Self::Named(name),
        })
    }
}
