//! Names that nobody has written.

/// What begins or ends new names: a word, with so many underscores behind it that it is in none of the texts. Each text is read once.
pub(super) fn unused<'t>(word: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let behind = |text: &str, at: usize| {
        let rest = text.get(at.saturating_add(word.len())..).unwrap_or_default();
        rest.bytes().take_while(|byte| *byte == b'_').count()
    };
    let runs = texts.filter_map(|text| text.match_indices(word).map(|(at, _)| behind(text, at)).max());
    let underscores = runs.max().map_or(0, |longest| longest.saturating_add(1));
    format!("{word}{}", "_".repeat(underscores))
}

#[cfg(test)]
mod tests {
    use super::unused;

    #[test]
    fn a_name_is_in_none_of_the_texts() {
        for (texts, expected) in [(["a", "b"], "word"), (["a word b", "b"], "word_"), (["word_ word", "a_word___x"], "word____")]
        {
            assert_eq!(unused("word", texts.into_iter()), expected);
        }
    }
}
