//! A million steps in every run of the tests, in shares that run side by side. By the environment: `GRISTMILL_SIM_STEPS`
//! (requests in all), `GRISTMILL_SIM_SEED` (the first seed), `GRISTMILL_SIM_SEEDS` (how many; each gets its part of the
//! steps). One seed is one run, which a failure names.

use gristmill_sim::{Outcome, simulate};

/// Tests that share the seeds.
const SHARES: u64 = 8;
/// Steps of a seed: enough that what is swept after hours is swept, and few enough that tables stay small.
const STEPS_OF_A_SEED: u64 = 5_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(seed: u64, steps: u64) -> Outcome {
    // One thread: the seed says in which order things happen, not the machine.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(simulate(seed, steps)).unwrap_or_else(|error| {
        panic!("{error}\nagain: GRISTMILL_SIM_SEED={seed} GRISTMILL_SIM_SEEDS=1 GRISTMILL_SIM_STEPS={steps}")
    })
}

fn every_promise_holds(share: u64) {
    let steps = number("GRISTMILL_SIM_STEPS", 1_000_000);
    let (first, seeds) = (number("GRISTMILL_SIM_SEED", 1), number("GRISTMILL_SIM_SEEDS", steps.div_ceil(STEPS_OF_A_SEED)));
    let steps = steps / seeds.max(1);
    for seed in (first..first + seeds).filter(|seed| seed % SHARES == share) {
        let outcome = run(seed, steps);
        assert!(outcome.steps >= steps && outcome.inserts > 0, "seed {seed}: {outcome:?}");
        assert!(steps < 1_000 || outcome.kills > 0 && outcome.faults > 0 && outcome.changes > 0, "seed {seed}: {outcome:?}");
    }
}

macro_rules! shares {
    ($($name:ident $share:literal)*) => {
        $(#[test]
        fn $name() {
            every_promise_holds($share);
        })*
    };
}

shares! {
    every_promise_holds_whatever_happens_in_whatever_order_0 0
    every_promise_holds_whatever_happens_in_whatever_order_1 1
    every_promise_holds_whatever_happens_in_whatever_order_2 2
    every_promise_holds_whatever_happens_in_whatever_order_3 3
    every_promise_holds_whatever_happens_in_whatever_order_4 4
    every_promise_holds_whatever_happens_in_whatever_order_5 5
    every_promise_holds_whatever_happens_in_whatever_order_6 6
    every_promise_holds_whatever_happens_in_whatever_order_7 7
}

#[test]
fn one_seed_is_one_run() {
    assert_eq!(run(42, 400), run(42, 400));
    assert_ne!(run(42, 400).digest, run(43, 400).digest);
}
