import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('access', () => {
  it('works at all', async () => {
    const acme = await api.organization();
    const me = await acme.ask('/api/me');
    expect(me).toMatchObject({ status: 200, body: { role: 'admin' } });
    const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'Über uns' } });
    expect(workspace).toMatchObject({ status: 201, body: { slug: 'uber-uns' } });
    const project = await acme.ask('/api/projects', {
      method: 'POST',
      body: { name: 'P', workspaceId: workspace.body.id },
      headers: { 'idempotency-key': 'one' },
    });
    expect(project).toMatchObject({ status: 201, body: { name: 'P' } });
    expect(await acme.ask('/api/projects')).toMatchObject({
      status: 200,
      body: { data: [{ name: 'P' }], nextCursor: null },
    });
  });
});
