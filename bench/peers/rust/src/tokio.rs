// SPDX-License-Identifier: BSD-2-Clause
//! The cases of micro.c, pingpong.c and scale.c on tokio's tasks, which have no stacks, as many workers as
//! processors.  It has no conditions: a Notify is what is used.
mod common;

use common::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Barrier, Mutex, Notify, OwnedMutexGuard, Semaphore};
use tokio::task::{spawn, yield_now, JoinHandle};

async fn nothing() -> u64 {
    0
}

fn fib(n: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let (left, right) = (spawn(fib(n - 1)), spawn(fib(n - 2)));
        left.await.unwrap() + right.await.unwrap()
    })
}

async fn batch() {
    let all: Vec<JoinHandle<u64>> = (0..BATCH).map(|_| spawn(nothing())).collect();
    for task in all {
        task.await.unwrap();
    }
}

async fn yields(length: Duration) {
    let is_over = Arc::new(AtomicBool::new(false));
    let its = is_over.clone();
    let other = spawn(async move {
        while !its.load(Relaxed) {
            yield_now().await;
        }
    });
    time_each!(length, 2 * ROUNDS, {
        for _ in 0..ROUNDS {
            yield_now().await;
        }
    });
    is_over.store(true, Relaxed);
    other.await.unwrap();
}

async fn semaphore(length: Duration) {
    let (ping, pong) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (its_ping, its_pong) = (ping.clone(), pong.clone());
    let other = spawn(async move {
        while let Ok(permit) = its_ping.acquire().await {
            permit.forget();
            its_pong.add_permits(1);
        }
    });
    time_each!(length, ROUNDS, {
        for _ in 0..ROUNDS {
            ping.add_permits(1);
            pong.acquire().await.unwrap().forget();
        }
    });
    ping.close();
    other.await.unwrap();
}

#[derive(Default)]
struct Turns {
    turn: Mutex<usize>,
    is_ours: [Notify; 2],
    is_over: AtomicBool,
}

/// Whether it was over when this turn came.
async fn take_turn(turns: &Turns, me: usize) -> bool {
    loop {
        let mut turn = turns.turn.lock().await;
        if *turn == me {
            *turn = 1 - me;
            break;
        }
        drop(turn);
        turns.is_ours[me].notified().await;
    }
    let is_over = turns.is_over.load(Relaxed);
    turns.is_ours[1 - me].notify_one();
    is_over
}

async fn condition(length: Duration) {
    let turns = Arc::new(Turns::default());
    let its = turns.clone();
    let other = spawn(async move { while !take_turn(&its, 1).await {} });
    time_each!(length, ROUNDS, {
        for _ in 0..ROUNDS {
            take_turn(&turns, 0).await;
        }
    });
    turns.is_over.store(true, Relaxed);
    take_turn(&turns, 0).await;
    other.await.unwrap();
}

type Block = Arc<Mutex<()>>;

#[derive(Default)]
struct Table {
    blocks: [[Block; 2]; 2],
    strokes: Strokes,
}

struct Gates {
    all_there: Barrier,
    begin: Barrier,
    end: Barrier,
}

async fn play(table: Arc<Table>, gates: Arc<Gates>, me: usize, strokes: u32) {
    let (ours, theirs) = (&table.blocks[me], &table.blocks[1 - me]);
    gates.all_there.wait().await;
    let first = theirs[0].clone().lock_owned().await;
    let mut held: OwnedMutexGuard<()>;
    if me == 0 {
        held = theirs[1].clone().lock_owned().await;
        gates.begin.wait().await;
        drop(first);
    } else {
        held = first;
        gates.begin.wait().await;
    }
    for n in 0..strokes {
        let own = ours[n as usize % 2].lock().await;
        table.strokes.make(me, n);
        let next = theirs[(n as usize + me) % 2].clone().lock_owned().await;
        drop(own);
        drop(std::mem::replace(&mut held, next));
    }
    gates.end.wait().await;
}

async fn games(t: Tournament) -> Stopwatch {
    let mut watch = Stopwatch::start();
    let n = 2 * t.games + 1;
    let gates = Arc::new(Gates { all_there: Barrier::new(n), begin: Barrier::new(n), end: Barrier::new(n) });
    let mut players = Vec::new();
    for _ in 0..t.games {
        let table = Arc::new(Table::default());
        for me in 0..2 {
            players.push(spawn(play(table.clone(), gates.clone(), me, t.strokes)));
        }
    }
    gates.all_there.wait().await;
    watch.begin();
    gates.begin.wait().await;
    gates.end.wait().await;
    watch.end();
    for player in players {
        player.await.unwrap();
    }
    watch
}

async fn ping_pong(case: &str, length: Duration) {
    let Some(mut t) = tournament(case) else { skip() };
    if t.is_scaled {
        t.fit(games(t).await, length);
    }
    t.report(games(t).await);
}

/// A task takes what it holds.
const BYTES_EACH: usize = 1024;

async fn spawn_tree(depth: u64, length: Duration) {
    let tree = tree(depth);
    must_hold(tree.calls, BYTES_EACH, 0);
    time_each!(length, tree.calls, {
        assert_eq!(spawn(fib(depth)).await.unwrap(), tree.result);
    });
    tree.report();
}

#[derive(Default)]
struct Crowd {
    waiting: AtomicUsize,
    one_more: Notify,
    told: Notify,
}

/// Who is told, is so for good: a task is among those that wait before it is counted.
async fn wait_for_go(crowd: Arc<Crowd>) {
    let told = crowd.told.notified();
    tokio::pin!(told);
    told.as_mut().enable();
    crowd.waiting.fetch_add(1, Relaxed);
    crowd.one_more.notify_one();
    told.await;
}

async fn wait_for_all(crowd: &Crowd, n: usize) {
    while crowd.waiting.load(Relaxed) < n {
        crowd.one_more.notified().await;
    }
}

async fn scale(n: usize) {
    must_hold(n, BYTES_EACH, 0);
    let crowd = Arc::new(Crowd::default());
    let (first, mut all) = (spawn(wait_for_go(crowd.clone())), Vec::with_capacity(n));
    wait_for_all(&crowd, 1).await;
    let mut scale = Scale::begin(n);
    for _ in 0..n {
        all.push(spawn(wait_for_go(crowd.clone())));
    }
    wait_for_all(&crowd, n + 1).await;
    scale.all_wait();
    crowd.told.notify_waiters();
    for thread in all {
        thread.await.unwrap();
    }
    scale.joined();
    first.await.unwrap();
}

async fn measure(call: Call) {
    let length = call.length;
    match call.case.as_str() {
        "create-join" => time_each!(length, 16, {
            for _ in 0..16 {
                spawn(nothing()).await.unwrap();
            }
        }),
        "batch" => time_each!(length, BATCH, { batch().await; }),
        "yield" => yields(length).await,
        "semaphore" => semaphore(length).await,
        "condition" => condition(length).await,
        "lock" => {
            let lock = Mutex::new(0u64);
            time_each!(length, LOCKS, {
                for _ in 0..LOCKS {
                    *lock.lock().await += 1;
                }
            })
        }
        "spawn-tree" => spawn_tree(27, length).await,
        "spawn-tree-20" => spawn_tree(20, length).await,
        case => match crowd(case) {
            Some(n) => scale(n).await,
            None => ping_pong(case, length).await,
        },
    }
}

/// What is measured is a task like its partners.
fn main() {
    let call = call();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).build().unwrap();
    runtime.block_on(async { spawn(measure(call)).await.unwrap() });
}
