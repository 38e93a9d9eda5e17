import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { generatedSheets } from '../../support/schemas/generated-sheets.js';
import { leafTypesOf } from '../../support/schemas/score-schema.js';
import { plantDocument } from '../../support/search/plant-document.js';

interface Made {
  jsonSchema: { properties: object };
  rationale: { path: string; reason: string }[];
  warnings: { path: string; code: string }[];
  engine: string;
  schema: { id: string; name: string } | null;
  schemaVersion: { version: number; source: string } | null;
  error: { code: string; details: { path: string }[] };
}

let api: TestApi;
let acme: TestOrganization;
let projectId: string;
let letterId: string;
let sheetId: string;

const [sheet] = generatedSheets();

beforeAll(async () => {
  api = await startApi();
  acme = await api.organization();
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { workspaceId: workspace.body.id, name: 'P' };
  projectId = (await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body })).body.id;
  const { owner, record } = api.database;
  const ground = { owner, record, orgId: acme.orgId, projectId };
  const letter = await plantDocument(ground, { name: 'letter.txt', pages: ['Amount payable: 17.00', 'Yours'] });
  const planted = await plantDocument(ground, { name: 'sheet.xlsx', pages: ['Item name'], kind: 'spreadsheet' });
  [letterId, sheetId] = [letter.documentId, planted.documentId];
  const table = JSON.stringify(sheet?.table);
  await owner.query(
    `insert into document_tables (org_id, parse_id, table_number, first_page, last_page, size_bytes, content)
     values ($1, $2, 1, 1, 1, $3, $4)`,
    [acme.orgId, planted.parseId, Buffer.byteLength(table), table],
  );
});
afterAll(() => api.close());

const make = (how: 'generate' | 'infer', body: object): Promise<Answer<Made>> =>
  acme.ask(`/api/projects/${projectId}/schemas/${how}`, { method: 'POST', body });

describe('schemas that are made', () => {
  it('DI-012 from words: with a reason for each field, samples that confirm its labels, and nothing kept unless asked', async () => {
    const description = 'the total labelled "Amount payable", zorblat';
    const made = await make('generate', { description, documentIds: [letterId] });
    expect(made).toMatchObject({
      status: 200,
      body: { engine: 'local', schema: null, schemaVersion: null, warnings: [{ path: '/properties/zorblat' }] },
    });
    expect(leafTypesOf(made.body.jsonSchema as never)).toEqual({ total: 'number', zorblat: 'string' });
    expect(made.body.rationale.map(({ path, reason }) => [path, reason.split('; ')[1]])).toEqual([
      ['/properties/total', '"Amount payable" stands in 1 of 1 samples'],
      ['/properties/zorblat', 'no sample prints its name'],
    ]);
    const list = await acme.ask<{ data: object[] }>(`/api/projects/${projectId}/schemas`);
    expect(list.body.data).toEqual([]);
  });

  it('DI-012 are saved under a name, and the same words again give the same version', async () => {
    const body = { description: 'sender, date', save: true, name: 'Letters' };
    const [first, second] = [await make('generate', body), await make('generate', body)];
    expect(first.body).toMatchObject({
      schema: { name: 'Letters' },
      schemaVersion: { version: 1, source: 'generated' },
    });
    expect(second.body.schemaVersion).toEqual(first.body.schemaVersion);
  });

  it('DI-013 from a spreadsheet of the project', async () => {
    const made = await make('infer', { documentId: sheetId, save: true, name: 'Rows' });
    expect(made).toMatchObject({ status: 200, body: { schemaVersion: { source: 'inferred' } } });
    expect(leafTypesOf(made.body.jsonSchema as never)).toEqual(sheet?.expected);
    const record = await make('infer', { documentId: sheetId, sheetName: 'Sheet1', shape: 'record', headerRow: 1 });
    expect(Object.keys(record.body.jsonSchema.properties)).toContain('itemName');
  });

  const sendForm = (members: Record<string, string>, file: Blob, name: string): Promise<Answer<Made>> => {
    const form = new FormData();
    for (const [member, value] of Object.entries(members)) form.append(member, value);
    form.append('file', file, name);
    return acme.ask(`/api/projects/${projectId}/schemas/infer`, { method: 'POST', body: form });
  };

  it('DI-013 from a spreadsheet that comes as a form, of which nothing is kept', async () => {
    const csv = new Blob(['Article,Unit price,Sold on\nA-01,1.50,2026-01-03\nA-02,2.25,2026-02-04\n']);
    const sent = await sendForm({ save: 'true', name: 'Sold', shape: 'rows' }, csv, 'sold.csv');
    expect(sent).toMatchObject({
      status: 200,
      body: { schema: { name: 'Sold' }, schemaVersion: { source: 'inferred' } },
    });
    expect(leafTypesOf(sent.body.jsonSchema as never)).toEqual({
      'rows[].article': 'string',
      'rows[].unitPrice': 'number',
      'rows[].soldOn': 'date',
    });
    const kept = await readdir(api.filesRoot, { recursive: true, withFileTypes: true });
    expect(kept.filter((entry) => entry.isFile())).toEqual([]);
    const list = await acme.ask<{ data: { name: string }[] }>(`/api/projects/${projectId}/documents?namePrefix=sold`);
    expect(list.body.data).toEqual([]);
  });

  it('refuse a form with another file, another field, or no sheet of that name', async () => {
    const csv = new Blob(['Article,Price\nA-01,1.50\n']);
    const said = async (members: Record<string, string>, file: Blob, name: string): Promise<unknown> => {
      const { status, body } = await sendForm(members, file, name);
      return [status, body.error.code, body.error.details[0]?.path];
    };
    expect(await said({}, new Blob(['Dear Sir or Madam']), 'letter.txt')).toEqual([415, 'unsupported_type', undefined]);
    expect(await said({ documentId: sheetId }, csv, 'a.csv')).toEqual([400, 'invalid_request', 'documentId']);
    expect(await said({ headerRow: 'two' }, csv, 'a.csv')).toEqual([400, 'invalid_request', 'headerRow']);
    expect(await said({ sheetName: 'None' }, csv, 'a.csv')).toEqual([400, 'invalid_request', 'sheetName']);
    expect(await said({ save: 'true' }, csv, 'a.csv')).toEqual([400, 'invalid_request', 'name']);
    expect(await said({}, new Blob(['\n\n']), 'empty.csv')).toEqual([400, 'invalid_request', 'file']);
    const nothing = await make('infer', {});
    expect(nothing).toMatchObject({ status: 400, body: { error: { details: [{ path: 'documentId' }] } } });
  });

  it('refuse what names nothing, a document without a sheet, one of somebody else, and saving without a name', async () => {
    const refused = async (how: 'generate' | 'infer', body: object): Promise<unknown> => {
      const { status, body: answer } = await make(how, body);
      return [status, answer.error.details[0]?.path];
    };
    expect(await refused('generate', { description: ' , ' })).toEqual([400, 'description']);
    expect(await refused('generate', { description: 'date', save: true })).toEqual([400, 'name']);
    expect(await refused('infer', { documentId: letterId })).toEqual([400, 'documentId']);
    expect(await refused('infer', { documentId: sheetId, sheetName: 'None' })).toEqual([400, 'sheetName']);
    const other = await api.organization('Other');
    const foreign = await other.ask(`/api/projects/${projectId}/schemas/infer`, {
      method: 'POST',
      body: { documentId: sheetId },
    });
    expect(foreign.status).toBe(404);
    const reader = await acme.client(['schemas:read', 'projects:read']);
    const path = `/api/projects/${projectId}/schemas/generate`;
    const asReader = await api.ask(path, { method: 'POST', token: reader.token, body: { description: 'date' } });
    expect(asReader).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  });

  it('so many in a minute and no more', async () => {
    const few = await startApi({ DOCSVC_RATE_GENERATIONS_PER_MIN: '2' }, api.database);
    const { ask } = await few.organization('Few');
    const path = '/api/projects/01900000-0000-7000-8000-000000000000/schemas/generate';
    const statuses: number[] = [];
    for (let at = 0; at < 3; at++) {
      statuses.push((await ask(path, { method: 'POST', body: { description: 'date' } })).status);
    }
    await few.close();
    expect(statuses).toEqual([404, 404, 429]);
  });
});
