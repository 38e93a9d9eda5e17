import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import { DispatchEntity } from '../../../src/core/ingress/dispatch.entity.js';
import { insertRows } from '../../../src/platform/postgres/write-rows.js';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { captureTerminals, cli, json, ok } from '../../support/cli/running-command.js';
import { ManagedTriggers, type CreatedTrigger } from '../../support/triggers/managed-triggers.js';

const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };
let bench: ManagedTriggers;
let folder: string;
beforeAll(async () => {
  captureTerminals();
  folder = mkdtempSync(join(tmpdir(), 'sg-cli-'));
  bench = await ManagedTriggers.start();
  // Addresses that are printed lead here, as SERVICE_PUBLIC_URL makes them do.
  Object.assign(process.env, { SANDGATE_URL: bench.api.url, SANDGATE_TOKEN: ADMIN_TOKEN });
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, { SANDGATE_URL: earlier.url ?? '', SANDGATE_TOKEN: earlier.token ?? '' });
  rmSync(folder, { recursive: true });
  await bench.api.close();
});

/** Runs what the command printed as a person would, at the address where the test's API is. */
async function inShell(command: string, created: CreatedTrigger): Promise<Schemas['InvokedRun']> {
  const here = command.replaceAll(created.base_url, bench.api.url);
  const env = { ...process.env, SANDGATE_TRIGGER_TOKEN: created.token, GITHUB_RUN_ID: '1', GITHUB_JOB: 'build' };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', here], { env });
  return JSON.parse(stdout) as Schemas['InvokedRun'];
}

describe('sandgate triggers', () => {
  it('CP-102 CP-103 CP-231 create prints the token once, and a line that invokes the trigger as it stands', async () => {
    const printed = await ok('triggers', 'create', '--agent', 'bee', '--name', 'by line', '--task', '[]');
    const [, token = ''] = /(svc_trig_[0-9a-f]{64})/.exec(printed) ?? [];
    const read = await json<CreatedTrigger>('triggers', 'show', 'by line');
    const created = { ...read, token };
    const line = printed.split('\n').find((one) => one.includes('| curl')) ?? '';
    const first = await inShell(line, created);
    expect(first).toMatchObject({ replay: false, session: { invoked_by_kind: 'trigger' } });
    const [step] = parse(printed.slice(printed.indexOf('  - name:'))) as { run: string }[];
    const again = await inShell(step?.run ?? '', created);
    expect(await inShell(step?.run ?? '', created)).toMatchObject({ replay: true, session: { id: again.session.id } });
    expect(await ok('triggers', 'show', 'by line')).not.toContain(token);
  });

  it('CP-105 CP-106 CP-109 CP-110 CP-111 CP-112 CP-113 create takes a document, and options win over it', async () => {
    const file = join(folder, 'nightly.yaml');
    writeFileSync(
      file,
      `agent: bee
name: nightly
task_template: "[]"
capabilities: []
budgets: {max_cost_usd: 1}
schedule: {cron: "0 3 * * *", timezone: Europe/Berlin}
`,
    );
    const options = ['--if-busy', 'skip_if_running', '--cron', '0 4 * * *', '--if-missed', 'catch_up', '--autonomous'];
    const created = await json<CreatedTrigger>('triggers', 'create', file, ...options, '--task-override');
    expect(created).toMatchObject({
      name: 'nightly',
      trigger_kind: 'schedule',
      concurrency_policy: 'skip_if_running',
      autonomous: true,
      allow_task_override: true,
      capabilities: [],
      schedule: { cron: '0 4 * * *', timezone: 'Europe/Berlin', missed_run_policy: 'catch_up' },
    });
    const shown = await ok('triggers', 'show', 'nightly');
    expect(created.next_firings).toHaveLength(5);
    for (const firing of created.next_firings) expect(shown).toContain(firing);
    const connection = await bench.connection({ display_name: 'forge' });
    const of = ['--agent', 'bee', '--name', 'review', '--task', 'Review {{repository}}', '--connection', 'forge'];
    const wishes = ['--repositories', 'acme/a,acme/b', '--events', 'synchronize', '--publish', 'check'];
    expect(await json<CreatedTrigger>('triggers', 'create', ...of, ...wishes)).toMatchObject({
      connection,
      repositories: ['acme/a', 'acme/b'],
      events: ['pull_request.synchronize'],
      publish: ['check'],
    });
    expect(await ok('triggers', 'show', 'review')).toContain(`/v1/ingress/codehost/${connection}`);
  });

  it('CP-104 edit changes what is named, and shows the secret of a new callback once', async () => {
    const { id } = await bench.create();
    const edited = await ok('triggers', 'edit', id, '--callback', 'https://ci.example.com/', '--name', 'edited');
    const [, secret = ''] = /(svc_whsec_[0-9a-f]{64})/.exec(edited) ?? [];
    expect(edited).toContain(`whsec_${Buffer.from(secret).toString('base64')}`);
    expect(await bench.read(id)).toMatchObject({ name: 'edited', callback_url: 'https://ci.example.com/' });
    await ok('triggers', 'edit', 'edited', '--callback', '', '--if-busy', 'replace');
    expect(await bench.read(id)).toMatchObject({ callback_url: null, concurrency_policy: 'replace' });
    expect(await cli('triggers', 'edit', 'edited')).toMatchObject({ code: 2 });
    expect(await cli('triggers', 'edit', 'edited', '--if-busy', 'queue')).toMatchObject({ code: 2 });
  });

  it('CP-163 CP-230 CP-240 CP-241 CP-242 list, disable, enable, rotate and run-now say what they did', async () => {
    const { id, token } = await bench.create({ name: 'switched' });
    expect(await ok('triggers', 'disable', 'switched')).toContain('is disabled');
    expect(await ok('triggers')).toMatch(/switched +bee +api +disabled/);
    expect(await cli('triggers', 'run-now', 'switched')).toMatchObject({ code: 5 });
    expect(await ok('triggers', 'enable', id.slice(-12))).toContain('is enabled');
    const rotated = await json<Schemas['RotatedToken']>('triggers', 'rotate', 'switched');
    expect(rotated).toMatchObject({ revoked: 1, token: expect.not.stringContaining(token) });
    const { session } = await json<Schemas['InvokedRun']>('triggers', 'run-now', 'switched');
    const history = await ok('triggers', 'history', 'switched');
    expect(history).toContain(`manual-`);
    expect(history).toContain(session.id.slice(-12));
    expect(await cli('triggers', 'show', 'nobody')).toMatchObject({ code: 3 });
  });

  it('history shows what came of events among the invocations, newest first', async () => {
    const { id, token } = await bench.create({ name: 'heard' });
    expect(await ok('triggers', 'history', 'heard')).toContain('Never asked for a run.');
    const { api } = bench;
    const event = { event_type: 'pull_request.opened' as const, resource: 'acme/shop#7' };
    await api.db.withTenant(api.organizationId, (tx) =>
      insertRows(tx, DispatchEntity, [
        {
          ...{ id: uuidv7(), tenant_id: api.organizationId, delivery_id: null, subscription_id: id, ...event },
          ...{ status: 'error', session_id: null, skip_reason: 'error: run queue full' },
        },
      ]),
    );
    const invoked = await api.post(`/v1/triggers/${id}/invoke`, {}, { token });
    const [, first, second] = (await ok('triggers', 'history', 'heard')).split('\n');
    expect(first).toContain(invoked.body.session.id.slice(-12));
    expect(second).toMatch(/pull_request\.opened acme\/shop#7 +error: run queue full$/);
    expect(await json('triggers', 'history', 'heard')).toMatchObject({
      invocations: [{ skip_reason: null }],
      dispatches: [{ ...event, delivery_id: null, skip_reason: 'error: run queue full' }],
    });
  });
});
