import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startApi, type TestApi } from '../../support/api/api.js';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('documents/openapi.json; if it is another, `npm run openapi -w documents` writes it', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('is the description that the API answers', async () => {
    const { body } = await api.ask('/api/openapi.json');
    expect(body).toEqual(JSON.parse(read('documents/openapi.json')));
  });

  it('is what the types of the client were made from', () => {
    const made = execFileSync(process.execPath, [
      'node_modules/openapi-typescript/bin/cli.js',
      'documents/openapi.json',
    ]);
    expect(made.toString()).toBe(read('documents/src/client/schema.d.ts'));
  });
});
