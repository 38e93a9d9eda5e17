import type { JsonObject } from '../../../../domain/json.js';
import { answered } from '../evidence.js';
import type { ServerCheck } from '../evidence.js';
import { idsOf } from '../probes.js';
import type { Scene } from '../scene.js';

interface Route {
  name: string;
  method: 'GET' | 'POST';
  /** The path with the run's id, and the one without, where the route has both. */
  paths: readonly string[];
  audience: 'tool' | 'control' | 'workspace' | 'llm';
  section: number;
}

const session = (path: string): string[] => [`/internal/sessions/{id}${path}`, `/internal${path}`];

/** Every route of the runner plane with the audience that opens it. */
export const ROUTES: readonly Route[] = [
  { name: 'permission', method: 'POST', paths: session('/permission'), audience: 'tool', section: 4 },
  { name: 'tools-call', method: 'POST', paths: session('/tools/call'), audience: 'tool', section: 5 },
  { name: 'events', method: 'POST', paths: session('/events'), audience: 'control', section: 6 },
  { name: 'heartbeat', method: 'POST', paths: session('/heartbeat'), audience: 'control', section: 7 },
  { name: 'result', method: 'POST', paths: session('/result'), audience: 'control', section: 8 },
  { name: 'token-renew', method: 'POST', paths: session('/token/renew'), audience: 'control', section: 9 },
  { name: 'workspace', method: 'GET', paths: session('/workspace'), audience: 'workspace', section: 10 },
  { name: 'llm', method: 'POST', paths: ['/internal/llm/v1/messages'], audience: 'llm', section: 11 },
  { name: 'tunnel', method: 'GET', paths: session('/tunnel'), audience: 'tool', section: 18 },
];

const HELD = ['tool', 'control', 'llm'] as const;
/** Not JSON: a refusal for it instead of for the token would show that the body was read first. */
const UNREADABLE = '{"tool_call_id": "stranger"';

function probe(id: string, route: Route, path: string, as: string): JsonObject {
  return { id, as, path, method: route.method, ...(route.method === 'POST' ? { text: UNREADABLE } : {}) };
}

function wrongOf(route: Route): JsonObject[] {
  return route.paths.flatMap((path, form) =>
    HELD.filter((held) => held !== route.audience).map((held) =>
      probe(`${route.name}.${held}.${form}`, route, path, held),
    ),
  );
}

function strangersOf(route: Route): JsonObject[] {
  return route.paths.flatMap((path, form) =>
    ['none', 'unknown'].map((as) => probe(`${route.name}.${as}.${form}`, route, path, as)),
  );
}

const checks: ServerCheck[] = ROUTES.flatMap((route) => [
  answered(
    `audience/${route.name}`,
    route.section,
    `Only the ${route.audience} token opens ${route.paths.join(' and ')}; the audience comes before the body`,
    idsOf(wrongOf(route)),
    { status: 403, body: { error: 'wrong_audience' } },
  ),
  answered(
    `strangers/${route.name}`,
    route.section,
    `${route.name} refuses a missing and an unknown token before it reads the body`,
    idsOf(strangersOf(route)),
    { status: 401, body: { error: 'unauthorized' } },
  ),
]);

export const audiences: Scene = {
  name: 'audiences',
  probes: ROUTES.flatMap((route) => [...wrongOf(route), ...strangersOf(route)]),
  checks: [
    ...checks,
    {
      id: 'audience/no-effect',
      section: 2,
      title: 'A request that was refused for its token leaves nothing in the record',
      expected: 'no tool.requested and no posted event',
      judge: ({ events, observations }) => {
        if (observations.length === 0) return { result: 'fail', seen: 'nothing was asked' };
        const left = events.filter(({ type }) => ['tool.requested', 'tool.decision', 'unknown'].includes(type));
        return left.length === 0
          ? { result: 'pass', seen: 'nothing' }
          : { result: 'fail', seen: left.map(({ type }) => type).join(', ') };
      },
    },
  ],
};
