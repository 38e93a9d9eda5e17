import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makePlaneRoot, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import type { CheckResult } from '../../../src/cli/conformance/check.js';
import { Clock } from '../../../src/cli/conformance/runner/record.js';
import { runScenarios } from '../../../src/cli/conformance/runner/scenarios/run-scenarios.js';
import { SCENARIOS } from '../../../src/cli/conformance/runner/scenarios/index.js';
import type { RunnerStarter } from '../../../src/cli/conformance/runner/starter.js';
import { BubblewrapProvider } from '../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import { findHost } from '../../../src/platform/sandbox/bubblewrap/host.js';
import { stageRuntime } from '../../../src/platform/sandbox/runtime.js';
import type { UidAllocator } from '../../../src/platform/sandbox/uid-allocator.js';

jest.setTimeout(480_000);

/** Eighteen sandboxes at once on a machine that may be busy with other things. */
const SLACK_MS = 10_000;
const SIZES = { memory_mb: 384, cpus: 1, disk_mb: 32, pids: 128 };
/** The launcher of these runs writes its own hand-off document; a unit spec tries the built program on broken ones. */
const OBLIGATIONS = SCENARIOS.filter(({ document }) => document === undefined).flatMap(({ obligations }) =>
  obligations.map(({ id }) => id),
);

/** Our own runner, built, in the sandboxes that it is made for: at its own pace, with every wait of the contract whole. */
describe('our runner against the fixture, in its sandbox', () => {
  let folder: string;
  let provider: BubblewrapProvider;
  /** Where the fixture listens for each run. */
  const planes = new Map<string, string>();
  let runs = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-conformance-'));
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    starter.planeFolder = await makePlaneRoot(dataDir);
    const runtime = await stageRuntime(dataDir, { runnerBundle: resolve('dist/runner/main.mjs') });
    let uid = 233_000;
    const claimed = new Map<string, number>();
    const uids: UidAllocator = {
      claim: (run) => Promise.resolve(claimed.get(run) ?? (claimed.set(run, (uid += 1)), uid)),
      release: (run) => Promise.resolve(void claimed.delete(run)),
    };
    provider = new BubblewrapProvider({
      ...{ dataDir, host: await findHost(), runtime, uids },
      programOf: () => Promise.resolve(null),
      planeOf: (run) => planes.get(run) ?? '',
    });
  });

  afterAll(async () => {
    for (const run of await provider.listRemains()) await provider.release(run);
    rmSync(planeRoot(join(folder, 'data')), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const starter: RunnerStarter = {
    seesExit: true,
    socketPath: () => '/run/sandgate/plane.sock',
    workspace: async () => {
      const run = `conformance-${(runs += 1)}`;
      await provider.reserve(run, SIZES);
      return { path: provider.rooms.workspaceFolder(run), inside: '/workspace', remove: () => provider.release(run) };
    },
    start: async (document, plane, workspace) => {
      const { variables, tokens } = JSON.parse(document) as {
        variables: Record<string, string>;
        tokens: { control: string; tool: string; llm: string };
      };
      const runId = /conformance-\d+/.exec(workspace.path.slice(folder.length))?.[0] ?? '';
      planes.set(runId, plane.directory);
      const spec = { runId, organizationId: 'fixture', harness: variables['SERVICE_HARNESS'] ?? '', sizes: SIZES };
      const handle = await provider.provision({ ...spec, variables, tokens });
      const exit = provider
        .waitForExit(handle, AbortSignal.timeout(200_000))
        .then(({ exitCode }) => ({ code: exitCode, killed: exitCode === null }));
      return { exit, visible: () => '', kill: () => void provider.terminate(handle) };
    },
  };

  it('CP-026 CP-150 CP-288 our own harnesses, builtin over both of its wire formats, keep every obligation', async () => {
    const [scripted, ...modelled] = await Promise.all([
      judge({ harness: 'replay', agent: 'script', model: 'none' }),
      judge({ harness: 'builtin', agent: 'model', model: 'claude-haiku-4-5' }),
      // Over Chat Completions.
      judge({ harness: 'builtin', agent: 'model', model: 'qwen3-coder' }),
    ]);
    for (const results of [scripted, ...modelled]) {
      expect(results.filter(({ result }) => result === 'fail')).toEqual([]);
      expect(results).toHaveLength(OBLIGATIONS.length);
    }
    expect(scripted.filter(({ result }) => result === 'skip').map(({ id }) => id)).toEqual(['runner/model-retries']);
    expect(modelled.flat().filter(({ result }) => result === 'skip')).toEqual([]);
  });

  function judge(runner: { harness: string; agent: 'script' | 'model'; model: string }): Promise<CheckResult[]> {
    const options = {
      starter,
      only: OBLIGATIONS,
      tcp: false,
      atOnce: 6,
      clock: new Clock(1000, SLACK_MS),
      notice: () => undefined,
    };
    return runScenarios({ ...options, ...runner });
  }
});
