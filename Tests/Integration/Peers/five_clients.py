"""Clients that others wrote, each a process of its own, on both devices at once, each at its rate.

usage: five_clients.py SOCKET PYTHON GO-WATCH [VARLINKCTL-TREE]

PYTHON has PyPI's varlink and asyncvarlink, GO-WATCH is watch.go beside this file, the tree is of a
Debian release with varlinkctl. Each client must have twelve samples or more of its device within
the deadline, and of accelerations as many a second as it asked for. Prints a line for each.
"""

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time

DEADLINE = 90
ENOUGH = 12



def clients(address, python, go, tree):
    """Name, command, and the rate that it asked for; None for positions."""
    socket_path = address.removeprefix("unix:")
    location, accelerometer = "io.bearing.location", "io.bearing.accelerometer"
    call = json.dumps({"method": f"{accelerometer}.Subscribe", "parameters": {"rate": 25}, "more": True})
    found = [
        ("PyPI varlink", [python, "-u", "-m", "varlink.cli", "call", "--more",
                          f"{address}/{location}.Subscribe", "{}"], None),
        ("asyncvarlink", [python, "-u", f"{os.path.dirname(__file__)}/async_watch.py",
                          socket_path, "10"], 10),
        ("socat", ["sh", "-c", f"(printf '{call}\\0'; sleep {DEADLINE}) | "
                               f"socat - UNIX-CONNECT:{socket_path} | stdbuf -o0 tr '\\0' '\\n'"], 25),
        ("varlink-go", [go, address, f"{accelerometer}.Subscribe", '{"rate":50}'], 50),
    ]
    if tree:
        found.append(("varlinkctl", ["chroot", tree, "varlinkctl", "call", "--more", "--json=short",
                                     f"unix:{inside(tree, socket_path)}",
                                     f"{accelerometer}.Subscribe", '{"rate":5,"heartbeat":20000}'], 5))
    return found


def inside(tree, path):
    """The socket's path inside the tree, where its folder is bound."""
    folder = f"{tree}/run/bearing-test"
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mount", "--bind", os.path.dirname(path), folder], check=True)
    return f"/run/bearing-test/{os.path.basename(path)}"


def objects(stream):
    """The JSON objects in a program's output, however it lays them out."""
    decoder, text = json.JSONDecoder(), ""
    for line in stream:
        text += re.sub(r"\x1b\[[0-9;]*m", "", line)
        while start := re.search(r"\{", text):
            try:
                value, end = decoder.raw_decode(text, start.start())
            except ValueError:
                break
            yield value
            text = text[end:]


def watch(name, process, results):
    samples, times = 0, []
    for reply in objects(process.stdout):
        reply = reply.get("parameters", reply)
        new = reply.get("samples") or ([reply["fix"]] if reply.get("fix") else [])
        samples += len(new)
        times += [sample["bootTimestamp"] for sample in new]
        if samples >= ENOUGH:
            results.put((name, times))
            return
    results.put((name, None))


def main():
    address, python, go = f"unix:{sys.argv[1]}", sys.argv[2], sys.argv[3]
    tree = sys.argv[4] if len(sys.argv) > 4 else None
    results, running = queue.Queue(), {}
    wanted = clients(address, python, go, tree)
    try:
        for name, command, _ in wanted:
            running[name] = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            threading.Thread(
                target=watch, args=(name, running[name], results), daemon=True).start()
        end = time.monotonic() + DEADLINE
        for _ in wanted:
            name, times = results.get(timeout=max(0.1, end - time.monotonic()))
            if not times:
                running[name].kill()
                sys.exit(f"{name} ended early: {running[name].stderr.read()[-2000:]}")
            rate = dict((n, r) for n, _, r in wanted)[name]
            had = (len(times) - 1) / ((times[-1] - times[0]) / 1e6)
            if rate and abs(had - rate) > rate * 0.2:
                sys.exit(f"{name} asked for {rate} Hz and had {had:.1f}")
            print(f"{name}: {len(times)} of {'acceleration' if rate else 'location'}, {had:.1f} a second")
    except queue.Empty:
        sys.exit(f"not all had their samples within {DEADLINE} s")
    finally:
        for process in running.values():
            process.kill()
        if tree:
            subprocess.run(["umount", "-l", f"{tree}/run/bearing-test"], check=False)


main()
