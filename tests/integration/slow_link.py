"""slow_link.py - a link to an agent that can be made slow: a TCP proxy in front of it.

    python3 slow_link.py PORT ADDRESS PORT_THERE RATE_FILE

What the agent sends goes on at the rate that stands in RATE_FILE, bytes in a second over all
connections; as fast as it can while there is no such file. Each time some has gone on at a rate,
the sum of it is a line of the output.
"""

import pathlib
import socket
import sys
import threading
import time

from lab import wait_for

PIECE = 4096


class SlowLink:
    def __init__(self, fleet, host, port):
        self.port = port
        self.rate_file = fleet.lab.directory / f"rate-{port}"
        self.program = fleet.lab.start(
            f"link-{port}", ["python3", __file__, port, host.address, 7411, self.rate_file],
            fleet.controller)
        wait_for(lambda: "listening" in self.program.output()[0], 10, "the slow link")

    def limit(self, rate):
        """Bytes in a second; None: as much as it can."""
        if rate is None:
            self.rate_file.unlink()
        else:
            self.rate_file.write_text(str(rate))

    def moved(self):
        """Bytes that have gone to the controller while there was a limit."""
        whole = self.program.output()[0].rpartition("\n")[0]
        return int(whole.rsplit("\n", 1)[-1].removeprefix("listening") or 0)


class Link:
    def __init__(self, rate_file):
        self.rate_file = pathlib.Path(rate_file)
        self.lock = threading.Lock()
        self.moved = 0

    def rate(self):
        try:
            return int(self.rate_file.read_text() or 0)
        except FileNotFoundError:
            return 0

    def wait(self, size):
        with self.lock:
            rate = self.rate()
            if not rate:
                return
            time.sleep(size / rate)
            self.moved += size
            print(self.moved, flush=True)

    def carry(self, source, sink, is_slow):
        try:
            while data := source.recv(PIECE):
                if is_slow:
                    self.wait(len(data))
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def main(port, address, port_there, rate_file):
    link = Link(rate_file)
    door = socket.create_server(("127.0.0.1", int(port)))
    print("listening", flush=True)
    while True:
        near, _ = door.accept()
        far = socket.socket()
        # What waits is to wait at the agent.
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        try:
            far.connect((address, int(port_there)))
        except OSError:
            near.close()
            continue
        for source, sink, is_slow in ((near, far, False), (far, near, True)):
            threading.Thread(target=link.carry, args=(source, sink, is_slow), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
