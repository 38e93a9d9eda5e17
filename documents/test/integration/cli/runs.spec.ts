import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DocsvcCommand, type Ran } from '../../support/cli/docsvc-command.js';
import {
  ExtractionBench,
  type DocumentBody,
  type ResultBody,
  type RunBody,
} from '../../support/extractions/extraction-bench.js';

let bench: ExtractionBench;
let docsvc: DocsvcCommand;

beforeAll(async () => {
  bench = await ExtractionBench.open({ DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000' });
  docsvc = new DocsvcCommand({
    DOCSVC_DEFAULTS_API_URL: bench.api.origin,
    DOCSVC_DEFAULTS_PROJECT: bench.projectId,
    DOCSVC_CLIENT_ID: bench.acme.clientId,
    DOCSVC_CLIENT_SECRET: bench.acme.clientSecret,
  });
  await bench.document('oats.pdf', [['Subject Oats', 'Total 12.50'], ['The end.']]);
  await bench.document('=hay.pdf', [['Subject Hay', 'Total 7.00']]);
});
afterAll(async () => {
  docsvc[Symbol.dispose]();
  await bench.close();
});

const runs = (...argv: string[]): Promise<Ran> => docsvc.run(['runs', ...argv]);
const json = async <T>(...argv: string[]): Promise<T> => {
  const { stdout, stderr } = await runs(...argv, '--output', 'json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
};
const start = (...argv: string[]): Promise<RunBody> => json<RunBody>('start', '--schema', 'Letter', ...argv);
const driven = async (...argv: string[]): Promise<string> => {
  const { id } = await start(...argv);
  await bench.drive(id);
  return id;
};

describe('docsvc runs', () => {
  it('DI-014 DI-018 starts a run by the names of schema and documents; its key finds it again, and no other is made', async () => {
    const asked = ['--documents', 'oats.pdf,=hay.pdf', '--external-id', 'monday', '--min-confidence', '0.5'];
    const run = await start(...asked);
    expect(run).toMatchObject({ externalId: 'monday', status: 'queued', replayed: false });
    expect(run.documentVersionIds).toHaveLength(2);
    expect(await start(...asked)).toMatchObject({ id: run.id, replayed: true });
    const other = await runs('start', '--schema', 'Letter', '--documents', 'oats.pdf', '--external-id', 'monday');
    expect(other).toMatchObject({ code: 6, stderr: expect.stringContaining('asks for something else') });
    expect(await json('list', '--external-id', 'monday')).toMatchObject([{ id: run.id }]);
    expect(await json('list', '--status', 'completed')).toEqual([]);
    expect(await json('list', '--schema', 'Letter')).toHaveLength(1);
    expect(await json('show', 'monday')).toMatchObject({ id: run.id });
    expect(await json('show', run.id)).toMatchObject({ externalId: 'monday' });
    expect((await runs('show', 'tuesday')).code).toBe(5);
    expect((await runs('start', '--schema', 'Letter', '--engine', 'llm')).stderr).toContain('not_implemented');
  });

  it('waits up to runs.timeout, and the run goes on', async () => {
    const { id } = await start('--documents', 'oats.pdf');
    const cut = await runs('wait', id, '--timeout', '0');
    expect(cut).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining(`run ${id} is still queued`) });
    expect((await runs('result', id)).code).toBe(7);
    const waiting = runs('wait', id, '--poll-interval', '0.1', '--output', 'json');
    await bench.drive(id);
    const { code, stdout, stderr } = await waiting;
    expect({ code, ...(JSON.parse(stdout) as RunBody) }).toMatchObject({ code: 0, id, status: 'completed' });
    expect(stderr).toContain('completed, 1 of 1 done');
  });

  it('DI-043 DI-044 prints a result in every format, with places and signals where they are asked for', async () => {
    const id = await driven('--documents', '=hay.pdf,oats.pdf');
    const { results } = await json<ResultBody>('result', id);
    expect(results.map(({ documentName }) => documentName)).toEqual(['=hay.pdf', 'oats.pdf']);
    expect(JSON.stringify(results)).not.toMatch(/"(citations|signals)"/);
    const cited = await json<ResultBody>('result', id, '--citations', '--signals');
    expect(cited.results[1]?.fields['/subject']).toMatchObject({
      signals: { read: expect.any(Number) },
      citations: [{ documentName: 'oats.pdf', pageNumber: 1 }],
    });
    const lines = (await runs('result', id, '--output', 'jsonl')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as DocumentBody).data)).toEqual(results.map(({ data }) => data));
    const csv = (await runs('result', id, '--output', 'csv')).stdout.split('\r\n');
    expect(csv[0]).toBe('documentName,subject,total,lines.item,lines.price');
    expect(csv.slice(1)).toEqual([expect.stringMatching(/^"'=hay\.pdf",/), expect.stringMatching(/^oats\.pdf,/), '']);
    expect((await runs('result', id, '--output', 'csv', '--raw')).stdout).toContain('\r\n=hay.pdf,');
    const places = await runs('result', id, '--output', 'csv', '--citations');
    expect(places.stdout.match(/Document,Field,/g)).toHaveLength(1);
    expect(places.stdout).toContain('oats.pdf,/subject,');
    expect((await runs('result', id)).stdout).toMatch(/^=hay\.pdf \(.*\)$[^]*^oats\.pdf \(.*\)$[^]*^lines: \d+ rows$/m);
  });

  it('DI-016 says which values are less sure than asked for, and keeps them', async () => {
    const id = await driven('--documents', 'oats.pdf', '--min-confidence', '1');
    const { code, stdout, stderr } = await runs('result', id, '--output', 'jsonl');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as DocumentBody).needsReview).toContain('/subject');
    expect(stderr).toMatch(/^oats\.pdf: less sure than asked for, so to be looked at: .*\/subject/m);
  });

  it('ends with 9 for a run that is partial and names the document, with 8 for one that failed or was cancelled', async () => {
    const failed = await bench.unread('unread.pdf', 'failed');
    const oats = (await json<RunBody>('show', 'monday')).documentVersionIds[0] ?? '';
    const partial = await driven('--versions', `${oats},${failed.versionId}`);
    const shown = await runs('result', partial, '--output', 'csv');
    expect(shown).toMatchObject({ code: 9, stderr: expect.stringContaining(`warning: ${failed.versionId}: `) });
    expect(shown.stdout).toContain('oats.pdf,');
    expect((await runs('wait', partial)).code).toBe(9);
    const none = await driven('--versions', failed.versionId);
    expect((await runs('wait', none)).code).toBe(8);
    expect(await runs('result', none)).toMatchObject({ code: 8, stdout: '' });
    const { id: stopped } = await start('--documents', 'oats.pdf');
    expect(await json('cancel', stopped)).toMatchObject({ status: 'cancelling' });
    await bench.drive(stopped);
    expect((await runs('wait', stopped)).code).toBe(8);
    expect((await runs('result', stopped)).code).toBe(8);
  });

  it('DI-044 does a run again, and prints what an earlier attempt came to', async () => {
    const failed = await bench.unread('unread-too.pdf', 'failed');
    const oats = (await json<RunBody>('show', 'monday')).documentVersionIds[0] ?? '';
    const id = await driven('--versions', `${oats},${failed.versionId}`);
    expect(await json('retry', id, '--only-failed')).toMatchObject({ attempt: 2, status: 'queued' });
    expect((await runs('result', id)).code).toBe(7);
    const first = await runs('result', id, '--attempt', '1', '--output', 'json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ attempt: 1, status: 'partial' });
    expect(await bench.drive(id)).toMatchObject({ attempt: 2, status: 'partial' });
    const whole = await driven('--documents', 'oats.pdf');
    expect((await runs('retry', whole)).code).toBe(6);
  });
});
