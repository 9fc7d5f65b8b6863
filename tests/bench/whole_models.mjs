#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole models beside ONNX Runtime: adjacent processes in the same round, the median over rounds of the ratio of minima.
//
// usage: whole_models.mjs --cli build/bin/fettle-cli --models DIR [--sessions DIR] [--trials 1000] [--rounds 7]
//                         [--threads 1,2] [--min-time 0.5] [NAME...]
// DIR holds NAME/model.onnx. ORT_DIR names a folder in which `npm install --ignore-scripts onnxruntime-node` was run.
// Sessions are tuned first where they do not exist (one per model and thread count), and kept.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const options = { cli: 'build/bin/fettle-cli', models: '', sessions: 'build/bench-sessions', trials: '1000', rounds: '7', threads: '1,2', 'min-time': '0.5' };
const names = [];
for (let i = 2; i < process.argv.length; ++i) {
    const word = process.argv[i];
    if (!word.startsWith('--')) names.push(word);
    else if (word.slice(2) in options && i + 1 < process.argv.length) options[word.slice(2)] = process.argv[++i];
    else { console.error(`unknown option ${word}`); process.exit(2); }
}
const here = path.dirname(new URL(import.meta.url).pathname);
const sharedPeer = path.join(here, '../../../shared/peers/ort-bench.mjs');
if (!options.models || !existsSync(options.models)) { console.log('SKIPPED: no folder of models (--models DIR)'); process.exit(0); }
if (!process.env.ORT_DIR) { console.log('SKIPPED: ORT_DIR does not name an installation of onnxruntime-node'); process.exit(0); }

// Other work on the machine shares the scheduler's groups, so that `nice` alone does nothing.
function measured(command, args) {
    const script = 'echo -5 > /proc/self/autogroup 2>/dev/null; exec nice -n -5 "$@"';
    const run = spawnSync('setsid', ['-w', 'sh', '-c', script, '-', command, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (run.status !== 0) return { error: (run.stderr || '').split('\n').filter(Boolean).pop() ?? `exit ${run.status}` };
    return JSON.parse(run.stdout.trim().split('\n').pop());
}

function peer(model, threads) {
    const args = [model, String(threads), '--min-time', options['min-time']];
    const result = existsSync(sharedPeer) ? measured('node', [sharedPeer, ...args]) : { error: 'absent' };
    // its integers in [0,8) are no legal indices for every model
    return result.error ? measured('node', [path.join(here, 'ort_peer.mjs'), ...args, '--int-limit', '2']) : result;
}

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const geomean = list => Math.exp(list.reduce((sum, x) => sum + Math.log(x), 0) / list.length);

mkdirSync(options.sessions, { recursive: true });
const models = names.length ? names : ['resnet18', 'mobilenet_v2', 'squeezenet1_1', 'bert_tiny_fixed', 'ultraface_slim320'];
console.log('model                threads   ours ms    ORT ms   ratio   spread of rounds   rounds');
let failed = false;
for (const threads of options.threads.split(',').map(Number)) {
    const ratios = [];
    for (const name of models) {
        const model = path.join(options.models, name, 'model.onnx');
        const session = path.join(options.sessions, `${name}-${threads}t.fettle`);
        if (!existsSync(session)) {
            const tune = spawnSync(options.cli, ['tune', model, '-o', session, '--trials', options.trials, '--threads', String(threads), '--seed', '1', '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 });
            if (tune.status !== 0) { console.log(`${name}: tune failed: ${tune.stderr.split('\n').filter(Boolean).pop()}`); failed = true; continue; }
        }
        const rounds = [];
        for (let round = 0; round < Number(options.rounds); ++round) {
            const ours = measured(options.cli, ['bench', session, '--threads', String(threads), '--min-time', options['min-time'], '--json']);
            const theirs = peer(model, threads);
            if (ours.error || theirs.error) { console.log(`${name}: ${ours.error ?? theirs.error}`); failed = true; break; }
            rounds.push({ ours: ours.minUs / 1000, theirs: theirs.minUs / 1000 });
        }
        if (rounds.length < Number(options.rounds)) continue;
        const perRound = rounds.map(r => r.ours / r.theirs);
        const ratio = median(perRound);
        ratios.push(ratio);
        const spread = `${Math.min(...perRound).toFixed(3)}-${Math.max(...perRound).toFixed(3)}`;
        console.log(`${name.padEnd(20)} ${String(threads).padStart(7)} ${Math.min(...rounds.map(r => r.ours)).toFixed(3).padStart(9)} ${Math.min(...rounds.map(r => r.theirs)).toFixed(3).padStart(9)} ${ratio.toFixed(3).padStart(7)}   ${spread.padStart(16)}   ${String(rounds.length).padStart(6)}`);
    }
    if (ratios.length) console.log(`geomean of ours/ORT, ${threads} thread(s), ${ratios.length} models: ${geomean(ratios).toFixed(3)}`);
}
process.exit(failed ? 1 : 0);
