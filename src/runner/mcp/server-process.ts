import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../domain/json.js';
import { codeOf } from '../../domain/system-error.js';
import { killGroup } from '../tools/kill-group.js';

export interface ServerCommand {
  command: string;
  args: string[];
  cwd: string;
  /** The whole environment of the server. */
  environment: Record<string, string>;
}

/** A server that writes a longer line is ended: nothing that it says may fill the runner's memory. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const STDERR_TAIL_BYTES = 2_048;
/** How long a server that was told to end, by the end of its input, may take. */
const LEAVE_MS = 300;
/** How long after a failed write a server may be known to have ended: its exit, and what it wrote before. */
const END_TOLD_MS = 1_000 + LEAVE_MS;

/**
 * One MCP server as a child of the runner: a JSON message per line on its standard input and output. It inherits nothing: its
 * environment is what it is given, and no descriptor of the runner is open in it. Implements the transport of the MCP client.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  #child: ChildProcessByStdio<Writable, Readable, Readable> | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #errors = Buffer.alloc(0);
  #ending: string | null = null;
  readonly #ended = Promise.withResolvers<void>();

  constructor(private readonly command: ServerCommand) {}

  /** How it ended, in our own words; null while it runs. */
  get ending(): string | null {
    return this.#ending;
  }

  /** The end of its standard error: its own words, for whoever has to fix it. */
  get lastWords(): string {
    return this.#errors.toString('utf8').trim().toWellFormed();
  }

  /** Resolves when the program runs. Rejects when there is none that can be started. */
  start(): Promise<void> {
    const { command, args, cwd, environment } = this.command;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd, env: environment, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
      this.#child = child;
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#end(startFailure(command, codeOf(error)));
        reject(new Error(this.#ending ?? 'it could not be started'));
      });
      child.once('exit', (code, signal) => {
        void this.#drained(child).then(() =>
          this.#end(code === null ? `it was killed by ${signal}` : `it ended with exit code ${code}`),
        );
      });
      child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
      child.stderr.on('data', (chunk: Buffer) => {
        this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-STDERR_TAIL_BYTES);
      });
      // A server that ends while something is written to it; its end is told by `exit`.
      child.stdin.on('error', (error) => this.onerror?.(error));
    });
  }

  /** Rejects with how the server ended, also where that is not known yet when it no longer reads. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || this.#ending !== null) throw new Error(this.#ending ?? 'it does not run');
    try {
      await promisify<string, void>(stdin.write.bind(stdin))(`${JSON.stringify(message)}\n`);
    } catch (error) {
      await Promise.race([this.#ended.promise, sleep(END_TOLD_MS, undefined, { ref: false })]);
      throw this.ending === null ? error : new Error(this.ending, { cause: error });
    }
  }

  /** Ends its input, then the process with everything that it started. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return this.#end('it was never started');
    child.stdin.end();
    await Promise.race([this.#ended.promise, sleep(LEAVE_MS, undefined, { ref: false })]);
    killGroup(child);
    await this.#ended.promise;
  }

  /** What was written before the end still counts, unless a process that it left behind holds the pipe open. */
  async #drained(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await Promise.race([closed, sleep(LEAVE_MS, undefined, { ref: false })]);
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#pending.push(rest.subarray(0, end));
      const line = Buffer.concat(this.#pending).toString('utf8');
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#deliver(line);
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) return;
    this.#pending.push(rest);
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > MAX_MESSAGE_BYTES)
      this.#abandon(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }

  /** Lines that are no message are what careless servers print; they are skipped. */
  #deliver(line: string): void {
    if (this.#ending !== null || !line.trimStart().startsWith('{')) return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.onerror?.(new Error('it sent a line that is not JSON'));
    }
    if (isJsonObject(message)) this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  #abandon(reason: string): void {
    this.#end(reason);
    if (this.#child !== null) killGroup(this.#child);
  }

  #end(reason: string): void {
    if (this.#ending !== null) return;
    this.#ending = reason;
    this.#pending = [];
    this.#ended.resolve();
    this.onclose?.();
  }
}

function startFailure(command: string, code: string | number | undefined): string {
  if (code === 'ENOENT') return `there is no program ${command} in the sandbox`;
  if (code === 'EACCES') return `${command} is not a program that the sandbox may run`;
  return `${command} could not be started${code === undefined ? '' : ` (${code})`}`;
}
