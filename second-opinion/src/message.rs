//! What regorus says, in one line.

/// Of a message with a place, the line of the text and what is wrong: the place and what is wrong.
pub(super) fn short(message: &str) -> String {
    let find = |mark: &str| message.lines().find_map(|line| line.trim().strip_prefix(mark));
    match (find("--> "), find("error: ")) {
        (Some(place), Some(what)) => format!("{place}: {what}"),
        _ => message.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn the_line_of_the_text_is_left_out() {
        let message = "\n--> a.rego:3:5\n  |\n3 | x := y\n  |     ^\nerror: use of undefined variable `y` is unsafe";
        assert_eq!(short(message), "a.rego:3:5: use of undefined variable `y` is unsafe");
        assert_eq!(short("time limit\n exceeded"), "time limit exceeded");
    }
}
