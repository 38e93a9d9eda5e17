import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { tidyLayers } from '../../../src/activities/layer-upkeep.js';
import { claimLayer, dropLayer, keepLayer, useLayer } from '../../../src/core/setup/setup-layers.js';
import type { TenantTransaction } from '../../../src/core/record/database.js';
import type { SetupLayers } from '../../../src/platform/sandbox/setup-layers.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('what is kept of setups, on the record', () => {
  let test: TestDatabase;
  let organization: string;
  let other: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    organization = (await createOrganization(test.db)).organizationId;
    other = (await createOrganization(test.db)).organizationId;
  });
  afterAll(async () => test?.close());

  const within = <T>(work: (tx: TenantTransaction) => Promise<T>, of = organization): Promise<T> =>
    test.db.withTenant(of, work);
  const claim = (key: string, hostId: string, runId = uuidv7(), of = organization) => {
    const id = uuidv7();
    return within(async (tx) => ((await claimLayer(tx, { id, hostId, key, runId })) ? id : null), of);
  };
  const keep = (id: string, bytes = 10) =>
    within((tx) => keepLayer(tx, { id, contentDigest: DIGEST, bytes, files: 1 }));
  const use = (key: string, hostId: string, of = organization) => within((tx) => useLayer(tx, hostId, key), of);
  const ready = async (key: string, hostId: string, bytes = 10) => {
    const id = (await claim(key, hostId)) ?? '';
    await keep(id, bytes);
    return id;
  };

  it('is given to nobody before it is ready, and then to whoever has the key on that host', async () => {
    const [host, run] = [uuidv7(), uuidv7()];
    const id = (await claim('key', host, run)) ?? '';
    expect(await use('key', host)).toBeUndefined();
    expect(await keep(id)).toBe(true);
    expect(await use('key', host)).toEqual({ id, content_digest: DIGEST, made_by: run });
    expect(await use('key', uuidv7())).toBeUndefined();
    expect(await use('other key', host)).toBeUndefined();
  });

  it('is given to no other organization, whatever key it has', async () => {
    const host = uuidv7();
    await ready('key', host);
    expect(await use('key', host, other)).toBeUndefined();
    expect(await claim('key', host, uuidv7(), other)).not.toBeNull();
  });

  it('is made by one run at a time; a run that repeats itself takes over from itself', async () => {
    const [host, run] = [uuidv7(), uuidv7()];
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim('key', host)));
    expect(claims.filter((id) => id !== null)).toHaveLength(1);
    const first = await claim('again', host, run);
    const second = await claim('again', host, run);
    expect(second).not.toBeNull();
    expect(await keep(first ?? '')).toBe(false);
    expect(await keep(second ?? '')).toBe(true);
    expect(await claim('again', host)).toBeNull();
  });

  it('is made by another run when the one that began did not finish for hours, or gave up', async () => {
    const host = uuidv7();
    const dead = (await claim('key', host)) ?? '';
    await test.owner.query(`update setup_layers set created_at = now() - interval '7 hours' where id = $1`, [dead]);
    const next = (await claim('key', host)) ?? '';
    expect(next).not.toBe('');
    await within((tx) => dropLayer(tx, next));
    expect(await claim('key', host)).not.toBeNull();
  });

  describe('and its upkeep', () => {
    const hostWith = (images: string[], used: string[] = []) => {
      const removed: string[] = [];
      const layers = {
        list: () => Promise.resolve(images),
        listUsed: () => Promise.resolve(used),
        remove: (id: string) => Promise.resolve(void removed.push(id)),
      } as unknown as SetupLayers;
      return { removed, layers };
    };

    it('deletes what was used longest ago beyond the limit, and nothing that a run is based on', async () => {
      const hostId = uuidv7();
      const ids = [];
      for (const key of ['a', 'b', 'c', 'd']) ids.push(await ready(key, hostId, 100));
      const [a = '', b = '', c = '', d = ''] = ids;
      await use('a', hostId);
      const { layers, removed } = hostWith(ids, [b]);
      await tidyLayers({ database: test.db, layers, hostId, maxBytes: 200 });
      expect(removed).toEqual([c]);
      expect([await use('a', hostId), await use('b', hostId), await use('d', hostId)].map((row) => row?.id)).toEqual([
        a,
        b,
        d,
      ]);
      expect(await use('c', hostId)).toBeUndefined();
    });

    it('deletes what nobody finished and what the record does not know, never what is being made', async () => {
      const hostId = uuidv7();
      const stale = (await claim('stale', hostId)) ?? '';
      await test.owner.query(`update setup_layers set created_at = now() - interval '7 hours' where id = $1`, [stale]);
      const making = (await claim('making', hostId)) ?? '';
      const [orphan, used] = [uuidv7(), uuidv7()];
      const { layers, removed } = hostWith([stale, making, orphan, used], [used]);
      await tidyLayers({ database: test.db, layers, hostId, maxBytes: 1000 });
      expect(removed.toSorted()).toEqual([stale, orphan].toSorted());
    });

    it('forgets what somebody deleted, and nothing that was made while it looked', async () => {
      const hostId = uuidv7();
      const gone = await ready('gone', hostId, 1000);
      const fresh = await ready('fresh', hostId, 10);
      const { layers, removed } = hostWith([]);
      layers.list = jest.fn<SetupLayers['list']>().mockResolvedValueOnce([]).mockResolvedValue([fresh]);
      await tidyLayers({ database: test.db, layers, hostId, maxBytes: 5000 });
      expect(removed).toEqual([gone]);
      expect(await use('gone', hostId)).toBeUndefined();
      expect(await use('fresh', hostId)).toBeDefined();
    });

    it('looks after its own host alone', async () => {
      const [mine, theirs] = [uuidv7(), uuidv7()];
      await ready('key', theirs, 1000);
      const { layers, removed } = hostWith([]);
      await tidyLayers({ database: test.db, layers, hostId: mine, maxBytes: 0 });
      expect(removed).toEqual([]);
      expect(await use('key', theirs)).toBeDefined();
    });
  });
});
