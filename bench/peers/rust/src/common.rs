// SPDX-License-Identifier: BSD-2-Clause
//! What peers in Rust share: a peer is called `PEER CASE SECONDS NAME` and answers as bench.h tells.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub const ROUNDS: usize = 64;
pub const BATCH: usize = 1000;
pub const LOCKS: usize = 1024;

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

/// The number behind a name, at the beginning of a line of the file.
fn number_in(path: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}

fn status_kb(name: &str) -> f64 {
    number_in("/proc/self/status", name)
}

/// Ends the program, and says why, unless there is memory for so many at a time, and map entries where each takes some.
pub fn must_hold(n: usize, bytes_each: usize, maps_each: usize) {
    let left = number_in("/proc/meminfo", "MemAvailable:") * 1024.0;
    let maps = number_in("/proc/sys/vm/max_map_count", "");
    let limit = match () {
        _ if (n * bytes_each) as f64 > left * 0.9 => "memory",
        _ if (n * maps_each) as f64 > maps * 0.9 => "max_map_count",
        _ => return,
    };
    println!("note {limit} does not allow {n} threads at a time");
    skip()
}

/// A thread for each call of fib(n), the naive way.
pub struct Tree {
    pub result: u64,
    pub calls: usize,
    before_kb: f64,
}

pub fn tree(depth: u64) -> Tree {
    let (result, next) = (0..depth).fold((0, 1), |(a, b), _| (b, a + b));
    let before_kb = status_kb("VmRSS:");
    let _ = std::fs::write("/proc/self/clear_refs", "5"); // VmHWM begins again
    Tree { result, calls: 2 * next as usize - 1, before_kb }
}

impl Tree {
    pub fn report(&self) {
        println!("peak {} kB", status_kb("VmHWM:") - self.before_kb);
    }
}

/// Threads that all wait for one condition, and one more that is there before: see scale.c.
pub struct Scale {
    n: f64,
    resident_kb: f64,
    tables_kb: f64,
    create_ns: f64,
    since: Instant,
}

/// A case of scale is a number.
pub fn crowd(case: &str) -> Option<usize> {
    case.parse().ok().filter(|n| *n > 0)
}

impl Scale {
    pub fn begin(n: usize) -> Self {
        let (resident_kb, tables_kb) = (status_kb("VmRSS:"), status_kb("VmPTE:"));
        Scale { n: n as f64, resident_kb, tables_kb, create_ns: 0.0, since: Instant::now() }
    }

    pub fn all_wait(&mut self) {
        self.create_ns = self.since.elapsed().as_nanos() as f64 / self.n;
        self.resident_kb = status_kb("VmRSS:") - self.resident_kb;
        self.tables_kb = status_kb("VmPTE:") - self.tables_kb;
        self.since = Instant::now();
    }

    pub fn joined(&self) {
        let woken_ns = self.since.elapsed().as_nanos() as f64 / self.n;
        let (resident, tables) = (self.resident_kb * 1024.0 / self.n, self.tables_kb * 1024.0 / self.n);
        println!("create {} ns\nresident {resident} bytes\npage-tables {tables} bytes", self.create_ns);
        println!("memory {} bytes\nwake-join {woken_ns} ns", resident + tables);
    }
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
