import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import type { DeliveryWay } from '../../../src/domain/deliveries/delivery-way.js';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { captureTerminals, startCommand, type Outcome } from '../../support/cli/running-command.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { ResultReceiver } from '../../support/deliveries/result-receiver.js';

let bench: DeliveryBench;
let receiver: ResultReceiver;
let subscription: CalledBack;
let way: DeliveryWay;
const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };
beforeAll(async () => {
  captureTerminals();
  [bench, receiver] = await Promise.all([DeliveryBench.start(), ResultReceiver.start()]);
  Object.assign(process.env, { SANDGATE_URL: bench.api.url, SANDGATE_TOKEN: ADMIN_TOKEN });
  subscription = await bench.subscribe(receiver.url('/here'));
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, { SANDGATE_URL: earlier.url ?? '', SANDGATE_TOKEN: earlier.token ?? '' });
  await bench?.api.close();
  await receiver?.close();
});

const cli = (argv: string[]): Promise<Outcome> => startCommand(['deliveries', ...argv]).outcome;

describe('deliveries', () => {
  it('CP-188 says that a run goes on, and that a result goes nowhere', async () => {
    const runId = await bench.run(subscription);
    expect(await cli([runId])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The run goes on') as unknown,
    });
    await bench.end(runId);
    const other = await bench.run(subscription, { destinations: [] });
    await bench.end(other);
    expect(await cli([other])).toMatchObject({ code: 0, stdout: 'The result goes nowhere.\n' });
  });

  it('CP-188 CP-297 lists where a result goes, how often it was tried and what for it failed', async () => {
    receiver.manner = () => 500;
    way = await bench.ended(subscription);
    await bench.attempt(way);
    expect((await cli([way.runId])).stdout).toMatch(
      new RegExp(`${way.deliveryId.slice(-12)} +pending +1 +http://127.0.0.1:\\d+/here .*answered 500`),
    );
    expect((await cli(['resend', way.runId, way.deliveryId])).code).toBe(5);
    for (let attempt = 2; attempt <= 6; attempt += 1) await bench.attempt(way, attempt);
    const listed = await cli(['list', way.runId, '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: way.deliveryId, status: 'failed', attempts: 6 }]);
  });

  it('CP-188 sends a failed one again under its id, named by a part of it', async () => {
    receiver.manner = () => 204;
    const resent = await cli(['resend', way.runId, way.deliveryId.slice(-8)]);
    expect(resent).toMatchObject({
      code: 0,
      stdout: `${way.deliveryId} is pending, on its way to ${receiver.url('/here')}\n`,
    });
    await bench.attempt(await bench.wayOf(way.runId));
    const listed = await cli([way.runId, '-o', 'json']);
    const [delivery] = JSON.parse(listed.stdout) as Schemas['DeliveryView'][];
    expect([delivery?.status, delivery?.attempts]).toEqual(['delivered', 1]);
    expect(receiver.of(way.deliveryId)).toHaveLength(7);
    expect(await cli(['resend', way.runId, 'ffffffff'])).toMatchObject({
      code: 3,
      message: 'this run has no delivery with an id like ffffffff',
    });
  });

  it('names a pull request and a commit where a result is published', async () => {
    const place = { connection_id: '019a8f6e-0000-7000-8000-000000000001', repository: 'acme/shop' };
    const runId = await bench.run(subscription, { destinations: [] });
    await bench.end(runId);
    await bench.own(
      `insert into result_deliveries (id, tenant_id, session_id, subscription_id, destination_index, destination, next_attempt_at)
       select gen_random_uuid(), $1, $2, $3, n, destination, now()
         from unnest($4::jsonb[]) with ordinality as given (destination, n)`,
      [
        bench.api.organizationId,
        runId,
        subscription.id,
        [
          JSON.stringify({ kind: 'codehost_pr_comment', ...place, pr_number: 42 }),
          JSON.stringify({ kind: 'codehost_check', ...place, head_sha: 'ab'.repeat(20) }),
        ],
      ],
    );
    expect((await cli([runId])).stdout).toMatch(/comment acme\/shop#42[^]*check acme\/shop@abababababab/);
  });
});
