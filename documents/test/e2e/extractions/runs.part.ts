import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { IS_NIGHTLY } from '../../../../test/support/nightly/nightly.js';
import { wake } from '../../../src/core/driver/wake.js';
import { refuseWebhook } from '../../../src/domain/webhooks/webhook-signature.js';
import { holdEngine } from '../../support/extractions/engines.js';
import { LiveExtractions, type LiveRun } from '../../support/extractions/live-extractions.js';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LiveOrganization, LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { EventReceiver } from '../../support/webhooks/event-receiver.js';

interface TableResult {
  results: {
    documentName: string;
    data: object;
    fields: { [path: string]: { confidence: number; citations: { pageNumber: number }[] } };
  }[];
}

/** What a run may come to. */
const ENDS = ['completed', 'partial', 'failed', 'cancelled'];
/** Far more documents than are extracted, one after the other, before a cancellation is heard of. */
const QUEUED = IS_NIGHTLY ? 40 : 12;
const TEXT = Buffer.from('Pilot: Jansen\nDraught: 4.5\n');

/** The worker is killed in the last of its tests, and started again. */
export function goesToItsEnd(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;
  let runs: LiveExtractions;
  let receiver: EventReceiver;

  beforeAll(async () => {
    [{ live, api }, receiver] = await Promise.all([enter(), EventReceiver.start()]);
    runs = await LiveExtractions.open(live, api);
  });
  afterAll(() => receiver.close());

  const eventsOf = async (id: string): Promise<unknown[]> =>
    (
      await live.test.owner.query<{ type: string }>(
        `select type from events_outbox where data ->> 'extractionId' = $1 order by occurred_at, id`,
        [id],
      )
    ).rows.map(({ type }) => type);

  it('DI-014 DI-041 a run over documents that are still being read waits for them, and ends by itself', async () => {
    const webhook = { url: receiver.url, events: ['extraction.completed'], includeResult: true };
    const path = `/api/projects/${live.org.projectId}/webhooks`;
    await api.ask(path, { method: 'POST', body: JSON.stringify(webhook) });
    await api.add('first.txt', TEXT);
    await api.add('second.txt', TEXT);
    const { id } = await runs.start('at once');
    const run = await runs.untilEnded(id);
    expect(run).toMatchObject({ status: 'completed', progress: { itemsDone: 2, itemsTotal: 2 } });
    expect(await eventsOf(id)).toEqual(['extraction.started', 'extraction.completed']);
    await receiver.untilReceived(1);
    const told = receiver.received[0]?.body;
    const { body } = await api.ask<object>(`/api/v2/extractions/${id}/result`);
    expect(told).toMatchObject({ type: 'extraction.completed', data: { extractionId: id, status: 'completed' } });
    expect(told?.data['result']).toEqual(body);
  });

  it('DI-038 DI-039 DI-040 DI-041 DI-042 DI-043 DI-045 whoever has a client and the table of endpoints comes to data and to passages', async () => {
    const { projectId, client } = live.org;
    const send = async <B>(path: string, init: RequestInit = {}): Promise<{ status: number; body: B }> => {
      const answer = await fetch(api.origin + path, init);
      return { status: answer.status, body: (await answer.json()) as B };
    };
    const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret };
    const token = await send<{ access_token: string }>('/oauth/token', {
      ...{ method: 'POST', body: new URLSearchParams(form) },
    });
    const headers = { authorization: `Bearer ${token.body.access_token}`, 'content-type': 'application/json' };
    const get = <B>(path: string) => send<B>(path, { headers: { authorization: headers.authorization } });
    const post = <B>(path: string, body: object) =>
      send<B>(path, { method: 'POST', headers, body: JSON.stringify(body) });

    expect(await get('/api/projects')).toMatchObject({ status: 200, body: { data: [{ id: projectId }] } });
    const properties = { pilot: { type: 'string', description: 'Name of the pilot, after "Pilot".' } };
    const schema = await post<{ latestVersionId: string }>(`/api/projects/${projectId}/schemas`, {
      ...{ name: 'Pilots', jsonSchema: { type: 'object', properties } },
    });
    const asked = { schemaVersionId: schema.body.latestVersionId, externalId: 'by the table' };
    const starts = `/api/v2/projects/${projectId}/extractions`;
    const started = await post<LiveRun>(starts, asked);
    expect(started.status).toBe(202);
    expect(await post(starts, asked)).toMatchObject({ status: 202, body: { id: started.body.id, replayed: true } });
    const result = await live.until('the result', 60_000, async () => {
      const answer = await get<TableResult>(`/api/v2/extractions/${started.body.id}/result`);
      if (answer.status === 200) return answer.body;
      expect(answer).toMatchObject({ status: 202, body: { id: started.body.id } });
      expect(answer.body).not.toHaveProperty('results');
      return undefined;
    });
    expect(result.results.map(({ documentName }) => documentName).toSorted()).toEqual(['first.txt', 'second.txt']);
    for (const { data, fields } of result.results) {
      expect(data).toEqual({ pilot: 'Jansen' });
      expect(fields['/pilot']?.confidence).toBeGreaterThan(0);
      expect(fields['/pilot']?.citations).toMatchObject([{ pageNumber: 1 }]);
    }
    const search = { query: 'pilot Jansen', includeCitations: true };
    const place = { documentName: expect.stringMatching(/^(first|second)\.txt$/), pageNumber: 1 };
    expect(await post(`/api/projects/${projectId}/search`, search)).toMatchObject({
      status: 200,
      body: { results: [{ ...place, excerpt: expect.stringContaining('Jansen'), citations: [place] }, place] },
    });
  });

  it('a document that cannot be read leaves the others their results', async () => {
    await api.add('noise.bin', randomBytes(2000));
    const versions = await live.test.owner.query<{ id: string; name: string }>(
      `select v.id, d.name from document_versions v join documents d on d.id = v.document_id
        where v.org_id = $1 order by v.id`,
      [live.org.orgId],
    );
    const noise = versions.rows.find(({ name }) => name === 'noise.bin')?.id ?? '';
    const first = versions.rows.find(({ name }) => name === 'first.txt')?.id ?? '';
    const { id } = await runs.start('with noise', { documentVersionIds: [first, noise] });
    expect(await runs.untilEnded(id)).toMatchObject({ status: 'partial', warnings: [{ code: 'version_unreadable' }] });
    expect(await eventsOf(id)).toEqual(['extraction.started', 'extraction.partial']);
  });

  it('a run that is cancelled begins no further document, and has ended within five seconds', async () => {
    const names = Array.from({ length: QUEUED }, (_, at) => `queue-${at}.txt`);
    const added = await Promise.all(names.map((name) => api.add(name, Buffer.from(`${name}\n${TEXT.toString()}`))));
    for (const { versionId } of added) await live.untilTerminal(versionId, 110_000);
    const { id } = await runs.start('cancelled', { documentIds: added.map(({ documentId }) => documentId) });
    await live.until('the first document', 60_000, async () =>
      (await runs.read(id)).progress.itemsDone > 0 ? true : undefined,
    );
    await runs.cancel(id);
    const run = await runs.untilEnded(id, 5000);
    expect(run.status).toBe('cancelled');
    expect(run.progress.itemsDone).toBeLessThan(QUEUED);
    await delay(2000);
    expect((await runs.read(id)).progress.itemsDone).toBe(run.progress.itemsDone);
    expect(await eventsOf(id)).toEqual(['extraction.started', 'extraction.cancelled']);
  }, 240_000);

  describe('the end of a run', () => {
    let told: EventReceiver;
    let webhook: { id: string; secret: string };

    beforeAll(async () => {
      told = await EventReceiver.start();
      const events = ENDS.map((end) => `extraction.${end}`);
      const body = JSON.stringify({ url: told.url, events });
      const path = `/api/projects/${live.org.projectId}/webhooks`;
      webhook = (await api.ask<{ id: string; secret: string }>(path, { method: 'POST', body })).body;
      // Between the end of a run and its sending there is time enough for a kill.
      await live.test.owner.query(`
        create function hold_delivery() returns trigger language plpgsql
          as $$ begin new.next_attempt_at := now() + interval '1 hour'; return new; end $$;
        create trigger hold_delivery before insert on deliveries for each row
          when (new.webhook_id = '${webhook.id}') execute function hold_delivery()`);
    });
    afterAll(() => told.close());

    /** What is held is due, and somebody has said so. */
    async function release(): Promise<void> {
      const { owner, record } = live.test;
      await owner.query('drop trigger hold_delivery on deliveries');
      const update = 'update deliveries set next_attempt_at = now() where webhook_id = $1 returning id';
      const { rows } = await owner.query<{ id: string }>(update, [webhook.id]);
      await record.inOrganization(live.org.orgId, async (tx) => {
        for (const { id } of rows) await wake(tx, 'deliver', id);
      });
    }

    it('DI-022 DI-023 whichever it is, is told once and signed, although the worker is killed before it was sent', async () => {
      const good = await api.add('told.txt', TEXT);
      const noise = await api.add('told.bin', randomBytes(2000));
      for (const { versionId } of [good, noise]) await live.untilTerminal(versionId);
      const both = [good.versionId, noise.versionId];
      const stopped = await runs.start('told cancelled', { documentVersionIds: [good.versionId] });
      await holdEngine(live.workerPid);
      await runs.cancel(stopped.id);
      await runs.untilEnded(stopped.id);
      const others = [
        await runs.start('told completed', { documentVersionIds: [good.versionId] }),
        await runs.start('told partial', { documentVersionIds: both }),
        await runs.start('told failed', { documentVersionIds: [noise.versionId] }),
      ];
      const ended = await Promise.all(others.map(({ id }) => runs.untilEnded(id)));
      expect(ended.map(({ status }) => status)).toEqual(['completed', 'partial', 'failed']);
      await live.killWorker();
      expect(told.received).toEqual([]);
      await release();
      await live.startWorker();
      await told.untilReceived(ENDS.length);
      await live.until('all to be on the record', 60_000, async () => {
        const sent = `select 1 from deliveries where webhook_id = $1 and status = 'succeeded' and attempts = 1`;
        return (await live.test.owner.query(sent, [webhook.id])).rowCount === ENDS.length ? true : undefined;
      });
      expect(told.received).toHaveLength(ENDS.length);
      const seen = new Set<string>();
      for (const { signed, text, body } of told.received) {
        expect(refuseWebhook(webhook.secret, signed, text, { now: new Date(), seen })).toBeNull();
        const run = [stopped, ...others].find(({ id }) => id === body.data['extractionId']);
        expect(body).toEqual(bodyOf(live.org, run, signed['webhook-id']));
      }
      expect(new Set(told.received.map(({ body }) => body.type)).size).toBe(ENDS.length);
    }, 240_000);
  });
}

/** The whole body of the event that tells how a run ended which is called after its end. */
function bodyOf({ orgId, projectId }: LiveOrganization, run: LiveRun | undefined, eventId: string): object {
  const status = run?.externalId.replace('told ', '') ?? '';
  const at = (path: string) =>
    expect.stringMatching(new RegExp(`^http.*/api/v2/extractions/${run?.id}${path}$`)) as unknown;
  const hasResult = status === 'completed' || status === 'partial';
  return {
    ...{ id: eventId, type: `extraction.${status}`, timestamp: expect.any(String), apiVersion: '1' },
    data: {
      ...{ orgId, projectId, extractionId: run?.id, externalId: run?.externalId, status, attempt: 1 },
      ...{ schemaId: run?.schemaId, schemaVersionId: run?.schemaVersionId },
      ...(status === 'failed' ? { error: { code: 'version_unreadable', message: expect.any(String) } } : {}),
      links: { extraction: at(''), ...(hasResult ? { result: at('/result') } : {}) },
    },
  };
}
