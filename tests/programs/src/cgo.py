# SPDX-License-Identifier: BSD-2-Clause
# A library with Go's runtime comes while threads of ours run; then more of them call it.
import ctypes
import sys
import threading
import time

results = []


def sleeper():
    time.sleep(0.05)
    results.append(1)


def caller():
    results.append(work(10))


threads = [threading.Thread(target=sleeper) for _ in range(10)]
for t in threads:
    t.start()
work = ctypes.CDLL(sys.argv[1]).Work
work.restype = ctypes.c_longlong
work.argtypes = [ctypes.c_longlong]
print(work(40))
threads += [threading.Thread(target=caller) for _ in range(10)]
for t in threads[10:]:
    t.start()
for t in threads:
    t.join()
print(sorted(results))
