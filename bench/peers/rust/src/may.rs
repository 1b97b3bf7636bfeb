// SPDX-License-Identifier: BSD-2-Clause
//! The cases of micro.c, pingpong.c and scale.c on the coroutines of may, as many workers as processors.
mod common;

use common::*;
use may::coroutine::{yield_now, JoinHandle};
use may::go;
use may::sync::{Barrier, Condvar, Mutex, Semphore};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;

fn nothing() -> u64 {
    0
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (left, right) = (go!(move || fib(n - 1)), go!(move || fib(n - 2)));
    left.join().unwrap() + right.join().unwrap()
}

fn batch() {
    let all: Vec<JoinHandle<u64>> = (0..BATCH).map(|_| go!(nothing)).collect();
    for coroutine in all {
        coroutine.join().unwrap();
    }
}

fn yields(length: Duration) {
    let is_over = Arc::new(AtomicBool::new(false));
    let its = is_over.clone();
    let other = go!(move || {
        while !its.load(Relaxed) {
            yield_now();
        }
    });
    time_each!(length, 2 * ROUNDS, {
        for _ in 0..ROUNDS {
            yield_now();
        }
    });
    is_over.store(true, Relaxed);
    other.join().unwrap();
}

fn semaphore(length: Duration) {
    let (ping, pong) = (Arc::new(Semphore::new(0)), Arc::new(Semphore::new(0)));
    let is_over = Arc::new(AtomicBool::new(false));
    let (its_ping, its_pong, its) = (ping.clone(), pong.clone(), is_over.clone());
    let other = go!(move || loop {
        its_ping.wait();
        if its.load(Relaxed) {
            break;
        }
        its_pong.post();
    });
    time_each!(length, ROUNDS, {
        for _ in 0..ROUNDS {
            ping.post();
            pong.wait();
        }
    });
    is_over.store(true, Relaxed);
    ping.post();
    other.join().unwrap();
}

struct Turns {
    turn: Mutex<usize>,
    is_ours: [Condvar; 2],
    is_over: AtomicBool,
}

/// Whether it was over when this turn came.
fn take_turn(turns: &Turns, me: usize) -> bool {
    let mut turn = turns.turn.lock().unwrap();
    while *turn != me {
        turn = turns.is_ours[me].wait(turn).unwrap();
    }
    let is_over = turns.is_over.load(Relaxed);
    *turn = 1 - me;
    turns.is_ours[1 - me].notify_one();
    is_over
}

fn condition(length: Duration) {
    let turns = Arc::new(Turns {
        turn: Mutex::new(0),
        is_ours: [Condvar::new(), Condvar::new()],
        is_over: AtomicBool::new(false),
    });
    let its = turns.clone();
    let other = go!(move || while !take_turn(&its, 1) {});
    time_each!(length, ROUNDS, {
        for _ in 0..ROUNDS {
            take_turn(&turns, 0);
        }
    });
    turns.is_over.store(true, Relaxed);
    take_turn(&turns, 0);
    other.join().unwrap();
}

#[derive(Default)]
struct Table {
    blocks: [[Mutex<()>; 2]; 2],
    strokes: Strokes,
}

struct Gates {
    all_there: Barrier,
    begin: Barrier,
    end: Barrier,
}

fn play(table: &Table, gates: &Gates, me: usize, strokes: u32) {
    let (ours, theirs) = (&table.blocks[me], &table.blocks[1 - me]);
    gates.all_there.wait();
    let first = theirs[0].lock().unwrap();
    let mut held;
    if me == 0 {
        held = theirs[1].lock().unwrap();
        gates.begin.wait();
        drop(first);
    } else {
        held = first;
        gates.begin.wait();
    }
    for n in 0..strokes {
        let own = ours[n as usize % 2].lock().unwrap();
        table.strokes.make(me, n);
        let next = theirs[(n as usize + me) % 2].lock().unwrap();
        drop(own);
        drop(std::mem::replace(&mut held, next));
    }
    gates.end.wait();
}

fn games(t: Tournament) -> Stopwatch {
    let mut watch = Stopwatch::start();
    let n = 2 * t.games + 1;
    let gates = Arc::new(Gates { all_there: Barrier::new(n), begin: Barrier::new(n), end: Barrier::new(n) });
    let mut players = Vec::new();
    for _ in 0..t.games {
        let table = Arc::new(Table::default());
        for me in 0..2 {
            let (table, gates) = (table.clone(), gates.clone());
            players.push(go!(move || play(&table, &gates, me, t.strokes)));
        }
    }
    gates.all_there.wait();
    watch.begin();
    gates.begin.wait();
    gates.end.wait();
    watch.end();
    for player in players {
        player.join().unwrap();
    }
    watch
}

fn ping_pong(case: &str, length: Duration) {
    let Some(mut t) = tournament(case) else { skip() };
    if t.is_scaled {
        t.fit(games(t), length);
    }
    t.report(games(t));
}

/// A coroutine has a stack with a guard.
const BYTES_EACH: usize = 16384;
const MAPS_EACH: usize = 2;

/// It runs them breadth first.
fn spawn_tree(depth: u64, length: Duration) {
    let tree = tree(depth);
    must_hold(tree.calls, BYTES_EACH, MAPS_EACH);
    time_each!(length, tree.calls, {
        assert_eq!(go!(move || fib(depth)).join().unwrap(), tree.result);
    });
    tree.report();
}

#[derive(Default)]
struct Crowd {
    waiting: usize,
    expected: usize,
    is_told: bool,
}

fn scale(n: usize) {
    must_hold(n, BYTES_EACH, MAPS_EACH);
    let shared = Arc::new((Mutex::new(Crowd::default()), Condvar::new(), Condvar::new()));
    let wait = || {
        let its = shared.clone();
        go!(move || {
            let (lock, told, all_wait) = &*its;
            let mut crowd = lock.lock().unwrap();
            crowd.waiting += 1;
            if crowd.waiting == crowd.expected {
                all_wait.notify_one();
            }
            while !crowd.is_told {
                crowd = told.wait(crowd).unwrap();
            }
        })
    };
    let wait_for_all = |n| {
        let mut crowd = shared.0.lock().unwrap();
        crowd.expected = n;
        while crowd.waiting < n {
            crowd = shared.2.wait(crowd).unwrap();
        }
    };
    let (first, mut all) = (wait(), Vec::with_capacity(n));
    wait_for_all(1);
    let mut scale = Scale::begin(n);
    for _ in 0..n {
        all.push(wait());
    }
    wait_for_all(n + 1);
    scale.all_wait();
    shared.0.lock().unwrap().is_told = true;
    shared.1.notify_all();
    for thread in all {
        thread.join().unwrap();
    }
    scale.joined();
    first.join().unwrap();
}

fn measure(call: Call) {
    let length = call.length;
    match call.case.as_str() {
        "create-join" => time_each!(length, 16, {
            for _ in 0..16 {
                go!(nothing).join().unwrap();
            }
        }),
        "batch" => time_each!(length, BATCH, { batch(); }),
        "yield" => yields(length),
        "semaphore" => semaphore(length),
        "condition" => condition(length),
        "lock" => {
            let lock = Mutex::new(0u64);
            time_each!(length, LOCKS, {
                for _ in 0..LOCKS {
                    *lock.lock().unwrap() += 1;
                }
            })
        }
        "spawn-tree" => spawn_tree(27, length),
        "spawn-tree-20" => spawn_tree(20, length),
        case => match crowd(case) {
            Some(n) => scale(n),
            None => ping_pong(case, length),
        },
    }
}

/// What is measured is a coroutine like its partners.
fn main() {
    let call = call();
    may::config().set_workers(workers());
    go!(move || measure(call)).join().unwrap();
}
