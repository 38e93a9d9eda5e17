import { spawn } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { standardSecret } from '../../../src/domain/deliveries/webhook-headers.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { WebhookReceiver } from '../../support/http/webhook-receiver.js';
import { hasPython, providePython } from '../../support/mcp/python-environment.js';

const support = (file: string): string => fileURLToPath(new URL(`../../support/deliveries/${file}`, import.meta.url));
const SUMMARY = 'Umlaute äöü, 漢字, \u2028 and </script> "quoted"';

/** The program needs Python; the library is installed into an environment of its own. */
(hasPython() ? describe : describe.skip)('a receiver in Python', () => {
  let bench: DeliveryBench;
  let receiver: WebhookReceiver;
  let python: string;
  beforeAll(async () => {
    python = await providePython(support('standard-webhooks.requirements.txt'));
    receiver = await WebhookReceiver.start();
    bench = await DeliveryBench.start();
  }, 600_000);
  afterAll(async () => {
    await bench?.api.close();
    await receiver?.close();
  });

  async function verify(requests: { secret: string; body: string; headers: object }[]): Promise<unknown[]> {
    const program = spawn(python, [support('verify_results.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
    program.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    return (await textOf(program.stdout))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  it('CP-104 verifies each attempt with the library of Standard Webhooks, and nothing that was changed', async () => {
    receiver.answering = (index) => (index === 0 ? 500 : 204);
    const subscription = await bench.subscribe(receiver.url);
    const runId = await bench.run(subscription);
    await bench.end(runId, 'completed', SUMMARY);
    const way = await bench.wayOf(runId);
    await bench.attempt(way, 1);
    await bench.attempt(way, 2);
    const secret = standardSecret(subscription.secret);
    const saved = receiver.received.map(({ headers, text }) => ({ secret, headers, body: text }));
    const [first] = saved as [(typeof saved)[0]];
    const answers = await verify([
      ...saved,
      { ...first, body: first.body.replace('completed', 'failed') },
      { ...first, secret: standardSecret(`${subscription.secret}0`) },
      { ...first, headers: { ...first.headers, 'webhook-id': 'another' } },
      { ...first, headers: { ...first.headers, 'webhook-timestamp': '1752000000' } },
    ]);
    expect(answers).toMatchObject([
      { verified: true, run: runId, attempt: 1 },
      { verified: true, run: runId, attempt: 2 },
      { verified: false },
      { verified: false },
      { verified: false },
      { verified: false },
    ]);
  }, 120_000);
});
