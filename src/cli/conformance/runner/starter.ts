import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSystemError } from '../../../domain/system-error.js';
import type { RunnerExit } from './record.js';
import type { ScriptedPlane } from './scripted-plane.js';

/** A workspace of one scenario: where the fixture looks, and what the runner is told. */
export interface ScenarioWorkspace {
  path: string;
  inside: string;
  remove: () => Promise<void>;
}

export interface StartedRunner {
  exit: Promise<RunnerExit>;
  /** What other processes can read of it now. */
  visible: () => string;
  kill: () => void;
}

/** How runners are started. */
export interface RunnerStarter {
  workspace: () => Promise<ScenarioWorkspace>;
  /** Where sockets must lie for its runners to reach them; anywhere when absent. */
  planeFolder?: string;
  /** Where the runner finds the plane's socket. */
  socketPath: (plane: ScriptedPlane) => string;
  /** Whether the fixture sees the end of the process. */
  seesExit: boolean;
  start: (document: string, plane: ScriptedPlane, workspace: ScenarioWorkspace) => Promise<StartedRunner>;
}

async function temporaryWorkspace(): Promise<ScenarioWorkspace> {
  const path = await mkdtemp(join(tmpdir(), 'conformance-'));
  return { path, inside: path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Starts a command as the launcher of a sandbox does: a small environment, and the hand-off on descriptor 3 (docs/runner-contract.md, section 13). */
export function commandStarter(command: readonly string[], cwd: string, output: 'inherit' | 'ignore'): RunnerStarter {
  const [program = '', ...args] = command;
  return {
    workspace: temporaryWorkspace,
    socketPath: (plane) => plane.socketPath,
    seesExit: true,
    start: async (document, plane, workspace) => {
      const file = join(plane.directory, 'hand-off');
      await writeFile(file, document, { mode: 0o600 });
      const fd = openSync(file, 'r');
      await rm(file);
      const env = { PATH: process.env['PATH'], HOME: workspace.path, LANG: 'C.UTF-8' };
      const shown = output === 'inherit' ? process.stderr : 'ignore';
      const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', shown, shown, fd] });
      closeSync(fd);
      return { exit: exitOf(child), visible: () => visibleOf(child), kill: () => killGroup(child) };
    },
  };
}

function exitOf(child: ChildProcess): Promise<RunnerExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, killed: code === null }));
  });
}

function visibleOf({ pid }: ChildProcess): string {
  return ['environ', 'cmdline'].map((name) => readOrEmpty(`/proc/${pid}/${name}`)).join('\n');
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It should be closed to us; on another system there is no such file.
    return '';
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}

const FIRST_CONTACT_MS = 15 * 60_000;
/** Three heartbeats. */
const SILENCE_MS = 30_000;
const AFTER_RESULT_MS = 2_000;
const LOOK_MS = 200;

/** For runners that somebody else starts, by hand or in a container: the hand-off is put into a file, and `told` says where. */
export function handStarter(told: (file: string) => void): RunnerStarter {
  return {
    workspace: temporaryWorkspace,
    socketPath: (plane) => plane.socketPath,
    seesExit: false,
    start: async (document, plane) => {
      const file = join(plane.directory, 'hand-off');
      await writeFile(file, document, { mode: 0o600 });
      told(file);
      let stopped = false;
      const exit = (async (): Promise<RunnerExit> => {
        const begun = performance.now();
        while (!stopped && !isOver(plane, begun)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        return 'not seen';
      })();
      return { exit, visible: () => '', kill: () => (stopped = true) };
    },
  };
}

/** A runner that has reported, or has gone silent, counts as ended. */
function isOver(plane: ScriptedPlane, begun: number): boolean {
  const last = plane.requests.at(-1);
  if (last === undefined) return performance.now() - begun > FIRST_CONTACT_MS;
  const silentMs = performance.now() - (last.endedAt ?? performance.now());
  return silentMs > (plane.results.length > 0 ? AFTER_RESULT_MS : SILENCE_MS);
}
