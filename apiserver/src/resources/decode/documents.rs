//! Files of several documents, as manifests are kept.

use serde::de::DeserializeSeed;

use super::{DecodeError, Decoded, MOST_TEXT, MOST_VALUES, Reader, Value, flow, json};

/// A document that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("document {number} cannot be read: {source}")]
pub struct DocumentError {
    /// Which, from 1.
    pub number: usize,
    /// Why.
    pub source: DecodeError,
}

/// Returns every document of a file, JSON or YAML, with its number from 1; those without content are left out. Fails at the first one that
/// cannot be read; what is behind it is not looked at.
pub fn documents(file: &[u8]) -> Result<Vec<(usize, Decoded)>, DocumentError> {
    if file.trim_ascii_start().first() == Some(&b'{')
        && let Ok(decoded) = json(file)
    {
        return Ok(vec![(1, decoded)]);
    }
    if flow::is_too_deep(file) {
        return Err(DocumentError { number: 1, source: DecodeError::Brackets });
    }
    let read = yaml_serde::Deserializer::from_slice(file).zip(1..).map(|(document, number)| {
        let mut reader = Reader { path: Vec::new(), duplicates: Vec::new(), values: MOST_VALUES, text: MOST_TEXT };
        let object = Value(&mut reader).deserialize(document);
        let object = object.map_err(|source| DocumentError { number, source: source.into() })?;
        Ok((number, Decoded { object, duplicates: reader.duplicates }))
    });
    // Collecting ends with the first error: a parser that has lost its way does not find the next document.
    let mut documents = read.collect::<Result<Vec<_>, _>>()?;
    documents.retain(|(_, decoded)| !decoded.object.is_null());
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_have_numbers_and_their_own_duplicates() {
        let found = documents(b"# licence\n---\na: 1\na: 2\n---\n---\n- x\n...\n---\n# nothing\n").unwrap();
        let expected = [(1, json!({"a": 2}), vec!["a".to_owned()]), (3, json!(["x"]), Vec::new())];
        assert_eq!(found, expected.map(|(number, object, duplicates)| (number, Decoded { object, duplicates })));
        for (file, expected) in [("--- {b: 1}\n", json!({"b": 1})), ("{\"b\": \"\\ud83d\\ude00\"}", json!({"b": "\u{1f600}"}))] {
            assert_eq!(documents(file.as_bytes()).unwrap()[0].1.object, expected);
        }
        assert!(["", "\n", "# only this\n", "---\n"].iter().all(|file| documents(file.as_bytes()).unwrap().is_empty()));
    }

    #[test]
    fn the_document_that_cannot_be_read_is_named() {
        let table = [
            ("a: 1\n---\nb: [\n---\nc: 1\n".to_owned(), 2),
            ("a: 1\n---\nb: 1\n---\n\tc\n".to_owned(), 3),
            ("a: 1\n---\nb: .nan\n".to_owned(), 2),
            ("[".repeat(1000), 1),
        ];
        for (file, number) in table {
            assert_eq!(documents(file.as_bytes()).unwrap_err().number, number, "{file}");
        }
    }
}
