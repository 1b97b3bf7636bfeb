// SPDX-License-Identifier: BSD-2-Clause
//
// Threads of Rust's standard library, which waits by futex calls made through syscall().  Each part
// prints one line that is the same each time; `overflow` runs a thread out of its stack instead.
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::panic;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, Once, RwLock};
use std::thread;
use std::time::{Duration, Instant};

fn channels() {
    let (sender, receiver) = mpsc::channel();
    for n in 0..100u64 {
        let sender = sender.clone();
        thread::spawn(move || (0..100).for_each(|i| sender.send(n * 100 + i).unwrap()));
    }
    drop(sender);
    let sum: u64 = receiver.iter().sum();

    let (sender, receiver) = mpsc::sync_channel(0);
    let server = thread::spawn(move || receiver.iter().take(500).sum::<u64>());
    (0..500).for_each(|i| sender.send(i).unwrap());
    let met = server.join().unwrap();

    let (_sender, receiver) = mpsc::channel::<()>();
    let late = receiver.recv_timeout(Duration::from_millis(20)).is_err();
    println!("channels {sum} {met} {late}");
}

fn locks() {
    let state = Arc::new((Mutex::new((0u64, false)), Condvar::new()));
    let threads: Vec<_> = (0..200)
        .map(|n| {
            let state = state.clone();
            thread::spawn(move || {
                let (lock, open) = &*state;
                let mut held = lock.lock().unwrap();
                while !held.1 {
                    held = open.wait(held).unwrap();
                }
                held.0 += n;
            })
        })
        .collect();
    state.0.lock().unwrap().1 = true;
    state.1.notify_all();
    threads.into_iter().for_each(|t| t.join().unwrap());

    let table = RwLock::new(vec![0u64; 16]);
    static ONCE: Once = Once::new();
    let ones = AtomicUsize::new(0);
    thread::scope(|s| {
        for n in 0..32usize {
            let (table, ones) = (&table, &ones);
            s.spawn(move || {
                ONCE.call_once(|| {
                    ones.fetch_add(1, SeqCst);
                });
                for _ in 0..100 {
                    if n % 4 == 0 {
                        table.write().unwrap()[n % 16] += 1;
                    } else {
                        assert!(table.read().unwrap().len() == 16);
                    }
                }
            });
        }
    });
    let writes: u64 = table.read().unwrap().iter().sum();
    println!("locks {} {writes} {}", state.0.lock().unwrap().0, ones.load(SeqCst));
}

fn scopes() {
    let numbers: Vec<u64> = (0..100_000).collect();
    let sum: u64 = thread::scope(|s| {
        let parts: Vec<_> =
            numbers.chunks(1000).map(|c| s.spawn(move || c.iter().sum::<u64>())).collect();
        parts.into_iter().map(|p| p.join().unwrap()).sum()
    });
    println!("scopes {sum}");
}

fn panics() {
    panic::set_hook(Box::new(|_| ()));
    let poisoned = Arc::new(Mutex::new(0));
    let caught = (0..40)
        .map(|n| {
            let poisoned = poisoned.clone();
            thread::spawn(move || {
                let _held = poisoned.lock();
                assert!(n % 2 == 0, "odd {n}");
            })
        })
        .collect::<Vec<_>>()
        .into_iter()
        .filter_map(|t| t.join().err())
        .filter(|e| e.downcast_ref::<String>().map_or(false, |s| s.starts_with("odd ")))
        .count();
    let inside = panic::catch_unwind(|| panic!("here")).is_err();
    let _ = panic::take_hook();
    println!("panics {caught} poisoned {} {inside}", poisoned.is_poisoned());
}

static DROPPED: AtomicUsize = AtomicUsize::new(0);
struct Noisy(usize);
impl Drop for Noisy {
    fn drop(&mut self) {
        DROPPED.fetch_add(self.0, SeqCst);
    }
}
thread_local!(static LOCAL: RefCell<Noisy> = RefCell::new(Noisy(0)));

fn locals() {
    let threads: Vec<_> = (1..=50)
        .map(|n| {
            thread::spawn(move || {
                LOCAL.with(|l| l.borrow_mut().0 = n);
                thread::yield_now();
                LOCAL.with(|l| l.borrow().0 == n)
            })
        })
        .collect();
    let right = threads.into_iter().map(|t| t.join().unwrap()).filter(|&r| r).count();
    println!("locals {right} dropped {}", DROPPED.load(SeqCst));
}

fn parking() {
    let barrier = Arc::new(Barrier::new(16));
    let leaders = (0..16)
        .map(|_| {
            let barrier = barrier.clone();
            thread::spawn(move || (0..50).filter(|_| barrier.wait().is_leader()).count())
        })
        .collect::<Vec<_>>()
        .into_iter()
        .map(|t| t.join().unwrap())
        .sum::<usize>();

    let parked = thread::Builder::new()
        .name("sleeper".into())
        .stack_size(1 << 16)
        .spawn(|| {
            thread::park();
            thread::current().name().map(str::to_owned)
        })
        .unwrap();
    parked.thread().unpark();
    let name = parked.join().unwrap().unwrap();

    let start = Instant::now();
    thread::park_timeout(Duration::from_millis(10));
    thread::sleep(Duration::from_millis(10));
    println!("parking leaders {leaders} {name} {}", start.elapsed() >= Duration::from_millis(10));
}

fn sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let serving: Vec<_> = (0..50)
            .map(|_| {
                let (stream, _) = listener.accept().unwrap();
                thread::spawn(move || {
                    let mut out = stream.try_clone().unwrap();
                    for line in BufReader::new(stream).lines() {
                        writeln!(out, "{}", line.unwrap().to_uppercase()).unwrap();
                    }
                })
            })
            .collect();
        serving.into_iter().for_each(|t| t.join().unwrap());
    });
    let clients: Vec<_> = (0..50)
        .map(|n| {
            thread::spawn(move || {
                let mut stream = TcpStream::connect(address).unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                (0..20).filter(|i| {
                    writeln!(stream, "x{n} {i}").unwrap();
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    line == format!("X{n} {i}\n")
                }).count()
            })
        })
        .collect();
    let good: usize = clients.into_iter().map(|t| t.join().unwrap()).sum();
    server.join().unwrap();
    println!("sockets {good}");
}

fn children() {
    let threads: Vec<_> = (0..8)
        .map(|n: i32| {
            thread::spawn(move || {
                let out = Command::new("sh").args(["-c", &format!("echo {n}; exit {n}")]).output();
                let out = out.unwrap();
                (String::from_utf8(out.stdout).unwrap().trim() == n.to_string(), out.status.code())
            })
        })
        .collect();
    let good = threads.into_iter().map(|t| t.join().unwrap());
    println!("children {}", good.enumerate().all(|(n, r)| r == (true, Some(n as i32))));
}

#[allow(unconditional_recursion)]
#[inline(never)]
fn deeper(n: u64) -> u64 {
    let held = std::hint::black_box([n; 64]);
    deeper(n + 1) + std::hint::black_box(held)[0]
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("overflow") {
        let body = || println!("{}", deeper(0));
        thread::Builder::new().name("deep".into()).spawn(body).unwrap().join().unwrap();
        return;
    }
    channels();
    locks();
    scopes();
    panics();
    locals();
    parking();
    sockets();
    children();
}
