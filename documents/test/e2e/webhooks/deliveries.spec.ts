import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plantVersion } from '../../support/documents/plant-version.js';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import { shareDeployment } from '../../support/installation/share-deployment.js';
import { EventReceiver, type ReceivedEvent } from '../../support/webhooks/event-receiver.js';
import { keepsNoneWaiting } from './slow-receiver.part.js';

/** Of API and worker while events are delivered; the nightly campaign (build/run-nightly.mjs) kills 100 times. */
const KILLS = Math.ceil(Number(process.env['TEST_DOCSVC_KILLS'] ?? 8) / 2);
/** Documents of one run; every other receiver's answer is a failure for good. */
const DOCUMENTS = 6;
/** Long enough that kills fall into attempts. */
const ANSWER_MS = 100;
const RETRY = { strategy: 'fixed', maxAttempts: 2, initialSeconds: 1 };

interface Delivery {
  id: string;
  status: string;
  attempts: { number: number; statusCode: number | null }[];
}

let live: LivePipeline;
let api: LiveApi;
let receiver: EventReceiver;
const enter = shareDeployment({ DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
beforeAll(async () => {
  [{ live, api }, receiver] = await Promise.all([enter(), EventReceiver.start()]);
});
afterAll(() => receiver.close());
afterEach(async () => {
  await live.test.owner.query('delete from webhooks');
});

async function listen(): Promise<string> {
  const body = JSON.stringify({ url: receiver.url, events: ['document.deleted'], retry: RETRY });
  const path = `/api/projects/${live.org.projectId}/webhooks`;
  const made = await api.ask<{ id: string }>(path, { method: 'POST', body });
  expect(made.status).toBe(201);
  return made.body.id;
}

function plant(name: string): Promise<{ documentId: string }> {
  return plantVersion(live.test.owner, live.org, { name, sizeBytes: 10 });
}

async function deliveries(webhookId: string): Promise<Delivery[]> {
  return (await api.ask<{ data: Delivery[] }>(`/api/webhooks/${webhookId}/deliveries`)).body.data;
}

/** The first delivery of the webhook, once it has ended. */
function untilEnded(webhookId: string, status: string): Promise<Delivery> {
  return live.until(`a delivery that is ${status}`, 60_000, async () => {
    const [delivery] = await deliveries(webhookId);
    return delivery?.status === status ? delivery : undefined;
  });
}

describe('deliveries of a live deployment', () => {
  it('DI-022 DI-024 an event is tried again by a durable timer, given up, and sent again when a client says so', async () => {
    const webhookId = await listen();
    receiver.answering = (index) => ({ status: index < 2 ? 500 : 200 });
    receiver.received.length = 0;
    const { documentId } = await plant(`${randomUUID()}.pdf`);
    expect((await api.ask(`/api/documents/${documentId}`, { method: 'DELETE' })).status).toBe(204);
    const { id, attempts } = await untilEnded(webhookId, 'exhausted');
    expect(attempts).toMatchObject([
      { number: 1, statusCode: 500 },
      { number: 2, statusCode: 500 },
    ]);
    expect((await api.ask(`/api/deliveries/${id}/redeliver`, { method: 'POST' })).status).toBe(202);
    expect((await untilEnded(webhookId, 'succeeded')).attempts).toHaveLength(3);
    expect(receiver.received.map(({ text }) => text)).toEqual(Array(3).fill(receiver.received[0]?.text));
    const [first, second] = receiver.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(750);
  });
});

describe('a receiver that takes its time', () => keepsNoneWaiting(enter));

interface Kill {
  at: number;
  victims: readonly ('api' | 'worker')[];
}

const VICTIMS = [['worker'], ['api'], ['worker', 'api'], ['worker']] as const;
const CASES = Array.from({ length: KILLS }, (_, number): [string, Kill] => {
  const at = createHash('sha256').update(`delivery kill ${number}`).digest().readUInt16BE() / 65_536;
  const victims = VICTIMS[number % VICTIMS.length] ?? ['worker'];
  return [`${victims.join(' and ')} at ${Math.round(at * 100)} %`, { at, victims }];
});

describe('kill -9 while events are delivered', () => {
  let undisturbed: { rows: object[]; ms: number };
  beforeAll(async () => {
    receiver.answering = (index) => ({ status: isGood(receiver.received[index]) ? 204 : 500, afterMs: ANSWER_MS });
    undisturbed = await play(null);
  });

  it.each(CASES)('DI-022 rows and events are those of an undisturbed run after kill -9 of %s', async (_name, kill) => {
    const { rows } = await play(kill);
    expect(rows).toEqual(undisturbed.rows);
  });

  /** Deletes documents through the API, and waits until every delivery has ended. */
  async function play(kill: Kill | null): Promise<{ rows: object[]; ms: number }> {
    receiver.received.length = 0;
    const webhookId = await listen();
    const mark = randomUUID();
    const planted = await Promise.all(Array.from({ length: DOCUMENTS }, (_, at) => plant(`${mark}-${at}`)));
    goodOnes = new Set(planted.filter((_one, at) => at % 2 === 0).map(({ documentId }) => documentId));
    const begun = performance.now();
    const struck = kill === null ? Promise.resolve() : strike(kill);
    for (const { documentId } of planted) await removeResuming(documentId);
    await struck;
    await live.until('all deliveries to end', 90_000, async () => {
      const open = `select from deliveries where webhook_id = $1 and status in ('pending', 'retrying')`;
      const all = await live.test.owner.query('select from deliveries where webhook_id = $1', [webhookId]);
      const left = await live.test.owner.query(open, [webhookId]);
      const outbox = await live.test.owner.query('select from driver_outbox');
      return all.rowCount === DOCUMENTS && left.rowCount === 0 && outbox.rowCount === 0 ? true : undefined;
    });
    return { rows: await snapshot(webhookId, planted), ms: performance.now() - begun };
  }

  async function strike({ at, victims }: Kill): Promise<void> {
    await delay(at * undisturbed.ms);
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.kill() : live.killWorker())));
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.startProcess() : live.startWorker())));
  }
});

/** Documents whose events are taken; the others are refused every time. */
let goodOnes: ReadonlySet<string> = new Set();

function isGood(event: ReceivedEvent | undefined): boolean {
  return goodOnes.has(String(event?.body.data['documentId']));
}

/** As a client does that knows nothing of the kill: it asks again, and what is gone was deleted. */
async function removeResuming(documentId: string): Promise<void> {
  await live.until('the deletion', 60_000, async () => {
    const answer = await api.ask(`/api/documents/${documentId}`, { method: 'DELETE' }).catch(() => undefined);
    return answer?.status === 204 || answer?.status === 404 ? true : undefined;
  });
}

/** What is on the record of each document's event, without ids and times, and whether the receiver heard of it. */
async function snapshot(webhookId: string, planted: { documentId: string }[]): Promise<object[]> {
  const { rows } = await live.test.owner.query<{ document: string; event: string; row: object }>(
    `select e.data ->> 'documentId' as document, e.id as event,
       jsonb_build_object('type', e.type, 'status', d.status, 'attempts', d.attempts, 'next', d.next_attempt_at,
         'history', (select jsonb_agg(jsonb_build_array(a.number, a.status_code, a.error) order by a.number)
                       from delivery_attempts a where a.delivery_id = d.id)) as row
       from deliveries d join events_outbox e on e.id = d.event_id where d.webhook_id = $1`,
    [webhookId],
  );
  const heard = new Set(receiver.received.map(({ signed }) => signed['webhook-id']));
  return planted.map(({ documentId }) =>
    rows
      .filter(({ document }) => document === documentId)
      .map(({ event, row }) => ({ ...row, heard: heard.has(event) })),
  );
}
