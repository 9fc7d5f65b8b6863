#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills a tune at random moments (SIGKILL) and resumes it: every trial that was shown as done must still be there.

usage: kill_and_resume.py --cli build/bin/fettle-cli --model model.onnx [--kills 20] [--trials 96] [--seed 1]
A trial counts as shown once `fettle-cli trials` or a progress line of the tune has reported it.
"""
import argparse, json, os, random, re, signal, subprocess, sys, tempfile, time


def stored(cli, session):
    run = subprocess.run([cli, "trials", session, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit("trials: " + run.stderr.strip())
    rows = json.loads(run.stdout)
    return {row["trial"]: (row["task"], row["status"], row["minNs"]) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--trials", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "s.fettle")
        kept, killed, last = {}, 0, 0
        while killed < options.kills:
            start = ["resume", session] if os.path.exists(session) else ["tune", options.model, "-o", session, "--seed", "1"]
            tune = subprocess.Popen([options.cli, *start, "--trials", str(options.trials)], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, start_new_session=True)
            time.sleep(rng.uniform(0.05, 4.0))
            finished = tune.poll() is not None
            if not finished:
                tune.send_signal(signal.SIGKILL)
                killed += 1
            shown = [int(count) for line in tune.stdout for count in re.findall(r"trials (\d+)/", line)]
            code = tune.wait()
            if finished and code != 0:
                print("FAILED: exit %d before the kill" % code)
                return 1
            now = stored(options.cli, session) if os.path.exists(session) else {}
            lost = [trial for trial, row in kept.items() if now.get(trial) != row]
            if lost or len(now) < max(shown, default=0):
                print("FAILED: lost %s; shown %d, stored %d" % (lost, max(shown, default=0), len(now)))
                return 1
            kept = now
            print("kill %2d: %4d trials kept (+%d)%s" % (killed, len(now), len(now) - last, ", had finished" if finished else ""), flush=True)
            last = len(now)
            if finished:
                options.trials += 64
        run = subprocess.run([options.cli, "resume", session, "--trials", "32", "--json"], capture_output=True, text=True)
        if run.returncode != 0:
            print("FAILED: resume: " + run.stderr.strip())
            return 1
        final = stored(options.cli, session)
        lost = [trial for trial, row in kept.items() if final.get(trial) != row]
        print("%d kills, %d trials lost, %d trials at the end" % (killed, len(lost), len(final)))
        return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
