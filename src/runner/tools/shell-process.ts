import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { appendDecoded, KeptOutput } from './kept-output.js';
import { killGroup } from './kill-group.js';

export interface ShellCommand {
  command: string;
  cwd: string;
  environment: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
  maxOutputCharacters: number;
}

export interface ShellResult {
  output: string;
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
  timedOut: boolean;
}

/**
 * Both outputs go through one real pipe: it keeps their order, and what Node calls a pipe is a socket, which programs that
 * open /dev/stdout or /dev/stderr cannot use.
 */
const JOIN_OUTPUTS = 'exec > >(exec cat) 2>&1; exec "$@"';

/** How long output may still arrive after the shell ended, when a process that it left behind holds the pipe. */
const DRAIN_MS = 1_000;

/**
 * Runs one command line in a shell without start-up files, as the leader of a process group of its own. At the limit, or
 * when the run stops, the whole group is killed. Processes that the command left in the background otherwise live on until
 * the sandbox ends; their later output is discarded. Rejects only when the shell cannot be started.
 */
export function runShell(request: ShellCommand): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const output = new KeptOutput(request.maxOutputCharacters);
    const shell = ['--noprofile', '--norc', '-c'];
    const child = spawn('bash', [...shell, JOIN_OUTPUTS, 'bash', 'bash', ...shell, request.command], {
      cwd: request.cwd,
      env: request.environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let timedOut = false;
    const kill = (): void => killGroup(child);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, request.timeoutMs);
    request.signal.addEventListener('abort', kill, { once: true });
    if (request.signal.aborted) kill();

    const collecting = collect(child, output);
    const settle = (): void => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', kill);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (exitCode, exitSignal) => {
      settle();
      void collecting
        .endWithin(DRAIN_MS)
        .then(() => resolve({ output: output.toString(), exitCode, exitSignal, timedOut }));
    });
  });
}

/** Gathers what arrives; after `endWithin` they are drained and thrown away, so that no process blocks on them. */
function collect(child: ChildProcess, output: KeptOutput): { endWithin(ms: number): Promise<void> } {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const ends = streams.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve)));
  for (const stream of streams) stream.on('data', appendDecoded(output));
  return {
    endWithin: async (ms) => {
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, ms);
      await Promise.race([Promise.all(ends), limit.promise]);
      clearTimeout(timer);
      for (const stream of streams) stream.removeAllListeners('data').resume();
    },
  };
}
