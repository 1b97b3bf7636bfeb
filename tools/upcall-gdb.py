# SPDX-License-Identifier: BSD-2-Clause
"""User-level threads in gdb, in a live process and in a core file.

gdb loads this by itself when it loads libupcall-pthread.so or libupcall.so, beside which it is
installed (where `set auto-load safe-path` allows it; else `source` it).

    info upcall threads         every thread: number, state, what it waits for
    upcall thread N             makes N's registers the selected ones: bt, up, info locals follow
    upcall thread               back to the kernel thread that gdb shows
    upcall thread N COMMAND     one command in N, and back
    upcall apply all COMMAND    the command in every thread, as `thread apply all`

Plain `info threads` lists them too, below gdb's own, and plain `thread apply all` goes on with those that
no kernel thread carries.  gdb knows only threads that the kernel knows, whatever a libthread_db tells it
(doc/seeing.md), so it is taught these two.

A thread that waits has left its registers on its stack.  To gdb they are shown by an unwinder that
takes the place of the selected kernel thread's first frame; no register of the process is written,
so a live process goes on unharmed, and a core file needs none.
"""
import contextlib
import itertools

import gdb
import gdb.unwinder

_REGISTERS = ("rbp", "rip")


def _memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def _word(address, size=8):
    return int.from_bytes(_memory(address, size), "little")


def _in_c():
    """The program may be Rust; gdb before 12 cannot be asked so."""
    return gdb.with_parameter("language", "c") if hasattr(gdb, "with_parameter") else contextlib.nullcontext()


class Table:
    """What upcall_page says of the runtime's structures."""

    def __init__(self):
        # Of two libraries the preloaded one, which is the one in use, comes first.
        with _in_c():
            page = int(gdb.parse_and_eval("(unsigned long)&upcall_page"))
        if _memory(page, 8) != b"upc-page" or _word(page + 8, 4) != 1:
            raise gdb.GdbError("upcall_page is of another version")
        entry_bytes, count, entries = _word(page + 16, 4), _word(page + 20, 4), _word(page + 24)
        raw = _memory(entries, entry_bytes * count)
        self.entries = {}
        for i in range(count):
            e = raw[i * entry_bytes:(i + 1) * entry_bytes]
            name = e[:40].split(b"\0")[0].decode()
            self.entries[name] = (int.from_bytes(e[40:48], "little"), int.from_bytes(e[50:52], "little"))
        self.known, self.symbols = {}, {}

    def value(self, name):
        return self.entries[name][0]

    def names(self, prefix):
        if prefix not in self.known:
            self.known[prefix] = {v[0]: n[len(prefix):] for n, v in self.entries.items() if n.startswith(prefix)}
        return self.known[prefix]

    def field(self, structure, name, address):
        offset, size = self.entries[structure + "." + name]
        return _word(address + offset, size)

    def variable(self, name):
        address, size = self.entries[name]
        return _word(address, size)

    def symbol(self, address):
        """The variable that is there, or nothing."""
        if address not in self.symbols:
            text = gdb.execute("info symbol 0x%x" % address, to_string=True).split(" in section")[0]
            self.symbols[address] = "" if text.startswith("No symbol") else text
        return self.symbols[address]

    def descriptor(self, key):
        """Which file descriptor the thread waits for whose key this is, or None."""
        pages, size = self.entries["slot.pages"]
        slot, per_page = self.value("slot"), self.value("slot.per_page")
        if "slots" not in self.known:
            raw = _memory(pages, size)
            self.known["slots"] = [(int.from_bytes(raw[i:i + 8], "little"), i // 8)
                                   for i in range(0, size, 8) if any(raw[i:i + 8])]
        for address, index in self.known["slots"]:
            if address <= key < address + per_page * slot:
                return index * per_page + (key - address) // slot
        return None


class Thread:
    def __init__(self, table, address):
        self.address = address
        self.table = table
        self.raw = _memory(address, table.value("thread"))
        self.id = self.get("id")
        states, kinds = table.names("state."), table.names("kind.")
        self.state = states.get(self.get("state"), "?")
        if kinds.get(self.get("kind")) == "bound" and self.state != "done":
            self.state = "bound"
        offset, size = table.entries["thread.name"]
        self.name = self.raw[offset:offset + size].split(b"\0")[0].decode(errors="replace")

    def get(self, field):
        offset, size = self.table.entries["thread." + field]
        return int.from_bytes(self.raw[offset:offset + size], "little")

    def is_gone(self):
        return self.state == "done" and self.get("life") & self.table.value("life.reaped")

    def is_switched_out(self):
        return self.state in ("ready", "parked")

    def kernel_tid(self):
        """The kernel thread that carries it, or 0."""
        act = self.get("act")
        if self.state in ("running", "kernel", "parking", "notified", "bound") and act and \
                self.table.field("activation", "thread", act) == self.address:
            return self.table.field("activation", "tid", act)
        return self.get("tid") if self.state == "bound" else 0

    def readers(self, kind, at):
        """How many hold the readers-writer lock for reading."""
        word = _word(at + self.table.value("rwlock.word"), 4) if kind == "rwlock" else 0
        return 0 if word & self.table.value("rwlock.is_written") else word & self.table.value("rwlock.readers")

    def holder_tid(self, kind, at, by_tid):
        """The tid of who holds the mutex or the readers-writer lock, or 0."""
        offset = {"mutex": "mutex.owner", "rwlock": "rwlock.writer"}.get(kind)
        if not offset or self.readers(kind, at):
            return 0
        # The word of a native mutex has 32 bits of the holder's address.
        part = _word(at + self.table.value("mutex.word"), 4) & self.table.value("mutex.holder")
        if kind == "mutex" and part:
            shift = self.table.value("mutex.holder_shift")
            return next((t.get("tid") for t in by_tid.values() if t.address >> shift & 0xffffffff == part), 0)
        return _word(at + self.table.value(offset), 4)

    def waits_for(self, by_tid):
        key = self.get("wait_key")
        if not key or self.state not in ("parked", "bound", "parking"):
            return ""
        kind = self.table.names("wait.").get(self.get("wait_kind"), "?")
        if kind == "io":
            fd = self.table.descriptor(key & ~self.table.value("key.tag_mask"))
            return "io poll" if fd is None else "io fd %d" % fd
        if kind == "join":
            life = key & ~self.table.value("key.tag_mask")
            joined = by_tid.get(-(life - self.table.entries["thread.life"][0]))
            return "join of %d %s" % (joined.id, joined.name) if joined else kind
        if kind in ("sleep", "park", "signal"):
            return kind
        at = self.get("wait_arg") if kind.startswith("channel") else key & ~self.table.value("key.tag_mask")
        symbol = self.table.symbol(at)
        text = "%s 0x%x%s" % (kind, at, symbol and " (%s)" % symbol)
        tid = self.holder_tid(kind, at, by_tid)
        holder = by_tid.get(tid)
        if holder:
            return "%s, held by %d %s" % (text, holder.id, holder.name)
        readers = self.readers(kind, at)
        if readers:
            return "%s, held by %d reader%s" % (text, readers, "s" * (readers > 1))
        return "%s, held by kernel thread %d" % (text, tid) if tid else text

    def registers(self):
        """What arch_switch left on its stack."""
        sp = self.get("sp")
        saved = {r: _word(sp + self.table.value("context." + r)) for r in _REGISTERS}
        saved["rsp"] = sp + self.table.value("context.bytes")
        return saved


def _threads():
    table = Table()
    head = table.value("threads.all")
    offset = table.entries["thread.all_link"][0]
    node = _word(head)
    while node and node != head:
        thread = Thread(table, node - offset)
        if thread.id and not thread.is_gone():
            yield thread
        node = _word(node)


def _find(number):
    for thread in _threads():
        if thread.id == number:
            return thread
    raise gdb.GdbError("there is no thread %d" % number)


class _FrameId:
    """Below every stack, so that gdb believes that the thread's stack is above."""

    def __init__(self, pc):
        self.sp = gdb.Value(1)
        self.pc = gdb.Value(pc)


class _Unwinder(gdb.unwinder.Unwinder):
    """Says that the caller of the kernel thread's first frame is the chosen thread."""

    def __init__(self):
        super().__init__("upcall")
        self.chosen = self.instead_of = None

    def __call__(self, pending):
        if not self.chosen:
            return None
        here = int(pending.read_register("rsp")), int(pending.read_register("rip"))
        if here != self.instead_of:
            return None
        info = pending.create_unwind_info(_FrameId(here[1]))
        here_is = pending.architecture()
        word = here_is.integer_type(64, False) if hasattr(here_is, "integer_type") else gdb.lookup_type("unsigned long")
        for name, value in self.chosen.items():
            info.add_saved_register(name, gdb.Value(value).cast(word))
        return info

    def choose(self, registers):
        self.chosen = None
        gdb.invalidate_cached_frames()
        if not registers:
            return
        newest = gdb.newest_frame()
        self.instead_of = int(newest.read_register("rsp")), int(newest.read_register("rip"))
        self.chosen = registers
        gdb.invalidate_cached_frames()

    def foreign_frames(self):
        """How many frames of the kernel thread stand in front: functions inlined there count."""
        frame, count = gdb.newest_frame(), 1
        if not self.chosen or (int(frame.read_register("rsp")), int(frame.read_register("rip"))) != self.instead_of:
            return 0  # another kernel thread is selected by now
        while frame.type() == gdb.INLINE_FRAME:
            frame, count = frame.older(), count + 1
        return count


class _Filter:
    """Keeps the kernel thread's own frame out of the backtrace of the chosen thread."""

    def __init__(self):
        self.name, self.priority, self.enabled = "upcall", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return itertools.islice(frames, _unwinder.foreign_frames(), None)


_unwinder = _Unwinder()
gdb.unwinder.register_unwinder(None, _unwinder, replace=True)
_Filter()


class _Selected:
    """The kernel thread that was selected before."""

    def __init__(self):
        self.thread = gdb.selected_thread()

    def restore(self):
        _unwinder.choose(None)
        if self.thread and self.thread.is_valid():
            self.thread.switch()


def _select(thread):
    _unwinder.choose(None)
    if thread.is_switched_out():
        _unwinder.choose(thread.registers())
        frame = gdb.newest_frame()
        for _ in range(_unwinder.foreign_frames()):
            frame = frame.older()
        frame.select()
        return
    tid = thread.kernel_tid()
    for kernel_thread in gdb.selected_inferior().threads():
        if tid and kernel_thread.ptid[1] == tid:
            kernel_thread.switch()
            return
    raise gdb.GdbError("thread %d is %s: its registers are nowhere" % (thread.id, thread.state))


def _run_in(thread, command):
    _select(thread)
    gdb.execute(command)


class _Info(gdb.Command):
    """What upcall knows of the program: info upcall threads."""

    def __init__(self):
        super().__init__("info upcall", gdb.COMMAND_STATUS, prefix=True)


class _InfoThreads(gdb.Command):
    """Lists the user-level threads and what they wait for."""

    def __init__(self):
        super().__init__("info upcall threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        _list()


def _list():
    print("%7s %-16s %-8s %-9s %s" % ("ID", "NAME", "STATE", "KERNEL", "WAITS FOR"))
    threads = sorted(_threads(), key=lambda t: t.id)
    by_tid = {t.get("tid"): t for t in threads}
    by_tid.update({-t.address: t for t in threads})  # who is joined is known by its address
    for t in threads:
        print("%7d %-16s %-8s %-9s %s" %
              (t.id, t.name or "-", t.state, t.kernel_tid() or "-", t.waits_for(by_tid)))


class _Upcall(gdb.Command):
    """User-level threads: upcall thread N, upcall apply all COMMAND."""

    def __init__(self):
        super().__init__("upcall", gdb.COMMAND_STACK, prefix=True)


class _ThreadCommand(gdb.Command):
    """upcall thread [N [COMMAND]]: selects user-level thread N (see info upcall threads), or runs
a command in it.  Without N: back to the kernel threads."""

    def __init__(self):
        super().__init__("upcall thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = argument.split(None, 1)
        if not words:
            _unwinder.choose(None)
            return
        if not words[0].isdigit():
            raise gdb.GdbError("upcall thread wants a number of info upcall threads")
        thread = _find(int(words[0]))
        if len(words) == 1:
            _select(thread)
            gdb.execute("frame")
            return
        before = _Selected()
        try:
            _run_in(thread, words[1])
        finally:
            before.restore()


class _Apply(gdb.Command):
    """upcall apply all COMMAND: the command in every user-level thread."""

    def __init__(self):
        super().__init__("upcall apply", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = argument.split(None, 1)
        if len(words) != 2 or words[0] != "all":
            raise gdb.GdbError("usage: upcall apply all COMMAND")
        _apply(sorted(_threads(), key=lambda t: t.id), words[1])


def _apply(threads, command, is_silent=False):
    before = _Selected()
    for thread in threads:
        title = "\nUpcall thread %d %s(%s):" % (thread.id, thread.name and '"%s" ' % thread.name, thread.state)
        if not is_silent:
            print(title)
        try:
            if is_silent:
                _select(thread)
                text = gdb.execute(command, to_string=True)
                print(title + "\n" + text, end="")
            else:
                _run_in(thread, command)
        except (gdb.error, gdb.GdbError) as problem:
            if not is_silent:
                print(problem)
        finally:
            before.restore()


def _switched_out():
    """Those that no kernel thread carries; none where nothing of upcall's runs."""
    try:
        return sorted((t for t in _threads() if t.is_switched_out()), key=lambda t: t.id)
    except (gdb.error, gdb.GdbError, KeyError):
        return []


class _ListToo(gdb.Command):
    """What comes below gdb's own list of threads."""

    def __init__(self):
        super().__init__("maintenance upcall-threads", gdb.COMMAND_MAINTENANCE)
        gdb.execute("define info hookpost-threads\nmaintenance upcall-threads\nend")

    def invoke(self, argument, from_tty):
        if _switched_out():
            print("\nUser-level threads (upcall thread N selects one):")
            _list()


class _ThreadApplyAll(gdb.Command):
    """Apply a command to all threads, user-level ones included.
Usage: thread apply all [-ascending] [-q] [-c] [-s] COMMAND

The kernel threads come first, as in gdb without upcall; then, in ascending order, the threads
of upcall's that none of them carries."""

    def __init__(self):
        super().__init__("thread apply all", gdb.COMMAND_RUNNING, gdb.COMPLETE_COMMAND)

    def invoke(self, argument, from_tty):
        flags, words = [], argument.split()
        while words and words[0] in ("-ascending", "-q", "-c", "-s"):
            flags.append(words.pop(0))
        command = " ".join(words)
        if not command:
            raise gdb.GdbError("Please specify a command at the end of 'thread apply all'")
        _unwinder.choose(None)
        numbers = sorted((i.num, t.num) for i in gdb.inferiors() for t in i.threads())
        if "-ascending" not in flags:
            numbers.reverse()
        if numbers:
            gdb.execute("thread apply %s %s %s" % (" ".join("%d.%d" % n for n in numbers),
                                                   " ".join(f for f in flags if f != "-ascending"), command))
        _apply(_switched_out(), command, "-s" in flags)


def _forget(event):
    """The process ran: where a thread was is no longer where it is."""
    _unwinder.chosen = None


_Info()
_InfoThreads()
_Upcall()
_ThreadCommand()
_Apply()
_ListToo()
_ThreadApplyAll()
gdb.events.cont.connect(_forget)
