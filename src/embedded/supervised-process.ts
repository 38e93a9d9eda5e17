import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isSystemError } from '../domain/system-error.js';
import { lastLines, openLog } from './log-file.js';
import type { OrphanGuard } from './orphan-guard.js';

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** A channel over which the child learns that the supervisor died. */
  readonly channel: boolean;
}

export interface PartDefinition {
  readonly name: string;
  readonly logs: string;
  readonly guard: OrphanGuard;
  /** Called before every start; removes what a killed predecessor left. */
  prepare?(): Promise<void>;
  launch(): Launch;
  /** Resolves when the part serves; called after every start. */
  ready(signal: AbortSignal): Promise<void>;
  /** The process that a signal must reach, when it is not the spawned one. */
  target?(child: ChildProcess): number | undefined;
  readonly stopSignal: NodeJS.Signals;
  /** A line for the terminal. */
  notify(line: string): void;
}

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5000;
/** A part that lived this long starts its backoff anew. */
const SETTLED_MS = 30_000;

/** The memory of a part holds keys and credentials: it is never written to a file, whatever the shell that started us allows. */
const WITHOUT_CORE_FILES = ['-c', 'ulimit -c 0 && exec "$@"', 'sh'] as const;

/** Keeps one part of the installation running: starts it, waits until it serves, starts it again when it dies. */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private stopping = false;
  private failures = 0;
  private readonly abort = new AbortController();

  constructor(private readonly part: PartDefinition) {}

  get name(): string {
    return this.part.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts the part for the first time; throws when it dies or does not serve in time. */
  async start(): Promise<void> {
    const { exited } = await this.spawn();
    await Promise.race([this.part.ready(this.abort.signal), exited.then((how) => this.failStart(how))]);
    void this.keepAlive(exited, Date.now());
  }

  /** Signals the part, and kills its whole process group when it does not end in time. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.abort.abort();
    const child = this.child;
    if (child?.pid === undefined || hasEnded(child)) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    signal(this.part.target?.(child) ?? child.pid, this.part.stopSignal);
    // The part itself keeps this process alive until it ends; the rest of its grace must not.
    const inTime = await Promise.race([ended.then(() => true), delay(graceMs, false, { ref: false })]);
    if (inTime) return;
    signal(-child.pid, 'SIGKILL');
    await ended;
  }

  /** Kills it without waiting. */
  kill(): void {
    const { child } = this;
    if (child?.pid !== undefined && !hasEnded(child)) signal(-child.pid, 'SIGKILL');
  }

  private async keepAlive(exited: Promise<string>, since: number): Promise<void> {
    let how = await exited;
    let startedAt = since;
    while (!this.stopping) {
      this.failures = Date.now() - startedAt > SETTLED_MS ? 0 : this.failures + 1;
      this.part.notify(`${this.part.name} ended (${how}); starting it again. The end of ${this.endOfLog()}`);
      await this.pause();
      if (this.stopping) return;
      startedAt = Date.now();
      how = await this.restart();
    }
  }

  /** The longer, the more often the part has failed; a stop ends it. */
  private async pause(): Promise<void> {
    const ms = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.failures, 6) - FIRST_BACKOFF_MS);
    await delay(ms, undefined, { signal: this.abort.signal }).catch((error: unknown) => {
      if (!this.stopping) throw error;
    });
  }

  private async restart(): Promise<string> {
    try {
      const { exited } = await this.spawn();
      const served = this.part.ready(this.abort.signal).then(
        () => this.part.notify(`${this.part.name} serves again`),
        (error: unknown) => this.part.notify(`${this.part.name}: ${describe(error)}`),
      );
      const how = await exited;
      void served;
      return how;
    } catch (error) {
      return describe(error);
    }
  }

  private async spawn(): Promise<{ exited: Promise<string> }> {
    await this.part.prepare?.();
    if (this.stopping) throw new Error(`${this.part.name} is being stopped`);
    const { argv, env, channel } = this.part.launch();
    const log = openLog(this.part.logs, this.part.name);
    const stdio: StdioOptions = channel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log];
    const child = spawn('/bin/sh', [...WITHOUT_CORE_FILES, ...argv], { env, stdio, detached: true });
    closeSync(log);
    this.child = child;
    return { exited: this.watch(child) };
  }

  private watch(child: ChildProcess): Promise<string> {
    const group = child.pid;
    if (group !== undefined) this.part.guard.watch(group);
    return new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, killedBy) => {
        if (group !== undefined) this.part.guard.forget(group);
        resolve(killedBy === null ? `exit code ${code}` : `signal ${killedBy}`);
      });
    });
  }

  private failStart(how: string): never {
    throw new Error(`${this.part.name} ended while starting (${how}); the end of ${this.endOfLog()}`);
  }

  private endOfLog(): string {
    const log = join(this.part.logs, `${this.part.name}.log`);
    return `${log}:\n${lastLines(log)}`;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A process that is already gone is a success for every caller. */
function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}
