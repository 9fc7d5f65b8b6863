#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
// Times ONNX Runtime on one model in one process; prints one JSON line with minUs, medianUs, p90Us, iterations.
// usage: ort_peer.mjs MODEL.onnx THREADS [--min-time S] [--int-limit N]      ORT_DIR as in whole_models.mjs
// Integer inputs are seeded in [0, N): models with small embedding tables refuse larger ones.
import { createRequire } from 'node:module';
import path from 'node:path';

const ort = createRequire(path.join(process.env.ORT_DIR ?? process.cwd(), 'x.js'))('onnxruntime-node');
const [model, threads, ...rest] = process.argv.slice(2);
const given = key => { const at = rest.indexOf(key); return at < 0 ? undefined : Number(rest[at + 1]); };
const minTime = given('--min-time') ?? 0.5, intLimit = given('--int-limit') ?? 2;

const session = await ort.InferenceSession.create(model, { intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all', logSeverityLevel: 3 });
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const makers = {
    float32: n => Float32Array.from({ length: n }, () => 2 * random() - 1),
    int64: n => BigInt64Array.from({ length: n }, () => BigInt(Math.floor(random() * intLimit))),
    int32: n => Int32Array.from({ length: n }, () => Math.floor(random() * intLimit)),
    bool: n => Uint8Array.from({ length: n }, () => (random() < 0.5 ? 1 : 0)),
};
const feeds = {};
for (const input of session.inputMetadata) {
    const shape = input.shape.map(d => (typeof d === 'number' && d > 0 ? d : 1));
    feeds[input.name] = new ort.Tensor(input.type, makers[input.type](shape.reduce((a, b) => a * b, 1)), shape);
}
for (let i = 0; i < 3; ++i) await session.run(feeds);
const times = [];
for (let total = 0; total < minTime * 1e6 || times.length < 10;) {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start) / 1e3);
    total += times.at(-1);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ minUs: times[0], medianUs: times[times.length >> 1], p90Us: times[Math.floor(times.length * 0.9)], iterations: times.length }));
