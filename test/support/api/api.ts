import 'reflect-metadata';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { request as send } from 'undici';
import { createApi } from '../../../src/api/create-api.js';
import type { Foundation } from '../../../src/api/foundation/foundation.module.js';
import type { Schemas } from '../../../src/client/client.js';
import type { LedgerEvent } from '../../../src/domain/events/event-kinds.js';
import { loadConfig, type SandgateConfig } from '../../../src/platform/config/index.js';
import type { Database } from '../../../src/core/record/database.js';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import type { Role } from '../../../src/domain/identity/role.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { receivedHeaders } from '../http/received-headers.js';
import { forgetRootLogger } from '../telemetry/root-logger.js';
import { TestUsers, type TestUser } from './users.js';

export const ADMIN_TOKEN = 'test-admin-token-of-sufficient-length-0123456789';

/** Members of the records that routes answer; a test reads those of the route that it asked. */
export interface AnswerBody {
  error: string;
  id: string;
  status: string;
  reason: string | null;
  decided_at: string | null;
  decided_by: string | null;
  session: Schemas['SessionView'];
  sessions: Schemas['SessionView'][];
  usage: Schemas['UsageTotals'];
  queue_position: number;
  cancelled: boolean;
  agent: Schemas['AgentView'];
  agents: Schemas['AgentView'][];
  revision: Schemas['AgentRevisionView'];
  revisions: Schemas['AgentRevisionView'][];
  policies: Schemas['PolicyView'][];
  content: Record<string, unknown>;
  harnesses: Schemas['HarnessView'][];
  approvals: Schemas['ApprovalView'][];
  events: LedgerEvent[];
  artifacts: Schemas['ArtifactView'][];
  provider: string;
  provider_ok: boolean;
  public_key: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON; empty for other bodies. */
  body: AnswerBody;
  text: string;
}

export interface CallOptions {
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  /** Null sends no credential. */
  token?: string | null;
}

/** The real API on a socket, over a database of its own. */
export interface TestApi {
  app: NestFastifyApplication;
  url: string;
  database: TestDatabase;
  db: Database;
  organizationId: string;
  config: SandgateConfig;
  users: TestUsers;
  /** A member of the deployment's organization; call with its `token`. */
  addUser(...roles: Role[]): Promise<TestUser>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same without a socket, which is half of what a request costs here: for those who ask by the thousand. */
  inject(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export async function startApi(
  env: Record<string, string> = {},
  modules: DynamicModule['imports'] = [],
  options: Pick<Foundation, 'logTo' | 'schedules'> = {},
): Promise<TestApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sg-api-'));
  const database = await createTestDatabase();
  const { db } = database;
  const ledgerKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const config = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LOG_LEVEL: 'fatal',
    SERVICE_LEDGER_KEY: ledgerKey,
    SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
    SERVICE_DEFAULT_HARNESS: 'replay',
    ...env,
  });
  const organization = await new Organizations(db, { harness: 'replay', model: 'none' }).ensure('default');
  await db.wakeups.listen();
  const users = new TestUsers();
  if (options.logTo !== undefined) forgetRootLogger();
  const app = await createApi(
    { config, database: db, adminToken: ADMIN_TOKEN, organizationId: organization.id, ...options },
    modules,
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const call = (method: string, path: string, options: CallOptions = {}) => request(url, method, path, options);
  return {
    app,
    url,
    database,
    db,
    organizationId: organization.id,
    config,
    users,
    addUser: (...roles) => users.add(db, organization.id, ...roles),
    call,
    inject: (method, path, options = {}) => inject(app, method, path, options),
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, ...(body === undefined ? {} : { body }) }),
    close: async () => {
      await app.close();
      if (options.logTo !== undefined) forgetRootLogger();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** By undici itself: a request of `fetch` costs four times as much. Nothing is followed. */
async function request(url: string, method: string, path: string, options: CallOptions): Promise<Answer> {
  const { headers, body } = sentBy(options);
  const answer = await send(`${url}${path}`, {
    ...{ method: method as 'GET', headers: Object.fromEntries(headers) },
    ...(body === undefined ? {} : { body }),
  });
  return answerOf(answer.statusCode, answer.headers, await answer.body.text());
}

async function inject(
  app: NestFastifyApplication,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer> {
  const { headers, body } = sentBy(options);
  const answer = await app.inject({
    ...{ method: method as 'GET', url: path, headers: Object.fromEntries(headers) },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : Buffer.from(body) }),
  });
  return answerOf(answer.statusCode, answer.headers, answer.payload);
}

/** What is sent, as clients write it: names in small letters, values without spaces around them. */
function sentBy(options: CallOptions): { headers: Headers; body: string | Uint8Array | undefined } {
  const token = options.token === undefined ? ADMIN_TOKEN : options.token;
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const headers = new Headers({
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  });
  return { headers, body };
}

function answerOf(status: number, received: OutgoingHttpHeaders, text: string): Answer {
  const headers = receivedHeaders(received);
  const isJson = headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status, headers, body: (isJson ? JSON.parse(text) : {}) as AnswerBody, text };
}
