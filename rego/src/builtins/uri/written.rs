//! A URL as Go writes it out (`URL.String`).

use std::fmt;

use super::Url;
use super::escape::{Part, escape, may_stand};

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        f.write_str(&self.opaque)?;
        if self.opaque.is_empty() {
            self.host_and_path(f)?;
        }
        if self.force_query || !self.raw_query.is_empty() {
            write!(f, "?{}", self.raw_query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", encoded(&self.raw_fragment, &self.fragment, Part::Fragment))?;
        }
        Ok(())
    }
}

impl Url {
    fn host_and_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = !self.host.is_empty() || self.user.is_some();
        if authority || !self.scheme.is_empty() && !self.omit_host && !self.path.is_empty() {
            f.write_str("//")?;
        }
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        f.write_str(&escape(&self.host, Part::Host))?;
        if self.path == "*" { f.write_str("*") } else { f.write_str(&encoded(&self.raw_path, &self.path, Part::Path)) }
    }
}

/// A part as it was written, if it may stand so.
fn encoded(raw: &str, plain: &str, part: Part) -> String {
    if !raw.is_empty() && may_stand(raw, part) { raw.to_owned() } else { escape(plain, part) }
}
