# SPDX-License-Identifier: BSD-2-Clause
"""Threads of CPython in each way that programs use them: one line a part, the same each time."""
import asyncio
import concurrent.futures
import ctypes
import errno
import multiprocessing
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def five_hundred():
    """500 threads alive at once, each with its own local data, all woken by one notify_all."""
    ready = threading.Semaphore(0)
    go = threading.Condition()
    state = {"gone": False, "sum": 0}
    local = threading.local()

    def body(n):
        local.n = n
        ready.release()
        with go:
            while not state["gone"]:
                go.wait()
            state["sum"] += local.n

    threads = [threading.Thread(target=body, args=(n,)) for n in range(500)]
    for t in threads:
        t.start()
    for _ in threads:
        ready.acquire()
    alive = threading.active_count() - 1
    with go:
        state["gone"] = True
        go.notify_all()
    for t in threads:
        t.join()
    return alive, len({t.ident for t in threads}) > 0, state["sum"]


def compute():
    """Pure computing in more threads than processors, with the interpreter's lock passed on."""
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return list(pool.map(fib, range(14, 20))), sum(pool.map(fib, [12] * 100))


def pools():
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        slept = [pool.submit(time.sleep, 0.02) for _ in range(200)]
        done, pending = concurrent.futures.wait(slept, timeout=30)
        failing = pool.submit(lambda: 1 // 0)
        try:
            failing.result()
            error = None
        except ZeroDivisionError as e:
            error = str(e)
    return len(done), len(pending), error


def queues():
    jobs, results = queue.Queue(maxsize=10), queue.Queue()

    def body():
        while (job := jobs.get()) is not None:
            results.put(job * job)
            jobs.task_done()

    threads = [threading.Thread(target=body) for _ in range(20)]
    for t in threads:
        t.start()
    for n in range(2000):
        jobs.put(n)
    jobs.join()
    for _ in threads:
        jobs.put(None)
    for t in threads:
        t.join()
    try:
        results.get(timeout=0) if results.empty() else None
        queue.Queue().get(timeout=0.01)
    except queue.Empty:
        return sum(results.get() for _ in range(2000))


def subprocesses():
    """vfork and exec from eight threads at once, with pipes in both directions."""
    def one(n):
        done = subprocess.run(["tr", "a-z", "A-Z"], input=f"child {n}", text=True,
                              stdout=subprocess.PIPE, check=True, timeout=60)
        return done.stdout

    def status(n):
        return subprocess.run(["sh", "-c", f"exit {n}"], timeout=60).returncode

    def late(_):
        try:
            subprocess.run(["sleep", "60"], timeout=0.05)
        except subprocess.TimeoutExpired:
            return "late"

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return (list(pool.map(one, range(24)))[-1], list(pool.map(status, range(8))),
                list(pool.map(late, range(2))),
                subprocess.run(["/nonexistent/x"], check=False).returncode
                if os.path.exists("/nonexistent/x") else "missing")


def forks():
    def child(n):
        pid = os.fork()
        if pid == 0:
            t = threading.Thread(target=time.sleep, args=(0.001,))
            t.start()
            t.join()
            os._exit(n)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(child, range(1, 9)))


def square(n):
    return n * n


def processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return sum(pool.map(square, range(100)))


def names():
    """Name look-ups hold libc's locks and block in its own poll."""
    def one(_):
        return sorted({a[4][0] for a in socket.getaddrinfo("localhost", 80, socket.AF_INET)})

    def user(_):
        import pwd
        return pwd.getpwuid(0).pw_name

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        found = {tuple(a) for a in pool.map(one, range(100))}
        return sorted(found), set(pool.map(user, range(100)))


def sockets():
    """An echo server with a thread for each of 100 clients, which are threads too."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def serve(s):
        with s:
            while data := s.recv(4096):
                s.sendall(data)

    def accept():
        for _ in range(100):
            s, _ = listener.accept()
            threading.Thread(target=serve, args=(s,)).start()

    def client(n):
        with socket.create_connection(listener.getsockname(), timeout=60) as s:
            for i in range(10):
                want = b"%d-%d" % (n, i)
                s.sendall(want)
                got = b""
                while len(got) < len(want):
                    got += s.recv(100)
                if got != want:
                    return 0
        return 1

    threading.Thread(target=accept).start()
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        good = sum(pool.map(client, range(100)))
    listener.close()
    return good


def timeouts():
    lock, event = threading.Lock(), threading.Event()
    lock.acquire()
    start = time.monotonic()
    got = [lock.acquire(timeout=0.05), event.wait(0.05), bool(select.select([], [], [], 0.05)[0])]
    spent = time.monotonic() - start
    timer = threading.Timer(0.02, event.set)
    timer.start()
    a, b = socket.socketpair()
    a.settimeout(0.02)
    try:
        a.recv(1)
    except TimeoutError:
        got.append("timed out")
    a.close()
    b.close()
    return got, 0.15 <= spent < 5, event.wait(30)


def signals():
    """A handler runs in the main thread while others are there; a blocked main thread is woken."""
    got = []
    signal.signal(signal.SIGUSR1, lambda n, frame: got.append(threading.current_thread().name))
    signal.signal(signal.SIGALRM, lambda n, frame: got.append("alarm"))
    poster = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    poster.start()
    while not got:
        time.sleep(0.005)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    signal.pause()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGUSR2)).start()
    got.append(signal.sigtimedwait({signal.SIGUSR2}, 30).si_signo == signal.SIGUSR2)
    return got


def loop():
    async def main():
        running = asyncio.get_running_loop()
        slow = [running.run_in_executor(None, square, n) for n in range(20)]
        child = await asyncio.create_subprocess_exec("echo", "hello", stdout=subprocess.PIPE)
        out, _ = await child.communicate()
        return sum(await asyncio.gather(*slow)), out.decode().strip()
    return asyncio.run(main())


def errno_is_own():
    """Calls through ctypes fail in two threads with two errors."""
    libc = ctypes.CDLL(None, use_errno=True)

    def one(n):
        wanted = errno.ENOENT if n % 2 else errno.EBADF
        for _ in range(200):
            ctypes.set_errno(0)
            if n % 2:
                libc.open(b"/nonexistent", 0)
            else:
                libc.close(-1)
            if ctypes.get_errno() != wanted:
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return all(pool.map(one, range(32)))


def files():
    with tempfile.TemporaryDirectory() as folder:
        def one(n):
            path = os.path.join(folder, str(n))
            with open(path, "w") as f:
                f.write(str(n) * 1000)
                f.flush()
                os.fsync(f.fileno())
            with open(path) as f:
                return f.read() == str(n) * 1000

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            return all(pool.map(one, range(64)))


def daemon():
    """A daemon thread that sleeps for ever does not keep the process alive."""
    threading.Thread(target=time.sleep, args=(10000,), daemon=True).start()
    return threading.active_count() - 1


PARTS = [five_hundred, compute, pools, queues, subprocesses, forks, processes, names, sockets,
         timeouts, signals, loop, errno_is_own, files, daemon]

for part in PARTS if len(sys.argv) < 2 else [globals()[name] for name in sys.argv[1:]]:
    print(part.__name__, part(), flush=True)
