import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import { decisions, kinds } from '../../support/gate/permission-calls.js';
import { GateBench, NOT_APPROVED } from '../../support/gate/gate-bench.js';

let bench: GateBench;
beforeAll(async () => {
  bench = await GateBench.start();
});
afterAll(() => bench.close());

describe('what is shown of a call that asks a human', () => {
  it('CP-006 a file that was shown and changes before the release withholds the approved call, and its repetition', async () => {
    const run = await createGatedRun(bench.db);
    const workspace = join(bench.plane.dataDir, 'runs', run.runId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'deploy.sh'), 'echo fine');
    await symlink('/etc/hostname', join(workspace, 'link'));
    const unchanged = bench.ask(run, 'a', 'Bash', { command: './deploy.sh link' });
    const first = await bench.pendingApproval(run);
    const [row] = await readRows<{ explanation: { files: { path: string; size: number; digest: string }[] } }>(
      bench.db,
      run,
      'select explanation from approvals where session_id = $1',
    );
    expect(row?.explanation.files).toEqual([
      { path: 'deploy.sh', size: 9, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    ]);
    await bench.decide(run, first, 'approved_once');
    expect(await unchanged).toEqual({ decision: 'allow' });
    const changed = bench.ask(run, 'b', 'Bash', { command: './deploy.sh' });
    const second = await bench.pendingApproval(run);
    await writeFile(join(workspace, 'deploy.sh'), 'echo evil');
    await bench.decide(run, second, 'approved_once');
    expect(await changed).toMatchObject({ decision: 'deny', message: expect.stringContaining('deploy.sh') });
    expect(await bench.ask(run, 'b', 'Bash', { command: './deploy.sh' })).toEqual(NOT_APPROVED);
  });

  it('CP-006 a call that was approved while nobody held it is compared when it comes back, and not once it was let go', async () => {
    const run = await createGatedRun(bench.db);
    const workspace = join(bench.plane.dataDir, 'runs', run.runId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'deploy.sh'), 'echo fine');
    const again = (id: string) => bench.ask(run, id, 'Bash', { command: './deploy.sh' });
    for (const id of ['a', 'b']) {
      const gone = new AbortController();
      const held = fetch(`${bench.plane.url}/internal/permission`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.tokens.tool}` },
        body: JSON.stringify({ tool_call_id: id, tool: 'Bash', input: { command: './deploy.sh' } }),
        signal: gone.signal,
      });
      const approval = await bench.pendingApproval(run);
      gone.abort();
      await expect(held).rejects.toThrow();
      await bench.decide(run, approval, 'approved_once');
    }
    expect(await again('a')).toEqual({ decision: 'allow' });
    await writeFile(join(workspace, 'deploy.sh'), 'echo evil');
    expect(await again('b')).toMatchObject({
      decision: 'deny',
      message: 'a file that the command names has changed since it was shown to the approver: deploy.sh',
    });
    expect(await again('a')).toEqual({ decision: 'allow' });
  });

  it('a command that names more files than a person can be shown is denied, not asked', async () => {
    const run = await createGatedRun(bench.db);
    const workspace = join(bench.plane.dataDir, 'runs', run.runId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    const names = Array.from({ length: 129 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => writeFile(join(workspace, name), '')));
    expect(await bench.ask(run, 'a', 'Bash', { command: `./run ${names.join(' ')}` })).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('more files of the workspace than can be shown'),
    });
    expect(kinds(await readLedger(bench.db, run))).toEqual(['tool.requested', 'tool.decision']);
  });

  it('CP-006 the input rests sealed while it is asked about, and goes when it is settled', async () => {
    const run = await createGatedRun(bench.db);
    const canary = 'canary-6f1c';
    const blocked = bench.ask(run, 'a', 'Deploy', { secret: canary });
    const approval = await bench.pendingApproval(run);
    const [row] = await readRows<{ sealed: Buffer; key_version: number }>(
      bench.db,
      run,
      `select sealed, key_version from tool_call_payloads where session_id = $1 and kind = 'input'`,
    );
    expect(row?.key_version).toBe(2);
    expect(row?.sealed.includes(canary)).toBe(false);
    expect(JSON.stringify(await readLedger(bench.db, run))).not.toContain(canary);
    await bench.decide(run, approval, 'denied');
    await blocked;
    const left = await readRows(bench.db, run, 'select kind from tool_call_payloads where session_id = $1');
    expect(left.filter((row) => (row as { kind: string }).kind !== 'policy_view')).toEqual([]);
  });

  it('CP-006 an input that cannot be shown whole is denied, not asked', async () => {
    const run = await createGatedRun(bench.db);
    expect(await bench.ask(run, 'a', 'Deploy', { content: 'x'.repeat(70_000) })).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('65536'),
    });
    expect(decisions(await readLedger(bench.db, run))).toEqual([['a', 'deny', 'policy', null]]);
  });
});
