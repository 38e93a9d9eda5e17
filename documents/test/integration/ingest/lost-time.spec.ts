import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import type { IngestDependencies } from '../../../src/activities/ingest-dependencies.js';
import type { ParseRef } from '../../../src/activities/ingest-steps.js';
import { readSpan } from '../../../src/activities/read-span.js';
import { beginIngest } from '../../../src/core/ingest/ingest-moves.js';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { FsBlobStore } from '../../../src/platform/blobs/fs-blob-store.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { ParserJail } from '../../../src/platform/parsing/parser-jail.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, type PlantedOrganization } from '../../support/database/plant-organization.js';
import { plantVersion } from '../../support/documents/plant-version.js';

/** As good as all that a version may lose. */
const ALMOST_ALL_MS = 29_999;

describe('the time that a version may lose to pages', () => {
  let test: TestDatabase;
  let org: PlantedOrganization;
  let store: FsBlobStore;
  let folder: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    org = await plantOrganization(test.owner);
    folder = mkdtempSync(join(tmpdir(), 'docsvc-lost-'));
    store = await FsBlobStore.open(folder);
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['wall_time', 'quarantined'],
    ['cpu_time', 'quarantined'],
    ['output', undefined],
    ['memory', undefined],
  ] as const)('a parser that is ended by its limit of %s: %s', async (limit, status) => {
    const { versionId } = await plantVersion(test.owner, org, { name: `${limit}.txt` });
    await store.put(originalKey(versionId), Readable.from([Buffer.from('text')], { objectMode: false }), 10);
    await test.record.inOrganization(org.orgId, (tx) => beginIngest(tx, versionId));
    await test.owner.query('update document_versions set lost_ms = $1 where id = $2', [ALMOST_ALL_MS, versionId]);
    const [stdout, stderr] = [Buffer.alloc(0), Buffer.alloc(0)];
    const confine = async () => {
      await new Promise((done) => setTimeout(done, 5));
      return { exitCode: null, stdout, stderr, timedOut: false, truncated: false, limit };
    };
    const reader = new DocumentReader(new ParserJail({ confine, uidBase: 870_000 }));
    const on = { record: test.record, store, reader } as unknown as IngestDependencies;
    const parse = {
      ...{ orgId: org.orgId, versionId, attempt: 1, parseId: uuidv7(), blobKey: originalKey(versionId) },
      ...{ format: 'plain', options: { ocr: false, withPassword: false }, pageCount: 50 },
    } as unknown as ParseRef;
    const { failure, ending } = await readSpan(on, parse, { from: 1, to: 50 }, new AbortController().signal);
    expect(failure).toEqual({ code: limit, inParts: true });
    expect(ending?.status).toBe(status);
    const { rows } = await test.owner.query<{ lost_ms: number }>(
      'select lost_ms from document_versions where id = $1',
      [versionId],
    );
    expect((rows[0]?.lost_ms ?? 0) > ALMOST_ALL_MS).toBe(status !== undefined);
  });
});
