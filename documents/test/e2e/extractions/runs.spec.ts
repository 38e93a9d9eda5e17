import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveExtractions } from '../../support/extractions/live-extractions.js';
import { LiveApi } from '../../support/installation/live-api.js';
import { LivePipeline } from '../../support/installation/live-pipeline.js';
import { EventReceiver } from '../../support/webhooks/event-receiver.js';

const TEXT = Buffer.from('Pilot Jansen\nDraught 4.5\n');

describe('runs of extraction from their request to their end', () => {
  let live: LivePipeline;
  let api: LiveApi;
  let runs: LiveExtractions;
  let receiver: EventReceiver;

  beforeAll(async () => {
    live = await LivePipeline.start({
      ...{ DOCSVC_EXTRACTORS: '1', DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8', DOCSVC_RATE_REQUESTS_PER_MIN: '100000' },
    });
    [api, receiver] = await Promise.all([LiveApi.start(live), EventReceiver.start()]);
    runs = await LiveExtractions.open(live, api);
  });
  afterAll(async () => {
    await api.kill();
    await receiver.close();
    await live.stop();
  });

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

  it('a document that cannot be read leaves the others their results', async () => {
    await api.add('noise.bin', randomBytes(2000));
    const versions = await live.test.owner.query<{ id: string; name: string }>(
      'select v.id, d.name from document_versions v join documents d on d.id = v.document_id order by v.id',
    );
    const noise = versions.rows.find(({ name }) => name === 'noise.bin')?.id ?? '';
    const first = versions.rows.find(({ name }) => name === 'first.txt')?.id ?? '';
    const { id } = await runs.start('with noise', { documentVersionIds: [first, noise] });
    expect(await runs.untilEnded(id)).toMatchObject({ status: 'partial', warnings: [{ code: 'version_unreadable' }] });
    expect(await eventsOf(id)).toEqual(['extraction.started', 'extraction.partial']);
  });

  it('a run that is cancelled begins no further document, and has ended within five seconds', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `queue-${at}.txt`);
    const added = await Promise.all(names.map((name) => api.add(name, Buffer.from(`${name}\n${TEXT.toString()}`))));
    for (const { versionId } of added) await live.untilTerminal(versionId, 110_000);
    const { id } = await runs.start('cancelled', { documentIds: added.map(({ documentId }) => documentId) });
    await live.until('the first document', 60_000, async () =>
      (await runs.read(id)).progress.itemsDone > 0 ? true : undefined,
    );
    await runs.cancel(id);
    const run = await runs.untilEnded(id, 5000);
    expect(run.status).toBe('cancelled');
    expect(run.progress.itemsDone).toBeLessThan(40);
    await delay(2000);
    expect((await runs.read(id)).progress.itemsDone).toBe(run.progress.itemsDone);
    expect(await eventsOf(id)).toEqual(['extraction.started', 'extraction.cancelled']);
  }, 240_000);
});
