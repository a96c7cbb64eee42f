//! Each target in a process of its own: what a panic, on whichever thread, or the end of a process says is said of the
//! target that it happened in, and the targets beside it go on.

use std::process::{Command, Output};

/// In the process of one target: its name.
const ALONE: &str = "FUZZ_ALONE";

/// Does the work of the test `fuzz::MODULE::name` in a process of its own, and fails as it does.
pub(super) fn alone(module: &str, name: &str, work: impl FnOnce()) {
    if is_alone(name) {
        return work();
    }
    let output = child(module, name);
    assert!(output.status.success(), "{name}: {}\n{}", output.status, said(&output));
}

fn is_alone(name: &str) -> bool {
    std::env::var(ALONE).is_ok_and(|alone| alone == name)
}

/// This same binary, asked for the one test only.
fn child(module: &str, name: &str) -> Output {
    let (_crate, module) = module.split_once("::").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{name}"), "--nocapture"]).env(ALONE, name);
    let output = command.output().unwrap();
    // A name that is none would run nothing, and succeed.
    assert!(said(&output).contains("running 1 test"), "{name}: {}", said(&output));
    output
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

mod tests {
    use std::thread;

    use super::super::findings::watched;
    use super::*;

    /// The threads of an engine catch their panics and go on.
    fn panics_elsewhere() {
        assert!(thread::spawn(|| panic!("on a thread of nobody")).join().is_err());
    }

    #[test]
    fn a_failure_stays_in_its_own_target() {
        let own = "a_failure_stays_in_its_own_target";
        if is_alone(own) {
            return watched(panics_elsewhere);
        }
        // While another target, here, has an input at hand.
        watched(|| {
            let output = child(module_path!(), own);
            assert!(!output.status.success(), "the panic went unseen");
            assert!(said(&output).contains("a panic was caught: "), "{}", said(&output));
        });
    }
}
