//! A bearer token in a file that somebody else replaces now and then.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plimsoll_contract::token;

use super::EngineError;

/// A replaced token is used after this time at the latest.
const KEEP: Duration = Duration::from_secs(5);

/// The file, and what was read from it a moment ago.
#[derive(Debug)]
pub(super) struct Token {
    file: PathBuf,
    read: Mutex<Option<(Instant, String)>>,
}

impl Token {
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.into(), read: Mutex::new(None) }
    }

    /// The token of the first line that has one: in the engine's own file, which may be this one, others are valid beside it.
    pub(super) async fn read(&self) -> Result<String, EngineError> {
        if let Some((when, token)) = self.read.lock().as_ref()
            && when.elapsed() < KEEP
        {
            return Ok(token.clone());
        }
        let failed = |source| EngineError::Token { file: self.file.clone(), source };
        let text = tokio::fs::read_to_string(&self.file).await.map_err(failed)?;
        let token = token::first(&text).ok_or_else(|| EngineError::NoToken(self.file.clone()))?.to_owned();
        *self.read.lock() = Some((Instant::now(), token.clone()));
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_is_read_without_its_line_end_and_a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "secret\n").unwrap();
        let token = Token::new(&file);
        assert_eq!(token.read().await.unwrap(), "secret");
        std::fs::write(&file, "rotated\n").unwrap();
        *token.read.lock() = None;
        assert_eq!(token.read().await.unwrap(), "rotated");
        for (text, expected) in
            [("\n  new \nold\n", Some("new")), ("", None), ("\n \n", None), ("a\u{1}b", None), ("schlüssel", None)]
        {
            std::fs::write(&file, text).unwrap();
            match (Token::new(&file).read().await, expected) {
                (Ok(token), Some(expected)) => assert_eq!(token, expected),
                (Err(error), None) => assert!(error.to_string().contains(file.to_str().unwrap()), "{error}"),
                (other, _) => panic!("{text}: {other:?}"),
            }
        }
        let missing = Token::new(&folder.path().join("missing")).read().await.unwrap_err();
        assert!(missing.to_string().contains("missing"), "{missing}");
    }
}
