import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { ADMIN_TOKEN, type TestApi } from '../../support/api/api.js';
import { startConnectionsApi } from '../../support/connections/connections-api.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { OAuthDescribedServer } from '../../support/oauth/oauth-described-server.js';
import {
  captureTerminals,
  startCommand,
  type Outcome,
  type RunningCommand,
} from '../../support/cli/running-command.js';

const KEY = 'key_5up3r-s3cret_0123456789';

let api: TestApi;
let server: HostileServer;
let issuer: OAuthDescribedServer;
let folder: string;
const earlier = {
  url: process.env['SANDGATE_URL'],
  token: process.env['SANDGATE_TOKEN'],
  browser: process.env['BROWSER'],
};

beforeAll(async () => {
  captureTerminals();
  [api, server, issuer] = await Promise.all([
    startConnectionsApi(),
    HostileServer.start({ authorization: `Bearer ${KEY}` }),
    OAuthDescribedServer.start(),
  ]);
  folder = mkdtempSync(join(tmpdir(), 'sg-cli-'));
  Object.assign(process.env, { SANDGATE_URL: api.url, SANDGATE_TOKEN: ADMIN_TOKEN, BROWSER: '/bin/true' });
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, {
    SANDGATE_URL: earlier.url ?? '',
    SANDGATE_TOKEN: earlier.token ?? '',
    BROWSER: earlier.browser ?? '',
  });
  rmSync(folder, { recursive: true });
  await api.close();
  await server.close();
  await issuer.close();
});
afterEach(() => {
  server.tools = [ECHO];
});

/** The command in this process, with `input` on its standard input, what it prints and how it would exit. */
const cli = (argv: string[], input = ''): Promise<Outcome> => startCommand(argv, input).outcome;

/** The connection that a command asks a person to authorize, once it has said where. */
async function asked({ terminal }: RunningCommand): Promise<string> {
  for (let tries = 0; !terminal.stderr.includes('/v1/oauth/go?f='); tries += 1) {
    if (tries > 9_000) throw new Error(`no address was printed: ${terminal.stderr}`);
    await sleep(10);
  }
  const { rows } = await api.database.owner.query<{ connection_id: string }>(
    'select connection_id from connector_oauth_flows order by created_at desc limit 1',
  );
  return rows[0]?.connection_id ?? '';
}

async function ok(argv: string[], input = ''): Promise<string> {
  const { code, stdout, message } = await cli(argv, input);
  expect([argv, code, message]).toEqual([argv, 0, '']);
  return stdout;
}

const json = async <T>(...argv: string[]): Promise<T> => JSON.parse(await ok([...argv, '-o', 'json'])) as T;

/** What the callback of a finished flow does to a connection, by the database's clock. */
async function activate(id: string, status = 'active', note: string | null = null): Promise<void> {
  await api.database.owner.query(
    `update integration_connections
        set status = $2, oauth = oauth || jsonb_strip_nulls(jsonb_build_object('activated_at', clock_timestamp(), 'error', $3::text))
      where id = $1`,
    [id, status, note],
  );
}

async function takeSnapshot(id: string): Promise<void> {
  await api.database.owner.query(
    `insert into connection_tool_snapshots (id, tenant_id, connection_id, snapshot_version, authorization_generation,
                                            protocol_version, tools_json, tools_digest, discovered_at)
     select gen_random_uuid(), tenant_id, id, 1, authorization_generation, '2025-11-25',
            '[{"name":"echo","description":"","input_schema":{}}]', 'sha256:' || repeat('0', 64), now()
       from integration_connections where id = $1`,
    [id],
  );
}

describe('connections by token', () => {
  it('reads the token from standard input, and takes none from the command line', async () => {
    const added = await ok(['connections', 'add', server.url, '--name', 'Tracker', '--with-token'], `${KEY}\n`);
    expect(added).toMatch(/^Tracker [0-9a-f-]{36} is active with 1 tool \(v1\)\n$/);
    const asked = await cli(['connections', 'add', server.url]);
    expect([asked.code, asked.message]).toEqual([
      2,
      expect.stringContaining('give the token on standard input and say --with-token'),
    ]);
    expect((await cli(['connections', 'add', server.url, '--token', KEY])).code).toBe(2);
    expect(await cli(['connections', 'add', server.url, '--with-token'], '\n')).toMatchObject({
      code: 2,
      message: 'the token is empty',
    });
    const wrong = await cli(['connections', 'add', server.url, '--with-token'], 'wrong-key-0123456789');
    expect([wrong.code, wrong.message]).toEqual([2, expect.stringContaining('rejected this credential')]);
    expect(wrong.stdout + wrong.stderr + wrong.message).not.toContain('wrong-key');
  });

  it('lists, shows, names tools, refreshes with what changed, and revokes after a question', async () => {
    expect(await ok(['connections'])).toMatch(/Tracker +active +mcp_http +static +organization +http:/);
    expect(await ok(['connections', 'show', 'Tracker'])).toMatch(/Status +active/);
    expect(await ok(['connections', 'tools', 'Tracker'])).toMatch(
      /Version 1 of .*, MCP 2025-11-25, sha256:[^]*echo +Answers with its arguments/,
    );
    server.tools = [
      { ...ECHO, description: 'Another text.' },
      { ...ECHO, name: 'new' },
    ];
    expect(await ok(['connections', 'refresh', 'Tracker'])).toMatch(
      /Tracker has 2 tools \(v2, sha256:[^]*\+ new\n {2}~ echo/,
    );
    const [{ id }] = await json<[Schemas['Connection']]>('connections', 'list');
    const asked = await cli(['connections', 'revoke', id]);
    expect([asked.code, asked.message]).toEqual([2, expect.stringContaining('say so with --yes')]);
    expect(await ok(['connections', 'revoke', id.slice(-12), '--yes'])).toBe(`Tracker ${id} is revoked\n`);
    expect(await cli(['connections', 'show', 'Tracker'])).toMatchObject({
      code: 3,
      message: `Tracker is revoked, and a revoked connection is named by its id: ${id}`,
    });
    expect((await cli(['connections', 'show', 'nobody'])).code).toBe(3);
  });

  it('a name that two have is no name', async () => {
    for (const name of ['Twin', 'Twin'])
      await ok(['connections', 'add', server.url, '--name', name, '--with-token'], KEY);
    expect((await cli(['connections', 'tools', 'Twin'])).message).toMatch(
      /2 connections are called Twin; give the id: [0-9a-f-]{36}, [0-9a-f-]{36}$/,
    );
  });

  it('a description that the table cuts is announced as cut', async () => {
    const hint = 'Descriptions are cut here';
    server.tools = [{ ...ECHO, description: 'One line.' }];
    await ok(['connections', 'add', server.url, '--name', 'Short', '--with-token'], KEY);
    expect(await ok(['connections', 'tools', 'Short'])).not.toContain(hint);
    for (const description of ['One line.\nAnd another one.', 'x'.repeat(81)]) {
      server.tools = [{ ...ECHO, description }];
      await ok(['connections', 'refresh', 'Short']);
      expect(await ok(['connections', 'tools', 'Short'])).toContain(hint);
    }
  });

  it.each([
    [['--client-id', 'x'], '--client-id belongs to --auth oauth'],
    [['--auth', 'oauth', '--header', 'X-Key'], '--header belongs to --auth static'],
    [['--auth', 'oauth', '--with-token'], '--with-token belongs to --auth static or --provider codehost'],
    [['--app-id', '5'], '--app-id belongs to --provider codehost_app'],
    [['--provider', 'codehost', '--scopes', 'read'], '--scopes belongs to --auth oauth'],
    [['--webhook-secret-file', '-'], '--webhook-secret-file belongs to --provider codehost or --provider codehost_app'],
    [['--auth', 'none'], '--auth takes static or oauth; a server that asks for no credential is connected through'],
    [['--provider', 'other'], '--provider takes mcp_http, codehost or codehost_app'],
  ])('an option without an effect is refused before anything is asked: %j', async (options, message) => {
    const refused = await cli(['connections', 'add', server.url, ...options]);
    expect([refused.code, refused.message]).toEqual([2, expect.stringContaining(message)]);
  });

  it('probes a server', async () => {
    expect(await ok(['connections', 'probe', issuer.url])).toMatch(/Reachable +yes[^]*Sign-in +oauth/);
  });
});

describe('connections by OAuth', () => {
  it('prints the address, waits until the connection is active and has a snapshot, and keeps standard output a document', async () => {
    const waiting = startCommand(['connections', 'add', issuer.url, '--auth', 'oauth', '--name', 'Wiki', '-o', 'json']);
    const id = await asked(waiting);
    await activate(id);
    await takeSnapshot(id);
    const { code, stdout } = await waiting.outcome;
    expect(code).toBe(0);
    const { connection, snapshot } = JSON.parse(stdout) as {
      connection: Schemas['Connection'];
      snapshot: Schemas['Snapshot'];
    };
    expect([connection.id, connection.status, snapshot.version]).toEqual([id, 'active', 1]);
  });

  it('shows the issuer and the address that a client is registered with', async () => {
    expect(await ok(['connections', 'show', 'Wiki'])).toMatch(/Issuer +http[^]*Callback +http.*\/v1\/oauth\/callback/);
  });

  it('leaves nothing pending when the authorization cannot begin', async () => {
    const failed = await cli(['connections', 'add', server.url, '--auth', 'oauth', '--name', 'No issuer']);
    expect([failed.code, failed.message]).toEqual([2, expect.stringContaining('discovery failed')]);
    const all = await json<Schemas['Connection'][]>('connections', 'list');
    expect(all.filter(({ display_name: name }) => name === 'No issuer').map(({ status }) => status)).toEqual([
      'revoked',
    ]);
  });

  it('waits for a newer authorization than the last one when it connects again', async () => {
    const waiting = startCommand(['connections', 'connect', 'Wiki', '--no-browser']);
    const id = await asked(waiting);
    expect(await Promise.race([waiting.outcome, sleep(1_500, 'waits')])).toBe('waits');
    await activate(id);
    expect(await waiting.outcome).toMatchObject({ code: 0, stdout: `Wiki ${id} is active with 1 tool (v1)\n` });
  });

  it('ends with the reason when the connection cannot be used, or was revoked', async () => {
    expect((await cli(['catalog', 'connect', 'linear-like', '--no-browser'])).code).toBe(3);
    const document = join(folder, 'entry.yaml');
    writeFileSync(document, `slug: linear-like\nname: Linear-like\nurl: ${issuer.url}\nauth_mode: oauth\n`);
    expect(await ok(['catalog', 'add', document])).toMatch(/linear-like is in the catalog/);
    const failing = startCommand(['catalog', 'connect', 'linear-like']);
    await activate(await asked(failing), 'error', 'its tools could not be read: tools/list');
    expect(await failing.outcome).toMatchObject({
      code: 1,
      message: expect.stringContaining('cannot be used: its tools could not be read'),
    });
    const revoked = startCommand(['catalog', 'connect', 'linear-like']);
    await ok(['connections', 'revoke', await asked(revoked), '--yes']);
    expect(await revoked.outcome).toMatchObject({ code: 5, message: 'Linear-like was revoked meanwhile' });
  });
});

describe('the catalog on the command line', () => {
  it('is listed and shown, and connects by key from standard input or as a bundle', async () => {
    expect(await ok(['catalog'])).toMatch(
      /workspace-info +verified +none[^]*github +verified +api_key|github +verified +api_key/,
    );
    expect(await ok(['catalog', 'show', 'stripe'])).toMatch(
      /At +https:\/\/mcp\.stripe\.com[^]*Key +a restricted key · https:/,
    );
    const document = join(folder, 'crm.yaml');
    writeFileSync(document, `slug: crm\nname: CRM\nurl: ${server.url}/crm\nauth_mode: api_key\n`);
    await ok(['catalog', 'add', document]);
    expect((await cli(['catalog', 'add', document])).code).toBe(5);
    expect(await ok(['catalog', 'connect', 'crm', '--with-token'], KEY)).toMatch(
      /^CRM [0-9a-f-]{36} is active with 1 tool/,
    );
    expect(await json<Schemas['CatalogEntry']>('catalog', 'show', 'crm')).toMatchObject({
      connection: { status: 'active' },
    });
    expect(await ok(['catalog', 'connect', 'workspace-info'])).toMatch(/^workspace-info@1 is published/);
    const refused = await cli(['catalog', 'connect', 'workspace-info', '--with-token'], KEY);
    expect([refused.code, refused.message]).toEqual([2, 'workspace-info takes no key: its sign-in is none']);
  });
});
