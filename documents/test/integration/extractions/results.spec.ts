import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExtractionBench, type DocumentBody, type ResultBody } from '../../support/extractions/extraction-bench.js';

let bench: ExtractionBench;
let oats: { documentId: string; versionId: string };
let hay: { documentId: string; versionId: string };

beforeAll(async () => {
  bench = await ExtractionBench.open({ DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000' });
  oats = await bench.document('oats.pdf', [['Subject Oats', 'Total 12.50'], ['The end.']]);
  hay = await bench.document('=hay.pdf', [['Subject Hay', 'Total 7.00']]);
});
afterAll(() => bench.close());

/** A run that has ended, over one document. */
async function ended(body: object = {}): Promise<string> {
  const { body: run } = await bench.start({ documentIds: [oats.documentId], ...body });
  await bench.drive(run.id);
  return run.id;
}

describe('the result of a run', () => {
  it('DI-044 is not handed out before the run has ended, in any format', async () => {
    const { body: run } = await bench.start({ documentIds: [oats.documentId, hay.documentId] });
    const taken = await bench.take(run.id);
    if (taken === null) throw new Error('it is not to be done');
    await bench.extract(taken.ref, 1);
    for (const query of ['', '?format=csv', '?format=jsonl', '?attempt=1', '?include=signals']) {
      const early = await bench.result(run.id, query);
      expect(early).toMatchObject({ status: 202, body: { id: run.id, status: 'running' } });
      expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(early.body)).not.toMatch(/"(data|fields|results)"/);
    }
    expect((await bench.read(run.id)).progress).toEqual({ stage: 'extract', itemsDone: 1, itemsTotal: 2 });
    await bench.extract(taken.ref, 2);
    await bench.finish(taken.ref);
    expect((await bench.result(run.id)).status).toBe(200);
  });

  it('DI-015 DI-043 is JSON in the shape of the schema, once more at the top where there is one document', async () => {
    const id = await ended();
    const { status, body, headers } = await bench.result(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toMatchObject({
      extractionId: id,
      status: 'completed',
      attempt: 1,
      engine: 'local',
      failures: [],
      purged: 0,
    });
    expect(body.results).toHaveLength(1);
    const [only] = body.results as [DocumentBody];
    expect(only).toMatchObject({ ...{ documentId: oats.documentId, documentVersionId: oats.versionId }, version: 1 });
    expect(Object.keys(only.data)).toEqual(['subject', 'total', 'lines']);
    expect(only.data['lines']).toBeInstanceOf(Array);
    expect(only.completeness).toMatchObject([{ path: '/lines', complete: true }]);
    expect(body.data).toEqual(only.data);
    expect(body.fields).toEqual(only.fields);
    expect(await bench.read(id)).toMatchObject({ status: 'completed', usage: { pages: 2 }, error: null });
    expect(await bench.audit(id)).toEqual(['extraction.created', 'result.read']);
  });

  it('DI-016 DI-017 DI-043 says of every leaf how sure it is, and of every value on which page of which document it stands', async () => {
    const { body } = await bench.result(await ended(), '?include=signals');
    const [only] = body.results as [DocumentBody];
    expect(Object.keys(only.fields)).toEqual(expect.arrayContaining(['/subject', '/total']));
    const confidences = Object.values(only.fields).map(({ confidence }) => confidence);
    for (const confidence of confidences) expect(confidence > 0 && confidence < 1).toBe(true);
    expect(only.confidence.min).toBe(Math.min(...confidences));
    for (const [path, { citations, raw, signals }] of Object.entries(only.fields)) {
      expect(signals).toMatchObject({ read: expect.any(Number), ground: expect.any(Number) });
      expect({ path, isCited: citations.length > 0 }).toEqual({ path, isCited: raw !== null });
      for (const citation of citations) {
        expect(citation).toMatchObject({
          documentId: oats.documentId,
          documentName: 'oats.pdf',
          pageNumber: expect.any(Number),
        });
        expect(citation).toMatchObject({ documentVersionId: oats.versionId, excerpt: expect.any(String) });
      }
    }
    const { body: plain } = await bench.result(body.extractionId);
    expect(JSON.stringify(plain)).not.toContain('signals');
  });

  it('DI-016 lists values below the confidence that was asked for, and drops none', async () => {
    const { body } = await bench.result(await ended({ minConfidence: 1 }));
    const [only] = body.results as [DocumentBody];
    expect(only.needsReview).toEqual(Object.keys(only.fields));
    expect(Object.keys(only.data)).toEqual(['subject', 'total', 'lines']);
    expect((await bench.result(await ended())).body.results[0]?.needsReview).toEqual([]);
  });

  it('is one for each document, in the order in which they were named; in lines and as rows that no spreadsheet runs', async () => {
    const id = await ended({ documentIds: [hay.documentId, oats.documentId] });
    const { body } = await bench.result(id);
    expect(body.results.map(({ documentName }) => documentName)).toEqual(['=hay.pdf', 'oats.pdf']);
    expect(body).not.toHaveProperty('data');
    const lines = await bench.result<string>(id, '?format=jsonl');
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    const parsed = lines.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as DocumentBody);
    expect(parsed).toEqual(body.results);
    const rows = await bench.result<string>(id, '?format=csv');
    expect(rows.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header, first, second] = rows.body.split('\r\n');
    expect(header).toBe('documentName,subject,total,lines.item,lines.price');
    expect([first, second]).toEqual([expect.stringMatching(/^"'=hay\.pdf",/), expect.stringMatching(/^oats\.pdf,/)]);
  });

  it('is one for all documents of a combined run, and cites each by its own pages', async () => {
    const id = await ended({ documentIds: [hay.documentId, oats.documentId], mode: 'combined' });
    const { body } = await bench.result(id, '?include=signals');
    expect(await bench.read(id)).toMatchObject({ mode: 'combined', progress: { itemsTotal: 1 }, usage: { pages: 3 } });
    const [only] = body.results as [DocumentBody];
    expect(only).toMatchObject({ documentId: null, documentVersionIds: [hay.versionId, oats.versionId] });
    for (const { documentName, pageNumber } of Object.values(only.fields).flatMap(({ citations }) => citations))
      expect(pageNumber).toBeLessThanOrEqual(documentName === 'oats.pdf' ? 2 : 1);
    expect(body.data).toEqual(only.data);
  });

  it('reads the pages that were asked for, and fails where a document has none of them', async () => {
    const id = await ended({ pageRange: { first: 2 } });
    expect(await bench.read(id)).toMatchObject({ status: 'completed', usage: { pages: 1 } });
    const beyond = await ended({ pageRange: { first: 3, last: 9 } });
    expect(await bench.read(beyond)).toMatchObject({ status: 'failed', error: { code: 'no_pages' } });
  });

  it('is the same text whoever asks, and whenever it is made', async () => {
    const [one, two] = [await ended(), await ended()];
    const [first, again, other] = await Promise.all(
      [one, one, two].map(async (id) => JSON.stringify((await bench.result(id)).body.results)),
    );
    expect(first).toBe(again);
    expect(other).toBe(first);
  });

  it('is not there for a run that failed, and says why', async () => {
    const broken = await bench.unread('broken.pdf', 'failed');
    const { body: run } = await bench.start({ documentVersionIds: [broken.versionId] });
    expect(await bench.drive(run.id)).toMatchObject({
      ...{ status: 'failed', error: { code: 'version_unreadable' } },
      warnings: [{ code: 'version_unreadable', documentVersionId: broken.versionId }],
    });
    const refused = await bench.result(run.id);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'extraction_failed', retryable: false } } });
    expect(refused.body.error.details).toMatchObject([{ code: 'version_unreadable' }]);
    expect(await bench.events(run.id)).toEqual(['extraction.started', 'extraction.failed']);
  });

  it('of a document whose pages were not all read is partial, and says which are missing', async () => {
    const torn = await bench.document('torn.pdf', [['Subject Torn'], ['two'], ['three']]);
    const { owner } = bench.api.database;
    await owner.query(`update parses set status = 'partial', failed_pages = '{2}' where id = $1`, [torn.parseId]);
    await owner.query('delete from pages where parse_id = $1 and page_number = 2', [torn.parseId]);
    const id = await ended({ documentIds: [torn.documentId] });
    expect(await bench.read(id)).toMatchObject({
      status: 'partial',
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'pages_unread' })]),
      usage: { pages: 2 },
    });
    expect((await bench.result(id)).body).toMatchObject({ status: 'partial', results: [{ status: 'partial' }] });
  });

  it('of a list that lacks rows by its numbering is partial, and counts them', async () => {
    const jsonSchema = {
      type: 'object',
      properties: {
        positions: {
          type: 'array',
          description: 'The positions that were delivered.',
          items: {
            type: 'object',
            properties: {
              position: { type: 'integer', description: 'Number of the position, labelled "Pos".' },
              item: { type: 'string', description: 'What was delivered, labelled "Item".' },
              price: { type: 'number', description: 'What it costs, labelled "Price".' },
            },
          },
        },
      },
    };
    const made = await bench.acme.ask<{ latestVersionId: string }>(`/api/projects/${bench.projectId}/schemas`, {
      ...{ method: 'POST', body: { name: 'Delivery', jsonSchema } },
    });
    const row = (at: number): string => `${String(at).padEnd(8)}${`Oats of field ${at}`.padEnd(30)}${at}.50`;
    const numbers = Array.from({ length: 20 }, (_, at) => at + 1).filter((at) => at !== 11 && at !== 12);
    const lines = [`${'Pos'.padEnd(8)}${'Item'.padEnd(30)}Price`, ...numbers.map(row)];
    const delivery = await bench.document('delivery.pdf', [lines]);
    const id = await ended({ documentIds: [delivery.documentId], schemaVersionId: made.body.latestVersionId });
    const run = await bench.read(id);
    expect(run).toMatchObject({
      status: 'partial',
      warnings: [{ code: 'rows_missing', documentVersionId: delivery.versionId }],
    });
    const { body } = await bench.result(id);
    expect(body.results).toMatchObject([
      {
        status: 'partial',
        completeness: [{ path: '/positions', returnedRows: 18, expectedRows: 20, complete: false }],
      },
    ]);
  });

  it('DI-061 is there under /api too, as lists, reads and cancels are; runs start under /api/v2 alone', async () => {
    const id = await ended({ externalId: 'mirrored' });
    const { ask } = bench.acme;
    const path = `/api/projects/${bench.projectId}/extractions`;
    for (const at of ['', '/v2']) {
      const result = await ask<ResultBody>(`/api${at}/extractions/${id}/result`);
      expect(result).toMatchObject({ status: 200, body: { extractionId: id } });
      expect(await ask(`/api${at}/extractions/${id}`)).toMatchObject({ status: 200, body: { id } });
      const list = await ask<{ data: { id: string }[] }>(
        `/api${at}/projects/${bench.projectId}/extractions?externalId=mirrored`,
      );
      expect(list.body.data.map((run) => run.id)).toEqual([id]);
      expect((await ask(`/api${at}/extractions/${id}/cancel`, { method: 'POST' })).status).toBe(200);
    }
    const started = await ask(path, { method: 'POST', body: { schemaVersionId: bench.schemaVersionId } });
    expect(started.status).toBe(405);
    expect((await ask(`/api/extractions/${id}/retry`, { method: 'POST', body: {} })).status).toBe(404);
  });
});

describe('lists of runs', () => {
  it('are newest first, in pages, and by status, schema, externalId and time', async () => {
    const before = new Date().toISOString();
    const ids: string[] = [];
    for (const externalId of ['list 1', 'list 2', 'list 3']) ids.unshift((await bench.start({ externalId })).body.id);
    await bench.drive(ids[2] ?? '');
    const list = async (query: string) => {
      const path = `/api/v2/projects/${bench.projectId}/extractions?createdAfter=${before}${query}`;
      return (await bench.acme.ask<{ data: { id: string }[]; nextCursor: string | null }>(path)).body;
    };
    const all = await list('&limit=2');
    expect(all.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list(`&limit=2&cursor=${all.nextCursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list('&status=queued')).data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list('&externalId=list%202')).data.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await list(`&schemaId=${bench.schemaId}`)).data).toHaveLength(3);
    expect((await list(`&schemaId=${bench.projectId}`)).data).toEqual([]);
  });
});
