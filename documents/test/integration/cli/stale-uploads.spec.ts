import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentStore } from '../../../src/api/foundation/store.module.js';
import { UploadState } from '../../../src/cli/upload/upload-state.js';
import { startApi, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';

let api: TestApi;
let acme: TestOrganization;
let docsvc: DocsvcCommand;
let projectId: string;

beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000' });
  acme = await api.organization();
  docsvc = new DocsvcCommand({
    DOCSVC_DEFAULTS_API_URL: api.origin,
    DOCSVC_CLIENT_ID: acme.clientId,
    DOCSVC_CLIENT_SECRET: acme.clientSecret,
    DOCSVC_DEFAULTS_OUTPUT: 'json',
  });
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { name: 'P', workspaceId: workspace.body.id };
  projectId = (await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body })).body.id;
});
afterAll(async () => {
  docsvc[Symbol.dispose]();
  await api.close();
});

const stateFolder = (): string => join(docsvc.home, '.local', 'state', 'docsvc-cli', 'uploads');

/** A file of which a command that was killed has left an upload. @returns the id of the upload */
async function begun(name: string, text: string): Promise<string> {
  const file = join(docsvc.folder, name);
  writeFileSync(file, text);
  const { size: sizeBytes, mtimeMs: modifiedMs } = statSync(file);
  const opened = await acme.ask<{ id: string; partUrls: { url: string }[] }>(`/api/projects/${projectId}/uploads`, {
    method: 'POST',
    body: { name, sizeBytes },
  });
  const identity = { origin: api.origin, project: projectId, name, file, sizeBytes, modifiedMs };
  new UploadState(stateFolder(), identity).remember(opened.body.id);
  return opened.body.id;
}

async function complete(uploadId: string, text: string): Promise<string> {
  const signed = await acme.ask<{ url: string }[]>(`/api/uploads/${uploadId}/parts`, {
    method: 'POST',
    body: { partNumbers: [1] },
  });
  const { pathname, search } = new URL(signed.body[0]?.url ?? '');
  await api.ask(pathname + search, { method: 'PUT', body: Buffer.from(text) });
  const made = await acme.ask<{ document: { id: string } }>(`/api/uploads/${uploadId}/complete`, {
    method: 'POST',
    body: {},
  });
  return made.body.document.id;
}

describe('an upload that a killed command left', () => {
  it.each<[string, (uploadId: string) => Promise<unknown>]>([
    ['was aborted', (id) => acme.ask(`/api/uploads/${id}`, { method: 'DELETE' })],
    ['has lost its room', (id) => api.app.get(DocumentStore).store.abortUpload(id)],
    [
      'came to a document that was deleted',
      async (id) => acme.ask(`/api/documents/${await complete(id, 'stale')}`, { method: 'DELETE' }),
    ],
  ])('DI-007 begins anew where it %s, and is forgotten', async (how, end) => {
    const name = `${how}.txt`;
    await end(await begun(name, 'stale'));
    const sent = await docsvc.run(['upload', name, '--project', projectId]);
    expect(sent).toMatchObject({ code: 0 });
    expect(JSON.parse(sent.stdout)).toMatchObject([{ name, version: 1 }]);
    expect(readdirSync(stateFolder())).toEqual([]);
  });
});
