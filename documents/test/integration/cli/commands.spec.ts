import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signWebhook } from '../../../src/domain/webhooks/webhook-signature.js';
import { startApi, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';

let api: TestApi;
let acme: TestOrganization;
let docsvc: DocsvcCommand;

beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000' });
  acme = await api.organization();
  docsvc = new DocsvcCommand({
    DOCSVC_DEFAULTS_API_URL: api.origin,
    DOCSVC_CLIENT_ID: acme.clientId,
    DOCSVC_CLIENT_SECRET: acme.clientSecret,
  });
  const workspace = JSON.parse((await docsvc.run(['workspaces', 'create', 'W', '--output', 'json'])).stdout) as {
    id: string;
  };
  await docsvc.run(['projects', 'create', 'Papers', '--workspace', workspace.id]);
});
afterAll(async () => {
  docsvc[Symbol.dispose]();
  await api.close();
});

const json = async (argv: string[]): Promise<unknown> => {
  const { stdout, stderr } = await docsvc.run([...argv, '--output', 'json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};

const write = (name: string, text: string): void => writeFileSync(join(docsvc.folder, name), text);

describe('the docsvc command', () => {
  it('DI-026 remembers a project in a file of the folder, and later commands need no id', async () => {
    expect(await docsvc.run(['docs', 'list'])).toMatchObject({ code: 2, stdout: '' });
    expect(await docsvc.run(['use', 'Papers'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(docsvc.folder, '.docsvc.toml'), 'utf8')).toMatch(/^project = "[0-9a-f-]{36}"$/m);
    expect(await json(['docs', 'list'])).toEqual([]);
    expect(await json(['projects', 'show'])).toMatchObject({ name: 'Papers' });
  });

  it('brings no client of uploads along, which takes longer to load than all else, where nothing is uploaded', () => {
    expect(readFileSync('dist/documents/cli/main.js', 'utf8')).not.toContain('node_modules/undici/');
  });

  it('DI-006 uploads files, folders and standard input, and gives the bytes back', async () => {
    mkdirSync(join(docsvc.folder, 'in', 'deep'), { recursive: true });
    write('in/one.txt', 'one');
    write('in/deep/two.txt', 'two');
    write('in/.hidden', 'no');
    expect(await json(['upload', 'in'])).toMatchObject([{ name: 'deep - two.txt' }, { name: 'one.txt' }]);
    const piped = await docsvc.run(['upload', '-', '--name', 'piped.txt', '--quiet', '--output', 'jsonl'], {
      input: 'p',
    });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ name: 'piped.txt', version: 1, status: 'queued' });
    expect((await docsvc.run(['docs', 'download', 'piped.txt', '--to', '-'])).stdout).toBe('p');
    write('in/one.txt', 'one again');
    expect(await json(['upload', 'in/one.txt'])).toMatchObject([{ version: 2 }]);
    expect(await json(['docs', 'versions', 'one.txt'])).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect((await docsvc.run(['docs', 'download', 'one.txt', '--version', '1', '--to', '-'])).stdout).toBe('one');
    expect(await json(['docs', 'restore', 'one.txt', '1'])).toMatchObject({ version: { version: 3 } });
    expect(await json(['uploads', 'list'])).toEqual([]);
  });

  it('DI-049 prints tables, JSON, lines and CSV; data on standard output, remarks on the other', async () => {
    write('=cmd,x', 'formula');
    const sent = await docsvc.run(['upload', '=cmd,x', '--output', 'csv']);
    expect(sent.stdout.split('\r\n')[0]).toBe('File,Document,Name,Version,Status');
    expect(sent.stdout).toContain(`"'=cmd,x"`);
    expect(sent.stderr).toContain('1 of 1 parts');
    expect((await docsvc.run(['docs', 'list', '--output', 'csv', '--raw', '--prefix', '='])).stdout).toContain(
      '"=cmd,x"',
    );
    const lines = (await docsvc.run(['docs', 'list', '--output', 'jsonl'])).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toContain('piped.txt');
    expect((await docsvc.run(['docs', 'list', '--output', 'table'])).stdout).toMatch(/^ID +Name +Kind/);
  });

  it('prints nothing that a terminal would obey', async () => {
    const projectId = (await json(['projects', 'show'])) as { id: string };
    const labels = ['\u001b[2J\u202evil'.replace('\u001b', '')];
    const body = { name: 'evil\u202etxt', contentBase64: 'eA==', labels, metadata: { steer: '\u001b[2J' } };
    const made = await acme.ask(`/api/projects/${projectId.id}/documents`, { method: 'POST', body });
    expect(made.status).toBe(202);
    for (const output of ['table', 'json', 'jsonl']) {
      const { stdout } = await docsvc.run(['docs', 'list', '--prefix', 'evil', '--output', output]);
      expect(stdout).toContain('evil');
      // eslint-disable-next-line no-control-regex -- that none of them is there is the promise
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    }
  });

  it('ends with a code that says what went wrong', async () => {
    const code = async (argv: string[], env = {}): Promise<number | null> => (await docsvc.run(argv, { env })).code;
    const none = '01900000-0000-7000-8000-000000000000';
    const reader = await acme.client(['documents:read', 'projects:read']);
    const asReader = { DOCSVC_CLIENT_ID: reader.clientId, DOCSVC_CLIENT_SECRET: reader.clientSecret };
    expect(await code(['nonsense'])).toBe(2);
    expect(await code(['docs', 'list', '--output', 'xml'])).toBe(2);
    expect(await code(['whoami'], { DOCSVC_CLIENT_SECRET: 'docsvc_cs_wrong' })).toBe(3);
    expect(await code(['docs', 'delete', 'piped.txt'], asReader)).toBe(4);
    expect(await code(['docs', 'show', none])).toBe(5);
    expect(await code(['docs', 'show', 'absent.txt'])).toBe(5);
    expect(await code(['docs', 'wait', 'piped.txt', '--timeout', '0'])).toBe(7);
    expect(await code(['upload', 'in/absent.txt'])).toBe(5);
    expect(await code(['whoami', '--api-url', 'http://127.0.0.1:1'])).toBe(1);
    for (const later of ['mcp', 'login']) {
      const { code: failed, stderr } = await docsvc.run(
        [later, 'x', '--describe', 'y'].slice(0, later === 'login' ? 1 : 4),
      );
      expect({ later, failed }).toEqual({ later, failed: 1 });
      expect(stderr).toContain('later release');
    }
  });

  it('knows whether a version failed, or was read in part', async () => {
    const move = (status: string): Promise<unknown> =>
      api.database.owner.query(
        `update document_versions v set status = $1 from documents d where d.id = v.document_id and d.name = 'piped.txt'`,
        [status],
      );
    const codes: Record<string, number | null> = {};
    for (const status of ['failed', 'partial', 'quarantined', 'stored', 'ready']) {
      await move(status);
      codes[status] = (await docsvc.run(['docs', 'wait', 'piped.txt'])).code;
    }
    expect(codes).toEqual({ failed: 8, partial: 9, quarantined: 8, stored: 0, ready: 0 });
  });

  it('DI-021 DI-023 makes webhooks, and checks a request that was saved', async () => {
    const created = await json(['webhooks', 'create', 'https://example.com/hook', '--events', 'document.ready']);
    const { id, secret } = created as { id: string; secret: string };
    expect(await json(['webhooks', 'update', id, '--disable'])).toMatchObject({ enabled: false });
    expect(await json(['webhooks', 'list'])).toMatchObject([{ id, enabled: false }]);
    expect(await json(['webhooks', 'deliveries', id])).toEqual([]);
    const body = '{"type":"document.ready"}';
    const saved = (text: string): void => {
      const head = Object.entries(signWebhook([secret], 'msg_1', new Date(), body));
      write('saved.http', `${head.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${text}`);
    };
    const verify = async (): Promise<number | null> =>
      (await docsvc.run(['webhooks', 'verify', 'saved.http', '--secret', secret])).code;
    saved(body);
    expect(await verify()).toBe(0);
    saved(`${body} `);
    expect(await verify()).toBe(1);
    expect(await docsvc.run(['webhooks', 'delete', id])).toMatchObject({ code: 0 });
  });

  it('serves administrators, and examines what it depends on', async () => {
    const made = (await json(['clients', 'create', 'Robot', '--scopes', 'documents:read'])) as { id: string };
    const rotated = (await json(['clients', 'rotate', made.id])) as { clientSecret: string };
    expect(rotated.clientSecret).toMatch(/^docsvc_cs_/);
    expect(await docsvc.run(['clients', 'revoke', made.id])).toMatchObject({ code: 0 });
    expect(await json(['audit', '--limit', '1'])).toMatchObject([{ action: 'client.revoked' }]);
    expect(await json(['usage'])).toContainEqual(expect.objectContaining({ kind: 'documents' }));
    expect(await json(['doctor'])).toMatchObject(
      ['API', 'credential', 'clock', 'store', 'sandbox'].map((check) => ({ check, result: 'ok' })),
    );
    expect((await docsvc.run(['completion'])).stdout).toContain('docs) words="');
    expect((await docsvc.run(['version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
