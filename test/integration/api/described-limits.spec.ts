import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodySchema, operationsOf, type DescribedRequests, type Operation } from '../../../src/api/openapi/schema.js';
import type { FixtureSubscription } from '../../support/triggers/subscription-fixture.js';
import { atTrigger, triggerOfAgent } from '../../support/triggers/trigger-routes.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { RouteCallers } from '../../support/api/route-callers.js';
import {
  exampleOf,
  membersBelow,
  wholeSchema,
  withValue,
  type LimitedSchema,
  type Way,
} from '../../support/api/described-requests.js';

const ID = '01900000-0000-7000-8000-000000000000';
/** Larger than any integer of a format, and exact as a double. */
const BEYOND_INT32 = 2 ** 31;

let api: TestApi;
let description: DescribedRequests;
let operations: [string, Operation][];
let trigger: FixtureSubscription;
let callers: RouteCallers;
beforeAll(async () => {
  api = await startApi({
    SERVICE_CREDENTIAL_KEY: randomBytes(32).toString('base64'),
    SERVICE_KMS_MODE: 'off',
    SERVICE_CODEHOST_API_URL: 'http://127.0.0.1:9',
  });
  await api.post('/v1/agents', { name: 'limited' });
  await api.post('/v1/catalog', {
    slug: 'limited',
    name: 'Limited',
    url: 'https://mcp.example.com/mcp',
    auth_mode: 'oauth',
  });
  await api.post('/v1/admin/orgs', { slug: 'limited' });
  trigger = await triggerOfAgent(api, 'limited');
  callers = await RouteCallers.of(api, trigger);
  description = JSON.parse((await api.get('/v1/openapi.json', { token: null })).text) as DescribedRequests;
  operations = [...operationsOf(description)].filter(([name]) => name.includes(' /v1/'));
});
afterAll(() => api.close());

const OAUTH_MCP = { provider: 'mcp_http', base_url: 'https://mcp.example.com/mcp', auth_kind: 'oauth' };
const STATIC_MCP = { provider: 'mcp_http', base_url: 'https://mcp.example.com/mcp', token: 'a' };
const APP = { provider: 'codehost_app', app_id: '1', installation_id: '1', private_key: 'a', webhook_secret: 'a' };
/** Nobody listens there. */
const PROVIDER = { issuer: 'http://127.0.0.1:9', client_id: 'a', token_endpoint_auth: 'none' };
const OAUTH_MEMBERS = ['auth_kind', 'client_id', 'client_secret', 'scopes'];

/** What a body says besides, so that the member which is tried is one that this kind of body may have. */
function besides(name: string, member: string): object {
  if (name === 'POST /v1/catalog') return { url: 'https://mcp.example.com/mcp' };
  if (name === 'POST /v1/mcp/servers') return { auth_mode: 'oauth', ...clientOf(member) };
  if (name === 'POST /v1/policies/{name}/simulate') return member === 'content' ? {} : { yaml: 'name: a' };
  if (name === 'POST /v1/catalog/{slug}/connect') return clientOf(member);
  if (/^POST .*\/idp(\/\{id\}\/migrate)?$/.test(name)) return PROVIDER;
  if (name !== 'POST /v1/connections') return {};
  if (Object.hasOwn(APP, member) && member !== 'provider') return APP;
  return OAUTH_MEMBERS.includes(member) ? { ...OAUTH_MCP, ...clientOf(member) } : STATIC_MCP;
}

/** A secret needs the client that it belongs to. */
function clientOf(member: string): object {
  return member === 'client_secret' ? { client_id: 'a' } : {};
}

/** A value at a limit and one just beyond it. */
interface Limit {
  what: string;
  at?: unknown;
  beyond: unknown;
}

function textLimits({ pattern, minLength, maxLength, format }: LimitedSchema): Limit[] {
  const limits: Limit[] = [];
  if (maxLength !== undefined)
    limits.push({ what: 'maxLength', at: 'a'.repeat(maxLength), beyond: 'a'.repeat(maxLength + 1) });
  if (minLength === 1) limits.push({ what: 'minLength', beyond: '' });
  if (pattern !== undefined) limits.push({ what: 'pattern', beyond: pattern === '\\S' ? ' ' : '\u0001 !' });
  if (format === 'uuid' || format === 'date-time') limits.push({ what: 'format', beyond: 'strict' });
  return limits;
}

function numberLimits({ minimum, maximum, format, type }: LimitedSchema): Limit[] {
  const limits: Limit[] = [];
  if (minimum !== undefined) limits.push({ what: 'minimum', at: minimum, beyond: minimum - 1 });
  if (maximum !== undefined) limits.push({ what: 'maximum', at: maximum, beyond: maximum + 1 });
  if (format === 'int32') limits.push({ what: 'format', at: BEYOND_INT32 - 1, beyond: BEYOND_INT32 });
  if ([type].flat().includes('integer')) limits.push({ what: 'type', beyond: 1.5 });
  return limits;
}

function listLimits({ items, minItems, maxItems, uniqueItems }: LimitedSchema): Limit[] {
  const one = exampleOf(items ?? {}, description, false);
  const distinct = (count: number): unknown[] =>
    Array.from({ length: count }, (_, index) => (typeof one === 'string' ? `${one}${index}` : one));
  const limits: Limit[] = [];
  if (maxItems !== undefined) limits.push({ what: 'maxItems', at: distinct(maxItems), beyond: distinct(maxItems + 1) });
  if (minItems !== undefined && minItems > 0) limits.push({ what: 'minItems', beyond: [] });
  if (uniqueItems === true) limits.push({ what: 'uniqueItems', at: distinct(2), beyond: [one, one] });
  for (const inner of textLimits(wholeSchema(items ?? {}, description)))
    limits.push({
      ...inner,
      what: `items ${inner.what}`,
      beyond: [inner.beyond],
      ...(inner.at ? { at: [inner.at] } : {}),
    });
  return limits;
}

function mapLimits({ maxProperties, propertyNames, additionalProperties }: LimitedSchema): Limit[] {
  const some = (count: number): unknown =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'a']));
  const limits: Limit[] = [];
  if (maxProperties !== undefined)
    limits.push({ what: 'maxProperties', at: some(maxProperties), beyond: some(maxProperties + 1) });
  if (propertyNames?.pattern !== undefined) limits.push({ what: 'propertyNames', beyond: { '\u0001 !': 'a' } });
  if (typeof additionalProperties === 'object') {
    for (const { what, at, beyond } of textLimits(additionalProperties))
      limits.push({ what: `values ${what}`, at: { a: at }, beyond: { a: beyond } });
    limits.push({ what: 'values type', beyond: { a: 1 } });
  }
  return limits;
}

/** What the description says that a value must not be. */
function limitsOf(schema: LimitedSchema): Limit[] {
  const types = [schema.type ?? []].flat();
  const limits: Limit[] = [];
  if (schema.enum !== undefined) limits.push({ what: 'enum', beyond: 'no-such-value' });
  if (types.includes('string')) limits.push(...textLimits(schema));
  if (types.includes('integer') || types.includes('number')) limits.push(...numberLimits(schema));
  if (types.includes('array')) limits.push(...listLimits(schema));
  if (types.includes('object')) limits.push(...mapLimits(schema));
  if (types.length === 0 || (types.includes('object') && types.includes('string'))) return limits;
  limits.push({ what: 'type', beyond: types.includes('object') ? 'text' : { of: 'an object' } });
  if (!types.includes('null')) limits.push({ what: 'null', beyond: null });
  return limits;
}

describe('the limits that the description states', () => {
  it('CP-300 hold in every body: what lies beyond one is refused and named, what lies at it is not refused for it', async () => {
    const complaints: string[] = [];
    let tried = 0;
    for (const [name, operation] of operations) {
      const schema = bodySchema(operation);
      if (schema === undefined) continue;
      for (const member of membersBelow(schema, description)) {
        for (const limit of limitsOf(member.schema)) {
          const found = await tryLimit(name, schema, member.way, limit);
          if (found !== undefined) complaints.push(`${name} ${member.way.join('.')} ${limit.what}: ${found}`);
          tried += 1;
        }
      }
    }
    expect(complaints).toEqual([]);
    expect(tried).toBeGreaterThan(250);
  });

  async function tryLimit(name: string, schema: object, way: Way, limit: Limit): Promise<string | undefined> {
    const [method = '', path = ''] = name.split(' ');
    const address = atTrigger(path, trigger)
      .replace('/agents/{id}', '/agents/limited')
      .replace('/policies/{name}', '/policies/default')
      .replace('{slug}', 'limited');
    const send = async (value: unknown): Promise<{ status: number; error: string }> => {
      const base = { ...(filled(schema, way) as object), ...besides(name, String(way[0])) };
      const body = withValue(base, way, value);
      const answer = await api.inject(method, address.replace(/\{\w+\}/g, ID), { body, ...callers.of(name) });
      return { status: answer.status, error: answer.body.error };
    };
    const beyond = await send(limit.beyond);
    const member = String(way.findLast((step) => typeof step === 'string'));
    if (beyond.status !== 400 || !beyond.error.includes(member)) return `beyond: ${beyond.status} ${beyond.error}`;
    if (limit.at === undefined) return undefined;
    const at = await send(limit.at);
    return at.status === 400 && at.error === beyond.error ? `at: ${at.error}` : undefined;
  }

  /** The least body, with whatever is required of the objects on the way. */
  function filled(schema: object, way: Way): unknown {
    let body = exampleOf(schema, description, false);
    let here = schema;
    for (const [depth, step] of way.entries()) {
      const whole = wholeSchema(here, description);
      here = (typeof step === 'number' ? whole.items : whole.properties?.[step]) ?? {};
      const isLast = depth === way.length - 1;
      if (isLast || wholeSchema(here, description).type === undefined) continue;
      const inner = exampleOf(here, description, false, typeof step === 'string' ? step : '');
      body = withValue(body, way.slice(0, depth + 1), inner);
    }
    return body;
  }

  it('CP-300 hold in every query', async () => {
    for (const [name, operation] of operations) {
      const parameters = (operation.parameters ?? []) as { name: string; in: string; schema: LimitedSchema }[];
      for (const { name: parameter, schema } of parameters.filter((one) => one.in === 'query')) {
        for (const [beyond, why] of queryBeyond(parameter, schema)) {
          const [method = '', path = ''] = name.split(' ');
          const answer = await api.inject(method, `${path.replace(/\{\w+\}/g, ID)}?${beyond}`, callers.of(name));
          expect([name, beyond, why, answer.status, answer.body.error]).toEqual([
            name,
            beyond,
            why,
            400,
            expect.stringContaining(parameter),
          ]);
        }
      }
    }
  });

  function queryBeyond(name: string, schema: LimitedSchema): [string, string][] {
    const { items, maxItems } = schema;
    const one = wholeSchema(items ?? schema, description);
    const values = [...textLimits(one), ...(one.enum === undefined ? [] : [{ what: 'enum', beyond: 'none' }])];
    const isNumber = one.type === 'integer';
    return [
      ...values.map(({ what, beyond }): [string, string] => [`${name}=${encodeURIComponent(String(beyond))}`, what]),
      ...(isNumber ? [[`${name}=1.5`, 'type'] as [string, string]] : []),
      ...(isNumber && one.minimum !== undefined ? [[`${name}=${one.minimum - 1}`, 'minimum'] as [string, string]] : []),
      ...(one.format === 'int64' ? [[`${name}=9223372036854775808`, 'format'] as [string, string]] : []),
      ...(maxItems === undefined
        ? []
        : [
            [
              Array(maxItems + 1)
                .fill(`${name}=a%3D1`)
                .join('&'),
              'maxItems',
            ] as [string, string],
          ]),
    ];
  }
});
