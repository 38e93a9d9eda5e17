import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, QUICK_MAINTENANCE, type Part } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

const ROUNDS = Number(process.env['TEST_FAULT_ROUNDS'] ?? 1);
const VICTIMS: Part[][] = [['api'], ['worker'], ['api', 'worker'], ['temporal'], ['postgres']];
const CASES = Array.from({ length: ROUNDS }, (_unused, round) =>
  VICTIMS.map(
    (parts) => [ROUNDS === 1 ? parts.join(' and ') : `${parts.join(' and ')}, round ${round + 1}`, parts] as const,
  ),
).flat();

describe('a queue behind runs that wait for a human', () => {
  let stack: LiveStack;
  let database: StackDatabase;

  beforeAll(async () => {
    stack = await LiveStack.start({ ...QUICK_MAINTENANCE, SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '2' });
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('worker-bee');
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  const waitsForHuman = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
  const quick = [{ tool: 'Bash', input: { command: 'echo hello' } }];

  it.each(CASES)(
    'CP-131 CP-143 CP-150 keeps its order and loses nobody after kill -9 of %s',
    async (_name, parts) => {
      const holders = [
        await stack.startRun('worker-bee', waitsForHuman),
        await stack.startRun('worker-bee', waitsForHuman),
      ];
      const approvals = await Promise.all(holders.map((id) => stack.pendingApproval(id)));
      const queued: string[] = [];
      for (let n = 0; n < 4; n += 1) {
        const id = await stack.startRun('worker-bee', quick);
        await stack.untilStatus(id, 'queued');
        queued.push(id);
      }
      for (const part of parts) stack.kill(part);

      const [cancelled = ''] = queued.splice(1, 1);
      await stack.json('POST', `/v1/sessions/${cancelled}/cancel`, {});
      await stack.decide(approvals[0]?.id ?? '', 'approved_once');
      await stack.decide(approvals[1]?.id ?? '', 'denied');
      for (const id of [...holders, ...queued]) {
        const session = await stack.untilTerminal(id);
        expect({ id, status: session.status, reason: session.status_reason }).toMatchObject({ status: 'completed' });
      }
      expect(await stack.untilTerminal(cancelled)).toMatchObject({ status: 'cancelled' });
      for (const id of [...holders, ...queued, cancelled]) await expectWholeLedger(stack, id);
      const admitted = await database.query<{ id: string }>(
        'select id from sessions where id = any ($1) and admitted_at is not null order by admitted_at',
        [[...queued, cancelled]],
      );
      expect(admitted.map((row) => row.id)).toEqual(queued);
      await stack.until('the places to be given back', 60_000, async () => {
        const { counted, held } = await database.capacity();
        return counted === 0 && held === 0 ? true : undefined;
      });
    },
    400_000,
  );
});
