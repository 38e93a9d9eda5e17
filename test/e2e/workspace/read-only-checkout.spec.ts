import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveStack } from '../../support/installation/live-stack.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

describe('a repository that is checked out read-only', () => {
  let stack: LiveStack;
  let repository: string;

  beforeAll(async () => {
    repository = mkdtempSync(join(tmpdir(), 'sg-repo-'));
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...argv], { cwd: repository });
    git('init', '-q');
    writeFileSync(join(repository, 'a.txt'), 'one\n');
    git('add', '.');
    git('commit', '-q', '-m', 'one');
    stack = await LiveStack.start({ SERVICE_LOCAL_COPY_ROOTS: repository });
    await stack.createReplayAgent('reader');
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
    rmSync(repository, { recursive: true, force: true });
  }, 120_000);

  it('CP-004 CP-007 CP-071 can be read and not changed, and ends with no changes', async () => {
    const run = await stack.startRun(
      'reader',
      [
        { tool: 'Bash', input: { command: 'cat a.txt' } },
        { tool: 'Bash', input: { command: 'touch b.txt' } },
        { tool: 'Write', input: { file_path: '/workspace/c.txt', content: 'x' } },
      ],
      { workspace: { kind: 'git_repository', clone_url: `file://${repository}`, checkout_mode: 'read_only' } },
    );
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    const events = await expectWholeLedger(stack, run);
    const done = events.filter((event) => event.type === 'tool.completed').map((event) => event.payload.data['ok']);
    expect(done).toEqual([true, false, false]);
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    expect(artifacts.find((artifact) => artifact.kind === 'diff')?.content).toContain('(no changes)');
  }, 90_000);
});
