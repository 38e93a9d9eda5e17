import type { ParseFailure } from '../../../src/domain/page-model.js';
import type { ParserLimits } from '../../../src/platform/parsing/parser-limits.js';

/** What of this host a hostile program is told to go for. */
export interface Targets {
  /** A folder with a secret in it, as the state folder is. */
  stateFolder: string;
  secret: string;
  port: number;
  addresses: string[];
  socketPath: string;
  abstractSocket: string;
  hostPid: number;
}

export interface HostileProgram {
  does: string;
  /** Body of a module; `say` prints an item, `got` one with what an attempt returned or how it failed. */
  script: string;
  ends: Partial<Extract<ParseFailure, { kind: 'limit' }>> | { kind: 'crashed' };
  limits?: Partial<ParserLimits>;
}

const MIB = 1024 * 1024;
const STAY = 'setInterval(() => {}, 1000);';
const CRASHED = { kind: 'crashed' } as const;
const limit = (name: Extract<ParseFailure, { kind: 'limit' }>['limit']) => ({ kind: 'limit', limit: name }) as const;

export const PRELUDE = `import fs from 'node:fs'; import net from 'node:net'; import os from 'node:os'; import cp from 'node:child_process';
const say = (item) => fs.writeSync(1, JSON.stringify({ item }) + '\\n');
const got = (name, attempt) => { try { say({ name, got: String(attempt()) }); } catch (error) { say({ name, refused: error.code ?? String(error) }); } };
const run = (...argv) => { const { status, stdout, stderr, error } = cp.spawnSync(argv[0], argv.slice(1), { encoding: 'utf8', timeout: 3000 });
  if (error !== undefined) throw error; if (status !== 0) throw new Error(stderr); return stdout; };
const connects = (name, to) => new Promise((done) => { const socket = net.connect(to); socket.setTimeout(1500, () => socket.destroy(new Error('silent')));
  socket.on('connect', () => { say({ name, got: 'connected' }); socket.destroy(); done(); }); socket.on('error', (error) => { say({ name, refused: error.code ?? String(error) }); done(); }); });
`;

/** Programs in the place of a parser, by what they try. */
export function hostilePrograms(at: Targets): HostileProgram[] {
  const q = (value: unknown): string => JSON.stringify(value);
  return [...readers(at, q), ...writers(at, q), ...eaters(), ...liars()];
}

function readers(at: Targets, q: (value: unknown) => string): HostileProgram[] {
  return [
    {
      does: 'reads the state folder',
      script: `got('secret', () => fs.readFileSync(${q(`${at.stateFolder}/secret`)}, 'utf8')); got('folder', () => fs.readdirSync(${q(at.stateFolder)}));
        got('through a process', () => fs.readFileSync(${q(`/proc/1/root${at.stateFolder}/secret`)}, 'utf8')); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'reads the passwords of the system',
      script: `for (const path of ['/etc/shadow', '/etc/gshadow', '/root/.ssh/id_ed25519', '/proc/kcore']) got(path, () => fs.readFileSync(path).subarray(0, 99)); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'looks at other processes',
      script: `for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
          for (const file of ['cmdline', 'environ', 'maps']) got(pid + file, () => fs.readFileSync('/proc/' + pid + '/' + file, 'utf8').slice(0, 4000));
        got('host', () => fs.readFileSync('/proc/${at.hostPid}/environ', 'utf8')); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'reads its environment and that of who started it',
      script: `got('own', () => JSON.stringify(process.env)); got('first', () => fs.readFileSync('/proc/1/environ', 'utf8'));
        got('parent', () => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'connects to this host and to others',
      script: `for (const host of ${q(['127.0.0.1', '::1', ...at.addresses])}) await connects(host, { host, port: ${at.port} });
        await connects('elsewhere', { host: '192.0.2.1', port: 80 }); say({ interfaces: Object.keys(os.networkInterfaces()) }); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'connects to sockets of this host by their names',
      script: `await connects('path', { path: ${q(at.socketPath)} }); await connects('abstract', { path: ${q(`\0${at.abstractSocket}`)} });
        await connects('docker', { path: '/var/run/docker.sock' }); process.exit(1);`,
      ends: CRASHED,
    },
  ];
}

function writers(at: Targets, q: (value: unknown) => string): HostileProgram[] {
  return [
    {
      does: 'writes outside of its scratch',
      script: `for (const folder of ${q(['/', '/usr', '/usr/bin', '/etc', '/opt', '/opt/docsvc', '/input', '/home', '/dev', '/proc/sys/kernel', at.stateFolder])})
          got(folder, () => fs.writeFileSync(folder + '/planted', 'x') ?? 'written'); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'changes the document',
      script: `for (const [name, act] of Object.entries({ open: () => fs.openSync('/input/document', 'r+'), truncate: () => fs.truncateSync('/input/document'), chmod: () => fs.chmodSync('/input/document', 0o777),
          unlink: () => fs.unlinkSync('/input/document'), rename: () => fs.renameSync('/input/document', '/input/other'), link: () => fs.linkSync('/input/document', '/tmp/document') })) got(name, () => act() ?? 'done'); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'leads links out of its scratch',
      script: `fs.symlinkSync('/etc/shadow', '/tmp/a'); fs.symlinkSync('/proc/1/root', '/tmp/b'); fs.symlinkSync('/', '/tmp/c'); fs.mkdirSync('/tmp/d'); fs.symlinkSync('../..', '/tmp/d/e');
        got('a', () => fs.readFileSync('/tmp/a', 'utf8')); got('b', () => fs.readFileSync(${q(`/tmp/b${at.stateFolder}/secret`)}, 'utf8')); got('c', () => fs.readFileSync(${q(`/tmp/c${at.stateFolder}/secret`)}, 'utf8'));
        got('e', () => fs.readFileSync(${q(`/tmp/d/e${at.stateFolder}/secret`)}, 'utf8')); got('swap', () => fs.renameSync('/tmp', '/tmp2') ?? 'done'); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'kills and traces who started it',
      script: `for (const pid of [1, process.ppid, ${at.hostPid}]) try { if (pid !== process.pid) process.kill(pid, 'SIGKILL'); } catch (error) { say({ name: 'kill', refused: error.code }); }
        got('trace', () => run('/usr/bin/perl', '-e', '$! = 0; exit(syscall(${process.arch === 'x64' ? 101 : 117}, 16, 1, 0, 0) == 0 ? 0 : 1)')); process.kill(-1, 'SIGKILL'); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'becomes another user',
      script: `got('setuid', () => process.setuid(0) ?? 'root'); fs.copyFileSync('/bin/sh', '/tmp/sh'); got('mode', () => fs.chmodSync('/tmp/sh', 0o4755)); got('shell', () => { const id = run('/tmp/sh', '-p', '-c', 'id -u').trim(); if (id === String(process.getuid())) throw new Error('the same'); return id; });
        got('su', () => run('/usr/bin/su', '-c', 'id -u')); got('chown', () => fs.chownSync('/tmp/sh', 0, 0) ?? 'done'); process.exit(1);`,
      ends: CRASHED,
    },
    {
      does: 'mounts and makes namespaces',
      script: `got('mount', () => run('/usr/bin/mount', '-t', 'tmpfs', 'none', '/tmp')); got('user', () => run('/usr/bin/unshare', '-U', 'true')); got('all', () => run('/usr/bin/unshare', '-Urm', 'true'));
        got('chroot', () => run('/usr/sbin/chroot', '/tmp', 'true')); got('enter', () => run('/usr/bin/nsenter', '-t', '1', '-a', 'true')); got('device', () => run('/usr/bin/mknod', '/tmp/sda', 'b', '8', '0')); process.exit(1);`,
      ends: CRASHED,
    },
  ];
}

function eaters(): HostileProgram[] {
  const hog = `globalThis.kept = Buffer.alloc(${100 * MIB}, 1); setInterval(() => {}, 1000)`;
  const fill = (name: string, bytes: number): string =>
    `try { for (let i = 0; ; i++) fs.writeFileSync(${name}, Buffer.alloc(${bytes}), { flag: 'a' }); } catch {} ${STAY}`;
  return [
    {
      does: 'starts programs without end',
      script: `setInterval(() => { for (let i = 0; i < 9; i++) cp.spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore' }).on('error', () => {}); }, 10);`,
      ends: limit('processes'),
    },
    {
      does: 'takes memory in one program',
      script: `const kept = []; for (;;) kept.push(Buffer.alloc(${8 * MIB}, 1));`,
      ends: limit('memory'),
    },
    {
      does: 'takes memory in many programs',
      script: `for (let i = 0; i < 6; i++) cp.spawn(process.execPath, ['-e', ${JSON.stringify(hog)}]); ${STAY}`,
      ends: limit('memory'),
    },
    { does: 'fills one file', script: fill(`'/tmp/one'`, MIB), ends: limit('written_bytes') },
    { does: 'fills many files', script: fill(`'/tmp/' + i`, 65_536), ends: limit('written_bytes') },
    {
      does: 'opens files without end',
      script: `const open = []; try { for (;;) open.push(fs.openSync('/input/document')); } catch {} ${STAY}`,
      ends: limit('open_files'),
    },
    { does: 'answers without end', script: `for (;;) say('x'.repeat(65536));`, ends: limit('output') },
    { does: 'calculates without end', script: 'for (;;);', ends: limit('cpu_time'), limits: { cpuSeconds: 1 } },
    { does: 'sleeps for ever', script: STAY, ends: limit('wall_time'), limits: { timeoutMs: 1500 } },
    {
      does: 'says nothing after its first page',
      script: `say(1); ${STAY}`,
      ends: limit('wall_time'),
      limits: { silenceMs: 1500 },
    },
  ];
}

function liars(): HostileProgram[] {
  const lines = (text: string): string => `fs.writeSync(1, ${JSON.stringify(text)});`;
  return [
    { does: 'answers what is no JSON', script: lines('{"item": 1\n{"done": true}\n'), ends: CRASHED },
    {
      does: 'names a failure that there is not',
      script: lines('{"failure":{"kind":"root","message":"x"}}\n'),
      ends: CRASHED,
    },
    { does: 'says that it is done and fails', script: `${lines('{"done": true}\n')} process.exit(3);`, ends: CRASHED },
    {
      does: 'answers with a line of a million lists and more',
      script: `fs.writeFileSync(1, '{"item":[' + '[],'.repeat(2000000) + '0]}\\n{"done":true}\\n');`,
      ends: limit('output'),
      limits: { maxOutputBytes: 32 * MIB },
    },
    {
      does: 'answers with lists inside each other',
      script: `fs.writeFileSync(1, '{"item":' + '['.repeat(1000000) + ']'.repeat(1000000) + '}\\n{"done":true}\\n');`,
      ends: limit('output'),
    },
    {
      does: 'answers with names without end',
      script: `fs.writeFileSync(1, '{"item":{' + Array.from({ length: 100000 }, (_, i) => '"n' + i + '":0').join() + '}}\\n{"done":true}\\n');`,
      ends: limit('output'),
    },
    { does: 'stops in the middle of a line', script: lines('{"item": 1}\n{"item": 2'), ends: CRASHED },
  ];
}
