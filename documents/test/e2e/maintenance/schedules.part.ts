import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { plantVersion } from '../../support/documents/plant-version.js';
import { plantRun } from '../../support/extractions/plant-run.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';

const BYTES = Buffer.from('One line that is kept for a while.\n');

/** What schedules do again and again. */
export function repeatsDuties(enter: Enter): void {
  let live: LivePipeline;

  beforeAll(async () => {
    ({ live } = await enter());
  });

  const query = async (sql: string, params: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await live.test.owner.query<Record<string, unknown>>(sql, params)).rows;

  const ours = (columns: string, table: string): Promise<Record<string, unknown>[]> =>
    query(`select ${columns} from ${table} where org_id = $1`, [live.org.orgId]);

  async function plantUpload(projectId: string, status: string, endedDaysAgo: number | null): Promise<string> {
    const id = randomUUID();
    await query(
      `insert into upload_sessions (id, org_id, project_id, client_row_id, name, size_bytes, part_size_bytes, part_count,
         status, expires_at, finished_at)
       values ($1, $2, $3, $1, 'a.txt', 4, 4, 1, $4, now() - interval '1 hour', now() - make_interval(days => $5))`,
      [id, live.org.orgId, projectId, status, endedDaysAgo],
    );
    return id;
  }

  const uploads = async (ids: string[]) =>
    query('select id, status from upload_sessions where id = any ($1) order by array_position($1, id)', [ids]);

  it('DI-009 retention-sweep purges a project that was archived 30 days ago, with all that it held', async () => {
    const { orgId, projectId } = live.org;
    const { documentId, versionId } = await live.upload('old.txt', BYTES);
    const { parse_id: parseId } = await live.untilTerminal(versionId);
    await query(
      `insert into webhooks (id, org_id, project_id, url, events, sealed_secret)
       values ($1, $2, $3, 'https://receiver.example/', '{*}', '\\x00')`,
      [randomUUID(), orgId, projectId],
    );
    await plantRun(live.test.owner, live.org, [versionId]);
    const ended = await plantUpload(projectId, 'aborted', 1);
    await live.runSchedule('retention-sweep');
    expect(await ours('id', 'documents')).toEqual([{ id: documentId }]);
    await query(`update projects set archived_at = now() - interval '31 days' where id = $1`, [projectId]);
    await live.runSchedule('retention-sweep');
    expect(await ours('id', 'documents')).toEqual([]);
    expect(await live.store.head(originalKey(versionId))).toBeNull();
    expect(await ours('id, status', 'parses')).toEqual([{ id: parseId, status: 'obsolete' }]);
    expect(await ours('id', 'projects')).toEqual([{ id: projectId }]);
    await query(`update parses set retired_at = now() - interval '2 hours' where org_id = $1`, [orgId]);
    await live.runSchedule('retention-sweep');
    for (const table of ['parses', 'pages', 'chunks', 'lexicon', 'webhooks', 'extractions', 'schemas', 'projects'])
      expect([table, await ours('1', table)]).toEqual([table, []]);
    expect(await uploads([ended])).toEqual([]);
    const purged = `select action from audit_events where action like '%.purged' and org_id = $1 order by occurred_at`;
    expect(await query(purged, [orgId])).toEqual([{ action: 'document.purged' }, { action: 'project.purged' }]);
  });

  describe('in a project that stays', () => {
    let projectId: string;

    beforeAll(async () => {
      const [workspace] = await ours('id', 'workspaces');
      projectId = randomUUID();
      await query(`insert into projects (id, org_id, workspace_id, name) values ($1, $2, $3, 'stays')`, [
        projectId,
        live.org.orgId,
        workspace?.['id'],
      ]);
    });

    it('DI-006 retention-sweep forgets uploads that ended 30 days ago, and no others', async () => {
      const ids = [
        await plantUpload(projectId, 'completed', 31),
        await plantUpload(projectId, 'expired', 31),
        await plantUpload(projectId, 'completed', 29),
        await plantUpload(projectId, 'open', null),
      ];
      await live.runSchedule('retention-sweep');
      expect(await uploads(ids)).toEqual([
        { id: ids[2], status: 'completed' },
        { id: ids[3], status: 'open' },
      ]);
    });

    it('DI-006 upload-reaper ends an upload that got no part for too long', async () => {
      const id = await plantUpload(projectId, 'open', null);
      await live.runSchedule('upload-reaper');
      expect(await uploads([id])).toEqual([{ id, status: 'expired' }]);
    });

    it('quota-reconcile counts anew what organizations keep', async () => {
      await query(
        `insert into usage_counters (org_id, kind, period, amount) values ($1, 'documents', '1970-01-01', 77)
         on conflict (org_id, kind, period) do update set amount = 77`,
        [live.org.orgId],
      );
      await live.runSchedule('quota-reconcile');
      const counted = `select amount from usage_counters where kind = 'documents' and org_id = $1`;
      expect(await query(counted, [live.org.orgId])).toEqual([{ amount: '0' }]);
    });

    it('DI-014 missing-ingests has a run of extraction done of which the driver knows nothing', async () => {
      const ground = { orgId: live.org.orgId, projectId };
      const { versionId } = await plantVersion(live.test.owner, ground, { name: 'unread.bin', sizeBytes: 4 });
      await query(`update document_versions set status = 'failed' where id = $1`, [versionId]);
      const id = await plantRun(live.test.owner, ground, [versionId]);
      await live.runSchedule('missing-ingests');
      await live.until('the run to end', 60_000, async () => {
        const [row] = await query('select status from extractions where id = $1', [id]);
        return row?.['status'] === 'failed' ? true : undefined;
      });
    });

    it('DI-007 missing-ingests has a version read of which the driver knows nothing', async () => {
      const { orgId } = live.org;
      const { versionId } = await plantVersion(
        live.test.owner,
        { orgId, projectId },
        { name: 'lost.bin', sizeBytes: 4 },
      );
      await query(`update document_versions set created_at = now() - interval '2 minutes' where id = $1`, [versionId]);
      await live.runSchedule('missing-ingests');
      expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'failed', error: { code: 'blob_missing' } });
    });
  });
}
