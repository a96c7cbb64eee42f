//! Nodes one behind another.

use super::super::ast::Comments;
use super::{Kind, Parsed, Parser};

impl<'a> Parser<'a, '_> {
    /// Any number of items between signs.
    pub(super) fn many<T>(&mut self, signs: (Kind, Kind), item: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.skip(signs.0)? {
            while !self.next_is(signs.1)? {
                let item = item(self)?;
                self.push(&mut items, item)?;
            }
            self.next()?;
        }
        Ok(items)
    }

    /// The same, of which there must be one, and the comments behind the last one. There may be none where there are no signs.
    pub(super) fn some<T>(&mut self, signs: (Kind, Kind), item: fn(&mut Self) -> Parsed<T>) -> Parsed<(Vec<T>, Comments<'a>)> {
        let mut items = Vec::new();
        if !self.skip(signs.0)? {
            return Ok((items, &[]));
        }
        while !self.next_is(signs.1)? {
            let item = item(self)?;
            self.push(&mut items, item)?;
        }
        let token = self.peek()?;
        if items.is_empty() {
            return self.error(token, format!("expected at least one definition, found {}", token.kind.shown()));
        }
        let comment = self.comment;
        self.next()?;
        Ok((items, comment))
    }

    /// Names with a sign between them, and perhaps one before the first.
    pub(super) fn separated(&mut self, sign: Kind, name: fn(&mut Self) -> Parsed<&'a str>) -> Parsed<&'a [&'a str]> {
        self.skip(sign)?;
        let mut names = vec![name(self)?];
        while self.skip(sign)? {
            let name = name(self)?;
            self.push(&mut names, name)?;
        }
        Ok(self.trees.keep(names))
    }
}
