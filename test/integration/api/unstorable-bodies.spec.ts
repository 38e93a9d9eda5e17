import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import type { FixtureSubscription } from '../../support/triggers/subscription-fixture.js';
import { atTrigger, triggerOfAgent } from '../../support/triggers/trigger-routes.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { RouteCallers } from '../../support/api/route-callers.js';

/** Stores nothing: it answers what is wrong with a text, whatever is in it. */
const VALIDATION = '/v1/policies/validate';

let api: TestApi;
let document: JsonObject;
let trigger: FixtureSubscription;
let callers: RouteCallers;

beforeAll(async () => {
  api = await startApi();
  trigger = await triggerOfAgent(api, 'fixer');
  callers = await RouteCallers.of(api, trigger);
  document = JSON.parse((await api.get('/v1/openapi.json')).text) as JsonObject;
});
afterAll(() => api.close());

const member = (value: unknown, name: string): JsonObject =>
  ((value as JsonObject | undefined)?.[name] ?? {}) as JsonObject;

function resolved(schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return member(member(member(document, 'components'), 'schemas'), reference.split('/').at(-1) ?? '');
}

/** Every member of every JSON body of the document: method, path as it is described, and name. */
function bodyMembers(): [string, string, string][] {
  return Object.entries(member(document, 'paths')).flatMap(([path, operations]) =>
    path === VALIDATION
      ? []
      : Object.entries(operations as JsonObject).flatMap(([method, operation]) => {
          const content = member(member(operation, 'requestBody'), 'content');
          const schema = resolved(member(member(content, 'application/json'), 'schema'));
          return Object.keys(member(schema, 'properties')).map((name): [string, string, string] => [
            method.toUpperCase(),
            path,
            name,
          ]);
        }),
  );
}

describe('a body that cannot be stored', () => {
  it.each([
    ['NUL', '"a\\u0000b"'],
    ['half a surrogate pair', '"a\\ud83d"'],
    ['half a surrogate pair in a list', '["a",{"b":"\\udc00"}]'],
    ['a number out of range', '{"n":[1e400]}'],
  ])('is 400 for %s in any member of any body, by its name', async (_what, value) => {
    const members = bodyMembers();
    expect(members.length).toBeGreaterThan(60);
    const wrong: string[] = [];
    for (const [method, path, name] of members) {
      const place = atTrigger(path, trigger).replaceAll(/\{[^}]*\}/g, '01900000-0000-7000-8000-000000000000');
      const { token, headers } = callers.of(`${method} ${path}`);
      const answer = await api.call(method, place, {
        ...(token === undefined ? {} : { token }),
        raw: `{"${name}":${value}}`,
        headers: { ...headers, 'content-type': 'application/json' },
      });
      if (answer.status !== 400 || !answer.body.error.startsWith(name))
        wrong.push(`${method} ${path} ${name}: ${answer.status} ${answer.text}`);
    }
    expect(wrong).toEqual([]);
  });
});
