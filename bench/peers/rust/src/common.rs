// SPDX-License-Identifier: BSD-2-Clause
//! What peers in Rust share: a peer is called `PEER CASE SECONDS NAME` and answers as bench.h tells.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub const ROUNDS: usize = 64;
pub const BATCH: usize = 1000;
pub const LOCKS: usize = 1024;
pub const TREE_DEPTH: u64 = 20;
pub const TREE_CALLS: usize = 21891; // of fib(20)
pub const TREE_RESULT: u64 = 6765;

pub struct Call {
    pub case: String,
    pub length: Duration,
}

pub fn call() -> Call {
    let args: Vec<String> = std::env::args().collect();
    let seconds = args.get(2).and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.0);
    if args.len() != 4 || !(seconds > 0.0 && seconds < 3600.0) {
        eprintln!("usage: {} CASE SECONDS NAME", args[0]);
        std::process::exit(2);
    }
    Call { case: args[1].clone(), length: Duration::from_secs_f64(seconds) }
}

pub fn skip() -> ! {
    std::process::exit(77)
}

pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Prints the mean time of one of the `n` operations of the block, after a first time that does not
/// count.  A macro, so that the block may wait.
#[macro_export]
macro_rules! time_each {
    ($length:expr, $n:expr, $operations:block) => {{
        $operations
        let start = std::time::Instant::now();
        let mut count = 0;
        loop {
            $operations
            count += $n;
            let elapsed = start.elapsed();
            if elapsed >= $length {
                println!("- {} ns", elapsed.as_nanos() as f64 / count as f64);
                break;
            }
        }
    }};
}

/// A test of ping-pong: see pingpong.c.
#[derive(Clone, Copy)]
pub struct Tournament {
    pub games: usize,
    pub strokes: u32,
    pub is_scaled: bool,
}

const PAPER_STROKES: u32 = 1_000_000;
const TRIAL: u32 = 2000;

/// Those with threads that are bound, or locks that processes share, are not for this kind of threads.
pub fn tournament(case: &str) -> Option<Tournament> {
    let (games, strokes, is_scaled) = match case {
        "baseline" | "test-1" | "test-2" | "test-3" => (1, TRIAL, true),
        "test-5" | "test-6" => (4, TRIAL, true),
        "test-8" | "test-9" => (5000, 100, false),
        _ => return None,
    };
    Some(Tournament { games, strokes, is_scaled })
}

extern "C" {
    fn clock() -> std::ffi::c_long; // in microseconds, of the whole process
}

#[derive(Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
    begun: Instant,
    ended: Instant,
    cpu_us: std::ffi::c_long,
}

impl Stopwatch {
    pub fn start() -> Self {
        let now = Instant::now();
        Stopwatch { started: now, begun: now, ended: now, cpu_us: unsafe { clock() } }
    }

    pub fn begin(&mut self) {
        self.begun = Instant::now();
    }

    pub fn end(&mut self) {
        self.ended = Instant::now();
        self.cpu_us = unsafe { clock() } - self.cpu_us;
    }
}

impl Tournament {
    /// As many strokes as fit into the time, and at most the paper's.
    pub fn fit(&mut self, trial: Stopwatch, length: Duration) {
        let play = (trial.ended - trial.begun).as_secs_f64();
        let fit = TRIAL as f64 * length.as_secs_f64() / play;
        self.strokes = fit.clamp(TRIAL as f64, PAPER_STROKES as f64) as u32;
    }

    pub fn report(&self, watch: Stopwatch) {
        let scale = if self.is_scaled { PAPER_STROKES as f64 / self.strokes as f64 } else { 1.0 };
        if !self.is_scaled {
            println!("start {} ms", (watch.begun - watch.started).as_secs_f64() * 1e3);
        }
        println!("play {} ms", (watch.ended - watch.begun).as_secs_f64() * 1e3 * scale);
        println!("cpu {} ms", watch.cpu_us as f64 / 1e3 * scale);
    }
}

/// Counts strokes, and ends the program when one was made out of turn.
#[derive(Default)]
pub struct Strokes(AtomicU64);

impl Strokes {
    pub fn make(&self, me: usize, n: u32) {
        let count = self.0.load(Relaxed);
        if count != 2 * n as u64 + (me == 0) as u64 {
            eprintln!("a player made a stroke that was its opponent's");
            std::process::exit(1);
        }
        self.0.store(count + 1, Relaxed);
    }
}
