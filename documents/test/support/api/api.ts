import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { freePorts } from '../../../../test/support/installation/free-ports.js';
import { createApi } from '../../../src/api/create-api.js';
import { makeOrganization, type FirstClient } from '../../../src/core/access/make-organization.js';
import type { Scope } from '../../../src/domain/access/scopes.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { send } from './send.js';

export const SEAL_KEY = Buffer.alloc(32, 7).toString('base64');

export interface Answer<B = Members> {
  status: number;
  headers: Headers;
  body: B;
}

/** The JSON of an answer whose shape a spec does not name. */
export type Members = { [name: string]: unknown };

/** What a request carries besides its address. */
export interface Sent {
  method?: string;
  token?: string;
  body?: unknown;
  headers?: { [name: string]: string };
}

/** Sends a request and reads the answer. */
export type Ask = <B = Members>(path: string, sent?: Sent) => Promise<Answer<B>>;

/** The API over real sockets on a database of its own. */
export interface TestApi {
  database: TestDatabase;
  app: NestFastifyApplication;
  origin: string;
  log: string[];
  /** Where the bytes of its documents are. */
  filesRoot: string;
  ask: Ask;
  /** An organization with its administrator. */
  organization(name?: string): Promise<TestOrganization>;
  close(): Promise<void>;
}

export interface NewTestClient {
  id: string;
  clientId: string;
  clientSecret: string;
}

export interface TestOrganization extends FirstClient {
  token: string;
  ask: Ask;
  /** A client with these rights, and a token of it. */
  client(scopes: Scope[], rights?: object): Promise<NewTestClient & { token: string }>;
}

/** @param shared database of another one, which keeps it */
export async function startApi(env: NodeJS.ProcessEnv = {}, shared?: TestDatabase): Promise<TestApi> {
  const database = shared ?? (await createTestDatabase());
  const log: string[] = [];
  const logTo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  const filesRoot = await mkdtemp(join(tmpdir(), 'docsvc-files-'));
  const [port = 0] = await freePorts(1);
  const config = loadConfig({
    DOCSVC_FS_ROOT: filesRoot,
    DOCSVC_SEAL_KEY: SEAL_KEY,
    // Signed addresses name the listener, so its port is known before.
    DOCSVC_BIND: `127.0.0.1:${port}`,
    DOCSVC_LOG_LEVEL: 'error',
    ...env,
  });
  const app = await createApi({ config, record: database.record, logTo });
  await app.listen({ port, host: '127.0.0.1' });
  const origin = await app.getUrl();
  const ask: Ask = (path, sent) => askAt(origin, path, sent);
  return {
    database,
    app,
    origin,
    log,
    filesRoot,
    ask,
    organization: async (name = 'Acme') => withToken(ask, await makeOrganization(database.record, name)),
    close: async () => {
      await app.close();
      if (shared === undefined) await database.close();
      await rm(filesRoot, { recursive: true });
    },
  };
}

/** A token for the credentials of a client. */
export async function tokenFor(
  ask: Ask,
  { clientId, clientSecret }: Pick<FirstClient, 'clientId' | 'clientSecret'>,
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { status, body } = await ask<{ access_token: string }>('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}

async function withToken(ask: Ask, made: FirstClient): Promise<TestOrganization> {
  const token = await tokenFor(ask, made);
  const asOrganization: Ask = (path, sent = {}) => ask(path, { token, ...sent });
  return {
    ...made,
    token,
    ask: asOrganization,
    client: async (scopes, rights = {}) => {
      const { status, body } = await asOrganization<NewTestClient>('/api/clients', {
        method: 'POST',
        body: { name: 'A client', scopes, ...rights },
      });
      if (status !== 201) throw new Error(`no client: ${JSON.stringify(body)}`);
      return { ...body, token: await tokenFor(ask, body) };
    },
  };
}

async function askAt<B>(origin: string, path: string, { token, headers, ...sent }: Sent = {}): Promise<Answer<B>> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await send(origin + path, { ...sent, headers: { ...authorization, ...headers } });
  const text = answer.bytes.toString('utf8');
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    body: (isJson && text !== '' ? JSON.parse(text) : text) as B,
  };
}
