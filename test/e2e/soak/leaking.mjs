// A process that keeps all that it ever took, or none of it: what a recorder of memory and handles must tell apart.
import { closeSync, openSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setInterval } from 'node:timers';

const LEAKS = process.argv[2] === 'leaks';
const BYTES = LEAKS ? 1024 * 1024 : 1024;
const EVERY_MS = 20;
const kept = [];
const startedAt = performance.now();

// A machine that is busy makes up for ticks that came late.
setInterval(() => {
  do {
    const taken = { bytes: Buffer.alloc(BYTES, 1), file: openSync('/dev/null', 'r') };
    if (LEAKS) kept.push(taken);
    else closeSync(taken.file);
  } while (LEAKS && kept.length < (performance.now() - startedAt) / EVERY_MS);
}, EVERY_MS);
console.log('ready');
