#!/usr/bin/env python3
# One user who votes and counts: all of hotseat's docs/protocol.md that a benchmark needs.
import http.client, json, os, random, re, signal, sys, threading, time

began, second, given, votes, telling = time.monotonic(), -1, 0, [5000] * 10, threading.RLock()

def emit(event, **members):
    with telling: print(json.dumps({"event": event, "at_s": time.monotonic() - began, **members}), flush=True)

# Whoever ends the run waits until all that is counted has been told, to the end of its line.
def end(verdict, reason, status, score=None, **members):
    facts = {"verdict": verdict, "reason": reason, "score": score, **members}
    with telling: emit("verdict", raw_score=6 * given, deduction=0, **facts); os._exit(status)

def fail(kind, code, rule, expected, actual):
    facts = {"class": kind, "code": code, "rule": rule, "expected": str(expected), "actual": str(actual)[:2000]}
    emit("failure", **facts, side="target", message=f"want {expected}", sampled=True, count=1)
    end("fail", f"want {expected}, got {actual!s:.200} [{rule}]", 1, score=0)

def ask(method, path, want, form=None):
    user.request(method, path, form, {"Content-Type": "application/x-www-form-urlencoded"} if form else {})
    if (answer := user.getresponse()).status != want:
        fail("status", "unexpected-status", "vote.answers", f"status {want} of {method} {path}", answer.status)
    return answer.read().decode("utf-8", "replace")

signal.pthread_sigmask(signal.SIG_BLOCK, stops := {signal.SIGTERM, signal.SIGINT})
for wait in sys.stdin.read, lambda: signal.sigwait(stops):
    threading.Thread(target=lambda wait=wait: (wait(), end("infra", "interrupted", 130)), daemon=True).start()
flags = dict(zip(sys.argv[1::2], sys.argv[2::2]))  # every flag has a value
if not (target := re.fullmatch("http://([^/]+)/?", flags.pop("--target", ""))) or flags.keys() - {"--duration", "--seed"}:
    end("infra", "there are --target http://HOST:PORT, --duration and --seed", 2, usage=True)
parts, unit = re.findall(r"([\d.]+)(ms|[hms])", flags.get("--duration", "30s")), {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
user, dice = http.client.HTTPConnection(target[1], timeout=10), random.Random(flags.get("--seed"))
try:
    ask("POST", "/initialize", 200)
    stop = time.monotonic() + (length := sum(float(n) * unit[u] for n, u in parts))
    emit("phase", phase="load", state="begin", ok=True, expected_s=length)
    while (left := stop - time.monotonic()) > 0:
        ask("POST", "/votes", 303, f"candidate={(candidate := dice.randrange(10))}")
        votes[candidate] += 1
        if (shown := [int(n) for n in re.findall(r'"votes">(\d+)</td>', ask("GET", "/", 200))]) != votes:
            fail("consistency", "sum-mismatch", "vote.count", votes, shown)
        with telling: given += 1; emit("point", tag="vote", count=1); emit("point", tag="view", count=1)
        if second != (second := int(left)):
            emit("progress", score=6 * given, requests=2 * given, errors=0, users=1, lag_ms=0, generator_cpu_s=time.process_time())
except (OSError, http.client.HTTPException) as error:
    fail("transport", "no-answer", "vote.answers", "an answer", repr(error))
emit("phase", phase="load", state="end", ok=True)
end("pass", f"{given} votes, all of them counted", 0, score=6 * given)
