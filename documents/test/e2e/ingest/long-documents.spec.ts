import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LivePipeline } from '../../support/installation/live-pipeline.js';

/** Of a text. */
const LINES_PER_PAGE = 60;
/** One batch more than one execution reads. */
const PAGES = 201 * 50;

/** Ten thousand pages take minutes: the nightly campaign (build/run-nightly.mjs) has them read. */
const nightly = process.env['TEST_LONG_DOCUMENTS'] === '1' ? describe : describe.skip;

nightly('documents of more batches than one history may hold', () => {
  let live: LivePipeline;

  beforeAll(async () => {
    live = await LivePipeline.start();
  });
  afterAll(() => live.stop());

  it('DI-005 are read to the last page, over several executions', async () => {
    const text = Array.from({ length: PAGES * LINES_PER_PAGE }, (_, line) => `${line}\n`).join('');
    const { versionId } = await live.upload('log.txt', Buffer.from(text));
    const row = await live.untilTerminal(versionId, 300_000);
    expect(row).toMatchObject({ status: 'ready', pages_done: PAGES, pages_total: PAGES });
    const { rows } = await live.test.owner.query<{ pages: number; last: string }>(
      `select count(distinct page_number)::int as pages,
         (select text from pages where parse_id = $1 and page_number = $2) as last
       from pages where parse_id = $1`,
      [row.parse_id, PAGES],
    );
    expect(rows[0]?.pages).toBe(PAGES);
    expect(rows[0]?.last).toContain(String(PAGES * LINES_PER_PAGE - 1));
    const executions: string[] = [];
    const query = `WorkflowId = 'ingest/${versionId}'`;
    for await (const { status } of live.temporal.client.workflow.list({ query })) executions.push(status.name);
    expect(executions.sort()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW']);
  }, 400_000);
});
