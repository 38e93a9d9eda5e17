import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfinedCommand, ConfinedLimits } from '../../../src/platform/host/confine.js';
import { confineWith } from '../../../src/platform/sandbox/bubblewrap/confined.js';
import { findConfinedLimiter } from '../../../src/platform/sandbox/bubblewrap/host.js';
import { findCgroupTree } from '../../../src/platform/sandbox/bubblewrap/limits/cgroup-tree.js';
import type { Limiter } from '../../../src/platform/sandbox/bubblewrap/limits/limits.js';
import { SoftLimiter } from '../../../src/platform/sandbox/bubblewrap/limits/other-limiters.js';

jest.setTimeout(60_000);

const MIB = 1024 * 1024;
const NODE = '/opt/node';
const LIMITS: ConfinedLimits = {
  memoryMb: 256,
  cpuSeconds: 20,
  processes: 48,
  openFiles: 64,
  writtenBytes: 64 * MIB,
};
const KINDS: [name: string, find: () => Promise<Limiter>][] = [
  ['the strictest limiter of this host', findConfinedLimiter],
  ['no cgroups', () => Promise.resolve(new SoftLimiter(true))],
];
/** Never ends by itself. */
const STAY = 'setInterval(() => {}, 1000);';

describe.each(KINDS)('limits of a confined program and all that it starts, with %s', (_name, find) => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'sandgate-limits-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'file'), 'given');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (argv: string[], limits: Partial<ConfinedLimits> = {}, change: Partial<ConfinedCommand> = {}) =>
    confineWith(find)({
      argv,
      env: {},
      readOnly: [],
      readWrite: [],
      elsewhere: [
        { source: realpathSync(process.execPath), target: NODE },
        { source: join(folder, 'file'), target: '/input/document' },
      ],
      cwd: '/tmp',
      uid: 231_980,
      timeoutMs: 30_000,
      memoryMb: 2048,
      maxOutputBytes: 65_536,
      limits: { ...LIMITS, ...limits },
      ...change,
    });
  const node = (script: string, limits: Partial<ConfinedLimits> = {}, change: Partial<ConfinedCommand> = {}) =>
    run([NODE, '-e', `const fs = require('node:fs'), cp = require('node:child_process');${script}`], limits, change);

  it('a program that stays below all of them ends as it likes', async () => {
    const result = await node(
      `fs.writeFileSync('/tmp/own', Buffer.alloc(${MIB}));
       console.log(fs.readFileSync('/input/document', 'utf8'), process.cwd(), fs.readdirSync('/input').join());`,
    );
    expect(result.stderr.toString()).toBe('');
    expect(result.stdout.toString()).toBe('given /tmp document\n');
    expect(result).toMatchObject({ exitCode: 0, limit: null, timedOut: false });
  });

  it('processor time is that of all processes together', async () => {
    const busy = 'while (1) {}';
    const script = `for (let i = 0; i < 3; i++) cp.spawn(process.execPath, ['-e', '${busy}']); ${STAY}`;
    const began = Date.now();
    expect(await node(script, { cpuSeconds: 2 })).toMatchObject({ limit: 'cpu_time' });
    // Alone each of them would have had 2 s.
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('memory is that of one process', async () => {
    const result = await node(`const kept = []; while (1) kept.push(Buffer.alloc(${8 * MIB}, 1));`);
    expect(result).toMatchObject({ limit: 'memory' });
  });

  it('memory is that of all processes together', async () => {
    const one = `globalThis.kept = Buffer.alloc(${100 * MIB}, 1); setInterval(() => {}, 1000)`;
    const script = `for (let i = 0; i < 4; i++) cp.spawn(process.execPath, ['-e', '${one}']); ${STAY}`;
    expect(await node(script)).toMatchObject({ limit: 'memory' });
  });

  it('processes are counted with their threads', async () => {
    const script = `setInterval(() => { for (let i = 0; i < 9; i++) cp.spawn('/bin/sleep', ['60']).on('error', () => {}); }, 20);`;
    expect(await node(script, { openFiles: 1024 })).toMatchObject({ limit: 'processes' });
    const threads = `const { Worker } = require('node:worker_threads');
      for (let i = 0; i < 60; i++) new Worker('setInterval(() => {}, 1000)', { eval: true }).on('error', () => {});`;
    // Each thread of Node reserves memory that counts long before it is used.
    const wide = { memoryMb: 65_536 };
    expect(await node(threads, { memoryMb: 1500, openFiles: 1024 }, wide)).toMatchObject({ limit: 'processes' });
  });

  it('open files are those of each process', async () => {
    const script = `const open = []; try { while (1) open.push(fs.openSync('/input/document')); } catch {} ${STAY}`;
    expect(await node(script)).toMatchObject({ limit: 'open_files' });
  });

  it('what is written is counted over all files', async () => {
    const fill = (names: string, bytes: number) =>
      `try { for (let i = 0; ; i++) fs.writeFileSync(${names}, Buffer.alloc(${bytes}), { flag: 'a' }); } catch {} ${STAY}`;
    expect(await node(fill(`'/tmp/one'`, MIB))).toMatchObject({ limit: 'written_bytes' });
    expect(await node(fill(`'/tmp/' + i`, 256 * 1024))).toMatchObject({ limit: 'written_bytes' });
    expect(await node(fill(`'/dev/shm/' + i`, 65_536))).toMatchObject({ limit: 'written_bytes' });
  });

  it('files without content are counted too', async () => {
    const result = await run(['/bin/sh', '-c', 'i=0; while :; do i=$((i+1)); : > /tmp/$i; done'], { cpuSeconds: 60 });
    expect(result).toMatchObject({ limit: 'written_bytes' });
  });

  it('memory that belongs to no process and no folder cannot be had', async () => {
    // `memfd_create` by its number, with the program that every Debian has.
    const script = `perl -e '$name = "name"; print syscall(${process.arch === 'x64' ? 319 : 279}, $name, 0) . " " . ($!+0)'`;
    const result = await run([
      '/bin/sh',
      '-c',
      `command -v perl > /dev/null || { printf -- '-1 38'; exit; }; ${script}`,
    ]);
    expect(result.stdout.toString()).toBe('-1 38');
  });

  it('time, silence and output end it too', async () => {
    expect(await run(['/bin/sleep', '60'], {}, { timeoutMs: 300 })).toMatchObject({
      limit: 'wall_time',
      timedOut: true,
    });
    const began = Date.now();
    const beating = 'for i in 1 2 3 4 5 6; do echo; sleep 0.2; done; exec sleep 60';
    expect(await run(['/bin/sh', '-c', beating], { silenceMs: 900 })).toMatchObject({ limit: 'wall_time' });
    expect(Date.now() - began).toBeGreaterThan(1_700);
    expect(await run(['/usr/bin/yes'])).toMatchObject({ limit: 'output', truncated: true });
  });

  it('it is killed with everything that it started, and its groups are gone', async () => {
    const seconds = `77.${process.pid}`;
    const script = `for (let i = 0; i < 5; i++) cp.spawn('/bin/sleep', ['${seconds}'], { detached: true }); ${STAY}`;
    expect(await node(script, {}, { timeoutMs: 1_000 })).toMatchObject({ exitCode: null, limit: 'wall_time' });
    const processes = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' }).split('\n');
    expect(processes.filter((line) => line.includes(`sleep ${seconds}`) && !line.startsWith('Z'))).toEqual([]);
    const parents = findCgroupTree()?.hierarchies.map((one) => join(one.folder, 'sandgate')) ?? [];
    const groups = parents.filter((parent) => existsSync(parent)).flatMap((parent) => readdirSync(parent));
    expect(groups.filter((name) => name.startsWith(`confined-${process.pid}-`))).toEqual([]);
  });

  it('no folder can be given to write, whose writing nobody would count', async () => {
    await expect(run(['/bin/true'], {}, { readWrite: [folder] })).rejects.toThrow(/no folder to write/);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('given');
  });
});
