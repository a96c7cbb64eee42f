//! Static bearer tokens from a file of lines `token,user,uid,"group1,group2"`. Source of the format: `apiserver`
//! `pkg/authentication/token/tokenfile`; stricter, in that an empty or repeated token is refused and not skipped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::User;

/// More is not a list of tokens.
const MAX_BYTES: u64 = 1 << 20;

/// The known tokens, as digests: the secrets themselves are not kept, hence neither printed nor logged.
#[derive(Clone, Debug, Default)]
pub struct StaticTokens {
    known: Vec<([u8; 32], User)>,
}

/// A file of tokens that cannot be used. Never holds a token.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// The file is not there, or not readable.
    #[error("cannot read the token file {}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no list of tokens.
    #[error("token file {}: it is larger than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
    },
    /// A line is wrong.
    #[error("token file {}, line {line}: {problem}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        problem: LineError,
    },
}

/// What is wrong with a line of a token file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Fewer than three columns.
    #[error("must have at least 3 columns (token, user name, user uid), found {0}")]
    Columns(usize),
    /// A quoted column without its end.
    #[error("a quoted column does not end on this line, or is followed by something else than a comma")]
    Quote,
    /// No token.
    #[error("the token is empty")]
    EmptyToken,
    /// Nobody.
    #[error("the user name is empty")]
    EmptyUser,
    /// The token stands on another line too.
    #[error("the token is the same as on line {0}")]
    Repeated(usize),
}

impl StaticTokens {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, TokenFileError> {
        let read = |source| TokenFileError::Read { path: path.into(), source };
        if fs::metadata(path).map_err(read)?.len() > MAX_BYTES {
            return Err(TokenFileError::TooLarge { path: path.into() });
        }
        let text = fs::read_to_string(path).map_err(read)?;
        Self::parse(&text).map_err(|(line, problem)| TokenFileError::Line { path: path.into(), line, problem })
    }

    /// Reads the text of a file; an error comes with its line.
    pub fn parse(text: &str) -> Result<Self, (usize, LineError)> {
        let mut tokens = Self::default();
        let mut lines: Vec<usize> = Vec::new();
        let numbered = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        for (line, number) in numbered {
            let (digest, user) = entry(line).map_err(|problem| (number, problem))?;
            let same = tokens.known.iter().zip(&lines).find(|((known, _), _)| *known == digest);
            if let Some((_, first)) = same {
                return Err((number, LineError::Repeated(*first)));
            }
            tokens.known.push((digest, user));
            lines.push(number);
        }
        Ok(tokens)
    }

    /// Adds one token.
    pub fn insert(&mut self, token: &str, user: User) {
        self.known.push((digest(token), user));
    }

    /// Whose token it is. Takes the same time whichever token it is, and for none.
    pub fn find(&self, token: &str) -> Option<&User> {
        let asked = digest(token);
        let mut found = None;
        for (known, user) in &self.known {
            if bool::from(known.ct_eq(&asked)) {
                found = Some(user);
            }
        }
        found
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn entry(line: &str) -> Result<([u8; 32], User), LineError> {
    let columns = columns(line)?;
    let [token, name, uid, rest @ ..] = columns.as_slice() else {
        return Err(LineError::Columns(columns.len()));
    };
    if token.is_empty() {
        return Err(LineError::EmptyToken);
    }
    if name.is_empty() {
        return Err(LineError::EmptyUser);
    }
    let groups = rest.first().map(String::as_str).unwrap_or_default();
    let groups = groups.split(',').map(|group| group.trim().to_owned()).collect();
    Ok((digest(token), User::authenticated(name.as_str(), uid.as_str(), groups)))
}

/// Columns of a line of comma-separated values: plain, or in quotes with `""` for a quote.
fn columns(line: &str) -> Result<Vec<String>, LineError> {
    let mut columns = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (column, after) = match text.trim_start().strip_prefix('"') {
            Some(quoted) => quoted_column(quoted)?,
            None => match text.split_once(',') {
                Some((column, after)) => (column.trim().to_owned(), Some(after)),
                None => (text.trim().to_owned(), None),
            },
        };
        columns.push(column);
        rest = after;
    }
    Ok(columns)
}

/// A column after its opening quote, and what follows its comma.
fn quoted_column(mut text: &str) -> Result<(String, Option<&str>), LineError> {
    let mut column = String::new();
    loop {
        let (part, after) = text.split_once('"').ok_or(LineError::Quote)?;
        column.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                column.push('"');
                text = more;
            }
            None if after.trim().is_empty() => return Ok((column, None)),
            None => {
                let rest = after.trim_start().strip_prefix(',').ok_or(LineError::Quote)?;
                return Ok((column, Some(rest)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_users_with_their_groups() {
        let text = "s3cret,alice,1,\"dev,ops\"\n\nother,bob,2\n \"quo\"\"ted\" , carol , , team \n";
        let tokens = StaticTokens::parse(text).unwrap();
        let cases = [
            ("s3cret", "alice", "1", vec!["dev", "ops", "system:authenticated"]),
            ("other", "bob", "2", vec!["system:authenticated"]),
            ("quo\"ted", "carol", "", vec!["team", "system:authenticated"]),
        ];
        for (token, name, uid, groups) in cases {
            let user = tokens.find(token).unwrap();
            assert_eq!((user.name.as_str(), user.uid.as_str()), (name, uid));
            assert_eq!(user.groups, groups, "{token}");
        }
        assert_eq!(tokens.find("s3cre"), None);
        assert_eq!(tokens.find(""), None);
    }

    #[test]
    fn a_bad_line_is_named() {
        let cases = [
            ("a,b", 1, LineError::Columns(2)),
            ("a,b,c\nlonely", 2, LineError::Columns(1)),
            (",b,c", 1, LineError::EmptyToken),
            ("a,,c", 1, LineError::EmptyUser),
            ("a,b,c\n\na,d,e", 3, LineError::Repeated(1)),
            ("a,b,c,\"open", 1, LineError::Quote),
            ("a,b,c,\"x\"y", 1, LineError::Quote),
        ];
        for (text, line, problem) in cases {
            assert_eq!(StaticTokens::parse(text).unwrap_err(), (line, problem), "{text}");
        }
    }

    #[test]
    fn secrets_are_in_no_message() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.csv");
        fs::write(&path, "hunter2,alice").unwrap();
        let error = StaticTokens::load(&path).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("line 1: must have at least 3 columns") && !text.contains("hunter2"), "{text}");
        let tokens = StaticTokens::parse("hunter2,alice,1").unwrap();
        assert!(!format!("{tokens:?}").contains("hunter2"));
        let missing = StaticTokens::load(&folder.path().join("none")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read the token file"), "{missing}");
    }
}
