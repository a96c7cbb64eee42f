//! SIGKILL under load: the server is a process of its own that many clients write to; it is killed at any moment, and the next
//! one on the same directory must know all that was answered. 50 times in CI, more by `just kills 1000`.

#[cfg(test)]
mod kills {
    mod clients;
    mod server;

    use std::collections::BTreeSet;

    use clients::{Client, Http};
    use server::Server;

    const CLIENTS: usize = 12;

    /// What all clients know together.
    #[derive(Default)]
    struct Truth {
        clients: Vec<Client>,
        /// Revisions that were answered or seen.
        revisions: BTreeSet<u64>,
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_kill_loses_an_answered_write_or_repeats_a_revision() {
        let kills: u64 = std::env::var("KILLS").map_or(50, |kills| kills.parse().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let mut truth = Truth { clients: (0..CLIENTS).map(Client::new).collect(), ..Truth::default() };
        let mut dice = Dice(kills);
        for kill in 0..kills {
            if dice.below(5) == 0 {
                // While it starts: it opens the file, checks it, repairs it, writes its first objects.
                Server::spawn(directory.path()).kill();
            }
            let mut server = Server::spawn(directory.path());
            let http = server.ready(directory.path()).await;
            truth.check(&http, kill).await;
            let answers = if dice.below(3) == 0 { dice.below(4) } else { dice.below(150) };
            truth.load(server, http, answers).await;
        }
        assert!(truth.revisions.len() as u64 > kills * 10, "only {} writes were answered", truth.revisions.len());
    }

    impl Truth {
        /// All clients write until so many writes are answered and the server is killed.
        async fn load(&mut self, mut server: Server, http: Http, answers: u64) {
            let heard = tokio::sync::Semaphore::new(0);
            let killer = async {
                let wanted = u32::try_from(answers).unwrap();
                drop(heard.acquire_many(wanted).await.unwrap());
                server.kill();
            };
            let work = self.clients.iter_mut().map(|client| client.write_until_the_end(&http, &heard));
            let (revisions, ()) = futures::join!(futures::future::join_all(work), killer);
            for revision in revisions.into_iter().flatten() {
                assert!(self.revisions.insert(revision), "revision {revision} was given twice");
            }
        }

        async fn check(&mut self, http: &Http, kill: u64) {
            let (at, objects) = http.list().await;
            let last = self.revisions.last().copied().unwrap_or(0);
            assert!(at >= last, "kill {kill}: revision {at} after {last}");
            for client in &mut self.clients {
                let state = objects.get(&client.name).copied();
                client.check(state, kill);
                self.revisions.extend(state.map(|(revision, _)| revision));
            }
        }
    }

    /// Numbers that depend on the seed alone (splitmix64).
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (z ^ (z >> 31)) % limit
        }
    }
}
