//! SIGKILL under load: a process of its own writes with many clients and says what was answered; it is killed at any moment,
//! and a new one must know all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use plimsoll_apiserver::storage::{Options, Snapshot, Store};
use tempfile::TempDir;

use super::support::*;

const CLIENTS: u64 = 16;
const DIRECTORY: &str = "PLIMSOLL_TEST_STORE";

/// What a client's object is: revision and value, if it is there.
type State = Option<(u64, u64)>;

#[derive(Default)]
struct Known {
    answered: State,
    /// The value that it tried to write last without an answer, none for a deletion.
    tried: Option<Option<u64>>,
}

#[derive(Default)]
struct Truth {
    clients: BTreeMap<u64, Known>,
    /// Revisions that were answered or seen.
    revisions: BTreeSet<u64>,
}

/// 50 kills; more by `KILLS=1000`, which is `just kills 1000`.
#[test]
fn no_kill_loses_an_answered_write_or_repeats_a_revision() {
    let kills: u64 = std::env::var("KILLS").map_or(50, |kills| kills.parse().unwrap());
    let directory = TempDir::new().unwrap();
    let mut truth = Truth::default();
    let mut dice = Dice::new(kills);
    for kill in 0..kills {
        // Half of the kills come while it opens the file, checks it, repairs it, or writes the first time.
        let answers = if dice.below(2) == 0 { dice.below(4) } else { dice.below(400) };
        truth.hear(start(directory.path()), answers);
        let store = Store::open(Options { path: Some(directory.path().to_owned()), ..Options::default() }).unwrap();
        truth.check(&store, kill);
        store.close();
    }
    assert!(truth.revisions.len() as u64 > kills * 20, "{} writes were answered", truth.revisions.len());
}

fn start(directory: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "storage::kills::load", "--ignored", "--nocapture"]).env(DIRECTORY, directory);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

impl Truth {
    /// Hears so many answers, kills, and hears those that were on their way.
    fn hear(&mut self, mut child: Child, answers: u64) {
        let mut heard = 0;
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        loop {
            if heard == answers {
                child.kill().unwrap();
            }
            let Some(line) = lines.next() else { break };
            heard += u64::from(self.hear_line(&line.unwrap()));
        }
        child.wait().unwrap();
    }

    /// True for an answer. The test runner prints lines of its own, and the last one may be cut.
    fn hear_line(&mut self, line: &str) -> bool {
        let Some(words) = line.strip_suffix('.') else { return false };
        let words: Vec<&str> = words.split(' ').collect();
        let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
        let Some(client) = number(1) else { return false };
        let known = self.clients.entry(client).or_default();
        match (words[0], number(2)) {
            ("tries", value) => known.tried = Some(value),
            ("answered", Some(revision)) => {
                assert!(self.revisions.insert(revision), "revision {revision} was given twice");
                known.answered = known.tried.take().unwrap().map(|value| (revision, value));
                return true;
            }
            _ => {}
        }
        false
    }

    fn check(&mut self, store: &Store, kill: u64) {
        let snapshot = store.snapshot();
        let last = self.revisions.last().copied().unwrap_or(0);
        assert!(snapshot.revision() >= last, "kill {kill}: revision {} after {last}", snapshot.revision());
        for (client, known) in &mut self.clients {
            let state = state(&snapshot, *client);
            let same = state == known.answered;
            let tried = known.tried.is_some_and(|tried| tried == state.map(|(_, value)| value));
            assert!(
                same || tried,
                "kill {kill}: client {client} has {state:?}, after {:?} and {:?}",
                known.answered,
                known.tried
            );
            *known = Known { answered: state, tried: None };
            self.revisions.extend(state.map(|(revision, _)| revision));
        }
    }
}

fn state(snapshot: &Snapshot, client: u64) -> State {
    snapshot.get(&pod("a", &format!("client{client}"))).map(|record| (record.revision, value_of(record).as_u64().unwrap()))
}

// --- the process that is killed ---

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "started by the test above, in a process of its own"]
async fn load() {
    let Ok(path) = std::env::var(DIRECTORY) else { return };
    let store = Store::open(Options { path: Some(path.into()), ..Options::default() }).unwrap();
    let clients = (0..CLIENTS).map(|client| tokio::spawn(write_for_ever(store.clone(), client)));
    futures::future::join_all(clients.collect::<Vec<_>>()).await;
}

async fn write_for_ever(store: Store, client: u64) {
    let key = pod("a", &format!("client{client}"));
    loop {
        let snapshot = store.snapshot();
        // Grows from write to write of one client, hence is new each time.
        let value = snapshot.revision();
        let record = match state(&snapshot, client) {
            None => {
                say(&format!("tries {client} {value}"));
                create(&store, &key, value).await
            }
            Some((at, _)) if value.is_multiple_of(5) => {
                say(&format!("tries {client} nothing"));
                delete(&store, &key, at).await
            }
            Some((at, _)) => {
                say(&format!("tries {client} {value}"));
                update(&store, &key, at, value).await
            }
        };
        say(&format!("answered {client} {}", record.unwrap().revision));
    }
}

fn say(words: &str) {
    std::io::stdout().lock().write_all(format!("{words}.\n").as_bytes()).unwrap();
}
