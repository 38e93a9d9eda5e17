import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../../src/domain/run/spec.js';
import { makePlaneDirectory, planeDirectory } from '../../../../src/platform/host/plane-socket-path.js';
import { BubblewrapProvider } from '../../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import { findHost } from '../../../../src/platform/sandbox/bubblewrap/host.js';
import { DockerProvider } from '../../../../src/platform/sandbox/docker/docker-provider.js';
import { Engine } from '../../../../src/platform/sandbox/docker/engine.js';
import type { PlaneAccess } from '../../../../src/platform/sandbox/docker/plane-network.js';
import type { SandboxExit, SandboxHandle, SandboxProvider } from '../../../../src/platform/sandbox/provider.js';
import type { RunRoomsOptions } from '../../../../src/platform/sandbox/room/run-rooms.js';
import { findRoomAbilities } from '../../../../src/platform/sandbox/room/try-room.js';
import { stageRuntime } from '../../../../src/platform/sandbox/runtime.js';
import type { UidAllocator } from '../../../../src/platform/sandbox/uid-allocator.js';
import type { WorkspaceFolders } from '../../../../src/platform/workspace/index.js';
import { TEST_IMAGE } from '../../../support/engine/test-image.js';
import { PlainHost } from '../../../support/sandbox/plain-host.js';

/** One thing that a test asks of the provider. */
export type Step =
  | { do: 'check' }
  | { do: 'run'; runId: string; sizes: SandboxSizes; variables: Record<string, string>; keep?: boolean; program?: true }
  | { do: 'start'; runId: string; sizes: SandboxSizes; variables: Record<string, string> }
  | { do: 'wait' | 'terminate' | 'state'; handle: SandboxHandle }
  | { do: 'release' | 'output' | 'reopen'; runId: string }
  | { do: 'list' }
  | { do: 'hang' };

/** A harness with a program of its own. */
const PROGRAM = 'probe';

const MOUNTS_NOTHING = { hasRunUids: true, hasLoopDisks: false, hidesPaths: false };

/** Of this lab's suite alone where several run at once: the kernel counts processes by uid. */
const FIRST_UID = Number(process.env['SERVICE_SANDBOX_UID_BASE'] ?? 231_000);

/** Uids as the record hands them out, without a record: the file system remembers them. */
class FolderUids implements UidAllocator {
  constructor(private readonly file: string) {}

  async claim(runId: string): Promise<number> {
    const claims = await this.read();
    const uid = claims[runId] ?? Math.max(FIRST_UID, ...Object.values(claims)) + 1;
    if (claims[runId] === undefined) await this.write({ ...claims, [runId]: uid });
    return uid;
  }

  async release(runId: string): Promise<void> {
    const claims = await this.read();
    delete claims[runId];
    await this.write(claims);
  }

  /** In one piece: this process may end while a claim that nobody waits for is being written. */
  private async write(claims: Record<string, number>): Promise<void> {
    await writeFile(`${this.file}.new`, JSON.stringify(claims));
    await rename(`${this.file}.new`, this.file);
  }

  private async read(): Promise<Record<string, number>> {
    return JSON.parse(await readFile(this.file, 'utf8').catch(() => '{}')) as Record<string, number>;
  }
}

/** A provider that shares this host's file system. */
interface Provided {
  provider: SandboxProvider;
  folders: WorkspaceFolders;
  about: object;
}

const [mode = '', dataDir = '', runnerBundle = '', steps = '[]'] = process.argv.slice(2);
const planeOf = (runId: string): string => planeDirectory(dataDir, runId);
const makers: Record<string, () => Promise<Provided>> = { plain: plainHost, docker };
const { provider, folders, about } = await (makers[mode] ?? bubblewrap)();

function plainHost() {
  const provider = new PlainHost({ dataDir, runner: [process.execPath, runnerBundle], planeOf });
  return Promise.resolve({ provider, folders: provider, about: { mode } });
}

async function bubblewrap() {
  const host = await findHost();
  const provider = new BubblewrapProvider({ ...(await rooms()), host });
  return { provider, folders: provider.rooms, about: { mode: host.mode, limits: host.limiter.kind } };
}

/** The engine of the suite. */
async function docker() {
  const engine = await Engine.open(process.env['PROBE_ENGINE'] ?? '');
  const { PROBE_IMAGE: image = TEST_IMAGE, PROBE_DEPLOYMENT: deployment = '' } = process.env;
  const on = { engine, image, engineRuntime: process.env['PROBE_RUNTIME'] ?? null, deployment };
  // As a worker that is a container itself, which may mount nothing.
  const host = process.env['PROBE_SOFT'] === '1' ? { ...MOUNTS_NOTHING } : findRoomAbilities();
  const { PROBE_PLANE: way = 'auto', PROBE_LISTENER: listener = '127.0.0.1:1' } = process.env;
  const [address = '', port = ''] = listener.split(':');
  const plane = { way, listener: { host: address, port: Number(port) } } as PlaneAccess;
  const provider = new DockerProvider({ ...(await rooms()), host, ...on, plane });
  return { provider, folders: provider.rooms, about: { mode } };
}

async function rooms(): Promise<Omit<RunRoomsOptions, 'host'>> {
  const runtime = await stageRuntime(dataDir, { runnerBundle });
  const uids = new FolderUids(join(dataDir, 'uids.json'));
  const programOf = (harness: string) => (harness === PROGRAM ? placeProgram() : Promise.resolve(null));
  return { dataDir, runtime, uids, programOf, planeOf };
}

/** A harness's program as `harness install` leaves it. */
async function placeProgram(): Promise<string> {
  const folder = join(dataDir, 'harnesses', 'probe', '1.0.0');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(join(folder, 'agent'), '#!/bin/sh\necho the program runs\n', { mode: 0o755 });
  return folder;
}

async function start(
  runId: string,
  sizes: SandboxSizes,
  variables: Record<string, string>,
  harness = 'replay',
): Promise<SandboxHandle> {
  const planeDir = await makePlaneDirectory(dataDir, runId);
  await writeFile(join(planeDir, 'plane.sock'), '');
  await provider.reserve(runId, sizes);
  const tokens = { control: 'svc_sess_control', tool: 'svc_sess_tool', llm: 'svc_sess_llm' };
  // A run with a setup has two sandboxes, one after the other, with one home.
  const twice =
    variables['PHASE'] === undefined ? {} : { phase: variables['PHASE'] as 'setup' | 'agent', keepsHome: true };
  return provider.provision({ runId, harness, sizes, variables, tokens, ...twice });
}

async function perform(step: Step): Promise<unknown> {
  switch (step.do) {
    case 'check':
      return { ...(await provider.check()), ...about };
    case 'run': {
      const harness = step.program === true ? PROGRAM : 'replay';
      const handle = await start(step.runId, step.sizes, step.variables, harness);
      const exit: SandboxExit = await provider.waitForExit(handle, AbortSignal.timeout(250_000));
      const output = (await provider.readOutput(step.runId)).bytes.toString('utf8');
      if (step.keep !== true) await provider.release(step.runId);
      return { handle, exit, output };
    }
    case 'start': {
      const began = performance.now();
      const handle = await start(step.runId, step.sizes, step.variables);
      return { handle, ms: performance.now() - began };
    }
    case 'wait':
      return provider.waitForExit(step.handle, AbortSignal.timeout(60_000));
    case 'terminate':
      return provider.terminate(step.handle);
    case 'state':
      return provider.state(step.handle);
    case 'release':
      return provider.release(step.runId);
    case 'reopen':
      return folders.reopenWorkspace(step.runId);
    case 'output':
      return (await provider.readOutput(step.runId)).bytes.toString('utf8');
    case 'list':
      return { managed: await provider.listManaged(), remains: await provider.listRemains() };
    case 'hang':
      return new Promise((resolve) => setTimeout(resolve, 60_000));
  }
}

for (const step of JSON.parse(steps) as Step[]) {
  try {
    console.log(`RESULT ${JSON.stringify({ value: (await perform(step)) ?? null })}`);
  } catch (error) {
    console.log(`RESULT ${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}`);
  }
}
// A launched sandbox keeps nobody alive, but results that are still in the pipe must arrive.
process.stdout.write('', () => process.exit(0));
