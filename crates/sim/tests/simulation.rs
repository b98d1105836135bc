//! Some seeds in every run of the tests; more by `GRISTMILL_SIM_SEEDS` (how many), `GRISTMILL_SIM_SEED` (the first) and
//! `GRISTMILL_SIM_STEPS` (requests of each).

use gristmill_sim::{Outcome, simulate};

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

#[test]
fn every_promise_holds_whatever_happens_in_whatever_order() {
    let (first, seeds) = (number("GRISTMILL_SIM_SEED", 1), number("GRISTMILL_SIM_SEEDS", 6));
    let steps = number("GRISTMILL_SIM_STEPS", 1_500);
    for seed in first..first + seeds {
        let outcome = run(seed, steps);
        assert!(outcome.steps >= steps && outcome.inserts > 0, "{outcome:?}");
        assert!(steps < 1_000 || outcome.kills > 0 && outcome.faults > 0, "{outcome:?}");
    }
}

#[test]
fn one_seed_is_one_run() {
    assert_eq!(run(42, 400), run(42, 400));
    assert_ne!(run(42, 400).digest, run(43, 400).digest);
}
