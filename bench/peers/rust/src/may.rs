// SPDX-License-Identifier: BSD-2-Clause
//! The cases of micro.c, pingpong.c, scale.c, pagefault.c, echo.sh and papers.h on the coroutines of may, as many
//! workers as processors.
mod common;
mod pages;
mod steps;

use common::*;
use may::coroutine::{yield_now, JoinHandle};
use may::go;
use may::net::{TcpListener, TcpStream};
use may::sync::{Barrier, Condvar, Mutex, MutexGuard, Semphore};
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};
use steps::*;

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

fn create_join(time: Time) -> f64 {
    time_each!(time, 16, {
        for _ in 0..16 {
            go!(nothing).join().unwrap();
        }
    })
}

fn create(n: usize) -> Vec<JoinHandle<u64>> {
    (0..n).map(|_| go!(nothing)).collect()
}

fn batches(time: Time) -> f64 {
    time_each!(time, BATCH, {
        for coroutine in create(BATCH) {
            coroutine.join().unwrap();
        }
    })
}

fn join<T>(all: Vec<JoinHandle<T>>) -> Vec<T> {
    all.into_iter().map(|coroutine| coroutine.join().unwrap()).collect()
}

/// What creation takes of the creator alone.
fn creation(length: Duration) -> f64 {
    let (start, mut elapsed, mut count) = (Instant::now(), Duration::ZERO, 0);
    while count == 0 || start.elapsed() < length {
        let begun = Instant::now();
        let all = create(CREATED);
        elapsed += begun.elapsed();
        count += CREATED;
        join(all);
    }
    elapsed.as_nanos() as f64 / count as f64
}

fn yields_alone(time: Time) -> f64 {
    time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            yield_now();
        }
    })
}

/// A worker takes up new coroutines only when it has nothing else to run: so this one waits until the other is there.
fn yields(time: Time) -> f64 {
    let shared = Arc::new((Semphore::new(0), AtomicBool::new(false)));
    let its = shared.clone();
    let other = go!(move || {
        its.0.post();
        while !its.1.load(Relaxed) {
            yield_now();
        }
    });
    shared.0.wait();
    let ns = yields_alone(time) / 2.0;
    shared.1.store(true, Relaxed);
    other.join().unwrap();
    ns
}

fn semaphore(time: Time) -> f64 {
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
    let ns = time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            ping.post();
            pong.wait();
        }
    });
    is_over.store(true, Relaxed);
    ping.post();
    other.join().unwrap();
    ns
}

/// Takes the lock when that is so.
fn lock_when<'a, T>(lock: &'a Mutex<T>, changed: &Condvar, is_so: impl Fn(&T) -> bool) -> MutexGuard<'a, T> {
    let mut held = lock.lock().unwrap();
    while !is_so(&held) {
        held = changed.wait(held).unwrap();
    }
    held
}

struct Turns {
    turn: Mutex<usize>,
    is_ours: [Condvar; 2],
    is_over: AtomicBool,
}

/// Whether it was over when this turn came.
fn take_turn(turns: &Turns, me: usize) -> bool {
    let mut turn = lock_when(&turns.turn, &turns.is_ours[me], |turn| *turn == me);
    let is_over = turns.is_over.load(Relaxed);
    *turn = 1 - me;
    turns.is_ours[1 - me].notify_one();
    is_over
}

/// Per round.
fn condition(time: Time) -> f64 {
    let turns = Arc::new(Turns {
        turn: Mutex::new(0),
        is_ours: [Condvar::new(), Condvar::new()],
        is_over: AtomicBool::new(false),
    });
    let its = turns.clone();
    let other = go!(move || while !take_turn(&its, 1) {});
    let ns = time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            take_turn(&turns, 0);
        }
    });
    turns.is_over.store(true, Relaxed);
    take_turn(&turns, 0);
    other.join().unwrap();
    ns
}

fn locks(time: Time) -> f64 {
    let lock = Mutex::new(0u64);
    time_each!(time, LOCKS, {
        for _ in 0..LOCKS {
            *lock.lock().unwrap() += 1;
        }
    })
}

#[derive(Default)]
#[repr(align(128))]
struct LetterBox {
    is_filled: Mutex<bool>,
    filled: Condvar,
}

impl LetterBox {
    fn throw(&self) {
        let mut is_filled = self.is_filled.lock().unwrap();
        *is_filled = true;
        self.filled.notify_one();
    }

    fn catch(&self) {
        *lock_when(&self.is_filled, &self.filled, |is_filled| *is_filled) = false;
    }
}

#[derive(Default)]
struct Match {
    boxes: [LetterBox; 2],
    is_over: AtomicBool,
}

fn throw(game: &Match, deadline: Instant) -> u64 {
    let mut rounds = 0;
    while rounds == 0 || Instant::now() < deadline {
        for _ in 0..ROUNDS {
            game.boxes[1].throw();
            game.boxes[0].catch();
        }
        rounds += ROUNDS as u64;
    }
    game.is_over.store(true, Relaxed);
    game.boxes[1].throw();
    rounds
}

fn throw_back(game: &Match) -> u64 {
    loop {
        game.boxes[1].catch();
        if game.is_over.load(Relaxed) {
            return 0;
        }
        game.boxes[0].throw();
    }
}

fn matches(n: usize, length: Duration) -> f64 {
    let (start, mut players) = (Instant::now(), Vec::new());
    for _ in 0..n {
        let game = Arc::new(Match::default());
        let its = game.clone();
        players.push(go!(move || throw(&its, start + length)));
        players.push(go!(move || throw_back(&game)));
    }
    let rounds: u64 = join(players).iter().sum();
    start.elapsed().as_nanos() as f64 / rounds as f64
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

impl Gates {
    fn new(n: usize) -> Arc<Self> {
        Arc::new(Gates { all_there: Barrier::new(n), begin: Barrier::new(n), end: Barrier::new(n) })
    }
}

fn contend(lock: &Mutex<[u64; 4]>, gates: &Gates, spins: u64) -> u64 {
    let mut n = 0;
    gates.all_there.wait();
    gates.begin.wait();
    while !is_over() {
        for word in lock.lock().unwrap().iter_mut() {
            *word += 1;
        }
        spin(spins);
        n += 1;
    }
    n
}

fn contended(length: Duration) {
    let (lock, gates, spins) = (Arc::new(Mutex::new([0; 4])), Gates::new(CONTENDERS + 1), spins_in_100_ns());
    let one = |_| {
        let (lock, gates) = (lock.clone(), gates.clone());
        go!(move || contend(&lock, &gates, spins))
    };
    let all = (0..CONTENDERS).map(one).collect();
    gates.all_there.wait();
    let start = Instant::now();
    end_after(length_of_contest(length));
    gates.begin.wait();
    let by = join(all);
    put_contest(&by, *lock.lock().unwrap(), start.elapsed());
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
    let gates = Gates::new(2 * t.games + 1);
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

/// A stroke of ping-pong is a turn by locks.
fn strokes(length: Duration) -> f64 {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while least == Duration::MAX || start.elapsed() < length {
        least = least.min(games(A_GAME).play());
    }
    least.as_nanos() as f64 / (2 * TRIAL) as f64
}

/// A coroutine has a stack with a guard.
const BYTES_EACH: usize = 16384;
const MAPS_EACH: usize = 2;

/// It runs them breadth first.
fn spawn_tree(depth: u64, time: Time) {
    let tree = tree(depth);
    must_hold(tree.calls, BYTES_EACH, MAPS_EACH);
    let ns = time_each!(time, tree.calls, {
        assert_eq!(go!(move || fib(depth)).join().unwrap(), tree.result);
    });
    tree.report(ns);
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

#[derive(Default)]
#[repr(align(128))]
struct Node {
    arrivals: Mutex<Arrivals>,
    is_full: Condvar,
    is_told: Condvar,
}

/// The turn-th barrier, counted from 1.
fn wait_in_tree(nodes: &[Node], me: usize, turn: usize) {
    let (node, children) = (&nodes[me], children_of(me, nodes.len()));
    lock_when(&node.arrivals, &node.is_full, |a| a.arrived >= children.len()).arrived = 0;
    if let Some(parent) = parent_of(me) {
        let mut arrivals = nodes[parent].arrivals.lock().unwrap();
        arrivals.arrived += 1;
        if arrivals.arrived == children_of(parent, nodes.len()).len() {
            nodes[parent].is_full.notify_one();
        }
        drop(arrivals);
        drop(lock_when(&node.arrivals, &node.is_told, |a| a.told >= turn));
    }
    for child in &nodes[children] {
        let mut arrivals = child.arrivals.lock().unwrap();
        arrivals.told += 1;
        child.is_told.notify_one();
    }
}

/// The time from when all are there until all are done.  It begins before they may go on: who waits may run
/// after those who go on.
fn time_all(n: usize, body: impl Fn(usize) + Clone + Send + 'static) -> Duration {
    let gates = Gates::new(n + 1);
    let one = |me| {
        let (gates, body) = (gates.clone(), body.clone());
        go!(move || {
            gates.all_there.wait();
            gates.begin.wait();
            body(me);
            gates.end.wait();
        })
    };
    let all = (0..n).map(one).collect();
    gates.all_there.wait();
    let start = Instant::now();
    gates.begin.wait();
    gates.end.wait();
    let elapsed = start.elapsed();
    join(all);
    elapsed
}

fn gauss(n: usize) -> Duration {
    let nodes: Vec<Node> = (0..n).map(|_| Node::default()).collect();
    let shared = Arc::new((Matrix::filled(), nodes));
    let its = shared.clone();
    let elapsed = time_all(n, move |me| {
        for pivot in 0..SIZE {
            its.0.eliminate_mine(me, n, pivot);
            wait_in_tree(&its.1, me, pivot + 1);
        }
    });
    shared.0.check();
    elapsed
}

fn sort(n: usize) -> Duration {
    let shared = Arc::new((Numbers::mixed(), Barrier::new(n)));
    let its = shared.clone();
    let elapsed = time_all(n, move |me| {
        for phase in 0..ELEMENTS {
            its.0.exchange_mine(me, n, phase);
            its.1.wait();
        }
    });
    shared.0.check();
    elapsed
}

fn gauss_share(per_cpu: usize, length: Duration) {
    let (alone, n) = (mean_ns!(length, gauss_alone()), per_cpu * workers());
    println!("- {} %", 100.0 * alone / mean_ns!(length, gauss(n)) / workers() as f64);
}

fn pagefault(is_mixed: bool, length: Duration) {
    let threads = pages::threads(is_mixed);
    let gates = Gates::new(threads.len() + 1);
    let one = |mut thread: pages::Thread| {
        let gates = gates.clone();
        go!(move || {
            gates.all_there.wait();
            gates.begin.wait();
            while !is_over() {
                thread.step();
                yield_now();
            }
            thread
        })
    };
    let all = threads.into_iter().map(one).collect();
    gates.all_there.wait();
    let meter = pages::Meter::start(is_mixed);
    end_after(length);
    gates.begin.wait();
    meter.report(&join(all));
}

fn serve(mut connection: TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = connection.read(&mut buffer) {
        if connection.write_all(&buffer[..n]).is_err() {
            break;
        }
    }
}

/// The server of echo.sh, until it is ended.
fn echo(n: usize) {
    must_hold(n, BYTES_EACH, MAPS_EACH);
    raise_descriptor_limit();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("listening on {}", listener.local_addr().unwrap());
    loop {
        let connection = listener.accept().unwrap().0;
        connection.set_nodelay(true).unwrap();
        go!(move || serve(connection));
    }
}

fn measure(call: Call) {
    let (time, length) = (call.time, call.time.length);
    match call.case.as_str() {
        "create-join" => put_ns("-", create_join(time)),
        "batch" => put_ns("-", batches(time)),
        "yield" => put_ns("-", yields(time)),
        "semaphore" => put_ns("-", semaphore(time)),
        "condition" => put_ns("-", condition(time)),
        "lock" => put_ns("-", locks(time)),
        "ping-pong-1" => put_ns("-", matches(1, length)),
        "ping-pong-4" => put_ns("-", matches(4, length)),
        "contended" => contended(length),
        "spawn-tree" => spawn_tree(27, time),
        "spawn-tree-20" => spawn_tree(20, time),
        "beside" => pagefault(false, length),
        "mixed" => pagefault(true, length),
        "myth/table-1" => put_ns("lock", locks(time)),
        "myth/table-3" => put_ns("thread", create_join(time)),
        "myth/table-4" => put_ns("yield", yields(time)),
        "myth/start" => {
            join(create(1));
            put_ns("first-thread", call.began.elapsed().as_nanos() as f64);
        }
        "dgux/table-3" => {
            let syscall = null_syscalls(time);
            put_row("yield-alone", yields_alone(time), syscall);
            put_row("yield", yields(time), syscall);
            put_row("mutex", strokes(length), syscall);
            put_row("condition", condition(time) / 2.0, syscall);
            put_row("create-exit-join", create_join(time), syscall);
        }
        "dgux/table-4" => put_ns("thread", create_join(time)),
        "dgux/table-5" => put_ns("condition", condition(time) / 2.0),
        "dgux/table-6" => {
            put_ns("create", creation(length));
            put_ns("mutex", strokes(length));
            put_ns("condition", condition(time) / 2.0);
        }
        "psyche/gauss" => put_ms(mean_ns!(length, gauss(THREADS))),
        "psyche/sort" => put_ms(mean_ns!(length, sort(THREADS))),
        case => {
            if let Some(n) = number_of(case, "") {
                scale(n)
            } else if let Some(n) = number_of(case, "echo/") {
                echo(n)
            } else if let Some(n) = number_of(case, "psyche/gauss-") {
                gauss_share(n, length)
            } else {
                ping_pong(case, length)
            }
        }
    }
}

/// What is measured is a coroutine like its partners.
fn main() {
    let call = call();
    may::config().set_workers(workers());
    go!(move || measure(call)).join().unwrap();
}
