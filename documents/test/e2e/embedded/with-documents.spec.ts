import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { tryPort } from '../../../../src/embedded/ports.js';
import {
  processesOf,
  StartedSandgate,
  temporaryStateFolder,
  until,
} from '../../../../test/support/installation/started-sandgate.js';
import {
  findPart,
  ownDocsvcPlace,
  readClient,
  requestAs,
  type DocsvcPart,
} from '../../support/installation/started-docsvc.js';

const folder = temporaryStateFolder();
const documents = join(folder, 'docsvc');
let running: StartedSandgate | undefined;
let metricsPort: number | undefined;

beforeAll(async () => {
  metricsPort = await tryPort(0);
  const env = { ...ownDocsvcPlace(), DOCSVC_METRICS_BIND: `127.0.0.1:${metricsPort}` };
  running = await StartedSandgate.start(folder, env, ['--with', 'documents']);
});
afterAll(async () => {
  await running?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function sandgate(): StartedSandgate {
  if (running === undefined) throw new Error('it does not run');
  return running;
}

const socket = join(folder, 'pg');

/** What PostgreSQL says to a login that asks for a database, acting as a role or not. */
async function enter(user: string, database: string, role?: string): Promise<string> {
  const options = role === undefined ? {} : { options: `-c role=${role}` };
  const client = new pg.Client({ host: socket, user, database, ...options });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ who: string }>('select current_user || $1 || current_database() as who', [
      '@',
    ]);
    return rows[0]?.who ?? '';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe('sandgate start --with documents', () => {
  it('starts both products on one PostgreSQL and one Temporal, and prints where documents are', async () => {
    expect(sandgate().output).toContain('Documents API');
    expect(sandgate().output).toContain(join(documents, 'first-client.json'));
    const servers = (word: string) =>
      processesOf(folder).filter(({ command }) => command.includes(word) && !command.startsWith('bwrap')).length;
    expect([servers('bin/postgres -D'), servers('server start-dev')]).toEqual([1, 1]);
    expect((await sandgate().request('/v1/agents')).status).toBe(200);
    expect((await requestAs(readClient(documents), '/api/projects')).status).toBe(200);
  });

  it('DI-002 neither login can enter the database of the other product, as whatever role it acts', async () => {
    expect(await enter('sandgate', 'sandgate', 'sandgate_app')).toBe('sandgate_app@sandgate');
    expect(await enter('docsvc', 'docsvc', 'docsvc_app')).toBe('docsvc_app@docsvc');
    for (const [user, database] of [
      ['sandgate', 'docsvc'],
      ['docsvc', 'sandgate'],
      ['docsvc', 'postgres'],
      ['sandgate_app', 'docsvc'],
      ['docsvc_app', 'sandgate'],
    ] as const) {
      for (const role of [undefined, `${user.split('_')[0]}_app`]) {
        expect(await enter(user, database, role)).toMatch(/^(no pg_hba\.conf entry|permission denied)/);
      }
    }
    // Nor does the one act as the other's role in its own database.
    expect(await enter('docsvc', 'docsvc', 'sandgate_app')).toMatch(/permission denied to set role/);
  });

  it('DI-002 privileges alone keep the runtime roles apart, and documents has no power over the server', async () => {
    const client = new pg.Client({ host: socket, user: 'sandgate', database: 'sandgate' });
    await client.connect();
    const { rows } = await client.query<{ across: boolean; power: boolean }>(
      `select has_database_privilege('sandgate_app', 'docsvc', 'connect')
                or has_database_privilege('docsvc_app', 'sandgate', 'connect')
                or has_database_privilege('docsvc', 'sandgate', 'connect') as across,
              (select rolsuper or rolbypassrls or rolreplication from pg_roles where rolname = 'docsvc') as power`,
    );
    await client.end();
    expect(rows).toEqual([{ across: false, power: false }]);
  });

  it('DI-002 a credential of the one is none of the other', async () => {
    const client = readClient(documents);
    const foreign = await fetch(`${client.apiUrl}/api/projects`, {
      headers: { authorization: `Bearer ${sandgate().token}` },
    });
    expect(foreign.status).toBe(401);
    const own = await fetch(`${sandgate().url}/v1/agents`, {
      headers: { authorization: `Bearer ${client.clientSecret}` },
    });
    expect(own.status).toBe(401);
  });

  it('CP-002 the control plane serves no route that extracts from documents or searches them', async () => {
    const described = (await (await sandgate().request('/v1/openapi.json')).json()) as { paths: object };
    const routes = Object.keys(described.paths);
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.filter((route) => /document|extract|search/i.test(route))).toEqual([]);
    const own = JSON.parse(readFileSync('documents/openapi.json', 'utf8')) as { paths: object };
    for (const route of Object.keys(own.paths)) {
      const path = route.replaceAll(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000');
      expect({ route, status: (await sandgate().request(path)).status }).toEqual({ route, status: 404 });
    }
  });

  it('answers scrapes of documents under names of its own, and no id of a row is one of their labels', async () => {
    const client = readClient(documents);
    await requestAs(client, '/api/projects/00000000-0000-7000-8000-000000000000');
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text).toMatch(
      /^docsvc_http_request_seconds_count\{method="GET",route="\/api\/projects\/:id",status="404"\} 1$/m,
    );
    expect(text).toMatch(/^docsvc_db_pool_connections [1-9]/m);
    expect(text).not.toMatch(/^service_|00000000-0000/m);
  });

  it.each<DocsvcPart>(['api', 'worker'])('%s of documents is started again when it dies alone', async (part) => {
    const victim = findPart(documents, part);
    if (victim === undefined) throw new Error(`${part} does not run`);
    process.kill(victim, 'SIGKILL');
    await until(() => ![undefined, victim].includes(findPart(documents, part)), 60_000, `${part} runs again`);
    await until(
      () =>
        requestAs(readClient(documents), '/api/projects').then(
          ({ status }) => status === 200,
          () => false,
        ),
      60_000,
      'documents answers',
    );
    expect((await sandgate().request('/v1/agents')).status).toBe(200);
  });

  it.each(['api', 'worker'])(
    'the %s does not boot as a role that sees every organization, unless the operator allows it',
    async (part) => {
      const owner = new pg.Client({ host: socket, user: 'sandgate', database: 'sandgate' });
      await owner.connect();
      const boot = (env: NodeJS.ProcessEnv) =>
        spawnSync(process.execPath, [`dist/documents/${part}/main.js`], {
          env: {
            ...ownDocsvcPlace(),
            DOCSVC_DATA_DIR: documents,
            DOCSVC_DATABASE_URL: `postgres://docsvc@/docsvc?host=${encodeURIComponent(socket)}`,
            // Nobody listens there: what is allowed to go on ends a step later.
            DOCSVC_TEMPORAL_ADDRESS: '127.0.0.1:1',
            DOCSVC_BIND: '192.0.2.1:1',
            ...env,
          },
          encoding: 'utf8',
          timeout: 60_000,
        }).stderr;
      try {
        await owner.query('alter role docsvc_app bypassrls');
        const refusal =
          /the database role docsvc_app has BYPASSRLS.*run: alter role docsvc_app nosuperuser nobypassrls/;
        expect(boot({})).toMatch(new RegExp(`"level":60.*${refusal.source}; DOCSVC_ALLOW_RLS_BYPASS=1 starts`));
        expect(boot({ DOCSVC_ALLOW_RLS_BYPASS: '1' })).toMatch(new RegExp(`"level":40.*${refusal.source}`));
      } finally {
        await owner.query('alter role docsvc_app nobypassrls');
        await owner.end();
      }
    },
  );
});
