#!/usr/bin/env python3
"""Loads the vote as one user, checks every number, keeps the score: the whole protocol on a page."""
import http.client, json, os, random, re, signal, sys, threading, time

BEGAN, points, votes = time.monotonic(), {"view": 0, "vote": 0}, [5000] * 10

def emit(event, **members):
    print(json.dumps({"event": event, "at_s": time.monotonic() - BEGAN, **members}), flush=True)

def end(verdict, reason, status, **members):
    raw = points["view"] + 5 * points["vote"]
    score = {"pass": raw, "fail": 0}.get(verdict)  # null on infra
    emit("verdict", verdict=verdict, reason=reason, score=score, raw_score=raw, deduction=0, **members)
    os._exit(status)

def fail(kind, code, rule, message, expected, actual):
    emit("failure", **{"class": kind}, code=code, rule=rule, side="target", message=message,
         expected=str(expected), actual=str(actual)[:2000], sampled=True, count=1)
    end("fail", f"{message} [{rule}]", 1)

def ask(method, path, want, form=None):
    try:
        connection.request(method, path, form, {"Content-Type": "application/x-www-form-urlencoded"} if form else {})
        answer = connection.getresponse()
        body = answer.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as e:
        fail("transport", "no-answer", "vote.answers", f"{method} {path} was not answered", "an answer", repr(e))
    if answer.status != want:
        fail("status", "unexpected-status", "vote.answers", f"{method} {path} has another status", want, answer.status)
    return body

def look():
    shown = [int(n) for n in re.findall(r'<td class="votes">(\d+)</td>', ask("GET", "/", 200))]
    if shown != votes:
        fail("consistency", "sum-mismatch", "vote.count", "the results do not count every vote once", votes, shown)
    return True

for s in signal.SIGTERM, signal.SIGINT:
    signal.signal(s, lambda *_: end("infra", "interrupted", 130))
threading.Thread(target=lambda: (sys.stdin.read(), os.kill(os.getpid(), signal.SIGTERM)), daemon=True).start()
args = dict(zip(sys.argv[1::2], sys.argv[2::2]))  # every flag has a value
target = re.fullmatch(r"http://([^/]+)/?", args.get("--target", ""))
if not target or set(args) - {"--target", "--duration", "--seed"}:
    end("infra", "there are --target http://HOST:PORT, --duration and --seed", 2, usage=True, hint=" ".join(sys.argv[1:]))
units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
duration = sum(float(n) * units[u] for n, u in re.findall(r"([\d.]+)(ms|[hms])", args.get("--duration", "30s")))
connection, dice, told = http.client.HTTPConnection(target[1], timeout=10), random.Random(args.get("--seed")), 0
emit("phase", phase="initialize", state="begin", ok=True)
ask("POST", "/initialize", 200)
emit("phase", phase="initialize", state="end", ok=True)
emit("phase", phase="load", state="begin", ok=True, expected_s=duration)
stop = time.monotonic() + duration
while look() and time.monotonic() < stop:
    candidate = dice.randrange(10)
    ask("POST", "/votes", 303, f"candidate={candidate}")
    votes[candidate] += 1
    for tag in points:
        points[tag] += 1
        emit("point", tag=tag, count=1)
    if time.monotonic() > told + 1:
        told = time.monotonic()
        emit("progress", score=6 * points["vote"], requests=2 * points["vote"], errors=0, users=1, lag_ms=0,
             generator_cpu_s=time.process_time(), left_s=max(0, stop - told))
emit("phase", phase="load", state="end", ok=True)
end("pass", f"{points['vote']} votes, all of them counted", 0)
