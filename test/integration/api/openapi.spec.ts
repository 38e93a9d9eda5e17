import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOpenApiDocument } from '../../../src/api/openapi/document.js';
import { startApi, type TestApi } from '../../support/api/api.js';

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
  security?: unknown[];
  requestBody?: unknown;
  parameters?: { name: string; in: string }[];
}

let api: TestApi;
let document: {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Reference>; securitySchemes: object };
};
beforeAll(async () => {
  api = await startApi();
  document = JSON.parse((await api.get('/v1/openapi.json', { token: null })).text) as typeof document;
});
afterAll(() => api.close());

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as [string, Operation]),
  );

interface Members {
  properties: Record<string, Reference>;
}
interface Reference extends Partial<Members> {
  description?: string;
  $ref?: string;
  allOf?: Reference[];
}

/** The object that a schema describes, by reference or in place; without members where it describes none. */
function members(schema: Reference | undefined): Members {
  const target = schema?.allOf?.[0] ?? schema;
  const name = target?.$ref?.split('/').at(-1);
  const found = name === undefined ? target : document.components.schemas[name];
  return { properties: found?.properties ?? {} };
}

function answerOf(name: string): Reference | undefined {
  const operation = new Map(operations()).get(name);
  return operation?.responses['200']?.content?.['application/json']?.schema as Reference | undefined;
}

/** What the interface writes of an answer: its wrappers, or one member of a bare record. */
const ANSWERS: [operation: string, shape: string[] | string][] = [
  ['get /v1/health', ['status']],
  ['get /v1/harnesses', ['harnesses']],
  ['get /v1/sessions', ['sessions']],
  ['post /v1/sessions', ['session']],
  ['get /v1/sessions/{id}', ['session', 'usage', 'queue_position']],
  ['post /v1/sessions/{id}/cancel', ['cancelled']],
  ['get /v1/sessions/{id}/cost', 'cost_usd'],
  ['get /v1/sessions/{id}/deliveries', ['deliveries']],
  ['post /v1/sessions/{id}/deliveries/{delivery_id}/resend', 'id'],
  ['get /v1/sessions/{id}/artifacts', ['artifacts']],
  ['get /v1/sessions/{id}/artifacts/{aid}', 'id'],
  ['get /v1/sessions/{id}/events', ['events']],
  ['get /v1/sessions/{id}/approvals', ['approvals']],
  ['get /v1/approvals', ['approvals']],
  ['get /v1/approvals/{id}', 'id'],
  ['post /v1/approvals/{id}/decision', 'id'],
  ['get /v1/agents', ['agents']],
  ['post /v1/agents', ['agent', 'revision']],
  ['get /v1/agents/{id}', ['agent', 'revisions']],
  ['post /v1/agents/{id}/revisions', ['revision']],
  ['get /v1/policies', ['policies']],
  ['post /v1/policies', 'id'],
  ['get /v1/policies/{name}', 'id'],
  ['delete /v1/policies/{name}', ['deleted']],
  ['get /v1/policies/{name}/versions/{version}', 'id'],
  ['post /v1/policies/{name}/publish', 'id'],
  ['post /v1/policies/{name}/revert', 'id'],
  ['post /v1/policies/clone', 'id'],
  ['post /v1/policies/validate', ['valid', 'errors']],
  ['get /v1/connections', ['connections']],
  ['post /v1/connections', 'id'],
  ['get /v1/connections/{id}', 'id'],
  ['post /v1/connections/{id}/approve', 'id'],
  ['post /v1/connections/{id}/revoke', 'id'],
  ['post /v1/connections/{id}/oauth/start', ['go_url']],
  ['get /v1/connections/{id}/tools', 'version'],
  ['post /v1/connections/{id}/tools/refresh', 'version'],
  ['get /v1/capabilities', ['bundles']],
  ['post /v1/capabilities', 'id'],
  ['get /v1/capabilities/{name}', 'id'],
  ['get /v1/capabilities/{name}/versions/{version}', 'id'],
  ['get /v1/catalog', ['connectors']],
  ['post /v1/catalog', 'id'],
  ['post /v1/workspaces', ['workspace']],
];

describe('the interface description', () => {
  it('CP-319 CP-339 is OpenAPI 3.1, version 0.3.0, with relative servers', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('0.3.0');
    expect(document.servers.map((server) => server.url)).toEqual(['/']);
  });

  it('CP-339 is the one that is committed', () => {
    expect(document).toEqual(JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')));
  });

  it('describes the controllers that serve, though it was made without them', () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument(api.app))));
  });

  it('CP-299 documents 200 and the one error shape, and 401 wherever a credential is needed', () => {
    for (const [name, operation] of operations()) {
      const statuses = Object.keys(operation.responses);
      const succeeds = statuses.includes(name === 'post /v1/auth/logout' ? '204' : '200');
      expect([name, succeeds, statuses.includes('500')]).toEqual([name, true, true]);
      if ((operation.security ?? []).length > 0)
        expect([name, statuses]).toEqual([name, expect.arrayContaining(['400', '401'])]);
      // Nobody lacks a role who shows none, the operator's plane knows none, and a webhook is taken whatever its type is said to be.
      const roles = name.includes('/auth/device') || name.includes('/v1/admin/') ? [] : ['403'];
      const refusals = name.includes('/ingress/') ? ['503'] : ['413', '415', '503', ...roles];
      if (name.startsWith('post')) expect([name, statuses]).toEqual([name, expect.arrayContaining(refusals)]);
      if (name.includes('{')) expect([name, statuses]).toEqual([name, expect.arrayContaining(['404'])]);
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 300) continue;
        expect(response.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorBody' });
      }
    }
  });

  it.each<[string, string[]]>([
    ['get /v1/health', []],
    ['get /v1/agents', ['bearer', 'cookie']],
    ['post /v1/auth/tokens', ['cookie']],
    ['get /v1/admin/metrics', ['bearer']],
    ['post /v1/triggers/{id}/invoke', ['bearer']],
  ])('CP-046 CP-339 says that %s takes the credentials %j', (name, schemes) => {
    expect(new Map(operations()).get(name)?.security).toEqual(schemes.map((scheme) => ({ [scheme]: [] })));
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['bearer', 'cookie']);
  });

  it.each(ANSWERS)('CP-328 %s answers %s', (name, shape) => {
    const keys = Object.keys(members(answerOf(name)).properties);
    expect(keys).toEqual(expect.arrayContaining([shape].flat()));
    expect(keys.includes('id')).toBe(shape === 'id');
  });

  it('CP-328 no answer holds a record beside its own members', () => {
    for (const [name] of operations()) {
      const { properties } = members(answerOf(name));
      for (const [member, value] of Object.entries(properties)) {
        const inner = members(value).properties;
        if (inner['id'] === undefined) continue;
        // Any two records may both have an id and a name; a third member in common is the record twice.
        const both = Object.keys(inner).filter((key) => key in properties);
        expect([name, member, both.length < 3 ? [] : both]).toEqual([name, member, []]);
      }
    }
  });

  it('CP-161 says of a brokered call after which two answers alone a second request is made', () => {
    const { description } = document.components.schemas['ToolBrokeredEvent'] ?? {};
    expect(description).toMatch(/401 to the access token of an OAuth connection or 404 to the MCP session/);
  });

  it('CP-166 every parameter of a path is documented, and ids are uuids', () => {
    for (const [name, operation] of operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(
        (operation.parameters ?? [])
          .filter((parameter) => parameter.in === 'path')
          .map((parameter) => parameter.name)
          .sort(),
      ).toEqual(inPath.sort());
    }
  });

  it('the reference page works from this server alone', async () => {
    const page = await api.get('/v1/reference', { token: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(sources).toHaveLength(4);
    for (const source of sources) {
      const asset = await fetch(`${api.url}${source}`);
      expect([source, source.startsWith('/v1/reference/'), asset.status]).toEqual([source, true, 200]);
      await asset.arrayBuffer();
    }
    expect((await api.get('/v1/reference/package.json', { token: null })).status).toBe(404);
    expect((await api.get('/v1/reference/..%2fpackage.json', { token: null })).status).toBe(404);
  });
});
