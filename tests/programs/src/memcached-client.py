# SPDX-License-Identifier: BSD-2-Clause
"""Sixteen clients of a memcached on PORT store, count and read back; prints what they saw."""
import concurrent.futures
import socket
import sys

PORT, CLIENTS, KEYS = int(sys.argv[1]), 16, 500


class Client:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, line, body=None):
        self.socket.sendall(line + b"\r\n" + (b"" if body is None else body + b"\r\n"))
        return self.file.readline().rstrip()

    def set(self, key, value):
        return self.ask(b"set %s 0 0 %d" % (key, len(value)), value)

    def get(self, key):
        head = self.ask(b"get " + key).split()
        if head == [b"END"]:
            return None
        value = self.file.read(int(head[3]) + 2)[:-2]
        return value if self.file.readline() == b"END\r\n" else b"broken"


def value_of(n, i):
    return b"%d:%d:" % (n, i) * (1 + (n * i) % 200)


def one(n):
    c = Client()
    good = 0
    for i in range(KEYS):
        good += c.set(b"key-%d-%d" % (n, i), value_of(n, i)) == b"STORED"
        c.ask(b"incr shared 1")
        if i >= 10:
            good += c.get(b"key-%d-%d" % (n, i - 10)) == value_of(n, i - 10)
    for i in range(0, KEYS, 5):
        good += c.ask(b"delete key-%d-%d" % (n, i)) == b"DELETED"
    return good


first = Client()
first.set(b"shared", b"0")
with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
    print("answers", sum(pool.map(one, range(CLIENTS))))
print("shared", first.get(b"shared").decode())
found = missing = 0
for n in range(CLIENTS):
    for i in range(KEYS):
        value = first.get(b"key-%d-%d" % (n, i))
        found += value == value_of(n, i)
        missing += value is None
print("found", found, "missing", missing)
stats = {}
first.socket.sendall(b"stats\r\n")
while (line := first.file.readline().split()) != [b"END"]:
    stats[line[1]] = line[2]
print("items", int(stats[b"curr_items"]), "sets", int(stats[b"cmd_set"]),
      "threads", int(stats[b"threads"]))
