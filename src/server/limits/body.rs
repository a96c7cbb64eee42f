//! Reading a body: within its sizes, at a pace, and charged to the budget as it comes.

use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::dev::Decompress;
use actix_web::error::PayloadError;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Payload};
use flate2::write::MultiGzDecoder;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::{BodyError, Limit, PACE, SILENCE, START};
use crate::budget::Charge;

/// What is read of a body that is refused, so that its sender is still listening when the answer comes.
const DRAINED: usize = 1 << 20;
/// For how long.
const DRAINING: Duration = Duration::from_secs(1);
/// Packed bytes between two looks at what they unpack to: at most a thousand times as many.
const PART: usize = 4 << 10;

/// A whole body, and what it takes of the budget until it is dropped.
#[derive(Debug)]
pub struct Body {
    /// Decompressed.
    pub text: Bytes,
    /// For what is kept of it.
    pub charge: Charge,
}

/// A body that was not read.
#[derive(Debug)]
pub struct Unread {
    /// Why.
    pub error: BodyError,
    /// What had come of it, decompressed.
    pub start: Bytes,
}

/// Reads a whole body, decompressed if it says gzip, within its limits.
pub async fn body(payload: Payload, headers: &HeaderMap, limit: impl Into<Limit>, charge: Charge) -> Result<Body, BodyError> {
    read(payload, headers, limit, charge).await.map_err(|unread| unread.error)
}

/// [`body`], where what had come of one that cannot be read is of use.
pub async fn read(payload: Payload, headers: &HeaderMap, limit: impl Into<Limit>, charge: Charge) -> Result<Body, Unread> {
    let limit = limit.into();
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let mut sent = Sent::new(payload, limit);
    let mut held = Held { bytes: BytesMut::new(), charge };
    let read = match announced.filter(|announced| *announced > limit.sent) {
        Some(size) => {
            // Its start may say who asks.
            let start = sent.next().await;
            start.and_then(Result::ok).into_iter().for_each(|start| held.bytes.extend_from_slice(&start));
            Err(BodyError::TooLarge { size: Some(size), limit: limit.sent })
        }
        None => unpacked(&mut sent, headers, limit, &mut held).await,
    };
    let read = sent.late.take().map_or(read, Err);
    let Held { bytes, charge } = held;
    match read {
        Ok(()) => Ok(Body { text: bytes.freeze(), charge }),
        Err(error) => {
            drop(charge);
            sent.drain().await;
            Err(Unread { error, start: bytes.freeze() })
        }
    }
}

/// The part of a body that has been read.
struct Held {
    bytes: BytesMut,
    charge: Charge,
}

impl Held {
    /// Takes in more: charged before memory is taken, and before any limit of size is looked at.
    fn add(&mut self, more: &[u8], most: usize) -> Result<(), BodyError> {
        if self.bytes.len().saturating_add(more.len()) > most {
            return Err(BodyError::UnpackedTooLarge(most));
        }
        self.charge.grow(more.len() as u64)?;
        self.bytes.extend_from_slice(more);
        Ok(())
    }
}

async fn unpacked(sent: &mut Sent, headers: &HeaderMap, limit: Limit, held: &mut Held) -> Result<(), BodyError> {
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let coding = coding.trim();
    // RFC 9110, 8.4.1.3: the other name is the same coding.
    if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
        return gunzipped(sent, limit, held).await;
    }
    let most = if headers.contains_key(header::CONTENT_ENCODING) { limit.unpacked } else { limit.sent };
    let mut stream = Decompress::from_headers(sent, headers);
    while let Some(chunk) = stream.next().await {
        held.add(&chunk.map_err(|error| broken(error, limit))?, most)?;
    }
    Ok(())
}

/// All members of a gzip body: the HTTP library reads the first one alone.
async fn gunzipped(sent: &mut Sent, limit: Limit, held: &mut Held) -> Result<(), BodyError> {
    let unreadable = |error: std::io::Error| BodyError::Broken(error.to_string());
    let mut unpacker = MultiGzDecoder::new(Vec::new());
    let mut take = |unpacked: &mut Vec<u8>| {
        let taken = held.add(unpacked, limit.unpacked);
        unpacked.clear();
        taken
    };
    while let Some(chunk) = sent.next().await {
        let chunk = chunk.map_err(|error| broken(error, limit))?;
        // Little at a time: what it unpacks to is known only afterwards.
        for part in chunk.chunks(PART) {
            unpacker.write_all(part).map_err(unreadable)?;
            take(unpacker.get_mut())?;
        }
    }
    let mut rest = unpacker.finish().map_err(unreadable)?;
    take(&mut rest)
}

fn broken(error: PayloadError, limit: Limit) -> BodyError {
    match error {
        PayloadError::Overflow => BodyError::TooLarge { size: None, limit: limit.sent },
        error => BodyError::Broken(error.to_string()),
    }
}

/// A body as it is sent, up to its limit, as long as it comes at the least pace.
struct Sent {
    payload: Payload,
    left: usize,
    received: u64,
    began: Instant,
    latest: Instant,
    timer: Pin<Box<Sleep>>,
    /// Why it was ended.
    late: Option<BodyError>,
}

impl Stream for Sent {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready(next) = self.payload.poll_next_unpin(context) else { return self.wait(context) };
        let Some(Ok(chunk)) = next else { return Poll::Ready(next) };
        Poll::Ready(Some(match self.left.checked_sub(chunk.len()) {
            Some(left) => {
                self.left = left;
                self.received = self.received.saturating_add(chunk.len() as u64);
                self.latest = Instant::now();
                Ok(chunk)
            }
            None => Err(PayloadError::Overflow),
        }))
    }
}

impl Sent {
    fn new(payload: Payload, limit: Limit) -> Self {
        let (began, timer) = (Instant::now(), Box::pin(sleep_until(Instant::now())));
        Self { payload, left: limit.sent, received: 0, began, latest: began, timer, late: None }
    }

    /// For the next piece, as long as its sender has: what came already is worth the time that it takes at the least pace.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let earned = Duration::from_secs(self.received / u64::from(PACE));
        let (silence, pace) = (self.latest + SILENCE, self.began + START + earned);
        if self.timer.deadline() != silence.min(pace) {
            self.timer.as_mut().reset(silence.min(pace));
        }
        ready!(self.timer.as_mut().poll(context));
        self.late = Some(if pace < silence { BodyError::Slow } else { BodyError::Stopped });
        Poll::Ready(Some(Err(PayloadError::Incomplete(None))))
    }

    /// Reads on for a while: whoever still writes when the connection closes may never see the answer.
    async fn drain(&mut self) {
        let drain = async {
            let mut drained = 0_usize;
            while let Some(Ok(chunk)) = self.payload.next().await {
                drained = drained.saturating_add(chunk.len());
                if drained > DRAINED {
                    return;
                }
            }
        };
        // What comes later is the sender's loss.
        let _ = timeout(DRAINING, drain).await;
    }
}

#[cfg(test)]
mod tests {
    use actix_web::FromRequest;

    use super::*;
    use crate::budget::{BudgetError, Share};

    async fn sent(stream: impl Stream<Item = Result<Bytes, PayloadError>> + 'static, share: &Share) -> Result<Body, Unread> {
        let request = actix_web::test::TestRequest::default().to_http_request();
        let stream: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(stream);
        let mut payload = actix_web::dev::Payload::Stream { payload: stream };
        let payload = Payload::from_request(&request, &mut payload).await.unwrap();
        read(payload, &HeaderMap::new(), 1 << 20, share.open()).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_is_ended_and_one_at_the_pace_is_read() {
        let each = |bytes: usize, seconds: u64| {
            futures::stream::unfold(0, move |number| async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                (number < 20).then(|| (Ok(Bytes::from(vec![b' '; bytes])), number + 1))
            })
        };
        let share = Share::new(1 << 20);
        let slow = sent(each(1 << 10, 1), &share).await.unwrap_err();
        assert!(slow.error == BodyError::Slow && slow.start.len() <= 6 << 10, "{slow:?}");
        let stalled = sent(futures::stream::pending(), &share).await.unwrap_err();
        assert_eq!(stalled.error, BodyError::Slow);
        let steady = sent(each(17 << 10, 1), &share).await.unwrap();
        assert_eq!(steady.charge.bytes(), (20 * 17) << 10);
        let much_then_nothing = futures::stream::iter([Ok(Bytes::from(vec![b' '; 700 << 10]))]).chain(futures::stream::pending());
        drop(steady);
        assert_eq!(sent(much_then_nothing, &share).await.unwrap_err().error, BodyError::Stopped);
    }

    #[tokio::test]
    async fn bytes_are_charged_as_they_come_and_given_back() {
        let share = Share::new(1 << 20);
        let pieces = |count: usize| futures::stream::iter((0..count).map(|_| Ok(Bytes::from(vec![b' '; 64 << 10]))));
        let first = sent(pieces(10), &share).await.unwrap();
        let refused = sent(pieces(10), &share).await.unwrap_err();
        assert_eq!((refused.error, refused.start.len()), (BodyError::Budget(BudgetError::Full), 384 << 10));
        drop(first);
        assert!(sent(pieces(10), &share).await.is_ok());
        let refused = sent(pieces(9), &Share::new(512 << 10)).await.unwrap_err();
        assert!(matches!(refused.error, BodyError::Budget(BudgetError::TooLarge { .. })));
    }
}
