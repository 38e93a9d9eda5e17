import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { Database } from '../../../src/core/record/database.js';
import type { Sealer } from '../../../src/platform/seal/sealer.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { StackDatabase } from '../../support/installation/stack-database.js';
import { HostileServer } from '../../support/mcp/hostile-server.js';
import { TokenEndpoint } from '../../support/oauth/token-endpoint.js';
import { makeCanary, placesOf, type Haystack } from './canary-search.js';
import { dumpDatabase, readAnswers, readHistories, readLogs } from './haystacks.js';
import type { EnterSearched } from './searched-stack.js';

/** Every secret that a connection has or gets. */
const SECRETS = {
  staticToken: makeCanary('static'),
  clientSecret: makeCanary('client'),
  firstRefreshToken: makeCanary('refresh'),
  rotatedRefreshToken: makeCanary('rotated'),
  accessToken: makeCanary('access'),
};
/** A server's answer to a call: the agent gets it, and nobody may find it stored. */
const RESULT = makeCanary('result');

/** Secrets of connections occur nowhere in clear. */
export function keepsConnectionSecrets(enter: EnterSearched): void {
  let stack: LiveStack;
  let folder: string;
  let tracker: HostileServer;
  let vault: HostileServer;
  let issuer: TokenEndpoint;
  let database: StackDatabase;
  let temporal: Client;
  let ids: { static: string; oauth: string };
  let run: string;
  let haystacks: Record<'histories' | 'logs' | 'columns' | 'answers', Haystack[]>;

  beforeAll(async () => {
    ({ stack, database, temporal, folder } = await enter('connections'));
    [tracker, vault, issuer] = await Promise.all([
      HostileServer.start({ authorization: `Bearer ${SECRETS.staticToken}` }),
      HostileServer.start({ authorization: `Bearer ${SECRETS.accessToken}` }),
      TokenEndpoint.start({ access_token: SECRETS.accessToken, refresh_token: SECRETS.rotatedRefreshToken }),
    ]);
    ids = { static: await connectStatic(), oauth: await connectOAuth() };
    await playRun();
    haystacks = {
      histories: await readHistories(temporal, stack),
      logs: readLogs(stack),
      columns: await dumpDatabase(database),
      answers: [...(await readAnswers(stack, { run0: [run] }, 'caller')), ...(await readConnectionAnswers())],
    };
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await Promise.all([tracker?.close(), vault?.close(), issuer?.close()]);
  });

  async function connectStatic(): Promise<string> {
    const body = { provider: 'mcp_http', base_url: tracker.url, token: SECRETS.staticToken };
    return (await stack.json<{ id: string }>('POST', '/v1/connections', body)).id;
  }

  /** As the callback leaves it: active, with a sealed refresh token. Its tool snapshot is taken with the token that it gives. */
  async function connectOAuth(): Promise<string> {
    const { id, tenant_id } = await stack.json<{ id: string; tenant_id: string }>('POST', '/v1/connections', {
      provider: 'mcp_http',
      base_url: vault.url,
      auth_kind: 'oauth',
      client_id: 'by-hand',
      client_secret: SECRETS.clientSecret,
    });
    await withSealer(async (sealer) => {
      const place = { organizationId: tenant_id, column: 'integration_connections.credential', row: id };
      const { bytes, keyVersion } = await sealer.seal(place, SECRETS.firstRefreshToken);
      await database.query(
        `update integration_connections set status = 'active', credential_sealed = $2, credential_key_version = $3,
                oauth = oauth || $4::jsonb where id = $1`,
        [id, bytes, keyVersion, JSON.stringify({ issuer: issuer.url, token_endpoint: `${issuer.url}/token` })],
      );
    });
    await stack.json('POST', `/v1/connections/${id}/tools/refresh`);
    return id;
  }

  async function withSealer(work: (sealer: Sealer) => Promise<void>): Promise<void> {
    const url = `postgres://sandgate@localhost/sandgate?host=${encodeURIComponent(join(stack.dataDir, 'pg'))}`;
    const db = await Database.connect({ url, poolSize: 2, applicationName: 'test' });
    try {
      const kek = readFileSync(join(stack.dataDir, 'kek'), 'utf8').trim();
      const staticKek = Buffer.from(kek, /^[0-9a-f]{64}$/i.test(kek) ? 'hex' : 'base64');
      await work(createSealer(db, { kmsMode: 'static', staticKek, credentialKey: null }));
    } finally {
      await db.close();
    }
  }

  /** One call of each server; both say back what they were sent, and one fails with it. Then a look around the sandbox. */
  async function playRun(): Promise<void> {
    tracker.always('tools/call', ({ headers }) => ({
      kind: 'answer',
      result: { content: [{ type: 'text', text: `${RESULT} for ${headers.authorization ?? ''}` }] },
    }));
    vault.always('tools/call', ({ headers }) => ({
      kind: 'status',
      status: 500,
      body: `cannot serve ${headers.authorization ?? ''}`,
    }));
    const backwards = Object.entries(SECRETS).map(([name, word]) => [name, [...word].reverse().join('')]);
    writeFileSync(join(folder, 'words.json'), JSON.stringify(Object.fromEntries(backwards)));
    copyFileSync(fileURLToPath(new URL('./scan-sandbox.mjs', import.meta.url)), join(folder, 'scan-sandbox.mjs'));
    const rules = { tools: [{ match: ['mcp__*', 'Bash'], action: 'allow' }], defaults: { tool_action: 'deny' } };
    await stack.json('POST', '/v1/policies', { name: 'open', yaml: JSON.stringify({ name: 'open', ...rules }) });
    await stack.createReplayAgent('caller', 'open', {
      connection_requirements: Object.entries({ tracker, vault }).map(([slot, { url }]) => ({
        slot,
        connector: { url },
        required_tools: ['echo'],
        binding_mode: 'organization',
      })),
    });
    const steps = [
      { tool: 'mcp__tracker__echo', input: { message: 'one' } },
      { tool: 'mcp__vault__echo', input: { message: 'two' } },
      { tool: 'Bash', input: { command: 'node scan-sandbox.mjs > scan.txt' } },
    ];
    run = await stack.startRun('caller', steps, { workspace: { kind: 'local_copy', path: folder } });
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
  }

  async function readConnectionAnswers(): Promise<Haystack[]> {
    const paths = ['/v1/connections', '/v1/catalog'];
    for (const id of Object.values(ids)) paths.push(`/v1/connections/${id}`, `/v1/connections/${id}/tools`);
    return Promise.all(
      paths.map(async (path) => {
        const response = await stack.request('GET', path);
        if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
        return { name: `GET ${path}`, bytes: Buffer.from(await response.arrayBuffer()) };
      }),
    );
  }

  it('the servers were given each of them, and the calls were made', async () => {
    const sent = (server: HostileServer): string => JSON.stringify(server.arrivals.map(({ headers }) => headers));
    expect(tracker.calls).toHaveLength(1);
    expect(sent(tracker)).toContain(SECRETS.staticToken);
    expect(vault.calls).toHaveLength(1);
    expect(sent(vault)).toContain(SECRETS.accessToken);
    expect(issuer.requests).toHaveLength(1);
    const [{ authorization, body } = { authorization: '', body: '' }] = issuer.requests;
    expect(body).toContain(SECRETS.firstRefreshToken);
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toContain(SECRETS.clientSecret);
    const outcomes = (await stack.timeline(run)).flatMap(({ payload: { data, type } }) =>
      type === 'tool.brokered' ? [data['outcome']] : [],
    );
    expect(outcomes).toEqual(['succeeded', 'failed_upstream']);
    const rows = await database.query<{ sealed: number }>(
      `select num_nonnulls(c.credential_sealed, c.client_secret_sealed, t.token_sealed) as sealed
         from integration_connections c join connector_access_tokens t on t.connection_id = c.id where c.id = $1`,
      [ids.oauth],
    );
    expect(rows).toEqual([{ sealed: 3 }]);
  });

  it.each(['histories', 'logs', 'columns', 'answers'] as const)('CP-118 CP-289 none of them is in the %s', (where) => {
    expect(haystacks[where].length).toBeGreaterThan(3);
    for (const [name, secret] of Object.entries(SECRETS)) {
      expect({ name, places: placesOf(secret, haystacks[where]) }).toEqual({ name, places: [] });
    }
  });

  it('CP-289 none of them is in the sandbox, though a server said one back', async () => {
    const { artifacts } = await stack.json<{ artifacts: { content: string | null }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    const diff = artifacts.map(({ content }) => content ?? '').join('');
    const scan = JSON.parse(/SCAN (\{.*\})/.exec(diff)?.[1] ?? '{}') as {
      files: number;
      processes: number;
      found: string[];
    };
    expect(scan.files).toBeGreaterThan(2);
    expect(scan.processes).toBeGreaterThan(1);
    expect(scan.found).toEqual([]);
  });

  it('the answer of a server rests sealed', () => {
    expect(placesOf(RESULT, Object.values(haystacks).flat())).toEqual([]);
  });
}
