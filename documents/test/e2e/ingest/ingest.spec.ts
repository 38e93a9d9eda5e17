import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { LivePipeline } from '../../support/installation/live-pipeline.js';

describe('an ingest', () => {
  let live: LivePipeline;

  beforeAll(async () => {
    live = await LivePipeline.start();
  });
  afterAll(() => live.stop());

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

  it('what is of no type that is read is kept as stored', async () => {
    const { versionId } = await live.upload('noise.bin', randomBytes(5000));
    expect(await live.untilTerminal(versionId)).toMatchObject({
      status: 'stored',
      error: { code: 'type_not_readable' },
    });
  });
});
