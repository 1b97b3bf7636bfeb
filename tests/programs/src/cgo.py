# SPDX-License-Identifier: BSD-2-Clause
# A library with Go's runtime comes while threads of ours run; then these call it, and more.
import ctypes
import sys
import threading

results = []
has_come = threading.Event()


def sleeper():
    has_come.wait()
    for _ in range(10):
        result = work(10)
    results.append(result)


def caller():
    results.append(work(10))


threads = [threading.Thread(target=sleeper) for _ in range(10)]
for t in threads:
    t.start()
work = ctypes.CDLL(sys.argv[1]).Work
work.restype = ctypes.c_longlong
work.argtypes = [ctypes.c_longlong]
print(work(40))
has_come.set()
threads += [threading.Thread(target=caller) for _ in range(10)]
for t in threads[10:]:
    t.start()
for t in threads:
    t.join()
print(sorted(results))
