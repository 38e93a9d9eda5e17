import { beforeAll, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { wake } from '../../../src/core/driver/wake.js';
import { requeueVersion } from '../../../src/core/ingest/ingest-moves.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';

/** An ingest, step by step. */
export function readsOnce(enter: Enter): void {
  let live: LivePipeline;

  beforeAll(async () => {
    ({ live } = await enter());
  });

  const pagesOf = async (parseId: string | null) =>
    (
      await live.test.owner.query<{ page_number: number; text: string; words_key: string }>(
        'select page_number, text, words_key from pages where parse_id = $1 order by page_number',
        [parseId],
      )
    ).rows;

  it('DI-005 a text is read page by page, indexed, and told as ready once', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `Line ${line} says that the harbour master agrees.`);
    const { versionId, documentId } = await live.upload('long.txt', Buffer.from(lines.join('\n')));
    const row = await live.untilTerminal(versionId);
    expect(row).toMatchObject({ status: 'ready', stage: null, error: null });
    const pages = await pagesOf(row.parse_id);
    expect(row.pages_total).toBe(pages.length);
    expect(row.pages_done).toBe(pages.length);
    expect(pages.map(({ text }) => text).join('\n')).toContain('Line 399 says');
    expect(await live.events(versionId)).toEqual(['document.ready']);
    const { rows: chunks } = await live.test.owner.query('select language from chunks where parse_id = $1', [
      row.parse_id,
    ]);
    expect(new Set(chunks.map(({ language }: { language: string }) => language))).toEqual(new Set(['en']));
    const { rows } = await live.test.owner.query('select kind, searchable_version_id from documents where id = $1', [
      documentId,
    ]);
    expect(rows).toEqual([{ kind: 'text', searchable_version_id: versionId }]);
    expect((await live.test.owner.query('select 1 from driver_outbox')).rowCount).toBe(0);
  });

  it('bytes that are not those which were declared end as failed, and say so', async () => {
    const { versionId } = await live.upload('wrong.txt', Buffer.from('these bytes'), { declared: randomBytes(32) });
    const row = await live.untilTerminal(versionId);
    expect(row).toMatchObject({ status: 'failed', error: { code: 'checksum_mismatch' } });
    expect(await live.events(versionId)).toEqual(['document.failed']);
    const right = Buffer.from('those bytes');
    const declared = createHash('sha256').update(right).digest();
    const { versionId: second } = await live.upload('right.txt', right, { declared });
    expect(await live.untilTerminal(second)).toMatchObject({ status: 'ready' });
  });

  it('DI-005 a large file is hashed on a queue of its own, in turns with other projects, and once', async () => {
    const bytes = Buffer.alloc(65 * 1024 * 1024, 7);
    const { versionId, documentId } = await live.upload('large.bin', bytes);
    expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'stored' });
    expect(await hashingOf(versionId)).toEqual([{ queue: 'docsvc-hash', fairnessKey: live.org.projectId }]);
    const { rows } = await live.test.owner.query('select sha256 from document_versions where id = $1', [versionId]);
    expect(rows).toEqual([{ sha256: createHash('sha256').update(bytes).digest() }]);
    await live.test.record.inOrganization(live.org.orgId, async (tx) => {
      await requeueVersion(tx, versionId, {});
      await wake(tx, 'ingest', versionId);
    });
    await live.until('the second attempt', 60_000, async () => {
      const { status, attempt } = await live.version(versionId);
      return attempt === 2 && status === 'stored' ? true : undefined;
    });
    expect(await hashingOf(versionId)).toEqual([]);
    const small = await live.upload('small.bin', randomBytes(5000));
    await live.untilTerminal(small.versionId);
    expect(await hashingOf(small.versionId)).toEqual([]);
    expect(small.documentId).not.toBe(documentId);
  });

  /** Where the last execution for a version had its file hashed, apart from other steps. */
  async function hashingOf(versionId: string): Promise<object[]> {
    const handle = live.temporal.client.workflow.getHandle(`ingest/${versionId}`);
    await handle.result();
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'hashVersion'
        ? [{ queue: scheduled.taskQueue?.name, fairnessKey: scheduled.priority?.fairnessKey }]
        : [],
    );
  }

  it('what is of no type that is read is kept as stored', async () => {
    const { versionId } = await live.upload('noise.bin', randomBytes(5000));
    expect(await live.untilTerminal(versionId)).toMatchObject({
      status: 'stored',
      error: { code: 'type_not_readable' },
    });
  });
}
