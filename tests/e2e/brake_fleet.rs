//! The brake on a fleet: whatever is done to policies and clusters, and whoever dies meanwhile, no more moves than may until somebody
//! releases it, users get what is specified, and what is not concerned is not written.
//!
//! `BRAKE_FLEET=300x20` says how many objects on how many clusters, and plays each row with each death (24 on 6, with one).

mod admission;
mod first;
mod fleet;
mod observer;
mod play;
mod rows;
mod stage;
mod steps;

use std::thread;

use fleet::Size;
use rows::{DEATHS, Death, ROWS, Row};
use stage::Stage;

/// Fleets side by side: a row is mostly waiting.
const STAGES: usize = 4;

#[test]
fn nothing_beyond_the_brake_is_written_whatever_is_done_and_whoever_dies() {
    let size = Size::of_environment();
    let rows: Vec<(Row, Death)> = if size.all_deaths {
        DEATHS.into_iter().flat_map(|death| ROWS.iter().map(move |row| (*row, death))).collect()
    } else {
        ROWS.iter().copied().zip(DEATHS.into_iter().cycle()).collect()
    };
    thread::scope(|scope| {
        for number in 0..STAGES {
            let mine = rows.iter().skip(number).step_by(STAGES);
            scope.spawn(move || play(size, mine));
        }
    });
}

fn play<'r>(size: Size, rows: impl Iterator<Item = &'r (Row, Death)>) {
    let Some(mut stage) = Stage::start(size) else { return };
    rows.for_each(|(row, death)| stage.row(row, *death));
}
