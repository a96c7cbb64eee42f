//! `docs/serve.md` and `plimsoll serve --help` have the same options.

use std::collections::BTreeSet;

use super::support::plimsoll;

/// Every `--option` of a text.
fn options<'t>(parts: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let option = |part: &str| {
        let name: String = part.trim_start_matches("--").chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        format!("--{name}")
    };
    parts.filter(|part| part.starts_with("--")).map(option).collect()
}

#[test]
fn the_page_has_every_option_and_no_other() {
    let help = plimsoll(&["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines = help.lines().map(str::trim).filter(|line| line.starts_with('-'));
    let shown = options(lines.flat_map(|line| line.split_whitespace().take(2)));
    let page = include_str!("../../docs/serve.md");
    let cells = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let documented = options(cells.flat_map(|cell| cell.split('`')));
    let own = ["--help", "--version"].map(str::to_owned);
    assert_eq!(shown.difference(&own.into()).cloned().collect::<BTreeSet<_>>(), documented);
    assert!(documented.len() > 25, "{documented:?}");
}

#[test]
fn every_option_is_an_environment_variable() {
    let help = plimsoll(&["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let page = include_str!("../../docs/serve.md");
    let cells = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    for option in options(cells.flat_map(|cell| cell.split('`'))) {
        let variable = format!("PLIMSOLL_{}", option.trim_start_matches("--").replace('-', "_").to_uppercase());
        assert!(help.contains(&format!("[env: {variable}=")), "{option}: {variable}");
    }
}
