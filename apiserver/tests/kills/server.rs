//! The server that is killed: this very program, started again.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use plimsoll_apiserver::run::{self, Options};

use super::clients::Http;

/// Tells the process to be the server, and where its files are.
const DIRECTORY: &str = "PLIMSOLL_KILLS_DIRECTORY";
/// Begins the line that says that the server answers.
const READY: &str = "ready ";

pub(super) const TOKEN: &str = "admin-token";

/// A process that is or becomes a server; killed with the test.
pub(super) struct Server(Child);

impl Server {
    pub(super) fn spawn(directory: &Path) -> Self {
        fs::write(directory.join("tokens.csv"), format!("{TOKEN},admin,1,system:masters\n")).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kills::server::serve", "--ignored", "--nocapture"]).env(DIRECTORY, directory);
        Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Waits until it answers.
    pub(super) async fn ready(&mut self, directory: &Path) -> Http {
        let out = self.0.stdout.take().unwrap();
        let url = tokio::task::spawn_blocking(move || ready_line(out)).await.unwrap();
        Http::new(&url.expect("the server ended before it was ready"), &fs::read(directory.join("ca.crt")).unwrap())
    }

    /// SIGKILL.
    pub(super) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.0.kill().and_then(|()| self.0.wait());
        assert!(ended.is_ok() || std::thread::panicking(), "{ended:?}");
    }
}

fn ready_line(out: ChildStdout) -> Option<String> {
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix(READY).map(str::to_owned)).next()
}

/// The server's process; ends when whoever started it is gone.
#[test]
#[ignore = "the process that the other test starts"]
fn serve() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    actix_web::rt::System::new().block_on(answer(Path::new(&directory)));
}

async fn answer(directory: &Path) {
    let token_file = Some(directory.join("tokens.csv"));
    let data_dir = Some(directory.join("data"));
    let running = run::start(Options { data_dir, token_file, ..Options::default() }).await.unwrap();
    fs::write(directory.join("ca.crt"), running.ca()).unwrap();
    std::io::stdout().write_all(format!("\n{READY}{}\n", running.url()).as_bytes()).unwrap();
    let gone = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
    gone.await.unwrap().unwrap();
    running.stop().await;
}
