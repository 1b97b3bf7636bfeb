// SPDX-License-Identifier: BSD-2-Clause
//! The cases of micro.c, pingpong.c, scale.c, pagefault.c, echo.sh and papers.h on tokio's tasks, which have no
//! stacks, as many workers as processors.  It has no conditions: a Notify is what is used.
mod common;
mod pages;
mod steps;

use common::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};
use steps::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Mutex, MutexGuard, Notify, OwnedMutexGuard, Semaphore};
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

async fn create_join(time: Time) -> f64 {
    time_each!(time, 16, {
        for _ in 0..16 {
            spawn(nothing()).await.unwrap();
        }
    })
}

fn create(n: usize) -> Vec<JoinHandle<u64>> {
    (0..n).map(|_| spawn(nothing())).collect()
}

async fn batches(time: Time) -> f64 {
    time_each!(time, BATCH, {
        for task in create(BATCH) {
            task.await.unwrap();
        }
    })
}

async fn join<T>(all: Vec<JoinHandle<T>>) -> Vec<T> {
    let mut values = Vec::with_capacity(all.len());
    for task in all {
        values.push(task.await.unwrap());
    }
    values
}

/// What creation takes of the creator alone.
async fn creation(length: Duration) -> f64 {
    let (start, mut elapsed, mut count) = (Instant::now(), Duration::ZERO, 0);
    while count == 0 || start.elapsed() < length {
        let begun = Instant::now();
        let all = create(CREATED);
        elapsed += begun.elapsed();
        count += CREATED;
        join(all).await;
    }
    elapsed.as_nanos() as f64 / count as f64
}

async fn yields_alone(time: Time) -> f64 {
    time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            yield_now().await;
        }
    })
}

async fn yields(time: Time) -> f64 {
    let is_over = Arc::new(AtomicBool::new(false));
    let its = is_over.clone();
    let other = spawn(async move {
        while !its.load(Relaxed) {
            yield_now().await;
        }
    });
    let ns = yields_alone(time).await / 2.0;
    is_over.store(true, Relaxed);
    other.await.unwrap();
    ns
}

async fn semaphore(time: Time) -> f64 {
    let (ping, pong) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (its_ping, its_pong) = (ping.clone(), pong.clone());
    let other = spawn(async move {
        while let Ok(permit) = its_ping.acquire().await {
            permit.forget();
            its_pong.add_permits(1);
        }
    });
    let ns = time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            ping.add_permits(1);
            pong.acquire().await.unwrap().forget();
        }
    });
    ping.close();
    other.await.unwrap();
    ns
}

/// Takes the lock when that is so; who makes it so notifies the only one that waits.
async fn lock_when<'a, T>(lock: &'a Mutex<T>, notified: &Notify, is_so: impl Fn(&T) -> bool) -> MutexGuard<'a, T> {
    loop {
        let held = lock.lock().await;
        if is_so(&held) {
            return held;
        }
        drop(held);
        notified.notified().await;
    }
}

#[derive(Default)]
struct Turns {
    turn: Mutex<usize>,
    is_ours: [Notify; 2],
    is_over: AtomicBool,
}

/// Whether it was over when this turn came.
async fn take_turn(turns: &Turns, me: usize) -> bool {
    *lock_when(&turns.turn, &turns.is_ours[me], |turn| *turn == me).await = 1 - me;
    let is_over = turns.is_over.load(Relaxed);
    turns.is_ours[1 - me].notify_one();
    is_over
}

/// Per round.
async fn condition(time: Time) -> f64 {
    let turns = Arc::new(Turns::default());
    let its = turns.clone();
    let other = spawn(async move { while !take_turn(&its, 1).await {} });
    let ns = time_each!(time, ROUNDS, {
        for _ in 0..ROUNDS {
            take_turn(&turns, 0).await;
        }
    });
    turns.is_over.store(true, Relaxed);
    take_turn(&turns, 0).await;
    other.await.unwrap();
    ns
}

async fn locks(time: Time) -> f64 {
    let lock = Mutex::new(0u64);
    time_each!(time, LOCKS, {
        for _ in 0..LOCKS {
            *lock.lock().await += 1;
        }
    })
}

#[derive(Default)]
#[repr(align(128))]
struct LetterBox {
    is_filled: Mutex<bool>,
    filled: Notify,
}

impl LetterBox {
    async fn throw(&self) {
        *self.is_filled.lock().await = true;
        self.filled.notify_one();
    }

    async fn catch(&self) {
        *lock_when(&self.is_filled, &self.filled, |is_filled| *is_filled).await = false;
    }
}

#[derive(Default)]
struct Match {
    boxes: [LetterBox; 2],
    is_over: AtomicBool,
}

async fn throw(game: Arc<Match>, deadline: Instant) -> u64 {
    let mut rounds = 0;
    while rounds == 0 || Instant::now() < deadline {
        for _ in 0..ROUNDS {
            game.boxes[1].throw().await;
            game.boxes[0].catch().await;
        }
        rounds += ROUNDS as u64;
    }
    game.is_over.store(true, Relaxed);
    game.boxes[1].throw().await;
    rounds
}

async fn throw_back(game: Arc<Match>) -> u64 {
    loop {
        game.boxes[1].catch().await;
        if game.is_over.load(Relaxed) {
            return 0;
        }
        game.boxes[0].throw().await;
    }
}

async fn matches(n: usize, length: Duration) -> f64 {
    let (start, mut players) = (Instant::now(), Vec::new());
    for _ in 0..n {
        let game = Arc::new(Match::default());
        players.push(spawn(throw(game.clone(), start + length)));
        players.push(spawn(throw_back(game)));
    }
    let rounds: u64 = join(players).await.iter().sum();
    start.elapsed().as_nanos() as f64 / rounds as f64
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

impl Gates {
    fn new(n: usize) -> Arc<Self> {
        Arc::new(Gates { all_there: Barrier::new(n), begin: Barrier::new(n), end: Barrier::new(n) })
    }
}

async fn contend(lock: Arc<Mutex<[u64; 4]>>, gates: Arc<Gates>, spins: u64) -> u64 {
    let mut n = 0;
    gates.all_there.wait().await;
    gates.begin.wait().await;
    while !is_over() {
        for word in lock.lock().await.iter_mut() {
            *word += 1;
        }
        spin(spins);
        n += 1;
    }
    n
}

async fn contended(length: Duration) {
    let (lock, gates, spins) = (Arc::new(Mutex::new([0; 4])), Gates::new(CONTENDERS + 1), spins_in_100_ns());
    let all = (0..CONTENDERS).map(|_| spawn(contend(lock.clone(), gates.clone(), spins))).collect();
    gates.all_there.wait().await;
    let start = Instant::now();
    end_after(length_of_contest(length));
    gates.begin.wait().await;
    let by = join(all).await;
    put_contest(&by, *lock.lock().await, start.elapsed());
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
    let gates = Gates::new(2 * t.games + 1);
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

/// A stroke of ping-pong is a turn by locks.
async fn strokes(length: Duration) -> f64 {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while least == Duration::MAX || start.elapsed() < length {
        least = least.min(games(A_GAME).await.play());
    }
    least.as_nanos() as f64 / (2 * TRIAL) as f64
}

/// A task takes what it holds.
const BYTES_EACH: usize = 1024;

async fn spawn_tree(depth: u64, time: Time) {
    let tree = tree(depth);
    must_hold(tree.calls, BYTES_EACH, 0);
    let ns = time_each!(time, tree.calls, {
        assert_eq!(spawn(fib(depth)).await.unwrap(), tree.result);
    });
    tree.report(ns);
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

#[derive(Default)]
#[repr(align(128))]
struct Node {
    arrivals: Mutex<Arrivals>,
    is_full: Notify,
    is_told: Notify,
}

/// The turn-th barrier, counted from 1.
async fn wait_in_tree(nodes: &[Node], me: usize, turn: usize) {
    let (node, children) = (&nodes[me], children_of(me, nodes.len()));
    lock_when(&node.arrivals, &node.is_full, |a| a.arrived >= children.len()).await.arrived = 0;
    if let Some(parent) = parent_of(me) {
        let mut arrivals = nodes[parent].arrivals.lock().await;
        arrivals.arrived += 1;
        if arrivals.arrived == children_of(parent, nodes.len()).len() {
            nodes[parent].is_full.notify_one();
        }
        drop(arrivals);
        drop(lock_when(&node.arrivals, &node.is_told, |a| a.told >= turn).await);
    }
    for child in &nodes[children] {
        child.arrivals.lock().await.told += 1;
        child.is_told.notify_one();
    }
}

/// The time from when all are there until all are done.  It begins before they may go on: who waits may run
/// after those who go on.
async fn time_all<F>(n: usize, body: impl Fn(usize) -> F) -> Duration
where
    F: Future<Output = ()> + Send + 'static,
{
    let gates = Gates::new(n + 1);
    let one = |me| {
        let (gates, ours) = (gates.clone(), body(me));
        spawn(async move {
            gates.all_there.wait().await;
            gates.begin.wait().await;
            ours.await;
            gates.end.wait().await;
        })
    };
    let all = (0..n).map(one).collect();
    gates.all_there.wait().await;
    let start = Instant::now();
    gates.begin.wait().await;
    gates.end.wait().await;
    let elapsed = start.elapsed();
    join(all).await;
    elapsed
}

async fn gauss(n: usize) -> Duration {
    let matrix = Arc::new(Matrix::filled());
    let nodes: Arc<[Node]> = (0..n).map(|_| Node::default()).collect();
    let body = |me| {
        let (matrix, nodes) = (matrix.clone(), nodes.clone());
        async move {
            for pivot in 0..SIZE {
                matrix.eliminate_mine(me, n, pivot);
                wait_in_tree(&nodes, me, pivot + 1).await;
            }
        }
    };
    let elapsed = time_all(n, body).await;
    matrix.check();
    elapsed
}

async fn sort(n: usize) -> Duration {
    let shared = Arc::new((Numbers::mixed(), Barrier::new(n)));
    let body = |me| {
        let its = shared.clone();
        async move {
            for phase in 0..ELEMENTS {
                its.0.exchange_mine(me, n, phase);
                its.1.wait().await;
            }
        }
    };
    let elapsed = time_all(n, body).await;
    shared.0.check();
    elapsed
}

async fn gauss_share(per_cpu: usize, length: Duration) {
    let (alone, n) = (mean_ns!(length, gauss_alone()), per_cpu * workers());
    println!("- {} %", 100.0 * alone / mean_ns!(length, gauss(n).await) / workers() as f64);
}

async fn pagefault(is_mixed: bool, length: Duration) {
    let threads = pages::threads(is_mixed);
    let gates = Gates::new(threads.len() + 1);
    let one = |mut thread: pages::Thread| {
        let gates = gates.clone();
        spawn(async move {
            gates.all_there.wait().await;
            gates.begin.wait().await;
            while !is_over() {
                thread.step();
                yield_now().await;
            }
            thread
        })
    };
    let all = threads.into_iter().map(one).collect();
    gates.all_there.wait().await;
    let meter = pages::Meter::start(is_mixed);
    end_after(length);
    gates.begin.wait().await;
    meter.report(&join(all).await);
}

async fn serve(mut connection: TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = connection.read(&mut buffer).await {
        if connection.write_all(&buffer[..n]).await.is_err() {
            break;
        }
    }
}

/// The server of echo.sh, until it is ended.
async fn echo(n: usize) {
    must_hold(n, 4096 + BYTES_EACH, 0);
    raise_descriptor_limit();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listening on {}", listener.local_addr().unwrap());
    loop {
        let connection = listener.accept().await.unwrap().0;
        connection.set_nodelay(true).unwrap();
        spawn(serve(connection));
    }
}

async fn measure(call: Call) {
    let (time, length) = (call.time, call.time.length);
    match call.case.as_str() {
        "create-join" => put_ns("-", create_join(time).await),
        "batch" => put_ns("-", batches(time).await),
        "yield" => put_ns("-", yields(time).await),
        "semaphore" => put_ns("-", semaphore(time).await),
        "condition" => put_ns("-", condition(time).await),
        "lock" => put_ns("-", locks(time).await),
        "ping-pong-1" => put_ns("-", matches(1, length).await),
        "ping-pong-4" => put_ns("-", matches(4, length).await),
        "contended" => contended(length).await,
        "spawn-tree" => spawn_tree(27, time).await,
        "spawn-tree-20" => spawn_tree(20, time).await,
        "beside" => pagefault(false, length).await,
        "mixed" => pagefault(true, length).await,
        "myth/table-1" => put_ns("lock", locks(time).await),
        "myth/table-3" => put_ns("thread", create_join(time).await),
        "myth/table-4" => put_ns("yield", yields(time).await),
        "myth/start" => {
            join(create(1)).await;
            put_ns("first-thread", call.began.elapsed().as_nanos() as f64);
        }
        "dgux/table-3" => {
            let syscall = null_syscalls(time);
            put_row("yield-alone", yields_alone(time).await, syscall);
            put_row("yield", yields(time).await, syscall);
            put_row("mutex", strokes(length).await, syscall);
            put_row("condition", condition(time).await / 2.0, syscall);
            put_row("create-exit-join", create_join(time).await, syscall);
        }
        "dgux/table-4" => put_ns("thread", create_join(time).await),
        "dgux/table-5" => put_ns("condition", condition(time).await / 2.0),
        "dgux/table-6" => {
            put_ns("create", creation(length).await);
            put_ns("mutex", strokes(length).await);
            put_ns("condition", condition(time).await / 2.0);
        }
        "psyche/gauss" => put_ms(mean_ns!(length, gauss(THREADS).await)),
        "psyche/sort" => put_ms(mean_ns!(length, sort(THREADS).await)),
        case => {
            if let Some(n) = number_of(case, "") {
                scale(n).await
            } else if let Some(n) = number_of(case, "echo/") {
                echo(n).await
            } else if let Some(n) = number_of(case, "psyche/gauss-") {
                gauss_share(n, length).await
            } else {
                ping_pong(case, length).await
            }
        }
    }
}

/// What is measured is a task like its partners.  Descriptors are waited for where there are some.
fn main() {
    let call = call();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(workers());
    if number_of(&call.case, "echo/").is_some() {
        runtime.enable_io();
    }
    runtime.build().unwrap().block_on(async { spawn(measure(call)).await.unwrap() });
}
