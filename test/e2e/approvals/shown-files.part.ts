import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { Approval, LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';

const HARMLESS = 'echo harmless\n';
const HARMFUL = 'echo harm > effect\n';

interface Shown extends Approval {
  input: { command: string };
  explanation: { files: { path: string; size: number; digest: string | null }[]; reason: string; rule: number };
}

const POLICY = `
name: deployers
defaults:
  tool_action: approve
tools:
  - match: [Write]
    action: allow
  - match: [Bash]
    action: allow
    shell:
      allow_prefixes: [node prepare.js]
      on_no_match: approve
`;

/** The agent links `link` to `target` and leaves a process behind that swaps a file as soon as somebody else says so. */
function prepares(path: string, link: { path: string; target: string } | null = null): object[] {
  const swap = `
    const fs = require('fs');
    setInterval(() => {
      if (!fs.existsSync('swap-now')) return;
      fs.writeFileSync('${path}', ${JSON.stringify(HARMFUL)});
      fs.writeFileSync('swapped', '');
      process.exit();
    }, 20);`;
  const prepare = `
    ${link === null ? '' : `require('fs').symlinkSync('${link.target}', '${link.path}');`}
    require('child_process').spawn(process.execPath, ['swap.js'], { detached: true, stdio: 'ignore' }).unref();`;
  return [...writes('swap.js', swap), ...writes('prepare.js', prepare), ...runs('node prepare.js')];
}

const writes = (path: string, content: string) => [
  { tool: 'Write', input: { file_path: `/workspace/${path}`, content } },
];
const runs = (command: string) => [{ tool: 'Bash', input: { command } }];

/** A file that a waiting command names. */
export function showsFiles(enter: EnterStack): void {
  let stack: LiveStack;
  beforeAll(async () => {
    stack = await enter();
    await stack.json('POST', '/v1/policies', { name: 'deployers', yaml: POLICY });
    await stack.createReplayAgent('deployer', 'deployers');
  });

  const workspace = (run: string, file: string) => join(stack.dataDir, 'runs', run, 'disk', 'workspace', file);

  async function asked(steps: object[]): Promise<Shown> {
    const run = await stack.startRun('deployer', [...steps, { say: 'done' }]);
    return (await stack.pendingApproval(run)) as Shown;
  }

  async function swapNow(run: string): Promise<void> {
    writeFileSync(workspace(run, 'swap-now'), '');
    await stack.until('the swap', 20_000, () =>
      Promise.resolve(existsSync(workspace(run, 'swapped')) ? true : undefined),
    );
  }

  async function decisions(run: string, toolCallId: string): Promise<unknown[]> {
    const events = await stack.timeline(run);
    return events
      .map(({ payload }) => payload)
      .filter(({ type, data }) => /decision|decided/.test(type) && data['tool_call_id'] === toolCallId)
      .map(({ data }) => [data['decision'] ?? data['verdict'], data['source'] ?? null]);
  }

  it('is shown with its size and digest, and the approved command runs while it stays as it is', async () => {
    const approval = await asked([...writes('deploy.sh', HARMLESS), ...runs('sh deploy.sh > out.txt')]);
    expect(approval.input).toEqual({ command: 'sh deploy.sh > out.txt' });
    expect(approval.explanation.files).toEqual([
      {
        path: 'deploy.sh',
        size: HARMLESS.length,
        digest: `sha256:${createHash('sha256').update(HARMLESS).digest('hex')}`,
      },
    ]);
    await stack.decide(approval.id, 'approved_once');
    const session = await stack.untilTerminal(approval.session_id);
    expect(session.status).toBe('completed');
    expect(await decisions(approval.session_id, approval.tool_call_id)).toEqual([
      ['approved_once', null],
      ['allow', 'human'],
    ]);
  }, 120_000);

  it.each([
    ['the script itself', 'deploy.sh', 'deploy.sh', null],
    ['the file behind a link', 'real.sh', 'deploy.sh', { path: 'deploy.sh', target: 'real.sh' }],
    ['a file in a folder that is a link', 'ops/go.sh', 'now/go.sh', { path: 'now', target: '/workspace/ops' }],
  ])(
    'is swapped by the run between asking and approval, %s: the decision stands, the call is denied for that reason',
    async (_what, path, named, link) => {
      const approval = await asked([
        ...writes(path, HARMLESS),
        ...prepares(path, link),
        ...runs(`sh ${named}`),
        // Asked again under a new id, with the content that is there now.
        ...runs(`sh ${named}`),
      ]);
      const { session_id: run } = approval;
      expect(approval.explanation.files.map((file) => file.path)).toEqual([named]);
      await swapNow(run);
      const decided = await stack.decide(approval.id, 'approved_once');
      expect(decided.status).toBe('approved_once');
      const again = (await stack.pendingApproval(run)) as Shown;
      expect(again.tool_call_id).not.toBe(approval.tool_call_id);
      expect(await decisions(run, approval.tool_call_id)).toEqual([
        ['approved_once', null],
        ['allow', 'human'],
        ['deny', 'policy'],
      ]);
      expect(existsSync(workspace(run, 'effect'))).toBe(false);
      const { reason, status } = await stack.json<{ reason: string; status: string }>(
        'GET',
        `/v1/approvals/${approval.id}`,
      );
      expect([status, reason]).toEqual([
        'approved_once',
        `a file that the command names has changed since it was shown to the approver: ${named}`,
      ]);
      expect(again.explanation.files[0]?.digest).toBe(`sha256:${createHash('sha256').update(HARMFUL).digest('hex')}`);
      await stack.decide(again.id, 'denied');
      await stack.untilTerminal(run);
    },
    120_000,
  );

  it('that was not there when the human looked is a change too', async () => {
    const approval = await asked([...prepares('later.sh'), ...runs('sh later.sh')]);
    expect(approval.explanation.files).toEqual([]);
    await swapNow(approval.session_id);
    await stack.decide(approval.id, 'approved_session');
    await stack.untilTerminal(approval.session_id);
    expect((await decisions(approval.session_id, approval.tool_call_id)).at(-1)).toEqual(['deny', 'policy']);
  }, 120_000);

  it('swapped while the API is dead is noticed by the next one', async () => {
    const approval = await asked([...writes('deploy.sh', HARMLESS), ...prepares('deploy.sh'), ...runs('sh deploy.sh')]);
    stack.kill('api');
    await swapNow(approval.session_id);
    await stack.decide(approval.id, 'approved_once');
    await stack.untilTerminal(approval.session_id);
    expect(await decisions(approval.session_id, approval.tool_call_id)).toEqual([
      ['approved_once', null],
      ['allow', 'human'],
      ['deny', 'policy'],
    ]);
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${approval.session_id}/artifacts`,
    );
    const diff = artifacts.find((artifact) => artifact.kind === 'diff')?.content ?? '';
    expect(diff).toContain('swapped');
    expect(diff).not.toContain('b/effect');
  }, 120_000);
}
