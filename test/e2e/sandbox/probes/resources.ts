import type { Probe } from './probe.js';
import { node, perl } from './probe.js';

/** Sizes of the sandbox that the bombs go off in. */
export const BOMB_SIZES = { memory_mb: 384, cpus: 1, disk_mb: 48, pids: 96 };

/** Writes more than there may be. A short write or an error is the quota. */
const fill = (folder: string, megabytes: number): string => `
const fs = require('fs'); const inside = fs.existsSync('/opt/sandgate');
const path = (inside ? '${folder}' : process.env.PROBE_SCRATCH) + '/bomb'; const chunk = Buffer.alloc(1 << 20, 1); let written = 0;
try { const fd = fs.openSync(path, 'w'); while (written < ${megabytes}) { if (fs.writeSync(fd, chunk) < chunk.length) break; written++; } fs.closeSync(fd); } catch (error) { console.log('blocked: ' + error.code + ' after ' + written); }
fs.rmSync(path, { force: true }); if (written >= ${megabytes}) console.log('REACHED');`;

/** Attempts to take more than the sandbox's sizes. Each runs in a sandbox of its own: being ended for it is as good as being refused. */
export const BOMBS: Probe[] = [
  perl(
    'a bomb of processes',
    `
my @all; my $error; for (1 .. 300) { my $pid = fork(); if (!defined $pid) { $error = $!; last; } if (!$pid) { sleep 20; exit; } push @all, $pid; }
my $count = @all; select(undef, undef, undef, 0.8); kill 9, @all; print($count >= 300 ? "REACHED\\n" : "blocked: $error after $count\\n");`,
  ),
  node(
    'a bomb of memory',
    `
const held = []; for (let index = 0; index < 24; index++) { held.push(Buffer.alloc(64 << 20, 1)); require('fs').writeSync(2, '.'); } console.log('REACHED ' + held.length);`,
  ),
  node(
    'a bomb of memory in many processes',
    `
const { spawnSync, spawn } = require('child_process'); let alive = 0; const children = [];
for (let index = 0; index < 8; index++) { const child = spawn(process.execPath, ['-e', 'const held = Buffer.alloc(160 << 20, 1); process.stdout.write("up"); setTimeout(() => held, 6000)'], { stdio: ['ignore', 'pipe', 'ignore'] }); child.stdout.on('data', () => alive++); children.push(child); }
setTimeout(() => { console.log(alive === 8 && children.every((one) => one.exitCode === null && one.signalCode === null) ? 'REACHED' : 'blocked at ' + alive); process.exit(); }, 5000);`,
  ),
  node('a bomb of disk in the workspace', fill('/workspace', 120)),
  node(
    'a bomb of disk in small files',
    `
const fs = require('fs'); const inside = fs.existsSync('/opt/sandgate'); const folder = (inside ? '/workspace' : process.env.PROBE_SCRATCH) + '/many'; fs.mkdirSync(folder); const chunk = Buffer.alloc(1 << 18, 1); let count = 0;
try { for (; count < 480; count++) { fs.writeFileSync(folder + '/' + count, chunk); if (inside && count % 40 === 39) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400); } console.log('REACHED'); } catch (error) { console.log('blocked: ' + error.code + ' after ' + count); }
fs.rmSync(folder, { recursive: true, force: true });`,
  ),
  node('a bomb of disk in /tmp', fill('/tmp', 400)),
  node('a bomb of disk in the home folder', fill('/home/agent', 400)),
  node('a bomb of disk in shared memory', fill('/dev/shm', 400)),
  node(
    'a bomb of descriptors',
    `
const fs = require('fs'); let count = 0; try { for (; count < 17000; count++) fs.openSync('/dev/null', 'r'); console.log('REACHED'); } catch (error) { console.log('blocked: ' + error.code + ' after ' + count); }`,
    { controlThrough: ['sh', '-c', 'ulimit -n $(ulimit -H -n) && exec "$@"', 'control'] },
  ),
];
