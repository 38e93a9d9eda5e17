import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveStack, QUICK_MAINTENANCE, type Approval, type Part } from '../../support/installation/live-stack.js';
import { verifiesStandardWebhook, WebhookReceiver } from '../../support/http/webhook-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const COMMAND = 'sh deploy.sh --to marker-of-the-command';
const ASKS = [{ tool: 'Bash', input: { command: COMMAND } }, { say: 'done' }];
/** Instead of seconds to an hour. */
const WAITS_MS = '300,400,500,600,700';

describe('the notice of a pending approval', () => {
  let stack: LiveStack;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    stack = await LiveStack.start({
      ...QUICK_MAINTENANCE,
      SERVICE_APPROVAL_WEBHOOK_URL: receiver.url,
      SERVICE_APPROVAL_WEBHOOK_SECRET: SECRET,
      SERVICE_APPROVAL_WEBHOOK_WAITS_MS: WAITS_MS,
      // Long enough for an answer on a busy machine; only silence waits this long.
      SERVICE_APPROVAL_WEBHOOK_TIMEOUT_MS: '5000',
      SERVICE_PUBLIC_URL: 'https://sandgate.example/base',
    });
    await stack.createReplayAgent('asker');
  }, 180_000);

  afterAll(async () => {
    await stack?.stop();
    await receiver?.close();
  }, 120_000);

  beforeEach(() => {
    receiver.answering = () => 204;
  });

  async function asked(): Promise<Approval> {
    return stack.pendingApproval(await stack.startRun('asker', ASKS));
  }

  const untilReceived = (approval: Approval, count: number) =>
    stack.until(`${count} notices of ${approval.id}`, 60_000, () =>
      Promise.resolve(receiver.of(approval.id).length >= count ? receiver.of(approval.id) : undefined),
    );

  /** What `sandgate doctor` says of the webhook. */
  async function doctorOnNotices(): Promise<unknown> {
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      SERVICE_DATA_DIR: stack.dataDir,
      SERVICE_APPROVAL_WEBHOOK_URL: receiver.url,
      SERVICE_APPROVAL_WEBHOOK_SECRET: SECRET,
    };
    const program = new URL('../../../dist/cli/main.js', import.meta.url).pathname;
    const text = await new Promise<string>((resolve) => {
      execFile(process.execPath, [program, '-o', 'json', 'doctor'], { env, timeout: 60_000 }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    return (JSON.parse(text) as { name: string }[]).find((check) => check.name === 'approval webhook');
  }

  /** All at once, so that no notice of a killed worker, which could not receive its answer, is under way afterwards. */
  async function killAll(parts: Part[]): Promise<void> {
    const { worker } = stack.installation.pids;
    for (const part of parts) stack.kill(part);
    if (!parts.includes('worker')) return;
    await stack.until('another worker', 60_000, () =>
      Promise.resolve(stack.installation.pids['worker'] === worker ? undefined : true),
    );
  }

  async function endRun(approval: Approval): Promise<void> {
    await stack.decide(approval.id, 'denied');
    await stack.untilTerminal(approval.session_id);
  }

  it('is sent once, signed, and says who waits for what without a word of the command', async () => {
    const approval = await asked();
    const [notice] = await untilReceived(approval, 1);
    expect(verifiesStandardWebhook(SECRET, notice!)).toBe(true);
    expect(verifiesStandardWebhook(SECRET.replace('CQkJ', 'AAAA'), notice!)).toBe(false);
    expect(notice!.headers).toMatchObject({
      'webhook-id': `approval_${approval.id}`,
      'content-type': 'application/json',
    });
    expect(notice!.body).toEqual({
      type: 'approval.requested',
      timestamp: expect.any(String),
      data: {
        approval_id: approval.id,
        session_id: approval.session_id,
        agent: 'asker',
        tool: 'Bash',
        risk: null,
        expires_at: expect.any(String),
        url: `https://sandgate.example/base/v1/approvals/${approval.id}`,
      },
    });
    expect(notice!.text).not.toMatch(/marker-of-the-command|deploy|token/);
    expect(JSON.stringify(notice!.headers)).not.toContain('authorization');
    await endRun(approval);
    expect(receiver.of(approval.id)).toHaveLength(1);
  }, 120_000);

  it('is sent again, the same with a new signature, until it is taken; redirects and silence are no answer', async () => {
    const from = receiver.received.length;
    const answers = [500, { status: 307, headers: { location: '/elsewhere' } }, 'silence', 200] as const;
    receiver.answering = (index) => answers[index - from] ?? 200;
    const approval = await asked();
    const notices = await untilReceived(approval, 4);
    expect(new Set(notices.map((one) => one.text)).size).toBe(1);
    expect(new Set(notices.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect(notices.every((one) => verifiesStandardWebhook(SECRET, one))).toBe(true);
    await endRun(approval);
    expect(receiver.of(approval.id)).toHaveLength(4);
  }, 120_000);

  it('is given up after six attempts, which the log says', async () => {
    receiver.answering = () => 503;
    const approval = await asked();
    const notices = await untilReceived(approval, 6);
    const gaps = notices.slice(1).map((one, index) => one.at - notices[index]!.at);
    WAITS_MS.split(',').forEach((wait, index) => expect(gaps[index]).toBeGreaterThanOrEqual(Number(wait) * 0.9));
    const said = () => readFileSync(join(stack.dataDir, 'logs', 'worker.log'), 'utf8');
    await stack.until('the log to say so', 30_000, () =>
      Promise.resolve(said().includes('nobody could be told of a pending approval') ? true : undefined),
    );
    expect(await doctorOnNotices()).toMatchObject({
      result: 'warn',
      detail: expect.stringMatching(/^1 pending approval/),
    });
    await endRun(approval);
    expect(receiver.of(approval.id)).toHaveLength(6);
  }, 120_000);

  it('is not sent for what is settled already', async () => {
    receiver.answering = () => 500;
    const approval = await asked();
    await untilReceived(approval, 1);
    await endRun(approval);
    const sent = receiver.of(approval.id).length;
    receiver.answering = () => 204;
    const other = await asked();
    await untilReceived(other, 1);
    await endRun(other);
    expect(receiver.of(approval.id).length).toBeLessThanOrEqual(sent + 1);
  }, 120_000);

  it.each([['api'], ['worker'], ['api and worker']])(
    'survives kill -9 of %s while it is on its way',
    async (parts) => {
      receiver.answering = () => 500;
      const approval = await asked();
      await untilReceived(approval, 1);
      await killAll(parts.split(' and ') as Part[]);
      receiver.answering = () => 204;
      const before = receiver.of(approval.id).length;
      const notices = await untilReceived(approval, before + 1);
      expect(verifiesStandardWebhook(SECRET, notices.at(-1)!)).toBe(true);
      await endRun(approval);
      expect(receiver.of(approval.id)).toHaveLength(before + 1);
    },
    120_000,
  );

  it.each([['api'], ['worker']] as const)(
    'is sent when %s is killed as soon as the question is on the record',
    async (part) => {
      const run = await stack.startRun('asker', ASKS);
      const approval = await stack.pendingApproval(run);
      stack.kill(part);
      await untilReceived(approval, 1);
      await endRun(approval);
      expect(new Set(receiver.of(approval.id).map((one) => one.headers['webhook-id'])).size).toBe(1);
    },
    120_000,
  );
});
