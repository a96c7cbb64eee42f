//! How many writes may be under way while the API server is in trouble: one at a time, after a wait; more with each that is answered.
//! The time is passed in. Pure.

use std::time::Duration;

/// A `Retry-After` beyond this is a mistake of somebody.
const LONGEST_WISH: Duration = Duration::from_secs(300);

/// Concurrency of all writes. Times are those of any clock that does not run backwards.
#[derive(Clone, Debug)]
pub struct Pace {
    most: usize,
    first: Duration,
    longest: Duration,
    width: usize,
    under_way: usize,
    /// Troubles in a row, less the successes since.
    troubles: u32,
    /// Counts troubles: writes that began before one say nothing more of it.
    wave: u64,
    not_before: Duration,
}

/// Names a write that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    wave: u64,
}

/// What the result of a write shows of the API server's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It answers, be it with a refusal.
    Fine,
    /// 429, 5xx or no answer in time.
    Trouble {
        /// What it asks for.
        retry_after: Option<Duration>,
    },
    /// Nothing: the write was broken off.
    Unknown,
}

/// Why no write may begin now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// One may after this time.
    For(Duration),
    /// One may when another ends.
    UntilOneEnds,
}

impl Pace {
    /// At most `most` at once; after a trouble nothing for `first`, doubling to `longest`.
    pub fn new(most: usize, first: Duration, longest: Duration) -> Self {
        let most = most.max(1);
        Self { most, first, longest, width: most, under_way: 0, troubles: 0, wave: 0, not_before: Duration::ZERO }
    }

    /// Begins a write; [`Self::end`] must follow.
    pub fn begin(&mut self, now: Duration) -> Result<Ticket, Full> {
        let wait = self.not_before.saturating_sub(now);
        if !wait.is_zero() {
            return Err(Full::For(wait));
        }
        if self.under_way >= self.width {
            return Err(Full::UntilOneEnds);
        }
        self.under_way += 1;
        Ok(Ticket { wave: self.wave })
    }

    /// The write has ended.
    pub fn end(&mut self, ticket: Ticket, load: Load, now: Duration) {
        self.under_way = self.under_way.saturating_sub(1);
        let is_news = ticket.wave == self.wave;
        match load {
            Load::Fine if is_news => {
                self.width = (self.width * 2).min(self.most);
                self.troubles = self.troubles.saturating_sub(1);
            }
            Load::Trouble { retry_after } => {
                if is_news {
                    self.slow_down(now);
                }
                let wished = retry_after.unwrap_or_default().min(LONGEST_WISH);
                self.not_before = self.not_before.max(now + wished);
            }
            Load::Fine | Load::Unknown => {}
        }
    }

    /// Fewer writes than configured may be under way.
    pub fn is_slow(&self) -> bool {
        self.width < self.most
    }

    fn slow_down(&mut self, now: Duration) {
        let wait = self.first.saturating_mul(1_u32.checked_shl(self.troubles).unwrap_or(u32::MAX)).min(self.longest);
        self.not_before = self.not_before.max(now + wait);
        self.troubles = self.troubles.saturating_add(1).min(31);
        self.wave += 1;
        self.width = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(250);
    const LONGEST: Duration = Duration::from_secs(30);
    const TROUBLE: Load = Load::Trouble { retry_after: None };

    fn pace() -> Pace {
        Pace::new(8, FIRST, LONGEST)
    }

    fn begin_all(pace: &mut Pace, now: Duration) -> Vec<Ticket> {
        std::iter::from_fn(|| pace.begin(now).ok()).collect()
    }

    #[test]
    fn a_wave_of_failures_is_one_trouble_and_then_one_probes() {
        let (mut pace, now) = (pace(), Duration::from_secs(5));
        let tickets = begin_all(&mut pace, now);
        assert_eq!(tickets.len(), 8);
        tickets.into_iter().for_each(|ticket| pace.end(ticket, TROUBLE, now));
        assert_eq!(pace.begin(now).unwrap_err(), Full::For(FIRST));
        let probe = begin_all(&mut pace, now + FIRST);
        assert_eq!((probe.len(), pace.is_slow()), (1, true));
        assert_eq!(pace.begin(now + FIRST).unwrap_err(), Full::UntilOneEnds);
    }

    #[test]
    fn waits_double_to_the_longest_and_success_opens_gradually() {
        let (mut pace, mut now) = (pace(), Duration::ZERO);
        let mut waits = Vec::new();
        for _ in 0..10 {
            let ticket = pace.begin(now).unwrap();
            pace.end(ticket, TROUBLE, now);
            let Err(Full::For(wait)) = pace.begin(now) else { panic!("no wait") };
            waits.push(wait);
            now += wait;
        }
        assert_eq!((waits[0], waits[1], waits[9]), (FIRST, FIRST * 2, LONGEST));
        let widths: Vec<usize> = (0..4)
            .map(|_| {
                let tickets = begin_all(&mut pace, now);
                let width = tickets.len();
                // One success each time; the others are broken off.
                tickets.into_iter().enumerate().for_each(|(i, ticket)| {
                    pace.end(ticket, if i == 0 { Load::Fine } else { Load::Unknown }, now);
                });
                width
            })
            .collect();
        assert_eq!((widths, pace.is_slow()), (vec![1, 2, 4, 8], false));
    }

    #[test]
    fn what_the_api_server_asks_for_is_honoured_up_to_a_limit() {
        for (asked, expected) in [(7, 7), (100_000, LONGEST_WISH.as_secs())] {
            let mut pace = pace();
            let ticket = pace.begin(Duration::ZERO).unwrap();
            pace.end(ticket, Load::Trouble { retry_after: Some(Duration::from_secs(asked)) }, Duration::ZERO);
            assert_eq!(pace.begin(Duration::ZERO).unwrap_err(), Full::For(Duration::from_secs(expected)));
        }
    }

    #[test]
    fn what_began_before_a_trouble_does_not_open_again() {
        let mut pace = pace();
        let (one, other) = (pace.begin(Duration::ZERO).unwrap(), pace.begin(Duration::ZERO).unwrap());
        pace.end(one, TROUBLE, Duration::ZERO);
        pace.end(other, Load::Fine, Duration::ZERO);
        assert_eq!(begin_all(&mut pace, FIRST).len(), 1);
    }
}
