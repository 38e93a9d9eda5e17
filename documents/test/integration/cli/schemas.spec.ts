import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../support/api/api.js';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';

let api: TestApi;
let docsvc: DocsvcCommand;

beforeAll(async () => {
  api = await startApi();
  const acme = await api.organization();
  docsvc = new DocsvcCommand({
    DOCSVC_DEFAULTS_API_URL: api.origin,
    DOCSVC_CLIENT_ID: acme.clientId,
    DOCSVC_CLIENT_SECRET: acme.clientSecret,
  });
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  await docsvc.run(['projects', 'create', 'Papers', '--workspace', workspace.body.id]);
  await docsvc.run(['use', 'Papers']);
});
afterAll(async () => {
  docsvc[Symbol.dispose]();
  await api.close();
});

const write = (name: string, value: object): void => writeFileSync(join(docsvc.folder, name), JSON.stringify(value));

const json = async (argv: string[]): Promise<unknown> => {
  const { stdout, stderr } = await docsvc.run([...argv, '--output', 'json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};

describe('docsvc schemas', () => {
  const text = (description: string): object => ({ type: 'string', description });
  const first = { type: 'object', properties: { a: text('A.') } };
  const second = { type: 'object', properties: { a: text('A.'), b: text('B.') } };

  it('DI-010 DI-011 makes a schema from a file, adds a version, compares and exports them', async () => {
    write('first.json', first);
    write('second.json', second);
    expect(await json(['schemas', 'create', 'Letters', 'first.json'])).toMatchObject({ latestVersion: 1 });
    expect(await json(['schemas', 'version', 'Letters', 'second.json'])).toMatchObject({ version: 2 });
    const stale = await docsvc.run(['schemas', 'version', 'Letters', '-', '--base', '1'], {
      input: JSON.stringify({ type: 'object', properties: { c: text('C.') } }),
    });
    expect(stale.code).toBe(6);
    expect(await json(['schemas', 'versions', 'Letters'])).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect(await json(['schemas', 'diff', 'Letters'])).toEqual([
      { path: '/b', change: 'added', before: null, after: 'string: B.' },
    ]);
    expect(JSON.parse((await docsvc.run(['schemas', 'export', 'Letters', '--version', '1'])).stdout)).toEqual(first);
    expect(await docsvc.run(['schemas', 'export', 'Letters', '--to', 'out.json'])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(docsvc.folder, 'out.json'), 'utf8'))).toEqual(second);
    expect(await json(['schemas', 'update', 'Letters', '--name', 'Post'])).toMatchObject({ name: 'Post' });
    expect(await json(['schemas', 'show', 'Post'])).toMatchObject({ latestVersion: 2 });
    expect(await docsvc.run(['schemas', 'archive', 'Post'])).toMatchObject({ code: 0 });
    expect(await json(['schemas', 'list'])).toEqual([]);
    expect((await docsvc.run(['schemas', 'show', 'Post'])).code).toBe(5);
  });

  it('DI-011 says every fault of a file', async () => {
    write('wrong.json', {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'text', description: 'B.' } },
    });
    const checked = await docsvc.run(['schemas', 'validate', 'wrong.json', '--output', 'json']);
    expect(checked.code).toBe(1);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      valid: false,
      errors: [{ path: '/properties/a' }, { path: '/properties/b/type' }],
    });
    const refused = await docsvc.run(['schemas', 'create', 'Wrong', 'wrong.json']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('/properties/a: ');
    expect(refused.stderr).toContain('/properties/b/type: ');
    expect((await docsvc.run(['schemas', 'validate', 'absent.json'])).code).toBe(5);
  });

  it('DI-012 makes one from words, and says what is uncertain', async () => {
    const made = await docsvc.run(['schemas', 'generate', 'total in EUR, zorblat', '--save', 'Words']);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ properties: { total: { type: ['number', 'null'] }, zorblat: {} } });
    expect(made.stderr).toContain('zorblat');
    expect(made.stderr).toContain('saved as Words');
  });

  it('DI-013 makes one from a spreadsheet on this machine', async () => {
    writeFileSync(join(docsvc.folder, 'stock.csv'), 'Article,In stock\nBolt,4\nNut,15\n');
    const made = await docsvc.run(['schemas', 'infer', 'stock.csv', '--save', 'Stock']);
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ properties: { rows: { items: { properties: { inStock: {} } } } } });
    expect(made.stderr).toContain('saved as Stock');
    expect((await docsvc.run(['schemas', 'infer', 'absent.csv'])).code).toBe(5);
  });
});
