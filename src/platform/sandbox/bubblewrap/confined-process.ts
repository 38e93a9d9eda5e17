import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { SandgateError } from '../../../domain/errors.js';
import { GrowingBuffer } from '../../host/growing-buffer.js';
import type { ConfinedCommand, ConfinedResult, ConfinedTalk, ReachedLimit } from '../../host/confine.js';

/** A confined program that runs. */
export interface StartedProgram {
  pid: number;
  /** Kills it with all that it started, for a limit that somebody else found reached. */
  end: (limit: ReachedLimit) => void;
  /** Gives it back the time for which it stood ready and the host had no processor for it. */
  giveBack: (ms: number) => void;
}

/** One launch: the command of the launching shell, and the descriptors that it hands on. */
export interface ConfinedLaunch {
  argv: string[];
  descriptors: number[];
  env: Record<string, string>;
}

/** Starts a confined program, feeds it and takes what it prints, until it has ended or has been killed. */
export function collectOutput(
  launch: ConfinedLaunch,
  command: ConfinedCommand,
  started: (program: StartedProgram) => void,
): Promise<ConfinedResult> {
  return new Promise((resolve, reject) => {
    const [program = '/bin/sh', ...args] = launch.argv;
    // A session of its own, so that one signal to the group reaches bubblewrap, which takes everything inside with it.
    const child = spawn(program, args, {
      env: launch.env,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...launch.descriptors],
    });
    // First of all: one that could not be made for want of descriptors has no streams either.
    child.once('error', (error) => {
      reject(new SandgateError('sandbox_failed', 'a confined program could not be started', { cause: error }));
    });
    const [stdin, stdout, stderr] = child.stdio;
    let limit: ReachedLimit | null = null;
    const kill = (): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
    };
    const end = (reached: ReachedLimit): void => {
      limit ??= reached;
      kill();
    };
    const clocks = startClocks(command, stdout, () => end('wall_time'));
    command.signal?.addEventListener('abort', kill, { once: true });
    if (command.signal?.aborted === true) kill();
    const settle = (): void => {
      for (const clock of clocks) clock.stop();
      command.signal?.removeEventListener('abort', kill);
    };
    const overflow = (): void => end('output');
    const printed = new Output(stdout, command.maxOutputBytes, overflow, command.dialogue?.output);
    const errors = new Output(stderr, command.maxOutputBytes, overflow);
    // A program may end without reading its input; that is not a failure.
    stdin?.on('error', () => stdin.destroy());
    child.once('error', settle);
    child.once('close', (exitCode) => {
      settle();
      const ending = { timedOut: limit === 'wall_time', truncated: limit === 'output' };
      resolve({ ...ending, limit, exitCode, stdout: printed.kept, stderr: errors.kept });
    });
    const giveBack = (ms: number): void => {
      for (const clock of clocks) clock.giveBack(ms);
    };
    if (child.pid !== undefined) started({ pid: child.pid, end, giveBack });
    if (command.dialogue === undefined) stdin?.end(command.stdin ?? '');
    else if (stdin) command.dialogue.started(talkOf(stdin, clocks, printed));
  });
}

function talkOf(stdin: Writable, clocks: readonly Clock[], printed: Output): ConfinedTalk {
  return {
    stdin,
    begin: () => {
      printed.restart();
      for (const clock of clocks) clock.restart();
    },
    rest: () => {
      for (const clock of clocks) clock.pause();
    },
  };
}

function startClocks(
  { timeoutMs, limits }: ConfinedCommand,
  stdout: NodeJS.ReadableStream | null | undefined,
  expire: () => void,
): Clock[] {
  const whole = new Clock(timeoutMs, expire);
  if (limits?.silenceMs === undefined) return [whole];
  const silence = new Clock(limits.silenceMs, expire);
  stdout?.on('data', () => silence.extend());
  return [whole, silence];
}

/** Expires when its time is up, what was given back included. */
class Clock {
  private deadline = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly ms: number,
    private readonly expire: () => void,
  ) {
    this.restart();
  }

  restart(): void {
    this.pause();
    this.deadline = performance.now() + this.ms;
    this.wait();
  }

  /** Gives it all of its time again, if it runs. */
  extend(): void {
    this.deadline = performance.now() + this.ms;
  }

  giveBack(ms: number): void {
    this.deadline += ms;
  }

  pause(): void {
    clearTimeout(this.timer);
  }

  /** The program has ended; a request that comes too late starts nothing. */
  stop(): void {
    this.isStopped = true;
    this.pause();
  }

  private wait(): void {
    if (this.isStopped) return;
    const left = this.deadline - performance.now();
    if (left > 0) this.timer = setTimeout(() => this.wait(), Math.ceil(left));
    else this.expire();
  }
}

/** What a program prints, up to a bound: kept until the end, or passed on as it comes. */
class Output {
  private readonly pieces = new GrowingBuffer();
  private bytes = 0;

  constructor(
    stream: NodeJS.ReadableStream | null | undefined,
    private readonly maxBytes: number,
    private readonly overflow: () => void,
    private readonly pass: (chunk: Buffer) => void = (chunk) => this.pieces.append(chunk),
  ) {
    stream?.on('data', (chunk: Buffer) => this.take(chunk));
  }

  get kept(): Buffer {
    return this.pieces.view();
  }

  restart(): void {
    this.bytes = 0;
  }

  private take(chunk: Buffer): void {
    if (this.bytes < this.maxBytes) this.pass(chunk.subarray(0, this.maxBytes - this.bytes));
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) this.overflow();
  }
}
