//! Carries a script out, and writes down what was done when.

use std::thread::park_timeout;
use std::time::{Duration, Instant};

use super::super::e2e::{Mode, sample, try_get_within};
use super::chance::Chance;
use super::script::{Act, Harm, Part};
use super::stage::{NAMES, Stage};

/// What was done, one line each.
pub(super) fn play(stage: &Stage, script: &[(Duration, Act)], chance: &mut Chance) -> Vec<String> {
    let start = Instant::now();
    let mut log = Vec::new();
    for (at, act) in script {
        while let Some(left) = at.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
            park_timeout(left);
        }
        let began = start.elapsed();
        let detail = perform(stage, *act, chance);
        log.push(format!("{:>7.2} s  {act:?} {detail}", began.as_secs_f64()));
    }
    stage.heal();
    log.push(format!("{:>7.2} s  healed", start.elapsed().as_secs_f64()));
    log
}

fn perform(stage: &Stage, act: Act, chance: &mut Chance) -> String {
    match act {
        Act::Certify(_) | Act::Create | Act::Edit | Act::Scale | Act::Delete | Act::Reapply => users(stage, act, chance),
        Act::EditPolicy(number) => {
            stage.edit_policy(number);
            format!("{:?}", stage.desired.lock().newest)
        }
        Act::Part(number, part, harm) => {
            stage.with_pair(number, |pair| pair.harm(part, harm));
            NAMES[number].into()
        }
        Act::Way(number, way, on) => {
            stage.with_pair(number, |pair| pair.disturb(way, on));
            NAMES[number].into()
        }
        Act::Pin(to) => {
            stage.switch.set(to.map_or(Mode::Ready, Mode::Pinned));
            String::new()
        }
        Act::PinAway => match leader(stage) {
            Some(number) => {
                stage.switch.set(Mode::Pinned(1 - number));
                NAMES[1 - number].into()
            }
            None => "nobody leads".into(),
        },
        Act::MoveLease { kill } => move_lease(stage, kill),
        Act::Revive => {
            for (number, part) in [(0, Part::Engine), (0, Part::Sidecar), (1, Part::Engine), (1, Part::Sidecar)] {
                stage.with_pair(number, |pair| pair.harm(part, Harm::Start));
            }
            String::new()
        }
    }
}

fn users(stage: &Stage, act: Act, chance: &mut Chance) -> String {
    let mut desired = stage.desired.lock();
    let picked = desired.files.pick(chance);
    match (act, picked) {
        (Act::Certify(number), _) => {
            let name = format!("c{number}");
            let certified = desired.fleet.get_mut(&name).map(|certified| {
                *certified = !*certified;
                *certified
            });
            stage.users.certify(&name, certified == Some(true));
            format!("{name} {certified:?}")
        }
        (Act::Create, _) => {
            let name = desired.files.add(chance);
            stage.users.create(&desired.files.object(&name).unwrap().1);
            name
        }
        (Act::Edit, Some(name)) => {
            desired.files.edit(&name, chance);
            stage.users.apply(&[desired.files.object(&name).unwrap()]);
            format!("{name} {:?}", desired.files.object(&name).unwrap().0)
        }
        (Act::Scale, Some(name)) => {
            stage.users.scale(&name, 1 + chance.below(9));
            name
        }
        (Act::Delete, Some(name)) => {
            desired.files.remove(&name);
            stage.users.delete(&name);
            name
        }
        (_, _) => {
            let names: Vec<String> = (0..6).filter_map(|_| desired.files.pick(chance)).collect();
            stage.users.apply(&names.iter().filter_map(|name| desired.files.object(name)).collect::<Vec<_>>());
            names.join(" ")
        }
    }
}

fn leader(stage: &Stage) -> Option<usize> {
    let leads = |number: usize| {
        let place = stage.pairs.lock()[number].sidecar_place();
        let text = place.and_then(|place| try_get_within(&format!("{place}/metrics"), Duration::from_millis(500)).ok());
        text.is_some_and(|(_, text)| sample(&text, "plimsoll_sidecar_leading", "") > 0.0)
    };
    (0..2).find(|number| leads(*number))
}

fn move_lease(stage: &Stage, kill: bool) -> String {
    let Some(number) = leader(stage) else { return "nobody leads".into() };
    stage.with_pair(number, |pair| if kill { pair.harm(Part::Sidecar, Harm::Kill) } else { pair.end_sidecar() });
    NAMES[number].into()
}
