#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunes models with the real engine and holds them to their expected outputs; prints one row per model.

usage: all_models.py --cli build/bin/fettle-cli --shared ../shared [--trials 256] [--keep DIR] [NAME...]
NAME is 'real/mnist_cntk' and the like; without names: the models of the main job. Exit 0 when every row is ok,
77 (skipped) when the folder of models is absent.
"""
import argparse, json, os, subprocess, sys, tempfile, time

MAIN_JOB = """real/mnist_cntk real/mnist_cnn_torch11 real/mnist_mlp real/ultraface_slim320 real/superres_core real/policy_go1
real/fastestdet real/keras_mlp arch/squeezenet1_1 arch/mobilenet_v2 arch/resnet18 arch/vgg11_bn_slim arch/unet_small
arch/mlp_mixer arch/bert_tiny_fixed arch/vit_tiny4_op13""".split()


def input_dims(folder):
    """The dimensions that the stored inputs bind: from meta.json's dynamic dimensions and the first bytes of input_K.pb."""
    meta = json.load(open(os.path.join(folder, "meta.json")))
    bound = {}
    for k, tensor in enumerate(meta["inputs"]):
        path = os.path.join(folder, "test_data_set_0", "input_%d.pb" % k)
        if not os.path.exists(path):
            continue
        dims = tensor_dims(open(path, "rb").read(4096))
        for axis, (declared, actual) in enumerate(zip(tensor["shape"], dims)):
            if isinstance(declared, str) and declared:
                bound[declared] = actual
            elif not isinstance(declared, int) or declared < 0:
                bound["%s:%d" % (tensor["name"], axis)] = actual
    return bound


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def tensor_dims(data):
    """TensorProto.dims (field 1, packed or not), read up to the first long field."""
    dims, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            if field == 1:
                dims.append(value)
        elif wire == 2:
            length, at = varint(data, at)
            if field == 1:
                end = at + length
                while at < end:
                    value, at = varint(data, at)
                    dims.append(value)
            else:
                at += length
        else:
            break
    return dims


def call(cli, *args):
    started = time.time()
    run = subprocess.run([cli, *args], capture_output=True, text=True)
    return run, time.time() - started


def check(cli, shared, name, trials, keep):
    folder = os.path.join(shared, "models", name)
    model = os.path.join(folder, "model.onnx")
    work = os.path.join(keep, name.replace("/", "-"))
    os.makedirs(work, exist_ok=True)
    if not os.path.exists(model):
        model = os.path.join(work, "model.onnx")
        subprocess.run(["/usr/bin/python3", os.path.join(shared, "models", "light.py"), "unpack",
                        os.path.join(folder, "light.onnx"), model], check=True)
    session = os.path.join(work, "session.fettle")
    if os.path.exists(session):
        os.remove(session)
    dims = [word for key, value in input_dims(folder).items() for word in ("--dim", "%s=%d" % (key, value))]
    run, seconds = call(cli, "tune", model, "-o", session, "--trials", str(trials), "--seed", "1", "--json", *dims)
    row = {"name": name, "seconds": seconds, "ok": False, "why": ""}
    if run.returncode != 0:
        row["why"] = "tune: exit %d, %s" % (run.returncode, (run.stderr.strip().splitlines() or ["no message"])[-1])
        return row
    row["tune"] = json.loads(run.stdout)
    without = [task["name"] for task in row["tune"]["tasks"] if not task["bestUs"]]
    run, _ = call(cli, "run", session, "--data", os.path.join(folder, "test_data_set_0"), "--rtol", "1e-4", "--atol", "1e-4", "--json")
    result = json.loads(run.stdout) if run.stdout.strip() else {"ok": False, "outputs": []}
    row["error"] = max((output["maxRelError"] for output in result["outputs"]), default=float("nan"))
    row["ok"] = run.returncode == 0 and result["ok"] and not without and row["error"] <= 1e-4
    if not row["ok"]:
        row["why"] = ("no ok trial: " + ", ".join(without)) if without else (run.stderr.strip().splitlines() or ["outputs differ"])[-1]
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--trials", type=int, default=256)
    parser.add_argument("--keep", help="keep models and sessions here")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.shared, "models")):
        print("SKIPPED: no folder of models at", options.shared)
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        rows = []
        print("%-24s %8s %9s %9s %8s %6s %6s %9s  %s" % ("model", "trials", "default", "best ms", "speedup", "failed", "s", "max rel", "verdict"))
        for name in options.names or MAIN_JOB:
            row = check(options.cli, options.shared, name, options.trials, options.keep or scratch)
            rows.append(row)
            tune = row.get("tune")
            if tune:
                counts = tune["trials"]
                print("%-24s %8d %9.3f %9.3f %8.2f %6d %6.1f %9.2g  %s" % (
                    name, sum(counts.values()), tune["baselineUs"] / 1000, tune["bestUs"] / 1000, tune["speedup"],
                    sum(counts.values()) - counts["ok"], row["seconds"], row.get("error", float("nan")),
                    "ok" if row["ok"] else "FAILED " + row["why"]), flush=True)
            else:
                print("%-24s FAILED %s" % (name, row["why"]), flush=True)
    good = sum(row["ok"] for row in rows)
    print("%d passed, %d failed" % (good, len(rows) - good))
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
