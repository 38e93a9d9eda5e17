import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { expect, jest } from '@jest/globals';
import { CommanderError } from 'commander';
import { buildProgram } from '../../../src/cli/program.js';
import { CliError } from '../../../src/cli/terminal/exit-codes.js';

export interface Outcome {
  /** As the process would exit. */
  code: number;
  stdout: string;
  stderr: string;
  message: string;
}

/** A command of this process that runs: what it printed so far, and how it ends. */
export interface RunningCommand {
  terminal: { stdout: string; stderr: string };
  outcome: Promise<Outcome>;
}

/** What each command of this process prints and reads: several may run at once. */
const terminals = new AsyncLocalStorage<{ stdout: string; stderr: string; stdin: Readable }>();

/** From now on, until mocks are restored, each command has a terminal of its own. */
export function captureTerminals(): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const write: (text: string | Uint8Array) => boolean = process[stream].write.bind(process[stream]);
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      const terminal = terminals.getStore();
      if (terminal === undefined) return write(text);
      terminal[stream] += String(text);
      return true;
    });
  }
  const { stdin } = process;
  jest
    .spyOn(process, 'stdin', 'get')
    .mockImplementation(() => (terminals.getStore()?.stdin as typeof process.stdin | undefined) ?? stdin);
}

/** Starts a command in this process, with `input` on its standard input. */
export function startCommand(argv: string[], input = ''): RunningCommand {
  const terminal = { stdout: '', stderr: '', stdin: Readable.from([input]) };
  const done = (code: number, message = ''): Outcome => ({
    code,
    stdout: terminal.stdout,
    stderr: terminal.stderr,
    message,
  });
  const ended = terminals.run(terminal, () => buildProgram().parseAsync(['node', 'sandgate', ...argv]));
  const outcome = ended.then(
    () => done(0),
    (error: unknown) => {
      if (error instanceof CliError) return done(error.exitCode, error.message);
      if (error instanceof CommanderError) return done(2, error.message);
      throw error;
    },
  );
  return { terminal, outcome };
}

/** Runs a command to its end. */
export function cli(...argv: string[]): Promise<Outcome> {
  return startCommand(argv).outcome;
}

/** What a command prints that has to succeed. */
export async function ok(...argv: string[]): Promise<string> {
  const { code, stdout, message } = await cli(...argv);
  expect([argv, code, message]).toEqual([argv, 0, '']);
  return stdout;
}

/** What such a command prints as JSON. */
export async function json<T>(...argv: string[]): Promise<T> {
  return JSON.parse(await ok(...argv, '-o', 'json')) as T;
}
