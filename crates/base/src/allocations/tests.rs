//! What is counted, and for whom.

use super::*;

/// The tests' allocator is not wrapped: what it would count is counted by hand.
fn allocate(bytes: i64) {
    count(bytes, ptr::null_mut());
}

#[test]
fn allocations_are_those_of_the_tally_that_the_thread_works_for() {
    let (a, b) = (Arc::new(Tally::new()), Arc::new(Tally::new()));
    {
        let _a = enter(&a);
        allocate(1 << 20);
        {
            let _b = enter(&b);
            allocate(3 << 20);
            allocate(-(1 << 20));
            assert!(Arc::ptr_eq(&current().expect("entered"), &b));
        }
        allocate(100);
    }
    allocate(5 << 20);
    assert_eq!((a.bytes(), b.bytes(), b.peak_bytes()), ((1 << 20) + 100, 2 << 20, 3 << 20));
    assert!(current().is_none());
}

#[test]
fn small_allocations_are_gathered_and_not_lost() {
    let a = Arc::new(Tally::new());
    let entered = enter(&a);
    (0..1000).for_each(|_| allocate(1));
    assert_eq!(a.bytes(), 0, "no shared counter is touched for them");
    drop(entered);
    assert_eq!(a.bytes(), 1000);
}

#[test]
fn what_would_be_over_the_limit_is_refused_before_it_is_made() {
    assert!(check_room(usize::MAX / 2).is_ok(), "nobody's");
    // A tally is believed up to what the process has.
    let there = vec![1_u8; 64 << 20];
    let a = Arc::new(Tally::limited(10 << 20));
    let _a = enter(&a);
    allocate(9 << 20);
    assert!(check_room(1 << 20).is_ok());
    assert!(extend(&mut Vec::new(), &[0; 1 << 20]).is_ok(), "too little to be asked for");
    let mut held = vec![0; ASKED_FOR_BYTES];
    assert_eq!(extend(&mut held, &[0]).expect_err("over").code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
    assert_eq!(held.len(), ASKED_FOR_BYTES, "nothing was appended");
    assert_eq!(check_room(2 << 20).expect_err("over").code(), ErrorCode::MEMORY_LIMIT_EXCEEDED);
    assert!(there.iter().all(|byte| *byte == 1));
}

#[test]
fn memory_changes_hands() {
    let a = Arc::new(Tally::new());
    let adopted = {
        let _a = enter(&a);
        adopted(Bytes::from(vec![1; 500]))
    };
    assert_eq!(a.bytes(), 500);
    let part = adopted.slice(100..);
    drop(adopted);
    assert_eq!((a.bytes(), part.len()), (500, 400), "a part holds the whole");
    drop(part);
    assert_eq!(a.bytes(), 0, "wherever it is dropped");
    let _a = enter(&a);
    disown(1000);
    assert_eq!(a.bytes(), 0, "never less than nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_work_for_whoever_spawned_them() {
    let a = Arc::new(Tally::new());
    let spawning = counted(Some(a.clone()), async {
        let task = crate::runtime::Task::on(&tokio::runtime::Handle::current(), async {
            tokio::task::yield_now().await;
            allocate(1 << 20);
            tokio::task::yield_now().await;
            allocate(1 << 20);
        });
        task.join().await
    });
    tokio::spawn(spawning).await.expect("spawned").expect("done");
    assert_eq!(a.bytes(), 2 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_part_of_the_work_takes_counts_for_both() {
    let (whole, part) = (Arc::new(Tally::new()), Arc::new(Tally::new()));
    let of_part = part.clone();
    let work = counted(Some(whole.clone()), async move {
        allocate(1 << 20);
        counted_for_part(of_part.clone(), async {
            allocate(2 << 20);
            spending::read_rows(&current().expect("entered"), 5, 50);
            let spawned = async {
                tokio::task::yield_now().await;
                allocate(4 << 20);
            };
            crate::runtime::Task::on(&tokio::runtime::Handle::current(), spawned).join().await
        })
        .await
        .expect("done");
        assert!(current_part().is_none(), "it is over");
        spending::read_rows(&current().expect("entered"), 7, 70);
        allocate(8 << 20);
        let other = Arc::new(Tally::new());
        let (_part, _other) = (enter_part(&of_part), enter(&other));
        assert!(current_part().is_none(), "it is no part of another's work");
    });
    tokio::spawn(work).await.expect("done");
    let rows = |tally: &Tally| tally.spending().total().rows_read;
    assert_eq!((whole.bytes() >> 20, part.bytes() >> 20), (15, 6));
    assert_eq!((rows(&whole), rows(&part)), (12, 5));
    let held: i64 = whole.spending().threads().iter().map(|thread| thread.memory).sum();
    assert_eq!(held >> 20, 15, "of all threads");
    assert!(whole.spending().threads().iter().any(|thread| thread.memory_peak >= 8 << 20));
}

#[test]
fn each_thread_collects_now_and_then() {
    static COLLECTED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let collected = || COLLECTED.load(Relaxed);
    collect_of_thread();
    collects_by(|| {
        COLLECTED.fetch_add(1, Relaxed);
    });
    (0..10_000).for_each(|_| collect_of_thread());
    let of_first = collected();
    assert!((1..10_000).contains(&of_first), "{of_first}");
    std::thread::spawn(collect_of_thread).join().expect("no panic");
    assert_eq!(collected(), of_first + 1, "another thread's pages are its own");
}
