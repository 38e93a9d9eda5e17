import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makePdf } from '../../support/documents/make-pdf.js';
import { LiveExtractions } from '../../support/extractions/live-extractions.js';
import { LiveApi } from '../../support/installation/live-api.js';
import { LivePipeline } from '../../support/installation/live-pipeline.js';

/** Of API and worker while a run is under way; the nightly campaign (build/run-nightly.mjs) kills 100 times. */
const KILLS = Number(process.env['TEST_DOCSVC_EXTRACTION_KILLS'] ?? 4);
const DOCUMENTS = 6;

type Victims = readonly ('api' | 'worker')[];
const VICTIMS: readonly Victims[] = [['worker'], ['api', 'worker'], ['worker'], ['api']];

const CASES = Array.from({ length: KILLS }, (_, number): [string, { at: number; victims: Victims }] => {
  const at = createHash('sha256').update(`extraction ${number}`).digest().readUInt16BE() / 65_536;
  const victims = VICTIMS[number % VICTIMS.length] ?? [];
  return [`${victims.join(' and ')} at ${Math.round(at * 100)} % (${number})`, { at, victims }];
});

describe('kill -9 of API and worker in extraction', () => {
  let live: LivePipeline;
  let api: LiveApi;
  let runs: LiveExtractions;
  let documentIds: string[];
  let undisturbed: { snapshot: object; tookMs: number };

  beforeAll(async () => {
    live = await LivePipeline.start({
      ...{ DOCSVC_EXTRACTORS: '2', DOCSVC_RATE_EXTRACTIONS_PER_MIN: '1000', DOCSVC_RATE_REQUESTS_PER_MIN: '100000' },
    });
    api = await LiveApi.start(live);
    runs = await LiveExtractions.open(live, api);
    const added = await Promise.all(
      Array.from({ length: DOCUMENTS }, async (_, at) => {
        const pages = Array.from({ length: 6 }, (_page, page) => [
          `Pilot Jansen ${at}`,
          `Draught ${page}.5`,
          'Nothing else.',
        ]);
        return api.add(`pilotage-${at}.pdf`, await makePdf(pages));
      }),
    );
    for (const { versionId } of added) await live.untilTerminal(versionId, 110_000);
    documentIds = added.map(({ documentId }) => documentId);
    await play('warm', null);
    undisturbed = await play('undisturbed', null);
  }, 240_000);
  afterAll(async () => {
    await api.kill();
    await live.stop();
  });

  async function play(externalId: string, kill: { at: number; victims: Victims } | null) {
    const begun = performance.now();
    const [run] = await Promise.all([
      runs.start(externalId, { documentIds }),
      kill === null ? undefined : strikeAfter(kill.victims, kill.at * undisturbed.tookMs),
    ]);
    await runs.untilEnded(run.id, 110_000);
    const tookMs = performance.now() - begun;
    await live.until('the outbox to be empty', 30_000, async () =>
      (await live.test.owner.query('select 1 from driver_outbox')).rowCount === 0 ? true : undefined,
    );
    return { snapshot: await runs.snapshot(run.id), tookMs };
  }

  async function strikeAfter(victims: Victims, ms: number): Promise<void> {
    await delay(ms);
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.kill() : live.killWorker())));
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.startProcess() : live.startWorker())));
  }

  it('undisturbed it is complete, with one terminal event', () => {
    expect(undisturbed.snapshot).toMatchObject({
      run: [{ status: 'completed', items_done: DOCUMENTS, attempt: 1 }],
      events: [{ type: 'extraction.started' }, { type: 'extraction.completed' }],
      wakeUps: [],
    });
  });

  it.each(CASES)(
    'DI-014 DI-018 rows, results and events are those of an undisturbed run after kill -9 of %s',
    async (name, kill) => {
      const { snapshot } = await play(name, kill);
      expect(snapshot).toEqual(undisturbed.snapshot);
    },
    240_000,
  );
});
