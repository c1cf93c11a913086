"""proxy.py - a TCP proxy before an agent that loses what it carries at a chosen moment, as a firewall
does that fails over: nothing gets through in either direction for a while, then every connection
is reset. What is lost is whole frames and their end: a gap in a stream would be something else.
"""

import contextlib
import selectors
import socket
import struct
import threading
import time

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: no time, so that close() resets


def frame_of(kind):
    """How a frame of that kind begins: an array of five, a short text."""
    return b"\x95" + bytes([0xa0 | len(kind)]) + kind.encode()


class Proxy(threading.Thread):
    """From `listen` to `target`, each an (address, port)."""

    def __init__(self, listen, target):
        super().__init__(daemon=True)
        self.target = target
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(listen)
        self.port = self.listener.getsockname()[1]
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.other, self.tail = {}, {}
        self.lock = threading.Lock()
        self.steps = []
        self.silent_until, self.cuts = 0, 0
        self.ended = False

    def cut_at(self, steps):
        """Of each (kind, seconds), one after the other, the next frame of that kind is awaited; from
        it on nothing gets through for so long, or, with 0, all does."""
        with self.lock:
            self.steps = [(frame_of(kind), seconds) for kind, seconds in steps]

    def cut(self, seconds):
        """Once, from now on."""
        with self.lock:
            self.begin_cut(seconds)

    def is_through(self):
        with self.lock:
            return not self.steps and not self.silent_until

    def begin_cut(self, seconds):
        self.silent_until = time.monotonic() + seconds
        self.cuts += 1

    def close(self):
        self.ended = True
        self.join(5)

    def run(self):
        while not self.ended:
            for key, _ in self.selector.select(0.02):
                if key.fileobj is self.listener:
                    self.accept()
                elif key.fileobj in self.other:
                    self.move(key.fileobj)
            with self.lock:
                if self.silent_until and time.monotonic() > self.silent_until:
                    self.silent_until = 0
                    self.reset_all()
        self.reset_all()
        self.listener.close()

    def accept(self):
        near, _ = self.listener.accept()
        try:
            far = socket.create_connection(self.target, 5)
        except OSError:
            near.close()
            return
        for end, other in ((near, far), (far, near)):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.other[end], self.tail[end] = other, b""
            self.selector.register(end, selectors.EVENT_READ)

    def move(self, end):
        try:
            data = end.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.reset(end)
            return
        with self.lock:
            self.look(end, data)
            if self.silent_until:
                return
        try:
            self.other[end].sendall(data)
        except OSError:
            self.reset(end)

    def look(self, end, data):
        """Whether the frame has come; one may come in pieces."""
        if not self.steps or self.silent_until:
            return
        seen = self.tail[end] + data
        wanted, seconds = self.steps[0]
        self.tail[end] = seen[1 - len(wanted):]
        if wanted not in seen:
            return
        self.steps.pop(0)
        self.tail[end] = b""
        if seconds:
            self.begin_cut(seconds)

    def reset(self, end):
        for one in (end, self.other.get(end)):
            if one in self.other:
                del self.other[one], self.tail[one]
                self.selector.unregister(one)
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                one.close()

    def reset_all(self):
        for end in list(self.other):
            self.reset(end)
