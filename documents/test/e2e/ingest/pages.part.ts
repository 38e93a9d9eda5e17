import { beforeAll, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { makePdf } from '../../support/documents/make-pdf.js';

interface PageBody {
  pageNumber: number;
  version: number;
  text: string;
  words?: { text: string; charRange: [number, number]; box: { x: number; y: number; width: number; height: number } }[];
}

interface Listed<T> {
  data: T[];
  nextCursor: string | null;
}

interface Refused {
  error: { code: string; message: string };
}

/** The pages of a document. */
export function showsPages(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;

  beforeAll(async () => {
    ({ live, api } = await enter());
  });

  it('DI-005 a PDF is read with the place of each word, page after page', async () => {
    const bytes = await makePdf(
      [1, 2, 3].map((page) => [`Page ${page} of the charter`, 'The lighthouse keeper signs here.']),
    );
    const { documentId, versionId } = await api.add('charter.pdf', bytes);
    expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'ready', pages_total: 3 });
    const first = await api.ask<Listed<PageBody>>(`/api/documents/${documentId}/pages?limit=2`);
    expect(first.body.data.map(({ pageNumber }) => pageNumber)).toEqual([1, 2]);
    const rest = await api.ask<Listed<PageBody>>(
      `/api/documents/${documentId}/pages?limit=2&cursor=${first.body.nextCursor}`,
    );
    expect(rest.body).toMatchObject({ data: [{ pageNumber: 3 }], nextCursor: null });
    const { body } = await api.ask<PageBody>(`/api/documents/${documentId}/pages/2?include=words`);
    const keeper = body.words?.find(({ text }) => text === 'keeper');
    expect(body.text.slice(...(keeper?.charRange ?? [0, 0]))).toBe('keeper');
    for (const side of [keeper?.box.x, keeper?.box.y, keeper?.box.width]) expect(side).toBeGreaterThan(0);
    const absent = await api.ask<Refused>(`/api/documents/${documentId}/pages/4`);
    expect(absent).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('DI-005 a page is shown as a picture, and a sheet says that it has none', async () => {
    const { documentId, versionId } = await api.add('shown.pdf', await makePdf([['A page with a look']]));
    await live.untilTerminal(versionId);
    for (let asked = 0; asked < 2; asked += 1) {
      const { status, headers, body } = await api.ask<Buffer>(`/api/documents/${documentId}/pages/1/image?dpi=72`);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(body.subarray(1, 4).toString()).toBe('PNG');
      expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual([595, 842]);
    }
    expect((await api.ask(`/api/documents/${documentId}/pages/1/image?dpi=201`)).status).toBe(400);
    const { parse_id } = await live.version(versionId);
    const kept = await readdir(dirname(await live.store.localFile(`${parse_id}/pages-1`)));
    expect(kept).toEqual(['pages-1']);
    const sheet = await api.add('rates.csv', Buffer.from('port,rate\nRotterdam,12.5\nGenoa,9\n'));
    await live.untilTerminal(sheet.versionId);
    const image = await api.ask<Refused>(`/api/documents/${sheet.documentId}/pages/1/image`);
    expect(image).toMatchObject({ status: 415, body: { error: { code: 'unsupported_type' } } });
    const tables = await api.ask<Listed<object>>(`/api/documents/${sheet.documentId}/tables`);
    expect(tables.body.data).toMatchObject([
      {
        pages: [1],
        found: 'sheet',
        header: [['port', 'rate']],
        rows: [
          ['Rotterdam', '12.5'],
          ['Genoa', '9'],
        ],
      },
    ]);
  });

  it('DI-009 the pages of an earlier version stay readable', async () => {
    const first = await api.add('terms.txt', Buffer.from('the first wording'));
    await live.untilTerminal(first.versionId);
    const second = await api.add('terms.txt', Buffer.from('the second wording'));
    await live.untilTerminal(second.versionId);
    expect(second.documentId).toBe(first.documentId);
    const read = async (query: string) =>
      (await api.ask<PageBody>(`/api/documents/${first.documentId}/pages/1${query}`)).body;
    expect(await read('')).toMatchObject({ version: 2, text: 'the second wording' });
    expect(await read('?version=1')).toMatchObject({ version: 1, text: 'the first wording' });
  });

  it('an encrypted document is read with the password of a reprocess, which is kept nowhere', async () => {
    const password = 'open-sesame-4711';
    const { documentId, versionId } = await api.add(
      'secret.pdf',
      await makePdf([['Sealed words']], { userPassword: password }),
    );
    expect(await live.untilTerminal(versionId)).toMatchObject({
      status: 'failed',
      error: { code: 'password_required' },
    });
    const refused = await api.ask<Refused>(`/api/documents/${documentId}/pages`);
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'password_required' } } });
    const again = { method: 'POST', body: JSON.stringify({ password }) };
    expect((await api.ask(`/api/documents/${documentId}/reprocess`, again)).status).toBe(202);
    expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'ready', attempt: 2 });
    const { body } = await api.ask<PageBody>(`/api/documents/${documentId}/pages/1`);
    expect(body.text).toContain('Sealed words');
    // Nobody says the password: what was read with it stays, and is found.
    expect((await api.ask(`/api/documents/${documentId}/reprocess`, { method: 'POST', body: '{}' })).status).toBe(202);
    expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'failed', attempt: 3 });
    const kept = await api.ask<PageBody>(`/api/documents/${documentId}/pages/1`);
    expect(kept).toMatchObject({ status: 200, body: { text: body.text } });
    const sought = { method: 'POST', body: JSON.stringify({ query: 'sealed words' }) };
    const { body: answer } = await api.ask(`/api/projects/${live.org.projectId}/search`, sought);
    expect(answer).toMatchObject({ results: [{ documentId, version: 1, pageNumber: 1 }] });
    for (const id of [`ingest/${versionId}`, `ingest/${versionId}/2/1`]) {
      const history = await live.temporal.client.workflow.getHandle(id).fetchHistory();
      expect(JSON.stringify(history)).not.toContain(password);
    }
    const { rows } = await live.test.owner.query<{ found: number }>(
      `select count(*)::int as found from document_versions v, audit_events a
        where v::text like '%' || $1 || '%' or a::text like '%' || $1 || '%'`,
      [password],
    );
    expect(rows).toEqual([{ found: 0 }]);
    const accurate = { method: 'POST', body: JSON.stringify({ ocrMode: 'accurate' }) };
    expect((await api.ask(`/api/documents/${documentId}/reprocess`, accurate)).status).toBe(501);
  });
}
