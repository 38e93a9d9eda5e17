import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';

interface VersionBody {
  id: string;
  version: number;
  digest: string;
  jsonSchema: { properties: object };
  fieldCount: number;
  source: string;
}

interface SchemaBody {
  id: string;
  name: string;
  latestVersion: number;
  latestVersionId: string;
  schemaVersion: VersionBody;
}

interface ErrorBody {
  error: { code: string; message: string; details: { path: string; code: string; message: string }[] };
}

let api: TestApi;
let acme: TestOrganization;
let projectId: string;
let workspaceId: string;

beforeAll(async () => {
  api = await startApi({ DOCSVC_QUOTA_SCHEMAS_PER_PROJECT: '6' });
  acme = await api.organization();
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  workspaceId = workspace.body.id;
  projectId = await newProject('P');
});
afterAll(() => api.close());

async function newProject(name: string): Promise<string> {
  const { body } = await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body: { workspaceId, name } });
  return body.id;
}

const text = (description: string): object => ({ type: 'string', description });
const schemaOf = (properties: object): object => ({ type: 'object', properties });
const LETTER = schemaOf({ sender: text('Who wrote it.'), date: { ...text('When it was written.'), format: 'date' } });

const create = (body: object, of = projectId): Promise<Answer<SchemaBody & ErrorBody>> =>
  acme.ask(`/api/projects/${of}/schemas`, { method: 'POST', body });
const addVersion = (id: string, body: object): Promise<Answer<VersionBody & ErrorBody>> =>
  acme.ask(`/api/schemas/${id}/versions`, { method: 'POST', body });

async function audit(action: string): Promise<{ subject: { id: string } }[]> {
  const { body } = await acme.ask<{ data: { action: string; subject: { id: string } }[] }>('/api/audit?limit=200');
  return body.data.filter((entry) => entry.action === action);
}

describe('schemas', () => {
  it('DI-010 DI-011 DI-031 DI-033 DI-040 are written by hand, kept as they were written, and listed', async () => {
    const columns = schemaOf({ zebra: text('Last letter.'), a: text('First letter.'), '2': text('A number.') });
    const made = await create({ name: 'Letters', jsonSchema: columns, description: 'mine' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Letters', description: 'mine', latestVersion: 1, schemaVersion: { version: 1, source: 'manual' } },
    });
    const { id, latestVersionId, schemaVersion } = made.body;
    expect(schemaVersion).toMatchObject({ id: latestVersionId, fieldCount: 3, jsonSchema: columns });
    expect(Object.keys(schemaVersion.jsonSchema.properties)).toEqual(['2', 'zebra', 'a']);
    expect(schemaVersion.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await acme.ask(`/api/schema-versions/${latestVersionId}`)).body).toMatchObject({
      schemaId: id,
      version: 1,
    });
    const listed = await acme.ask<{ data: SchemaBody[] }>(`/api/projects/${projectId}/schemas?name=Letters`);
    expect(listed.body.data).toMatchObject([{ id, latestVersion: 1 }]);
    expect(await audit('schema.created')).toMatchObject([{ subject: { id } }]);
  });

  it('DI-011 the same creation again, also by ten at once, answers one schema; other content under its name is refused', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Twice', jsonSchema: LETTER })));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(made.map(({ body }) => body.schemaVersion.id)).size).toBe(1);
    const other = await create({ name: 'Twice', jsonSchema: schemaOf({ a: text('Another.') }) });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict', details: [{ path: 'name' }] } } });
  });

  it('DI-010 versions never change: a new one needs the newest as its base, and known content answers the version that has it', async () => {
    const { body: schema } = await create({ name: 'Versions', jsonSchema: LETTER });
    const second = schemaOf({ sender: text('Who wrote it.') });
    const added = await addVersion(schema.id, { jsonSchema: second, baseVersion: 1 });
    expect(added).toMatchObject({ status: 201, body: { version: 2, fieldCount: 1 } });
    const stale = await addVersion(schema.id, { jsonSchema: schemaOf({ a: text('Another.') }), baseVersion: 1 });
    expect(stale).toMatchObject({
      status: 409,
      body: { error: { code: 'version_conflict', details: [{ path: 'baseVersion' }] } },
    });
    const again = await addVersion(schema.id, { jsonSchema: second, baseVersion: 1 });
    expect(again.body).toMatchObject({ id: added.body.id, version: 2 });
    const reordered = { ...Object.fromEntries(Object.entries(LETTER).reverse()) };
    expect((await addVersion(schema.id, { jsonSchema: reordered, baseVersion: 2 })).body).toMatchObject({ version: 1 });
    const racing = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        addVersion(schema.id, { jsonSchema: schemaOf({ [name]: text('One of four.') }), baseVersion: 2 }),
      ),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const { body } = await acme.ask<{ data: VersionBody[] }>(`/api/schemas/${schema.id}/versions`);
    expect(body.data.map(({ version }) => version)).toEqual([3, 2, 1]);
    const change = `update schema_versions set json_schema = '{}' where id = $1`;
    await expect(api.database.owner.query(change, [added.body.id])).rejects.toThrow('never change');
    const read = await acme.ask(`/api/schemas/${schema.id}`);
    expect(read.body).toMatchObject({ latestVersion: 3, schemaVersion: { version: 3 } });
  });

  it('DI-010 DI-011 keep properties of every name, and ten nullable objects inside each other', async () => {
    const named = schemaOf({ constructor: text('Who builds it.'), toString: text('Another.'), then: text('A third.') });
    const made = await create({ name: 'Builders', jsonSchema: named });
    expect(Object.keys(made.body.schemaVersion.jsonSchema.properties)).toEqual(['constructor', 'toString', 'then']);
    const nullable = (levels: number): object =>
      levels === 1
        ? schemaOf({ a: text('The innermost.') })
        : schemaOf({ a: { anyOf: [nullable(levels - 1), { type: 'null' }], description: 'Deeper.' } });
    const path = `/api/projects/${projectId}/schemas/validate`;
    const { body } = await acme.ask(path, { method: 'POST', body: { jsonSchema: nullable(10) } });
    expect(body).toMatchObject({ valid: true, depth: 10 });
    await acme.ask(`/api/schemas/${made.body.id}/archive`, { method: 'POST' });
  });

  it('DI-011 DI-032 faults are all told at once, each with its place', async () => {
    const undescribed = schemaOf({
      a: { type: 'string' },
      rows: {
        type: 'array',
        description: 'Rows.',
        items: schemaOf({ b: { enum: ['x'] }, c: { anyOf: [{ type: 'null' }] } }),
      },
    });
    const missing = await create({ name: 'Faults', jsonSchema: undescribed });
    expect(missing).toMatchObject({ status: 422, body: { error: { code: 'schema_invalid' } } });
    const { details } = missing.body.error;
    expect(details.filter(({ code }) => code === 'description_missing').map(({ path }) => path)).toEqual([
      '/properties/a',
      '/properties/rows/items/properties/b',
      '/properties/rows/items/properties/c',
    ]);
    const only = await create({
      name: 'Faults',
      jsonSchema: schemaOf({ a: { type: 'string' }, b: { type: 'integer' } }),
    });
    expect(only).toMatchObject({
      status: 422,
      body: {
        error: { code: 'description_missing', details: [{ path: '/properties/a' }, { path: '/properties/b' }] },
      },
    });
    const checked = await acme.ask(`/api/projects/${projectId}/schemas/validate`, {
      method: 'POST',
      body: { jsonSchema: { type: 'object', oneOf: [], properties: { a: { type: 'text', description: 'A.' } } } },
    });
    expect(checked).toMatchObject({
      status: 200,
      body: {
        valid: false,
        fieldCount: 1,
        depth: 1,
        errors: [
          { path: '/oneOf', code: 'schema_invalid', suggestion: 'anyOf' },
          { path: '/properties/a/type', code: 'schema_invalid', suggestion: 'string' },
        ],
      },
    });
    const large = schemaOf({ a: text('x'.repeat(300_000)) });
    expect(await create({ name: 'Large', jsonSchema: large })).toMatchObject({ status: 413 });
  });

  it('are renamed with If-Match, archived with their versions kept, and a name is free again', async () => {
    const { body, headers } = await create({ name: 'Renamed', jsonSchema: LETTER });
    const path = `/api/schemas/${body.id}`;
    const etag = headers.get('etag') ?? '';
    const rename = (name: string): Promise<Answer> =>
      acme.ask(path, { method: 'PATCH', body: { name }, headers: { 'if-match': etag } });
    expect(await rename('Twice')).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await rename('Renamed again')).toMatchObject({ status: 200, body: { name: 'Renamed again' } });
    expect(await rename('Renamed late')).toMatchObject({ status: 409, body: { error: { code: 'version_conflict' } } });
    const archived = await acme.ask<{ archivedAt: string }>(`${path}/archive`, { method: 'POST' });
    expect(archived).toMatchObject({ status: 200, body: { archivedAt: expect.any(String) } });
    expect((await acme.ask(`${path}/archive`, { method: 'POST' })).body).toMatchObject(archived.body);
    expect((await acme.ask(`/api/schema-versions/${body.latestVersionId}`)).status).toBe(200);
    expect(await addVersion(body.id, { jsonSchema: schemaOf({ a: text('A.') }), baseVersion: 1 })).toMatchObject({
      status: 409,
    });
    expect(await create({ name: 'Renamed again', jsonSchema: LETTER })).toMatchObject({ status: 201 });
    const listed = await acme.ask<{ data: SchemaBody[] }>(`/api/projects/${projectId}/schemas`);
    expect(listed.body.data.map(({ id }) => id)).not.toContain(body.id);
  });

  it('a project has so many and no more, and they go when it is purged', async () => {
    const full = await newProject('Full');
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) => create({ name: `S${at}`, jsonSchema: LETTER }, full)),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 201, 429, 429]);
    await acme.ask(`/api/projects/${full}`, { method: 'DELETE' });
    const purged = await api.database.record.inOrganization(acme.orgId, (tx) =>
      tx.query<{ purged: boolean }>('select docsvc_purge_project($1) as purged', [full]),
    );
    expect(purged).toEqual([{ purged: true }]);
    const { rows } = await api.database.owner.query(
      `select from schema_versions v left join schemas s on s.id = v.schema_id where s.id is null`,
    );
    expect(rows).toEqual([]);
  });
});
