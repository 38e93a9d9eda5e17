import { beforeAll, expect, it } from '@jest/globals';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { plantRun } from '../../support/extractions/plant-run.js';
import { plantVersion } from '../../support/documents/plant-version.js';
import { wakeExtraction, workflowNameOf } from '../../../src/core/extractions/wake-extraction.js';
import { extractionRunWorkflow } from '../../../src/workflows/messages.js';

/** As many documents as a run may have take minutes: nightly. */
const DOCUMENTS = process.env['TEST_LONG_DOCUMENTS'] === '1' ? 1000 : 60;

/** A run over many documents. */
export function goesThroughAll(enter: Enter): void {
  let live: LivePipeline;
  beforeAll(async () => {
    ({ live } = await enter());
  });

  it(`of ${DOCUMENTS} is gone through whole, in as many executions as that takes, and tells of its end once`, async () => {
    const { owner, record } = live.test;
    const { orgId, projectId } = live.org;
    const versionIds: string[] = [];
    for (let at = 0; at < DOCUMENTS; at += 1) {
      const { versionId } = await plantVersion(owner, live.org, { name: `unread ${at}.bin` });
      versionIds.push(versionId);
    }
    // Whatever keeps a document from being extracted ends its item as a result does.
    const ours = [orgId];
    await owner.query(`update document_versions set status = 'failed' where org_id = $1`, ours);
    const id = await plantRun(owner, live.org, versionIds);
    const { rows } = await owner.query<{ external_id: string }>('select external_id from extractions where id = $1', [
      id,
    ]);
    const externalId = rows[0]?.external_id ?? '';
    await record.inOrganization(orgId, (tx) => wakeExtraction(tx, { id, projectId, externalId }));
    const run = await live.until('the run to end', 600_000, async () => {
      const found = await owner.query<{ status: string; items_done: number }>(
        'select * from extractions where id = $1',
        [id],
      );
      return found.rows[0]?.status === 'failed' ? found.rows[0] : undefined;
    });
    expect(run.items_done).toBe(DOCUMENTS);
    const events = await owner.query('select type from events_outbox where org_id = $1 order by occurred_at, id', ours);
    expect(events.rows).toEqual([{ type: 'extraction.started' }, { type: 'extraction.failed' }]);
    const workflowId = extractionRunWorkflow.workflowId(workflowNameOf({ projectId, externalId }));
    const executions = new Set<string>();
    await live.until('the workflow to be listed', 60_000, async () => {
      const query = `WorkflowId = '${workflowId}' AND ExecutionStatus != 'Running'`;
      for await (const { runId } of live.temporal.client.workflow.list({ query })) executions.add(runId);
      return executions.size > 0 ? true : undefined;
    });
    expect(executions.size > 1).toBe(DOCUMENTS === 1000);
  }, 900_000);
}
