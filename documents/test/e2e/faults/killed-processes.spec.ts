import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { LiveApi } from '../../support/installation/live-api.js';
import { LivePipeline } from '../../support/installation/live-pipeline.js';
import { markedPdfs } from '../../support/documents/marked-pdf.js';
import { snapshotVersion } from '../../support/documents/snapshot-version.js';
import { uploadResuming } from '../../support/uploads/resuming-upload.js';

/** Of API and worker, in turns in the upload and while the document is read; the nightly campaign (build/run-nightly.mjs) kills 200 times. */
const KILLS = Number(process.env['TEST_DOCSVC_KILLS'] ?? 8);
const PAGES = 60;
const MIB = 1024 * 1024;
/** Makes the file three parts long; nobody looks at them. */
const UNUSED_BYTES = 17 * MIB;

/** Enough to notice that a worker is gone and to do the work again; the duty itself may take an hour. */
const ROUND_WITHIN_MS = 40_000;

type Phase = 'upload' | 'ingest';
interface Kill {
  phase: Phase;
  /** Where in the phase, 0…1; drawn from the number of the kill, so that a failure can be had again. */
  at: number;
  victims: readonly ('api' | 'worker')[];
}

const CASES = Array.from({ length: KILLS }, (_, number): [string, Kill] => {
  const at = createHash('sha256').update(`kill ${number}`).digest().readUInt16BE() / 65_536;
  const phase: Phase = number % 2 === 0 ? 'upload' : 'ingest';
  const victims = (phase === 'upload' ? [['api'], ['api', 'worker']] : [['worker'], ['worker', 'api']])[
    (number >> 1) % 2
  ];
  const kill: Kill = { phase, at, victims: (victims ?? []) as Kill['victims'] };
  return [`${kill.victims.join(' and ')} at ${Math.round(at * 100)} % of the ${phase}`, kill];
});

describe('kill -9 of API and worker', () => {
  let live: LivePipeline;
  let api: LiveApi;
  let undisturbed: { snapshot: object; uploadMs: number; ingestMs: number };
  let documentOf: (mark: string) => Buffer;
  const compiled = mkdtempSync(join(tmpdir(), 'docsvc-compiled-'));

  beforeAll(async () => {
    live = await LivePipeline.start({ NODE_COMPILE_CACHE: compiled });
    const ofWorker = await untilCompiled(0);
    api = await LiveApi.start(live);
    // Of both, although neither has ended: a kill leaves what the next start needs.
    await untilCompiled(ofWorker);
    documentOf = await markedPdfs(pagesOf, UNUSED_BYTES);
    await play(null);
    undisturbed = await play(null);
  });
  afterAll(async () => {
    await api.kill();
    await live.stop();
    rmSync(compiled, { recursive: true });
  });

  /** Waits for more than so much compiled code on the disk. */
  function untilCompiled(bytes: number): Promise<number> {
    return live.until('compiled code', 30_000, () => {
      const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' });
      // What is being written has another name first.
      const sizeOf = (file: string): number => statSync(join(compiled, file), { throwIfNoEntry: false })?.size ?? 0;
      const kept = files.reduce((sum, file) => sum + sizeOf(file), 0);
      return Promise.resolve(kept > bytes + MIB ? kept : undefined);
    });
  }

  /** Uploads and reads a document that differs from all others by its mark. */
  async function play(kill: Kill | null): Promise<{ snapshot: object; uploadMs: number; ingestMs: number }> {
    // Digits are equally wide, so that lines break alike.
    const mark = Array.from({ length: 18 }, () => randomInt(10)).join('');
    const bytes = documentOf(mark);
    const strike = (phase: Phase): Promise<void> =>
      kill?.phase === phase ? strikeAfter(kill.victims, kill.at * undisturbed[`${phase}Ms`]) : Promise.resolve();
    const begun = performance.now();
    const [{ versionId, partsSent }] = await Promise.all([
      uploadResuming(api, live.org.projectId, { name: `${mark}.pdf`, bytes }, () => undefined),
      strike('upload'),
    ]);
    const uploadMs = performance.now() - begun;
    await strike('ingest');
    const row = await live.untilTerminal(versionId, 110_000);
    expect(row.status).toBe('ready');
    expect(partsSent).toBeLessThanOrEqual(4);
    const ingestMs = performance.now() - begun - uploadMs;
    await live.until('the outbox to be empty', 30_000, async () =>
      (await live.test.owner.query('select 1 from driver_outbox')).rowCount === 0 ? true : undefined,
    );
    return { snapshot: await snapshotVersion(live, versionId, mark), uploadMs, ingestMs };
  }

  async function strikeAfter(victims: Kill['victims'], ms: number): Promise<void> {
    await delay(ms);
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.kill() : live.killWorker())));
    await Promise.all(victims.map((victim) => (victim === 'api' ? api.startProcess() : live.startWorker())));
  }

  it.each(CASES)(
    'DI-005 DI-007 rows, blobs and events are those of an undisturbed run after kill -9 of %s',
    async (_name, kill) => {
      const { snapshot } = await play(kill);
      expect(snapshot).toEqual(undisturbed.snapshot);
    },
    240_000,
  );

  it('DI-007 kill -9 of the worker while it looks for what nobody reads holds up the next look for seconds only', async () => {
    const holder = await live.test.owner.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table document_versions in access exclusive mode');
      await live.temporal.client.schedule.getHandle('missing-ingests').trigger(ScheduleOverlapPolicy.SKIP);
      await live.until('the look to wait', 30_000, async () => {
        const waiting = `select from pg_locks where not granted and relation = 'document_versions'::regclass`;
        return (await holder.query(waiting)).rowCount === 0 ? undefined : true;
      });
      const killed = new Date().toISOString();
      await live.killWorker();
      await holder.query('rollback');
      await live.startWorker();
      await live.until('the look to end', ROUND_WITHIN_MS, async () => {
        const query = `WorkflowType = 'wakeMissing' AND ExecutionStatus = 'Completed' AND CloseTime > '${killed}'`;
        return (await live.temporal.client.workflow.count(query)).count > 0 ? true : undefined;
      });
    } finally {
      holder.release(true);
    }
  }, 120_000);
});

/** Text with a table on each page. */
function pagesOf(mark: string): string[][] {
  return Array.from({ length: PAGES }, (_, page) =>
    Array.from(
      { length: 25 },
      (_line, line) => `${mark} page ${page} line ${line}: the pilot boards at the outer buoy.`,
    ),
  );
}
