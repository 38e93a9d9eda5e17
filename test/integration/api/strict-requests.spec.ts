import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodySchema, operationsOf, type DescribedRequests, type Operation } from '../../../src/api/openapi/schema.js';
import { startApi, type Answer, type CallOptions, type TestApi } from '../../support/api/api.js';
import { RouteCallers } from '../../support/api/route-callers.js';
import {
  closedObjects,
  exampleOf,
  misspelt,
  placeOf,
  valueAt,
  withRenamed,
  withValue,
  type Way,
} from '../../support/api/described-requests.js';
import type { FixtureSubscription } from '../../support/triggers/subscription-fixture.js';
import { atTrigger, triggerOfAgent } from '../../support/triggers/trigger-routes.js';
import { tableContents } from '../../support/database/table-contents.js';

const ID = '01900000-0000-7000-8000-000000000000';
const UNKNOWN = 'x_unheard_of';
/** Members that a body needs although the description leaves the choice. */
const CHOSEN: Readonly<Record<string, object>> = {
  'POST /v1/catalog': { url: 'https://mcp.example.com/mcp' },
  'POST /v1/connections': { base_url: 'https://mcp.example.com/mcp', auth_kind: 'oauth' },
  'POST /v1/policies/{name}/simulate': { yaml: 'name: strict' },
  'POST /v1/triggers': { task_template: '[]' },
};

let api: TestApi;
let description: DescribedRequests;
/** Operations of the public plane, which is strict; what stands elsewhere answers to rules of others. */
let operations: [string, Operation][];
let trigger: FixtureSubscription;
let callers: RouteCallers;
beforeAll(async () => {
  api = await startApi();
  trigger = await triggerOfAgent(api, 'fixer');
  callers = await RouteCallers.of(api, trigger);
  description = JSON.parse((await api.get('/v1/openapi.json', { token: null })).text) as DescribedRequests;
  operations = [...operationsOf(description)].filter(([name]) => name.includes(' /v1/'));
});
afterAll(() => api.close());

/** The address of an operation, with names that exist where they can. */
function addressOf(name: string): { method: string; path: string } & CallOptions {
  const [method = '', path = ''] = name.split(' ');
  const named = path.replace('/agents/{id}', '/agents/fixer').replace('/policies/{name}', '/policies/default');
  const address = atTrigger(named, trigger)
    .replace('{version}', '1')
    .replace(/\{\w+\}/g, ID);
  return { method, path: address, ...callers.of(name) };
}

function send(name: string, body: unknown): Promise<Answer> {
  const { method, path, ...as } = addressOf(name);
  return api.inject(method, path, { body, ...as });
}

const withBody = (): [string, Operation][] =>
  operations.filter(([name, operation]) => bodySchema(operation) !== undefined || !name.startsWith('GET '));

/** What was wrong with an answer that should be a refusal of one member. */
function complaint(answer: Answer, place: string, meant?: string): string | undefined {
  const end = meant === undefined ? '' : `; did you mean ${meant}?`;
  const expected = `${place}: is not a member of this request`;
  const said = answer.body.error;
  const isNamed = said.startsWith(expected) && said.endsWith(end);
  return answer.status === 400 && isNamed ? undefined : `${place}: ${answer.status} ${said}`;
}

interface Mutation {
  body: unknown;
  place: string;
  meant?: string;
}

/** Every member misspelt, an unknown one in every object, and every member of another object of the request in every object. */
function mutationsOf(operation: Operation): Mutation[] {
  const schema = bodySchema(operation);
  if (schema === undefined) return [{ body: { [UNKNOWN]: 1 }, place: UNKNOWN }];
  const whole = exampleOf(schema, description, true);
  const objects = closedObjects(schema, description).filter(({ way }) => isObject(valueAt(whole, way)));
  return objects.flatMap(({ way, members }) => {
    const of = (name: string): string => placeOf([...way, name]);
    const elsewhere = objects.flatMap((other) => (other.way === way ? [] : other.members));
    const strangers = [...new Set(elsewhere)].filter((name) => !members.includes(name));
    return [
      ...members.map((name) => ({
        body: withRenamed(whole, way, name, misspelt(name)),
        place: of(misspelt(name)),
        meant: of(name),
      })),
      { body: withValue(whole, [...way, UNKNOWN], 1), place: of(UNKNOWN) },
      ...strangers.map((name) => ({ body: withValue(whole, [...way, name] as Way, {}), place: of(name) })),
    ];
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('a request says only what is understood', () => {
  it('CP-329 a member that is misspelt, unknown or at another place is refused and named, in every body, and nothing changes', async () => {
    const contents = async () => {
      const { 'public.auth_audit_log': refusals, ...rest } = await tableContents(api.database.owner);
      return { rest, refusals };
    };
    // That a browser was seen is written down once a minute, however many requests it sends.
    await api.database.owner.query("update user_sessions set last_seen_at = now() + interval '1 hour'");
    const before = await contents();
    const complaints: string[] = [];
    let tried = 0;
    for (const [name, operation] of withBody()) {
      for (const { body, place, meant } of mutationsOf(operation)) {
        const found = complaint(await send(name, body), place, meant);
        if (found !== undefined) complaints.push(`${name} ${found}`);
        tried += 1;
      }
    }
    expect(complaints).toEqual([]);
    const after = await contents();
    expect(after.rest).toEqual(before.rest);
    // Of privileged steps the refusals are put on record.
    expect(after.refusals).not.toEqual(before.refusals);
    expect(tried).toBeGreaterThan(300);
  });

  it('CP-329 a query parameter that is misspelt or unknown is refused and named', async () => {
    for (const [name, operation] of operations) {
      const known = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const { method, path, ...as } = addressOf(name);
      const ask = async (query: string): Promise<[number, string]> => {
        const answer = await api.inject(method, `${path}?${query}=1`, as);
        return [answer.status, answer.body.error];
      };
      const [status, error] = await ask(UNKNOWN);
      expect([name, status, error]).toEqual([name, 400, expect.stringContaining(`${UNKNOWN}: is not a parameter`)]);
      for (const parameter of known)
        expect([name, ...(await ask(misspelt(parameter.name)))]).toEqual([
          name,
          400,
          `${misspelt(parameter.name)}: is not a parameter of this request; did you mean ${parameter.name}?`,
        ]);
    }
  });

  it('CP-329 what the description allows is refused for no member', async () => {
    for (const [name, operation] of withBody()) {
      const schema = bodySchema(operation);
      const example = (whole: boolean) => (schema === undefined ? {} : exampleOf(schema, description, whole));
      const { error } = (await send(name, example(true))).body;
      expect([name, error ?? '']).toEqual([name, expect.not.stringContaining('is not a member')]);
      const least = await send(name, { ...(example(false) as object), ...CHOSEN[name] });
      // Whether another server answers, or a terminal waits, does not depend on the request.
      const isRefused = least.status === 400 && !/is not reachable|invalid_grant/.test(least.text);
      expect([name, isRefused ? least.text : '']).toEqual([name, '']);
    }
  });

  it('CP-329 every object of a request body is closed, except what is the caller’s own', () => {
    const open: string[] = [];
    const visit = (schema: unknown, place: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { $ref, properties, additionalProperties, items, allOf, anyOf } = schema as Record<string, unknown>;
      if (typeof $ref === 'string') visit(description.components?.schemas?.[$ref.split('/').at(-1) ?? ''], place);
      for (const part of [allOf, anyOf].flatMap((parts) => (parts as unknown[] | undefined) ?? [])) visit(part, place);
      visit(items, place);
      for (const [name, member] of Object.entries(properties ?? {})) visit(member, `${place}.${name}`);
      const isFree = additionalProperties !== undefined && additionalProperties !== false;
      if (isFree || (properties !== undefined && additionalProperties !== false)) open.push(place.replace(/^.*\//, ''));
    };
    for (const [name, operation] of withBody()) visit(bodySchema(operation), name);
    expect([...new Set(open)].sort()).toEqual([
      'agents.env',
      'capabilities.servers.tools.annotations',
      'capabilities.servers.tools.input_schema',
      'capabilities.servers.tools.output_schema',
      'catalog.sandbox_launch.tools.annotations',
      'catalog.sandbox_launch.tools.input_schema',
      'catalog.sandbox_launch.tools.output_schema',
      // Names of groups.
      'idp.claim_mappings.role_map',
      'invoke.context',
      // Members that would lead elsewhere are refused with 403, by the service.
      'invoke.workspace',
      'migrate.claim_mappings.role_map',
      'preview.calls.input',
      'preview.content',
      'publish.content',
      'revisions.env',
      'sessions.bindings',
      'sessions.labels',
      'simulate.content',
      // Webhooks are the code host's.
      '{connection_id}',
      '{id}.claim_mappings.role_map',
      '{registration_id}',
    ]);
  });
});

describe('a member at another place', () => {
  it.each([
    [{ repository: 'a/b' }, 'repository: is not a member of this request; did you mean workspace.repository?'],
    [
      { workspace: { kind: 'scratch', labels: {} } },
      'workspace.labels: is not a member of this request; did you mean labels?',
    ],
    [{ polcy: 'default' }, expect.stringMatching(/^polcy: is not a member of this request; did you mean \w+\?$/)],
    [{ ['x'.repeat(5000)]: 1 }, expect.stringMatching(/^x{80}: is not a member/)],
  ])('CP-329 is refused with where it belongs: %#', async (members, error) => {
    const answer = await api.post('/v1/sessions', { agent: 'fixer', task: 'a', ...members });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it.each([
    ['POST', `/v1/sessions/${ID}/cancel`],
    ['DELETE', '/v1/policies/default'],
  ])('CP-329 is refused by a request that takes none: %s %s', async (method, path) => {
    const answer = await api.call(method, path, { body: { reason: 'x' } });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'reason: is not a member of this request, which takes none',
    ]);
    expect((await api.call(method, path, { raw: '[]' })).status).toBe(400);
  });

  it('CP-046 CP-329 is told to nobody without a credential', async () => {
    expect((await api.post('/v1/sessions', { tsk: 1 }, { token: null })).status).toBe(401);
  });
});

describe('members of another kind', () => {
  it.each([
    [{ kind: 'scratch', path: '/tmp' }, 'workspace.path is of kind local_copy; this workspace is of kind scratch'],
    [
      { kind: 'local_copy', path: '/tmp', ref: 'main' },
      'workspace.ref is of kind git_repository; this workspace is of kind local_copy',
    ],
    [
      { kind: 'git_repository', repository: 'a/b', include: [] },
      'workspace.include is of kind local_copy; this workspace is of kind git_repository',
    ],
  ])('CP-329 %j', async (workspace, error) => {
    const answer = await api.post('/v1/sessions', { agent: 'fixer', task: 'a', workspace });
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });
});

describe('a task', () => {
  it.each(['', ' ', '\n\t ', '\u00a0'])('CP-329 that is blank is refused: %j', async (task) => {
    const answer = await api.post('/v1/sessions', { agent: 'fixer', task });
    expect([answer.status, answer.body]).toEqual([400, { error: 'task: must not be blank' }]);
  });
});
