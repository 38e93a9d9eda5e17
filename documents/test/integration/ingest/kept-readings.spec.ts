import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { deleteDocument } from '../../../src/core/documents/change-document.js';
import { requeueVersion, type IngestEnd } from '../../../src/core/ingest/ingest-moves.js';
import { purgeDocument } from '../../../src/core/maintenance/purge-document.js';
import { listUnusedParses, retireParse, sweepParses } from '../../../src/core/maintenance/sweeps.js';
import { readableVersion } from '../../../src/core/pages/read-version.js';
import type { RecordTransaction } from '../../../src/core/record/record.js';
import { searchProject } from '../../../src/core/search/search-project.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';
import { ReadingBench } from '../../support/ingest/reading-bench.js';

/** Rounds of those that run beside each other, so that each order of their steps comes. */
const ROUNDS = 12;

const digest = (): string => randomBytes(32).toString('hex');

describe('what was read of a version', () => {
  let test: TestDatabase;
  let bench: ReadingBench;

  beforeAll(async () => {
    test = await createTestDatabase();
    bench = new ReadingBench(test, await plantOrganization(test.owner));
  });
  afterAll(() => test.close());

  /** Names of the documents that a search finds. */
  async function found(query: string, versions?: 'all'): Promise<string[]> {
    const filters = versions === undefined ? {} : { versions };
    const { passages } = await bench.inOrg((tx) => searchProject(tx, bench.org.projectId, query, filters, 10, null));
    return passages.map(({ match }) => match.document_name);
  }

  const pagesOf = (documentId: string): Promise<string> =>
    bench.inOrg(async (tx) => (await readableVersion(tx, documentId, null)).parseId);

  async function readAgain(versionId: string, sha256: string) {
    await bench.inOrg((tx) => requeueVersion(tx, versionId, {}));
    return bench.open(versionId, sha256);
  }

  it('DI-005 DI-019 is found and shown while the version is read again, until that is done', async () => {
    const sha256 = digest();
    const { documentId, versionId } = await bench.plant('log.txt');
    const old = await bench.readWhole(versionId, sha256, 'sextant');
    const { ready_at } = await bench.version(versionId);
    await bench.inOrg((tx) => requeueVersion(tx, versionId, {}));
    expect([await found('sextant'), await found('sextant', 'all')]).toEqual([['log.txt'], ['log.txt']]);
    const anew = await bench.open(versionId, sha256);
    expect(await bench.version(versionId)).toMatchObject({ status: 'processing', ready_at });
    expect([await found('sextant'), await pagesOf(documentId)]).toEqual([['log.txt'], old.parseId]);
    await bench.read(anew, 'chronometer');
    expect(await found('chronometer')).toEqual([]);
    await bench.finish(anew);
    expect([await found('sextant'), await found('chronometer')]).toEqual([[], ['log.txt']]);
    expect([await pagesOf(documentId), await bench.parseStatus(old.parseId)]).toEqual([anew.parseId, 'obsolete']);
  });

  it.each<IngestEnd>(['failed', 'stored'])('DI-005 DI-019 stays when reading it again ends as %s', async (end) => {
    const sha256 = digest();
    const { documentId, versionId } = await bench.plant(`${end}.txt`);
    const old = await bench.readWhole(versionId, sha256, `astrolabe${end}`);
    const anew = await readAgain(versionId, sha256);
    await bench.read(anew, 'rubbish');
    await bench.finish(anew, end);
    expect(await bench.version(versionId)).toMatchObject({ status: end, parse_id: old.parseId });
    expect(await bench.document(documentId)).toMatchObject({ searchable_version_id: versionId });
    expect([await found(`astrolabe${end}`), await pagesOf(documentId)]).toEqual([[`${end}.txt`], old.parseId]);
    expect([await bench.parseStatus(old.parseId), await bench.parseStatus(anew.parseId)]).toEqual([
      'ready',
      'obsolete',
    ]);
    expect(await bench.wordsOf(`astrolabe${end}`)).toBe(1);
    const third = await readAgain(versionId, sha256);
    await bench.read(third, `octant${end}`);
    await bench.finish(third);
    expect([await found(`astrolabe${end}`), await found(`octant${end}`)]).toEqual([[], [`${end}.txt`]]);
  });

  it('is withdrawn when reading it again shows that the bytes are dangerous', async () => {
    const sha256 = digest();
    const { documentId, versionId } = await bench.plant('bomb.txt');
    const old = await bench.readWhole(versionId, sha256, 'petard');
    await bench.finish(await readAgain(versionId, sha256), 'quarantined');
    expect(await bench.version(versionId)).toMatchObject({ parse_id: null, ready_at: null });
    expect([await found('petard'), await bench.parseStatus(old.parseId)]).toEqual([[], 'obsolete']);
    await expect(pagesOf(documentId)).rejects.toMatchObject({ code: 'quarantined' });
  });

  it('comes to nothing where the document was purged meanwhile', async () => {
    const { documentId, versionId } = await bench.plant('gone.txt');
    const reading = await bench.open(versionId, digest());
    await bench.read(reading);
    await purge(documentId);
    expect(await bench.finish(reading)).toBeNull();
    expect(await bench.parseStatus(reading.parseId)).toBe('running');
  });

  async function purge(documentId: string): Promise<void> {
    await bench.inOrg((tx) => deleteDocument(tx, documentId, null));
    await bench.inOrg((tx) => purgeDocument(tx, documentId, bench.org.projectId));
  }

  describe('that versions with the same bytes share', () => {
    it('DI-009 cannot be put aside once another version has begun to use it', async () => {
      const sha256 = digest();
      const [mine, other] = [await bench.plant('share-1.txt'), await bench.plant('share-2.txt')];
      const { parseId } = await bench.readWhole(mine.versionId, sha256, 'windlass');
      const gate = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      const opening = bench.inOrg(async (tx) => {
        const reading = await bench.openIn(tx, other.versionId, sha256);
        opened.resolve();
        await gate.promise;
        return reading;
      });
      await opened.promise;
      const purging = purge(mine.documentId);
      await untilLockIsWaitedFor();
      gate.resolve();
      const reading = await opening;
      await purging;
      expect(reading).toMatchObject({ parseId, reused: true });
      expect(await bench.parseStatus(parseId)).toBe('ready');
      await bench.finish(reading);
      expect([await found('windlass'), await bench.wordsOf('windlass')]).toEqual([['share-2.txt'], 1]);
    });

    it('DI-009 is read anew by a version that comes after it was put aside', async () => {
      const sha256 = digest();
      const [mine, other] = [await bench.plant('late-1.txt'), await bench.plant('late-2.txt')];
      const { parseId } = await bench.readWhole(mine.versionId, sha256, 'capstan');
      const gate = Promise.withResolvers<void>();
      const retired = Promise.withResolvers<void>();
      await bench.inOrg((tx) => deleteDocument(tx, mine.documentId, null));
      const purging = bench.inOrg(async (tx: RecordTransaction) => {
        await purgeDocument(tx, mine.documentId, bench.org.projectId);
        retired.resolve();
        await gate.promise;
      });
      await retired.promise;
      const opening = bench.open(other.versionId, sha256);
      await untilLockIsWaitedFor();
      gate.resolve();
      const [reading] = await Promise.all([opening, purging]);
      expect(reading.reused).toBe(false);
      expect(await bench.parseStatus(parseId)).toBe('obsolete');
      await bench.read(reading, 'capstan');
      await bench.finish(reading);
      expect([await found('capstan'), await bench.wordsOf('capstan')]).toEqual([['late-2.txt'], 1]);
    });

    it('DI-009 is whole or put aside, whoever purges, begins and ends at the same time', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [sha256, word] = [digest(), `bollard${'abcdefghijkl'[round]}`];
        const names = ['first', 'second', 'third'].map((name) => `${name}-${round}.txt`);
        const [first, second, third] = await Promise.all(names.map((name) => bench.plant(name)));
        if (first === undefined || second === undefined || third === undefined) throw new Error('nothing was planted');
        const { parseId } = await bench.readWhole(first.versionId, sha256, word);
        await bench.readWhole(second.versionId, sha256);
        await Promise.all([
          purge(first.documentId),
          purge(second.documentId),
          bench.readWhole(third.versionId, sha256, word),
        ]);
        const used = String((await bench.version(third.versionId))['parse_id']);
        expect(await bench.parseStatus(used)).toBe('ready');
        expect([await found(word), await bench.wordsOf(word)]).toEqual([[names[2]], 1]);
        await purge(third.documentId);
        expect([await bench.parseStatus(parseId), await bench.parseStatus(used)]).toEqual(['obsolete', 'obsolete']);
        expect(await bench.wordsOf(word)).toBe(0);
      }
    });

    /** Somebody waits for a lock: the order of the two is what the test says. */
    async function untilLockIsWaitedFor(): Promise<void> {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const deadline = Date.now() + 10_000;
      while ((await test.owner.query(waiting)).rowCount === 0) {
        if (Date.now() > deadline) throw new Error('nobody waited for a lock');
      }
    }
  });

  describe('and serves nobody any more', () => {
    const sweep = (): Promise<string[]> => sweepParses(test.record, 100);
    const age = (column: string, parseId: string) =>
      test.owner.query(`update parses set ${column} = now() - interval '61 minutes' where id = $1`, [parseId]);

    it('is swept an hour after it was put aside, however old it is', async () => {
      const { documentId, versionId } = await bench.plant('aside.txt');
      const { parseId } = await bench.readWhole(versionId);
      await age('created_at', parseId);
      await age('finished_at', parseId);
      await purge(documentId);
      expect(await sweep()).not.toContain(parseId);
      await age('retired_at', parseId);
      expect(await sweep()).toContain(parseId);
      expect(await bench.parseStatus(parseId)).toBeUndefined();
    });

    it('is swept where its attempt is over, and stays where that goes on', async () => {
      const { documentId, versionId } = await bench.plant('torso.txt');
      const { parseId } = await bench.open(versionId, digest());
      await age('created_at', parseId);
      expect(await sweep()).not.toContain(parseId);
      await purge(documentId);
      expect(await sweep()).toContain(parseId);
    });

    it('is put aside though nobody did that when its last version went', async () => {
      const { versionId } = await bench.plant('forgotten.txt');
      const { parseId } = await bench.readWhole(versionId, digest(), 'marlinspike');
      const listed = async () => (await listUnusedParses(test.record, 100)).map((unused) => unused.parseId);
      await age('finished_at', parseId);
      expect(await listed()).not.toContain(parseId);
      await test.owner.query('update document_versions set parse_id = null where id = $1', [versionId]);
      expect(await listUnusedParses(test.record, 100)).toContainEqual({ orgId: bench.org.orgId, parseId });
      await bench.inOrg((tx) => retireParse(tx, parseId));
      expect([await bench.parseStatus(parseId), await bench.wordsOf('marlinspike')]).toEqual(['obsolete', 0]);
      expect(await listed()).not.toContain(parseId);
    });

    it('is not put aside while a version uses it', async () => {
      const { versionId } = await bench.plant('used.txt');
      const { parseId } = await bench.readWhole(versionId);
      await bench.inOrg((tx) => retireParse(tx, parseId));
      expect(await bench.parseStatus(parseId)).toBe('ready');
    });
  });
});
