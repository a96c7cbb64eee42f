//! PEM blocks as Go's `encoding/pem` finds them: what is no block is passed over.

use super::encoding;

/// One block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) label: String,
    pub(super) bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The first block, and what follows it.
pub(super) fn decode(text: &str) -> Option<(Block, &str)> {
    let mut rest = text;
    loop {
        rest = match rest.strip_prefix(BEGIN) {
            Some(after) => after,
            None => after_line_start(rest, BEGIN)?,
        };
        let (line, body) = first_line(rest);
        rest = body;
        if let Some(label) = line.strip_suffix(DASHES)
            && let Some((bytes, after)) = contents(headers(body)?, label)
        {
            return Some((Block { label: label.to_owned(), bytes }, after));
        }
    }
}

/// All blocks.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut rest) = (Vec::new(), text);
    while let Some((block, after)) = decode(rest) {
        blocks.push(block);
        rest = after;
    }
    blocks
}

fn after_line_start<'t>(text: &'t str, marker: &str) -> Option<&'t str> {
    let at = text.find(&format!("\n{marker}"))?;
    text.get(at + 1 + marker.len()..)
}

/// A line without the space at its end, and what follows.
fn first_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']), rest)
}

/// Passes over header lines; whether there were any matters for an empty body.
fn headers(body: &str) -> Option<(&str, bool)> {
    let (mut rest, mut any) = (body, false);
    loop {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = first_line(rest);
        if !line.contains(':') {
            return Some((rest, any));
        }
        (rest, any) = (after, true);
    }
}

/// The bytes up to the end line of the same label, and what follows that line.
fn contents<'t>((body, headers): (&'t str, bool), label: &str) -> Option<(Vec<u8>, &'t str)> {
    let (data, trailer) = match body.strip_prefix(END) {
        Some(trailer) if !headers => ("", trailer),
        _ => body.split_once(&format!("\n{END}"))?,
    };
    let (end, after) = first_line(trailer);
    if end.strip_suffix(DASHES)? != label {
        return None;
    }
    let data: Vec<u8> = data.bytes().filter(|byte| !matches!(byte, b' ' | b'\t')).collect();
    Some((encoding::base64(&data).ok()?, after))
}
