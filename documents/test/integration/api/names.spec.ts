import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api/api.js';

const CAMEL_CASE = /^[a-z][A-Za-z0-9]*$/;
const TOKEN_ENDPOINT = [
  'access_token',
  'client_id',
  'client_secret',
  'error_description',
  'expires_in',
  'grant_type',
  'token_type',
];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Names of all properties of schemas, and of parameters in queries, wherever they stand. */
function fieldNames(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(fieldNames);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === 'properties' && typeof value === 'object' ? Object.keys(value as object) : []),
    ...(key === 'name' && typeof value === 'string' && 'in' in node && node.in === 'query' ? [value] : []),
    ...fieldNames(value),
  ]);
}

/** Names of members at any depth. */
function memberNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(memberNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...memberNames(inner)]);
}

describe('names on the wire', () => {
  it('DI-037 every described field of a request and an answer is camelCase; those of the token endpoint keep their own names', async () => {
    const { token } = await api.organization();
    const { body } = await api.ask('/api/openapi.json', { token });
    const names = new Set(fieldNames(body));
    expect(names.size).toBeGreaterThan(60);
    expect([...names].filter((name) => !CAMEL_CASE.test(name)).sort()).toEqual(TOKEN_ENDPOINT);
  });

  it('DI-037 so are those that are really sent, errors included', async () => {
    const { ask } = await api.organization();
    const workspace = await ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
    const answers = [
      workspace,
      await ask('/api/projects', { method: 'POST', body: { workspaceId: workspace.body.id, name: 'P' } }),
      await ask('/api/projects', { method: 'POST', body: { workspace_id: workspace.body.id, name: 'P' } }),
      await ask('/api/projects'),
      await ask('/api/me'),
      await ask('/api/usage'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 400, 200, 200, 200]);
    expect(answers.flatMap(({ body }) => memberNames(body)).filter((name) => !CAMEL_CASE.test(name))).toEqual([]);
  });
});
