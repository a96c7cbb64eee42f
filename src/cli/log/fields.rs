//! Writes the fields of events and spans as text. Every value passes here and is escaped, because requests and files may have brought it.

use std::error::Error;
use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

use crate::printable::Escaping;

/// The form of fields: the message, then `name=value` for each other field, with control characters escaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escaped;

impl<'w> FormatFields<'w> for Escaped {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut visitor = Visitor { writer, first: true, result: Ok(()) };
        fields.record(&mut visitor);
        visitor.result
    }
}

struct Visitor<'w> {
    writer: Writer<'w>,
    first: bool,
    result: fmt::Result,
}

impl Visitor<'_> {
    fn field(&mut self, name: &str, value: fmt::Arguments<'_>) -> fmt::Result {
        if !std::mem::take(&mut self.first) {
            self.writer.write_char(' ')?;
        }
        if name != "message" {
            let name = name.strip_prefix("r#").unwrap_or(name);
            // As the library does: names in italics, and the sign dimmed.
            let (name_on, sign_on, off) =
                if self.writer.has_ansi_escapes() { ("\u{1b}[3m", "\u{1b}[2m", "\u{1b}[0m") } else { ("", "", "") };
            write!(self.writer, "{name_on}{name}{off}{sign_on}={off}")?;
        }
        Escaping(&mut self.writer).write_fmt(value)
    }

    fn visit(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        // `log.…` is what the line begins with already.
        if self.result.is_ok() && !field.name().starts_with("log.") {
            self.result = self.field(field.name(), value);
        }
    }
}

impl Visit for Visitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.visit(field, format_args!("{value}"));
        } else {
            self.visit(field, format_args!("{value:?}"));
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let mut text = value.to_string();
        let mut cause = value.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        self.visit(field, format_args!("{text}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.visit(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing::{info, info_span, subscriber};

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const EVIL: &str = "x\n2026-01-01T00:00:00Z  INFO forged\r\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2066}\u{2028}";

    #[derive(Debug)]
    struct Nested;

    impl fmt::Display for Nested {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(EVIL)
        }
    }

    impl Error for Nested {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            None
        }
    }

    /// A value whose `Debug` writes control characters as they are.
    struct Loud;

    impl Debug for Loud {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(EVIL)
        }
    }

    fn told(ansi: bool) -> String {
        let written = Written::default();
        let writer = written.clone();
        let builder = tracing_subscriber::fmt().fmt_fields(Escaped).with_ansi(ansi).with_writer(move || writer.clone());
        subscriber::with_default(builder.finish(), || {
            let span = info_span!("request", path = EVIL, shown = %EVIL, debugged = ?Loud, later = tracing::field::Empty);
            span.record("later", tracing::field::display(EVIL));
            let _inside = span.enter();
            info!("{EVIL}");
            info!(text = EVIL, shown = %EVIL, debugged = ?Loud, error = %Nested, "said {EVIL}");
            info!(error = &Nested as &(dyn Error + 'static), r#type = "t", "an error");
        });
        String::from_utf8(written.0.lock().clone()).unwrap()
    }

    #[test]
    fn one_event_is_one_line_and_nothing_in_it_is_hidden() {
        let told = told(false);
        assert_eq!((told.lines().count(), told.matches("forged").count()), (3, 3 * 4 + 1 + 5 + 1), "{told}");
        let mut escaped = String::new();
        told.lines().for_each(|line| Escaping(&mut escaped).write_str(line).unwrap());
        assert_eq!(escaped, told.replace('\n', ""), "nothing is left to escape");
        assert!(told.contains("request{path=\"x\\n") && told.contains("type=\"t\"") && told.contains(" later=x"), "{told}");
    }

    #[test]
    fn colours_are_our_own() {
        let told = told(true);
        let rest = ["0", "1", "2", "3", "32"].iter().fold(told, |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
        assert!(!rest.contains('\u{1b}') && rest.lines().count() == 3, "{rest}");
    }
}
