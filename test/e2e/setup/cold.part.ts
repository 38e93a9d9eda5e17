import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from '@jest/globals';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { pidOf } from '../../support/installation/part-pid.js';
import { expectReadAlone } from './host-cache.js';
import { artifactOf, createPreparedAgent, dataOf } from './prepared-agents.js';

const act = (command: string) => [{ tool: 'Bash', input: { command } }];
const look = (command: string) => act(`{ ${command}; } > seen.txt`);
const isInSandbox = (args: string) => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(args);

/** Commands that prepare a workspace. @param cache the folder that the installation shows as a cache of its host */
export function preparesOnce(enter: EnterStack, cache: string): void {
  let stack: LiveStack;
  beforeAll(async () => {
    stack = await enter();
  });

  it('run before the agent, which finds what they left on disk, in its home too, and none of their processes', async () => {
    const seconds = `300.${process.pid}`;
    await createPreparedAgent(stack, 'prepared', 'open', {
      commands: ['mkdir deps && echo dep > deps/one', `echo kept > ~/.toolrc; sleep ${seconds} & true`],
    });
    const run = await stack.startRun(
      'prepared',
      look('cat deps/one ~/.toolrc; echo "processes: $(ls -d /proc/[0-9]* | wc -l)"'),
    );
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    const diff = await artifactOf(stack, run, 'changes.patch');
    expect(diff).toContain('+dep\n+kept\n');
    expect(diff).toContain('b/deps/one');
    expect(Number(/processes: (\d+)/.exec(diff)?.[1])).toBeLessThan(10);
    expect(isInSandbox(`sleep ${seconds}`)).toBe(false);
    const kinds = (await stack.timeline(run)).map((event) => event.type);
    const order = ['workspace.initialized', 'setup.started', 'tool.requested', 'setup.finished', 'tool.requested'];
    let from = 0;
    for (const kind of order) from = kinds.indexOf(kind, from) + 1 || Infinity;
    expect(from).not.toBe(Infinity);
    expect(await dataOf(stack, run, 'setup.command')).toMatchObject([
      { index: 0, tool_call_id: 'setup_001', exit_code: 0 },
      { index: 1, tool_call_id: 'setup_002', exit_code: 0 },
    ]);
  });

  it('read the caches of the host, as the agent does, and cannot change them', () => expectReadAlone(stack, cache));

  it('one that fails ends the run before anything is spent, with a sentence that names it, and its output is kept', async () => {
    await createPreparedAgent(stack, 'failing', 'open', { commands: ['true', 'echo why; exit 4'] });
    const run = await stack.startRun('failing', look('true'));
    expect(await stack.untilTerminal(run)).toMatchObject({
      status: 'failed',
      status_reason: 'setup failed: command 2 of 2 (echo why; exit 4) ended with exit code 4',
    });
    expect(await artifactOf(stack, run, 'setup.log')).toContain('\nwhy\n');
    const kinds = (await stack.timeline(run)).map((event) => event.type);
    expect(kinds).not.toContain('model.usage');
    expect((await dataOf(stack, run, 'tool.requested')).map((data) => data['tool_call_id'])).toEqual([
      'setup_001',
      'setup_002',
    ]);
  });

  it('CP-024 one that the policy denies is not run, and the run fails', async () => {
    await createPreparedAgent(stack, 'forbidden', 'open', { commands: ['touch forbidden'] });
    const run = await stack.startRun('forbidden', look('true'));
    const session = await stack.untilTerminal(run);
    expect(session.status).toBe('failed');
    expect(session.status_reason).toMatch(/^setup failed: command 1 of 1 \(touch forbidden\) was denied: /);
    expect(await artifactOf(stack, run, 'changes.patch')).not.toContain('forbidden');
  });

  it('one that takes longer than the setup may is killed', async () => {
    await createPreparedAgent(stack, 'slow', 'open', { commands: ['sleep 600'], timeout_secs: 1 });
    const run = await stack.startRun('slow', look('true'));
    expect(await stack.untilTerminal(run)).toMatchObject({
      status: 'failed',
      status_reason: 'setup failed: command 1 of 1 (sleep 600) was under way when the 1 s of the setup were over',
    });
  });

  it('CP-144 a person is asked about one while the run is being launched, and it goes on with the answer', async () => {
    await createPreparedAgent(stack, 'asking', 'asking', {
      commands: ['deploy.sh || echo dep > made'],
    });
    const run = await stack.startRun('asking', act('cat made > seen.txt'));
    const approval = await stack.pendingApproval(run);
    expect(approval.tool_call_id).toBe('setup_001');
    expect((await stack.session(run)).status).toBe('initializing');
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    expect(await artifactOf(stack, run, 'changes.patch')).toContain('+dep\n');
  });

  it('CP-145 a question about one that nobody answers expires by the clock of the workflow too, and the run fails', async () => {
    await createPreparedAgent(stack, 'unheard', 'asking', { commands: ['deploy.sh'] });
    const run = await stack.startRun('unheard', look('true'));
    const approval = await stack.pendingApproval(run);
    const database = StackDatabase.of(stack);
    const api = pidOf(stack.installation, 'api');
    // The API settles what expires while it waits; without it the workflow does.
    process.kill(-api, 'SIGSTOP');
    try {
      await database.query(`update approvals set expires_at = clock_timestamp() + interval '1 s' where id = $1`, [
        approval.id,
      ]);
      await database.query(`insert into driver_outbox (tenant_id, subject_id, kind)
                            select tenant_id, id, 'approval_requested' from sessions where id = $1`, [run]); // prettier-ignore
      await stack.until('the expiry', 60_000, async () => {
        const rows = await database.query<{ status: string }>('select status from approvals where id = $1', [
          approval.id,
        ]);
        return rows[0]?.status === 'expired' ? true : undefined;
      });
    } finally {
      process.kill(-api, 'SIGCONT');
    }
    const session = await stack.untilTerminal(run);
    expect(session.status_reason).toMatch(/^setup failed: command 1 of 1 \(deploy\.sh\) was denied: /);
  });

  it('a worker that dies meanwhile begins them again under the same ids, and nobody is asked twice', async () => {
    await createPreparedAgent(stack, 'crashing', 'asking', {
      commands: ['deploy.sh || true', 'echo x >> tries; sleep 3'],
    });
    const run = await stack.startRun('crashing', act('cat tries > seen.txt'));
    await stack.decide((await stack.pendingApproval(run)).id, 'approved_once');
    await stack.until('the second command', 60_000, async () =>
      (await dataOf(stack, run, 'setup.command')).length > 0 ? true : undefined,
    );
    stack.kill('worker');
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    expect((await dataOf(stack, run, 'setup.started')).length).toBe(2);
    expect((await dataOf(stack, run, 'approval.requested')).length).toBe(1);
    expect((await dataOf(stack, run, 'tool.requested')).map((data) => data['tool_call_id'])).toEqual(
      expect.arrayContaining(['setup_001', 'setup_002']),
    );
    // The workspace was made anew.
    expect(await artifactOf(stack, run, 'changes.patch')).toContain('b/seen.txt\n@@ -0,0 +1 @@\n+x\n');
  });

  it('a run that is cancelled meanwhile ends with its sandbox', async () => {
    const seconds = `301.${process.pid}`;
    await createPreparedAgent(stack, 'cancelled', 'open', { commands: [`sleep ${seconds}`] });
    const run = await stack.startRun('cancelled', look('true'));
    await stack.until('the command', 60_000, () => Promise.resolve(isInSandbox(`sleep ${seconds}`) ? true : undefined));
    await stack.json('POST', `/v1/sessions/${run}/cancel`);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'cancelled' });
    expect(isInSandbox(`sleep ${seconds}`)).toBe(false);
    const kinds = (await stack.timeline(run)).map((event) => event.type);
    expect(kinds).not.toContain('agent.message');
  });
}
