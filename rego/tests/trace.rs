//! Traces beside those of OPA 1.22: `trace/cases` holds modules, `trace/record.sh` asks the real OPA.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod trace {
    mod ask;
    mod bounds;
    mod case;
    mod failing;

    use std::fmt::Write;

    use plimsoll_rego::trace::{self, ExprStats};
    use plimsoll_rego::value::Value;

    /// What differs first.
    fn difference(ours: &str, theirs: &str) -> Option<String> {
        let mut lines = (ours.lines(), theirs.lines());
        for row in 1.. {
            match (lines.0.next(), lines.1.next()) {
                (None, None) => return None,
                (ours, theirs) if ours == theirs => {}
                (ours, theirs) => {
                    return Some(format!("row {row}\n  ours  {}\n  opa's {}", ours.unwrap_or("-"), theirs.unwrap_or("-")));
                }
            }
        }
        None
    }

    #[test]
    fn traces_are_opas_line_by_line() {
        let (mut report, mut count, mut wrong) = (String::new(), 0, 0);
        for case in case::all() {
            for (mode, theirs) in &case.recorded {
                count += 1;
                let ours = ask::trace(&case, mode);
                if let Some(difference) = difference(&ours, theirs) {
                    wrong += 1;
                    writeln!(report, "{} {mode}: {difference}", case.name).unwrap();
                }
            }
        }
        assert!(count > 60, "{count} traces");
        assert_eq!(wrong, 0, "{wrong} of {count} traces differ\n{report}");
    }

    /// Variables are in no order.
    fn sorted(event: &Value) -> Value {
        let members = event.as_object().unwrap().iter().map(|(key, value)| match key.as_str().unwrap().as_str() {
            "locals" => (key.clone(), Value::set(value.as_array().unwrap().iter().cloned())),
            _ => (key.clone(), value.clone()),
        });
        Value::object(members)
    }

    #[test]
    fn traces_for_programs_are_opas() {
        let mut count = 0;
        for case in case::all() {
            let Some(theirs) = &case.raw else { continue };
            count += 1;
            let ours = trace::raw(&ask::traced(&case, "full").0);
            for (ours, theirs) in ours.as_array().unwrap().iter().zip(theirs.as_array().unwrap()) {
                assert_eq!(sorted(ours), sorted(theirs), "{}", case.name);
            }
            assert_eq!(ours.as_array().map(<[_]>::len), theirs.as_array().map(<[_]>::len), "{}", case.name);
        }
        assert!(count > 3, "{count} traces");
    }

    #[test]
    fn profiles_count_as_opas() {
        let mut count = 0;
        for case in case::all() {
            let Some(theirs) = &case.profile else { continue };
            count += 1;
            let counted = |stats: &ExprStats| {
                let place = [
                    ("file", Value::from(stats.place.file.as_str())),
                    ("row", number(stats.place.row)),
                    ("col", number(stats.place.col)),
                ];
                let members = [
                    ("num_eval", Value::from(stats.num_eval)),
                    ("num_redo", Value::from(stats.num_redo)),
                    ("num_gen_expr", Value::from(stats.num_gen_expr)),
                    ("location", object(place)),
                ];
                object(members)
            };
            let ours = Value::array(ask::profiled(&case).iter().map(counted));
            assert_eq!(ours, *theirs, "{}", case.name);
        }
        assert!(count > 5, "{count} profiles");
    }

    fn number(number: u32) -> Value {
        Value::from(i64::from(number))
    }

    fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::object(members.map(|(key, value)| (Value::from(key), value)))
    }

    #[test]
    fn answers_are_those_of_an_evaluation_without_a_trace() {
        for case in case::all() {
            assert_eq!(ask::traced(&case, "full").1, ask::untraced(&case), "{}", case.name);
        }
    }
}
