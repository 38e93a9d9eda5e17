import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOracleRoot } from './oracle-root.js';

/** What a line really did. Paths are absolute. */
export interface Observed {
  /** Every program that started, a failed start for want of the file included: the path and the words. */
  programs: { path: string; argv: string[] }[];
  /** Files that were created, removed or changed when the line had ended. */
  changed: string[];
  /** Files opened to be written. */
  written: string[];
  /** Files opened to be read, by which program. */
  read: { program: string; path: string }[];
  /** Cut short: too long, or too many processes. What is recorded happened all the same. */
  cut: boolean;
}

/** Files of `/workspace` and around it. Interpreters that are handed one run these words. */
export const FIXTURE: Readonly<Record<string, string>> = {
  '/workspace/': '',
  '/workspace/d/': '',
  '/workspace/d/g': 'fixed1\n',
  '/workspace/d/sub/': '',
  '/workspace/f': 'fixed1\nfixed2 b a\n\nfixed3 id/x',
  '/workspace/g.txt': 'fixed1:b:c\nfixed2 2 3\n',
  '/workspace/empty': '',
  '/workspace/-e1e hidden_file': 'fixed1\n',
  '/workspace/Makefile': 'all: one two\none:\n\tfixed1 one\ntwo: one\n\tfixed2 $(X)\nclean:\n\tfixed1\n',
  '/home/user/': '',
  '/home/user/h': 'fixed1\n',
  '/etc/hosts': 'fixed1\n',
};

/** The environment of each line: variables that nobody has vetted, whose words would be options that run programs. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/bin',
  HOME: '/home/user',
  y: '-exec hidden_variable ;',
  e: 'e hidden_variable',
  w: 'w hidden_written',
};

const MAX_OUTPUT = 64 * 1024 * 1024;

/** bash, sed, mawk, make and others in a confinement of bubblewrap, in which lines run and everything they do is recorded. */
export class Oracle {
  private readonly waiting: { line: string; resolve: (bytes: Buffer) => void; reject: (error: Error) => void }[] = [];
  private received: Buffer = Buffer.alloc(0);
  private died: Error | null = null;
  private complaint = '';

  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {
    process.stdout!.on('data', (bytes: Buffer) => this.receive(bytes));
    process.stderr!.on('data', (bytes: Buffer) => (this.complaint += bytes.toString().slice(0, 2000)));
    // A broken pipe means that it has ended, which `close` tells with the reason.
    process.stdin!.on('error', () => undefined);
    process.on('close', (code) => this.end(code));
    this.send(
      Buffer.from(
        Object.entries(FIXTURE)
          .map(([path, content]) => `${path}\0${content}\0`)
          .join(''),
      ),
    );
  }

  /** @param limitMs How long a line may run. */
  static start(limitMs = 1000): Oracle {
    const folder = mkdtempSync(join(tmpdir(), 'shell-oracle-'));
    const mounts = buildOracleRoot(folder);
    const child = spawn('bwrap', [...confinement(mounts, limitMs), '--', ...SHELL], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new Oracle(child, folder);
  }

  /** Runs the line. @throws Error when the confinement is lost, which no line should bring about. */
  async observe(line: string): Promise<Observed> {
    if (this.died !== null) throw this.died;
    const answer = new Promise<Buffer>((resolve, reject) => this.waiting.push({ line, resolve, reject }));
    this.send(Buffer.from(line));
    return readObserved(await answer);
  }

  /** Ends the confinement with everything in it. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.process.once('close', () => resolve()));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private send(bytes: Buffer): void {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    this.process.stdin!.write(Buffer.concat([size, bytes]));
  }

  private receive(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    while (this.received.length >= 4) {
      const size = this.received.readUInt32LE(0);
      if (size > MAX_OUTPUT || this.received.length < 4 + size) return;
      this.waiting.shift()?.resolve(this.received.subarray(4, 4 + size));
      this.received = this.received.subarray(4 + size);
    }
  }

  private end(code: number | null): void {
    const during = JSON.stringify(this.waiting[0]?.line ?? '');
    const error = new Error(`the oracle ended with ${String(code)} in the line ${during}: ${this.complaint}`);
    this.died = error;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}

const SHELL = ['/usr/bin/bash', '--noprofile', '--norc', '-c', 'LINE'];

function confinement(mounts: readonly string[], limitMs: number): string[] {
  const environment = Object.entries({ ...ENVIRONMENT, ORACLE_LIMIT_MS: String(limitMs) });
  return [
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--as-pid-1', '--die-with-parent'],
    ...mounts,
    ...['--proc', '/proc', '--dev', '/dev', '--dir', '/tmp', '--dir', '/home', '--clearenv'],
    ...environment.flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

function readObserved(bytes: Buffer): Observed {
  const observed: Observed = { programs: [], changed: [], written: [], read: [], cut: false };
  for (const record of bytes.toString().split('\0')) {
    const text = record.slice(1);
    const [first = '', ...rest] = text.split('\x1f');
    if (record[0] === 'x') observed.programs.push({ path: first, argv: rest });
    else if (record[0] === 'w') observed.written.push(text);
    else if (record[0] === 'r') observed.read.push({ program: first, path: rest.join('\x1f') });
    else if (record[0] === 't' || record[0] === 'l') observed.cut = true;
    else if (record !== '') observed.changed.push(text);
  }
  return observed;
}
