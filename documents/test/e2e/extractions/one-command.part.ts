import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocsvcCommand, type Ran } from '../../support/cli/docsvc-command.js';
import { INVOICE, INVOICE_WORDS, invoicePdf } from '../../support/documents/invoice-pdf.js';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';

interface Printed {
  extractionId: string;
  status: string;
  results: { documentName: string; data: Record<string, unknown>; fields: Record<string, PrintedField> }[];
}

interface PrintedField {
  confidence: number;
  raw: string | null;
  citations?: { pageNumber: number; excerpt: string; boundingBoxes: object[] }[];
}

const LINES = INVOICE.lines.map(({ description, quantity, price, amount }) => ({
  ...{ description, quantity, unitPrice: Number(price), amount: Number(amount) },
}));
const DATA = { invoiceNumber: INVOICE.number, invoiceDate: INVOICE.date, total: 1234.5, lineItems: LINES };

/** `docsvc extract`. */
export function needsOneCommand(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;
  let docsvc: DocsvcCommand;

  beforeAll(async () => {
    // Nothing but this host is reached, and there is no key of a model.
    ({ live, api } = await enter());
    docsvc = new DocsvcCommand({
      DOCSVC_DEFAULTS_API_URL: api.origin,
      DOCSVC_DEFAULTS_PROJECT: live.org.projectId,
      DOCSVC_CLIENT_ID: live.org.client.clientId,
      DOCSVC_CLIENT_SECRET: live.org.client.clientSecret,
    });
    writeFileSync(join(docsvc.folder, 'invoice.pdf'), await invoicePdf());
  });

  afterAll(() => docsvc[Symbol.dispose]());

  const extract = (...argv: string[]): Promise<Ran> => docsvc.run(['extract', ...argv]);
  const count = async (table: string): Promise<number> => {
    const ours = [live.org.orgId];
    return (await live.test.owner.query(`select 1 from ${table} where org_id = $1`, ours)).rowCount ?? 0;
  };

  it('DI-025 makes data of a file in one command, without a model, and prints it in four formats; a repeat is free', async () => {
    const words = ['invoice.pdf', '--describe', INVOICE_WORDS];
    const first = await extract(...words, '--output', 'json');
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('1 of 1 parts') });
    const { status, results, extractionId } = JSON.parse(first.stdout) as Printed;
    expect(status).toBe('completed');
    expect(results).toMatchObject([{ documentName: 'invoice.pdf', data: DATA }]);
    for (const { confidence, citations } of Object.values(results[0]?.fields ?? {})) {
      expect(confidence > 0 && confidence < 1).toBe(true);
      expect(citations).toBeUndefined();
    }

    const lines = await extract(...words, '--output', 'jsonl');
    expect(JSON.parse(lines.stdout)).toMatchObject({ documentName: 'invoice.pdf', data: DATA });
    const csv = await extract(...words, '--output', 'csv');
    expect(csv.stdout.split('\r\n')).toEqual([
      'documentName,invoiceNumber,invoiceDate,total,lineItems.description,lineItems.quantity,lineItems.unitPrice,lineItems.amount',
      'invoice.pdf,HC-2024-0117,2024-03-04,1234.5,Mooring rope,4,120,480',
      'invoice.pdf,HC-2024-0117,2024-03-04,1234.5,Fender,10,65.45,654.5',
      `invoice.pdf,HC-2024-0117,2024-03-04,1234.5,"'=Anchor shackle",20,5,100`,
      '',
    ]);
    expect((await extract(...words, '--output', 'csv', '--raw')).stdout).toContain(',=Anchor shackle,');
    const table = await extract(...words);
    expect(table.stdout).toMatch(/^invoice\.pdf \(completed, confidence 0\.\d\d, lowest 0\.\d\d\)$/m);
    expect(table.stdout).toMatch(/^invoiceNumber +HC-2024-0117 +0\.\d\d$/m);
    expect(table.stdout).toMatch(/^Mooring rope +4 +120 +480$/m);

    for (const again of [lines, csv, table]) {
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`run ${extractionId} is there already`) });
      expect(again.stderr).not.toContain('parts');
    }
    expect([await count('extractions'), await count('document_versions'), await count('schemas')]).toEqual([1, 1, 1]);
  });

  it('DI-017 cites every value with its place on the page', async () => {
    const cited = await extract('invoice.pdf', '--describe', INVOICE_WORDS, '--citations', '--output', 'json');
    const [result] = (JSON.parse(cited.stdout) as Printed).results;
    const fields = Object.entries(result?.fields ?? {});
    expect(fields).toHaveLength(15);
    for (const [path, { raw, citations = [] }] of fields) {
      const places = citations.map(({ pageNumber, boundingBoxes, excerpt }) => ({
        ...{ pageNumber, isBoxed: boundingBoxes.length > 0, holds: excerpt.includes(raw ?? '') },
      }));
      expect({ path, places }).toEqual({ path, places: [{ pageNumber: 1, isBoxed: true, holds: true }] });
    }
    const rows = await extract('invoice.pdf', '--describe', INVOICE_WORDS, '--citations', '--output', 'csv');
    expect(rows.stdout.split('\r\n')[0]).toBe('Document,Field,Value,Confidence,Page,Excerpt,Boxes');
    expect(rows.stdout).toMatch(/^invoice\.pdf,\/total,1234\.5,0\.\d\d,1,.*1,234\.50.*,p1 [\d.]+% /m);
  });

  it('takes folders, and a schema that is kept, in a file or in a spreadsheet', async () => {
    mkdirSync(join(docsvc.folder, 'in', 'march'), { recursive: true });
    const other = { ...INVOICE, number: 'HC-2024-0118', total: '480.00', lines: INVOICE.lines.slice(0, 1) };
    writeFileSync(join(docsvc.folder, 'in', 'march', 'second.pdf'), await invoicePdf(other));
    writeFileSync(join(docsvc.folder, 'in', 'first.pdf'), await invoicePdf());
    writeFileSync(
      join(docsvc.folder, 'fields.csv'),
      'Name,Type,Description\nInvoice number,text,Number of the invoice\n',
    );
    const saved = await extract(
      'in',
      '--from-spreadsheet',
      'fields.csv',
      '--save-schema',
      'Numbers',
      '--output',
      'jsonl',
    );
    expect(saved.code).toBe(0);
    const data = saved.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Printed['results'][0]).data);
    expect(data).toEqual([{ invoiceNumber: INVOICE.number }, { invoiceNumber: other.number }]);
    await docsvc.run(['schemas', 'export', 'Numbers', '--to', 'numbers.json']);
    for (const schema of ['Numbers', 'numbers.json']) {
      const same = await extract('in', '--schema', schema, '--output', 'jsonl');
      expect(same).toMatchObject({ code: 0, stdout: saved.stdout });
    }
    const key = ['--external-id', 'numbers of march', '--output', 'jsonl'];
    expect((await extract('in', '--schema', 'Numbers', ...key)).code).toBe(0);
    expect(await extract('in', '--describe', 'invoice date', ...key)).toMatchObject({ code: 6, stdout: '' });
  });

  it('DI-026 a wait that is over leaves the run, says its id and ends with 7; the same command finds it', async () => {
    const asked = ['invoice.pdf', '--describe', 'invoice date', '--output', 'json'];
    const cut = await extract(...asked, '--timeout', '0');
    const id = /run ([0-9a-f-]{36}) is still/.exec(cut.stderr)?.[1] ?? '';
    expect(cut).toMatchObject({ code: 7, stdout: '' });
    expect(await docsvc.run(['runs', 'wait', id, '--output', 'json'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await extract(...asked)).stdout)).toMatchObject({ extractionId: id, status: 'completed' });
  });

  it('ends with 9 where a document came to nothing, and with 8 where all did', async () => {
    const noise = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7919) % 251));
    writeFileSync(join(docsvc.folder, 'noise.bin'), noise);
    const some = await extract('noise.bin', 'invoice.pdf', '--describe', 'invoice number', '--output', 'csv');
    expect(some).toMatchObject({ code: 9, stderr: expect.stringContaining('warning: noise.bin: ') });
    expect(some.stdout).toBe('documentName,invoiceNumber\r\ninvoice.pdf,HC-2024-0117\r\n');
    expect((await extract('noise.bin', '--describe', 'invoice number')).code).toBe(8);
  });
}
