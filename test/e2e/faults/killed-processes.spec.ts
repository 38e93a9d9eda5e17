import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, QUICK_MAINTENANCE, TERMINAL, type Part } from '../../support/installation/live-stack.js';
import { letGo, WORKS } from '../../support/runs/working-run.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

/** Enough files that preparing and collecting a workspace take long enough to be hit. */
const MANY_FILES = 6000;

/** Their removal takes half a second; that it has begun is told at once. */
const FOLDERS_LEFT = 900;
/** Half of what the step may take on a host that lives, and enough for a worker to start and the step to be taken again. */
const ROUND_WITHIN_MS = 60_000;

const VICTIMS: Part[][] = [['api'], ['worker'], ['api', 'worker'], ['temporal'], ['postgres']];

/** One round is 26 injections; the nightly campaign runs twelve. */
const ROUNDS = Number(process.env['TEST_FAULT_ROUNDS'] ?? 1);
const CASES = Array.from({ length: ROUNDS }, (_unused, round) =>
  VICTIMS.map(
    (parts) => [ROUNDS === 1 ? parts.join(' and ') : `${parts.join(' and ')}, round ${round + 1}`, parts] as const,
  ),
).flat();

describe('kill -9 of any process at any phase loses no run', () => {
  let stack: LiveStack;
  let bigFolder: string;

  beforeAll(async () => {
    bigFolder = mkdtempSync(join(tmpdir(), 'sg-big-'));
    for (let folder = 0; folder < MANY_FILES / 100; folder += 1) {
      mkdirSync(join(bigFolder, `d${folder}`));
      for (let file = 0; file < 100; file += 1) writeFileSync(join(bigFolder, `d${folder}`, `f${file}`), `${file}\n`);
    }
    stack = await LiveStack.start({
      ...QUICK_MAINTENANCE,
      SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '4',
      SERVICE_LOCAL_COPY_ROOTS: bigFolder,
    });
    await stack.createReplayAgent('worker-bee');
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
    rmSync(bigFolder, { recursive: true, force: true });
  }, 120_000);

  // Runs that a failed case leaves behind would take the places of the next one.
  afterEach(async () => {
    const { sessions } = await stack.json<{ sessions: { id: string; status: string }[] }>('GET', '/v1/sessions');
    for (const { id } of sessions.filter(({ status }) => !TERMINAL.has(status))) {
      await stack.json('POST', `/v1/sessions/${id}/cancel`);
      await stack.untilTerminal(id);
    }
  }, 180_000);

  const waitsForHuman = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
  const quick = [{ tool: 'Bash', input: { command: 'echo hello' } }];
  const leavesMuch = [
    {
      tool: 'Bash',
      input: {
        command: `node -e "for(let i=0;i<${MANY_FILES};i++)require('fs').writeFileSync('f'+i,String(i))"`,
      },
    },
  ];

  it.each(CASES)(
    'CP-131 CP-140 CP-145 CP-150 a run that is queued, provisioning, running or waiting goes on after kill -9 of %s',
    async (_name, parts) => {
      const running = await stack.startRun('worker-bee', WORKS);
      const waiting = await stack.startRun('worker-bee', waitsForHuman);
      const other = await stack.startRun('worker-bee', waitsForHuman);
      await stack.untilStatus(running, 'running');
      const approval = await stack.pendingApproval(waiting);
      const otherApproval = await stack.pendingApproval(other);
      const preparing = await stack.startRun('worker-bee', quick, {
        workspace: { kind: 'local_copy', path: bigFolder },
      });
      await stack.untilStatus(preparing, ['provisioning', 'initializing']);
      const queued = await stack.startRun('worker-bee', quick);
      await stack.untilStatus(queued, 'queued');

      for (const part of parts) stack.kill(part);

      letGo(stack, running);
      await stack.decide(approval.id, 'approved_once');
      await stack.decide(otherApproval.id, 'denied');
      for (const id of [running, waiting, other, preparing, queued]) {
        const session = await stack.untilTerminal(id);
        expect({ id, status: session.status, reason: session.status_reason }).toMatchObject({ status: 'completed' });
        await expectWholeLedger(stack, id);
      }
      await expectNothingLeft(stack);
    },
    400_000,
  );

  it.each(CASES)(
    'CP-140 CP-145 a run that is finalizing ends once after kill -9 of %s',
    async (_name, parts) => {
      const run = await stack.startRun('worker-bee', leavesMuch);
      await stack.untilStatus(run, 'finalizing');
      for (const part of parts) stack.kill(part);
      const session = await stack.untilTerminal(run);
      expect(session).toMatchObject({ status: 'completed' });
      await expectWholeLedger(stack, run);
      await expectNothingLeft(stack);
    },
    400_000,
  );

  it('kill -9 of a worker that removes what an unknown run left holds up maintenance for seconds only', async () => {
    await stack.untilTerminal(await stack.startRun('worker-bee', quick));
    const left = leaveFolders(stack);
    await firstRemoval(left);
    const killed = new Date();
    stack.kill('worker');
    expect(listFolder(left)).not.toEqual([]);
    await stack.until('a round of maintenance to end', ROUND_WITHIN_MS, () => hasEndedRound(stack, killed));
    await expectNothingLeft(stack);
  }, 200_000);

  it('CP-007 kill -9 of the sandbox fails the run with a reason, and its diff is kept', async () => {
    const run = await stack.startRun('worker-bee', [
      { tool: 'Bash', input: { command: 'echo evidence > evidence.txt' } },
      { tool: 'Bash', input: { command: 'node -e "setTimeout(()=>{},90000)"' } },
    ]);
    await stack.until('the second call to run', 60_000, async () => {
      const events = await stack.timeline(run);
      return events.filter((event) => event.type === 'tool.decision').length === 2 ? true : undefined;
    });
    process.kill(sandboxPid(stack, run), 'SIGKILL');
    const session = await stack.untilTerminal(run);
    expect(session).toMatchObject({ status: 'failed' });
    expect(session.status_reason).toContain('stale heartbeat');
    await expectWholeLedger(stack, run);
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    expect(artifacts.find((artifact) => artifact.kind === 'diff')?.content).toContain('+evidence');
    await expectNothingLeft(stack);
  }, 120_000);
});

/** What a run that the record does not know would leave; it is there at once, as a whole. */
function leaveFolders(stack: LiveStack): string {
  const made = mkdtempSync(join(stack.dataDir, 'left-'));
  const file = join(made, 'file');
  writeFileSync(file, '');
  for (let folder = 0; folder < FOLDERS_LEFT; folder += 1) {
    mkdirSync(join(made, `d${folder}`));
    for (let link = 0; link < 100; link += 1) linkSync(file, join(made, `d${folder}`, `f${link}`));
  }
  rmSync(file);
  const left = join(stack.dataDir, 'runs', randomUUID());
  renameSync(made, left);
  return left;
}

async function firstRemoval(folder: string): Promise<void> {
  const watched = watch(folder);
  try {
    await once(watched, 'change', { signal: AbortSignal.timeout(60_000) });
  } finally {
    watched.close();
  }
}

async function hasEndedRound(stack: LiveStack, since: Date): Promise<true | undefined> {
  const connection = Connection.lazy({ address: stack.installation.temporalAddress });
  try {
    const query = `WorkflowType = 'maintenance' AND ExecutionStatus = 'Completed' AND CloseTime > '${since.toISOString()}'`;
    const { count } = await new Client({ connection }).workflow.count(query);
    return count > 0 ? true : undefined;
  } finally {
    await connection.close();
  }
}

/** Pid, on the host, of the first process of the run's pid namespace. */
function sandboxPid(stack: LiveStack, run: string): number {
  if (stack.engine !== null) return stack.engine.pidOf(`service-${run}`);
  const status = readFileSync(join(stack.dataDir, 'runs', run, 'sandbox', 'status'), 'utf8');
  return Number(/"child-pid": (\d+)/.exec(status)?.[1]);
}

/** No folder, mount, socket or container of an ended run stays on the host. */
async function expectNothingLeft(stack: LiveStack): Promise<void> {
  await stack.until('every container of ended runs to be gone', 60_000, () =>
    Promise.resolve((stack.engine?.containers() ?? []).length === 0 ? true : undefined),
  );
  await stack.until('every folder of ended runs to be gone', 60_000, () => {
    const kept = ['runs', 'baselines'].map((folder) => join(stack.dataDir, folder));
    const left = [planeRoot(stack.dataDir), ...kept].flatMap(listFolder);
    return Promise.resolve(left.length === 0 ? true : undefined);
  });
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
