//! A `replace` under way: pages go out as they are listed. Only a finished list ends the body in good order.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, stream};
use plimsoll_contract::source::Synced;
use reqwest::Body;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::batch::Header;
use crate::engine::{Engine, EngineError};

/// Pages on their way to the engine.
pub(super) struct Load {
    parts: Option<mpsc::Sender<Part>>,
    answer: JoinHandle<Result<Synced, EngineError>>,
}

enum Part {
    Lines(Bytes),
    Complete,
}

impl Load {
    /// Opens the request and sends the header.
    pub(super) fn open(engine: Arc<Engine>, source: String, header: Header) -> Self {
        // Few pages under way: the engine's pace is the API server's.
        let (parts, reader) = mpsc::channel(4);
        let answer = tokio::spawn(async move { engine.replace(&source, Body::wrap_stream(body(header, reader))).await });
        Self { parts: Some(parts), answer }
    }

    /// Sends lines. False: the engine has answered already, and [`Self::finish`] says what.
    pub(super) async fn lines(&self, lines: Bytes) -> bool {
        match &self.parts {
            Some(parts) => parts.send(Part::Lines(lines)).await.is_ok(),
            None => false,
        }
    }

    /// Ends the body in good order; the engine's answer.
    pub(super) async fn finish(mut self) -> Result<Synced, EngineError> {
        if let Some(parts) = self.parts.take() {
            // A closed channel means that the answer is there already.
            let _ = parts.send(Part::Complete).await;
        }
        match (&mut self.answer).await {
            Ok(answer) => answer,
            Err(error) => Err(EngineError::SessionEnded(format!("the request was abandoned: {error}"))),
        }
    }
}

impl Drop for Load {
    /// Half a list must never look like a whole one: the connection breaks.
    fn drop(&mut self) {
        self.answer.abort();
    }
}

fn body(header: Header, parts: mpsc::Receiver<Part>) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    enum State {
        Header(Header, mpsc::Receiver<Part>),
        Parts(mpsc::Receiver<Part>),
        Over,
    }
    let next = |state| async move {
        let mut parts = match state {
            State::Header(header, parts) => return Some((Ok(header.line()), State::Parts(parts))),
            State::Parts(parts) => parts,
            State::Over => return None,
        };
        match parts.recv().await {
            Some(Part::Lines(lines)) => Some((Ok(lines), State::Parts(parts))),
            Some(Part::Complete) => None,
            None => Some((Err(io::Error::other("the list was not finished")), State::Over)),
        }
    };
    stream::unfold(State::Header(header, parts), next)
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use plimsoll_contract::kind::Gvr;

    use super::*;

    async fn sent(parts: Vec<Part>) -> Result<String, String> {
        let (sender, reader) = mpsc::channel(8);
        for part in parts {
            sender.send(part).await.ok();
        }
        drop(sender);
        let header = Header::delta("s", &Gvr::try_from("v1/pods".to_owned()).unwrap(), None);
        let chunks: Result<Vec<Bytes>, _> = body(header, reader).try_collect().await;
        chunks.map(|chunks| String::from_utf8(chunks.concat()).unwrap()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn half_a_list_breaks_the_body_and_a_whole_one_ends_it() {
        let lines = || Part::Lines("a\n".into());
        let whole = sent(vec![lines(), lines(), Part::Complete]).await.unwrap();
        assert!(whole.starts_with('{') && whole.ends_with("}\na\na\n"), "{whole}");
        assert!(sent(vec![lines(), lines()]).await.unwrap_err().contains("not finished"));
    }
}
