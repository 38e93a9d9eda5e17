import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compiledBefore } from '../../../../test/support/installation/own-place.js';

const PROGRAM = resolve('documents/bin/docsvc.mjs');
const ENDS_WITHIN_MS = 100_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The real program, as one user in one folder starts it. */
export class DocsvcCommand {
  /** Home of the user, and the folder in which they stand. */
  readonly home = mkdtempSync(join(tmpdir(), 'docsvc-home-'));
  readonly folder = mkdtempSync(join(tmpdir(), 'docsvc-folder-'));

  /** @param env beside PATH and HOME */
  constructor(readonly env: NodeJS.ProcessEnv = {}) {}

  /** Removes both folders. */
  [Symbol.dispose](): void {
    for (const folder of [this.home, this.folder]) rmSync(folder, { recursive: true, force: true });
  }

  run(argv: readonly string[], { env = {}, cwd = this.folder, input = '' } = {}): Promise<Ran> {
    const { child, ended } = this.start(argv, { env, cwd });
    child.stdin?.end(input);
    return ended;
  }

  /** Starts it, for specs that end it. */
  start(argv: readonly string[], { env = {}, cwd = this.folder } = {}): { child: ChildProcess; ended: Promise<Ran> } {
    const child = spawn(process.execPath, [PROGRAM, ...argv], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: this.home, ...compiledBefore(), ...this.env, ...env },
      timeout: ENDS_WITHIN_MS,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<Ran>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
    return { child, ended };
  }
}
