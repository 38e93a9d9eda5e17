import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { server } from '../../support/api/bundles-bench.js';
import { ManagedTriggers } from '../../support/triggers/managed-triggers.js';

let bench: ManagedTriggers;
let connections: Record<'app' | 'pending' | 'mcp' | 'token' | 'personal', string>;
let foreignRevision: string;
beforeAll(async () => {
  bench = await ManagedTriggers.start();
  const { api } = bench;
  const { userId } = await api.addUser('owner');
  connections = {
    app: await bench.connection(),
    pending: await bench.connection({ status: 'pending' }),
    mcp: await bench.connection({ provider: 'mcp_http', webhookSecret: null }),
    token: await bench.connection({ provider: 'codehost', webhookSecret: null }),
    personal: await bench.connection({ provider: 'codehost', owner_type: 'user', owner_user_id: userId }),
  };
  await api.post('/v1/capabilities', { name: 'files', servers: [server('files')] });
  await api.post('/v1/agents', { name: 'wasp', harness: 'replay' });
  foreignRevision = (await api.get('/v1/agents/wasp')).body.revisions[0]?.id ?? '';
});
afterAll(() => bench.api.close());

const EVENT = 'Review {{repository}}';

type Members = Record<string, unknown> | (() => Record<string, unknown>);

describe('creating a trigger is refused', () => {
  it.each<[what: string, members: Members, reason: string]>([
    ['a blank name', { name: '   ' }, 'name: must not be blank'],
    ['a name of two lines', { name: 'a\nb' }, 'name: must be one line'],
    ['a name that is too long', { name: 'a'.repeat(201) }, 'name'],
    ['no name', { name: undefined }, 'name'],
    ['an unknown agent', { agent: 'nobody' }, 'agent: unknown agent nobody'],
    ['an id of no agent', { agent: uuidv7() }, 'agent: unknown agent'],
    ['a revision of another agent', () => ({ pinned_revision_id: foreignRevision }), 'pinned_revision_id: agent bee'],
    ['an unknown revision', { pinned_revision_id: uuidv7() }, 'pinned_revision_id: agent bee'],
    ['neither template nor override', { task_template: ' ' }, 'task_template: must not be blank unless allow_task'],
    ['an unknown concurrency policy', { concurrency_policy: 'queue' }, 'concurrency_policy'],
    ['a bundle that is not attached', { capabilities: ['files'] }, 'capabilities: files is not attached'],
    ['a cron expression of four fields', { schedule: { cron: '* * * *' } }, 'schedule.cron'],
    ['an unknown zone', { schedule: { cron: '0 9 * * *', timezone: 'Mars/Olympus' } }, 'schedule.timezone'],
    ['a policy that fires all', { schedule: { cron: '0 9 * * *', missed_run_policy: 'all' } }, 'missed_run_policy'],
    ['a schedule without a template', { schedule: { cron: '0 9 * * *' }, task_template: '', allow_task_override: true }, 'task_template: a trigger of kind schedule needs one'],
    ['a schedule whose template needs more than the time', { schedule: { cron: '0 9 * * *' }, task_template: '{{who}}' }, '{{who}} has no value; known are fire_time'],
    ['a schedule that never fires again', { schedule: { cron: '0 0 0 1 1 * 2020' } }, 'schedule.cron: never fires again'],
    ['a 30 February', { schedule: { cron: '0 0 30 2 *' } }, 'schedule.cron: never fires again'],
    ['repositories without a connection', { repositories: [] }, 'repositories: needs a connection'],
    ['events without a connection', { events: ['opened'] }, 'events: needs a connection'],
    ['results to publish without a connection', { publish: ['check'] }, 'publish: needs a connection'],
    ['a schedule together with a connection', () => ({ schedule: { cron: '0 9 * * *' }, connection: connections.app, task_template: 'at nine' }), 'schedule: a trigger has a schedule or a connection'],
    ['a connection that is no id', { connection: 'hub' }, 'connection'],
    ['an unknown connection', { connection: uuidv7() }, 'connection: unknown connection'],
    ["a person's connection", () => ({ connection: connections.personal }), 'connection: unknown connection'],
    ['a connection that is not active', () => ({ connection: connections.pending }), 'connection: hub is pending'],
    ['a connection to an MCP server', () => ({ connection: connections.mcp }), 'connection: hub is no connection to a code host'],
    ['a connection without a webhook secret', () => ({ connection: connections.token }), 'connection: hub has no webhook secret'],
    ['no events at all', () => ({ connection: connections.app, events: [] }), 'events: must name at least one event'],
    ['an unknown event', () => ({ connection: connections.app, events: ['opened', 'push'] }), 'events: unknown event push; known are pull_request.opened'],
    ['an unknown result', () => ({ connection: connections.app, publish: ['email'] }), 'publish: unknown result email'],
    ['a repository without an owner', () => ({ connection: connections.app, repositories: ['app'] }), 'repositories: app must be owner/name'],
    ['a repository of three parts', () => ({ connection: connections.app, repositories: ['a/b/c'] }), 'repositories: a/b/c must be owner/name'],
    ['an event trigger without a template', () => ({ connection: connections.app, task_template: '', allow_task_override: true }), 'task_template: a trigger of kind event needs one'],
    ['an event trigger whose template names what no event has', () => ({ connection: connections.app, task_template: '{{fire_time}}' }), '{{fire_time}} has no value'],
    ['a hole that is not closed', () => ({ connection: connections.app, task_template: '{{repository' }), 'is not closed'],
    ['a workspace of no kind', { workspace: { kind: 'cloud' } }, 'workspace.kind'],
    ['a repository that cannot be fetched', { workspace: { kind: 'git_repository', clone_url: 'https://10.0.0.1/a.git' } }, 'workspace.clone_url'],
    ['an upload', { workspace: { kind: 'upload', id: uuidv7() } }, 'workspace.kind: an upload is used up by one run'],
    ["a workspace by a person's connection", () => ({ workspace: { kind: 'git_repository', repository: 'a/b', connection_id: connections.personal } }), 'workspace.connection_id: unknown connection'],
    ['a callback that is no address', { callback_url: 'ci.example.com' }, 'callback_url: must be an address'],
    ['a callback by another scheme', { callback_url: 'ftp://ci.example.com/' }, 'callback_url: must be an address'],
    ['a callback inside', { callback_url: 'https://169.254.169.254/latest' }, 'callback_url rejected'],
    ['a callback without encryption', { callback_url: 'http://ci.example.com/done' }, 'callback_url rejected'],
    ['a member that triggers do not have', { trigger_kind: 'api' }, 'trigger_kind: is not a member of this request'],
    ['a schedule with a member that clocks do not have', { schedule: { cron: '0 9 * * *', jitter: 5 } }, 'schedule.jitter: is not a member'],
  ])('CP-106 CP-114 CP-232 with 400 for %s', async (_what, given, reason) => {
    const before = await bench.count();
    const members = typeof given === 'function' ? given() : given;
    const event = members['connection'] === undefined || 'task_template' in members ? {} : { task_template: EVENT };
    const { status, body } = await bench.post({ ...event, ...members });
    expect([status, body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect(await bench.count()).toBe(before);
  }); // prettier-ignore

  it('CP-105 CP-232 with 400 for an autonomous one whose policy permits none, in the words in which a run is', async () => {
    const { api } = bench;
    await api.post('/v1/agents', { name: 'governed-bee', harness: 'replay', policy: 'governed' });
    const run = await api.post('/v1/sessions', { agent: 'governed-bee', task: '[]', autonomous: true });
    const refused = await bench.post({ agent: 'governed-bee', autonomous: true });
    expect([refused.status, refused.body.error]).toEqual([400, run.body.error]);
    expect(refused.body.error).toMatch(/^autonomous: the policy of the agent does not permit/);
    await bench.create({ agent: 'governed-bee' });
  });

  it('CP-112 CP-232 and told which bundles are attached', async () => {
    const { api } = bench;
    expect((await api.post('/v1/agents/bee/revisions', { capability_bundles: ['files'] })).status).toBe(200);
    const { status, body } = await bench.post({ capabilities: ['files', 'web'] });
    expect([status, body.error]).toEqual([
      400,
      "capabilities: web is not attached to the agent's revision; files is attached",
    ]);
    expect((await bench.create({ capabilities: ['files', 'files'] })).capabilities).toEqual(['files']);
    await api.post('/v1/agents/bee/revisions', { capability_bundles: [] });
  });

  it('CP-232 with 403 for a folder of the host, unless the operator names it', async () => {
    const members = { workspace: { kind: 'local_copy', path: '/srv/app' } };
    const { token } = await bench.api.addUser('owner');
    const { status, body } = await bench.post(members, { token });
    expect([status, body.error]).toEqual([403, expect.stringContaining('workspace')]);
    expect((await bench.create(members)).workspace).toEqual(members.workspace);
  });

  it("CP-177 CP-232 with 403 for a folder of the host that is the agent's default; the operator names it", async () => {
    const folder = { kind: 'local_copy', path: '/srv/app' };
    const { token } = await bench.api.addUser('admin');
    await bench.api.post('/v1/agents', {
      name: 'peek',
      harness: 'replay',
      policy: 'standard',
      default_workspace: folder,
    });
    const refused = await bench.post({ agent: 'peek' }, { token });
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('operator')]);
    const unnamed = await bench.post({ agent: 'peek' });
    expect([unnamed.status, unnamed.body.error]).toEqual([400, expect.stringContaining('name it here')]);
    const named = await bench.create({ agent: 'peek', workspace: folder });
    const invoked = await bench.api.post(`/v1/triggers/${named.id}/invoke`, {}, { token: named.token });
    expect(invoked.status).toBe(200);
  });

  it('CP-177 and no run of a trigger copies a folder that somebody gave its agent afterwards', async () => {
    const { token } = await bench.api.addUser('admin');
    await bench.api.post('/v1/agents', { name: 'later', harness: 'replay', policy: 'standard' }, { token });
    const trigger = await bench.create({ agent: 'later' });
    const changed = { default_workspace: { kind: 'local_copy', path: '/etc' } };
    expect((await bench.api.post('/v1/agents/later/revisions', changed, { token })).status).toBe(403);
    expect((await bench.api.post('/v1/agents/later/revisions', changed)).status).toBe(200);
    const { status, body } = await bench.api.post(`/v1/triggers/${trigger.id}/invoke`, {}, { token: trigger.token });
    expect([status, body.error]).toEqual([403, expect.stringContaining('folder of the host')]);
  });

  it('CP-232 by its first fault, in the order of the rules', async () => {
    const faults: [object, string][] = [
      [{ name: ' \u00a0' }, 'name'],
      [{ agent: 'nobody' }, 'agent'],
      [{ task_template: '' }, 'task_template'],
      [{ capabilities: ['nothing'] }, 'capabilities'],
      [{ schedule: { cron: 'never' } }, 'schedule.cron'],
      [{ events: ['push'], connection: null }, 'events'],
      [{ workspace: { kind: 'upload', id: uuidv7() } }, 'workspace.kind'],
      [{ callback_url: 'nowhere' }, 'callback_url'],
    ];
    for (const [at, [, member]] of faults.entries()) {
      const all = Object.assign({}, ...faults.slice(at).map(([members]) => members)) as object;
      const { status, body } = await bench.post(all);
      expect([status, body.error.split(':')[0]]).toEqual([400, member]);
    }
  });

  it('CP-232 with 409 for a name that is taken, also of a disabled trigger', async () => {
    const { id, name } = await bench.create();
    await bench.api.post(`/v1/triggers/${id}/disable`);
    const { status, body } = await bench.post({ name: ` ${name} ` });
    expect([status, body.error]).toEqual([409, `name: a trigger named ${name} exists`]);
    expect(
      (await bench.api.database.owner.query('select 1 from api_tokens where kind = $1', ['trigger'])).rowCount,
    ).toBe(await bench.count());
  });

  it('CP-232 with 503 for a callback when there is no key to seal its secret', async () => {
    const keyless = await ManagedTriggers.start({});
    try {
      expect((await keyless.post({ callback_url: 'https://ci.example.com/done' })).status).toBe(503);
      expect(await keyless.count()).toBe(0);
      expect((await keyless.post()).status).toBe(200);
    } finally {
      await keyless.api.close();
    }
  });
});
