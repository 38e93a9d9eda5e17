import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../../src/domain/run/spec.js';
import { makePlaneDirectory } from '../../../../src/platform/host/plane-socket-path.js';
import { BubblewrapProvider } from '../../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import { findHost } from '../../../../src/platform/sandbox/bubblewrap/host.js';
import type { SandboxExit, SandboxHandle, UidAllocator } from '../../../../src/platform/sandbox/provider.js';
import { stageRuntime } from '../../../../src/platform/sandbox/runtime.js';

/** One thing that a test asks of the provider. */
export type Step =
  | { do: 'check' }
  | { do: 'run'; runId: string; sizes: SandboxSizes; variables: Record<string, string>; keep?: boolean; program?: true }
  | { do: 'start'; runId: string; sizes: SandboxSizes; variables: Record<string, string> }
  | { do: 'wait' | 'terminate' | 'state'; handle: SandboxHandle }
  | { do: 'release' | 'output' | 'reopen'; runId: string }
  | { do: 'list' }
  | { do: 'hang' };

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

const [dataDir = '', runnerBundle = '', steps = '[]'] = process.argv.slice(2);
const host = await findHost();
const runtime = await stageRuntime(dataDir, { runnerBundle });
const provider = new BubblewrapProvider({ dataDir, host, runtime, uids: new FolderUids(join(dataDir, 'uids.json')) });

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
  harnessDir: string | null = null,
): Promise<SandboxHandle> {
  const planeDir = await makePlaneDirectory(dataDir, runId);
  await writeFile(join(planeDir, 'plane.sock'), '');
  const workspaceDir = await provider.createWorkspace(runId, sizes);
  const tokens = { control: 'svc_sess_control', tool: 'svc_sess_tool', llm: 'svc_sess_llm' };
  return provider.provision({
    runId,
    organizationId: 'probe',
    workspaceDir,
    planeDir,
    harnessDir,
    sizes,
    variables,
    tokens,
  });
}

async function perform(step: Step): Promise<unknown> {
  switch (step.do) {
    case 'check':
      return { ...(await provider.check()), mode: host.mode, limits: host.limiter.kind };
    case 'run': {
      const program = step.program === true ? await placeProgram() : null;
      const handle = await start(step.runId, step.sizes, step.variables, program);
      const exit: SandboxExit = await provider.waitForExit(handle, AbortSignal.timeout(250_000));
      const output = (await provider.readOutput(step.runId)).toString('utf8');
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
      return provider.reopenWorkspace(step.runId);
    case 'output':
      return (await provider.readOutput(step.runId)).toString('utf8');
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
