import type { JsonObject } from '../../../../domain/json.js';
import { textOf } from '../../../server/event-data.js';
import { answered, recorded } from '../evidence.js';
import { call, idsOf, permission, toolsCall } from '../probes.js';
import type { Scene } from '../scene.js';

const ALLOW = { status: 200, body: { decision: 'allow' } } as const;
const denied = (words: string, part: string) =>
  ({
    status: 200,
    where: [words, (body: JsonObject) => body['decision'] === 'deny' && textOf(body, 'message').includes(part)],
  }) as const;
const DENIED = denied('a denial and its reason', '');

const read = (id: string, input: JsonObject = { file_path: 'a' }): JsonObject => call(id, 'Read', input);
const raw = (id: string, text: string): JsonObject => permission(id, undefined, { text });
const exact = (id: string, number: string): JsonObject =>
  raw(id, `{"tool_call_id":"exact","tool":"Read","input":{"file_path":"a","limit":${number}}}`);

/** Larger than any sensible ceiling of a deployment. */
const OVERSIZE_BYTES = 12 * 1024 * 1024;
/** A hostile call of a brokered tool. */
const BROKERED = 'b4';
const TWINS = ['twin.1', 'twin.2', 'twin.3', 'twin.4', 'twin.5', 'twin.6'];

const HOSTILE: readonly JsonObject[] = [
  raw('hostile.not-json', '{"tool_call_id": "h1", "tool": '),
  permission('hostile.empty'),
  permission('hostile.array', []),
  permission('hostile.no-id', { tool: 'Read', input: {} }),
  permission('hostile.no-tool', { tool_call_id: 'h2', input: {} }),
  permission('hostile.number-id', { tool_call_id: 7, tool: 'Read' }),
  permission('hostile.long-id', read('h'.repeat(4_000))),
  raw('hostile.nul', '{"tool_call_id":"h3\\u0000","tool":"Read","input":{}}'),
  raw('hostile.half-character', '{"tool_call_id":"h7","tool":"Read","input":{"file_path":"a\\ud800"}}'),
  raw('hostile.nul-inside', '{"tool_call_id":"h8","tool":"Read","input":{"file_path":["\\u0000"]}}'),
  raw('hostile.number', '{"tool_call_id":"h9","tool":"Read","input":{"limit":1e400}}'),
  raw('hostile.deep', `{"tool_call_id":"h4","tool":"Read","input":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
  raw('hostile.prototype', '{"tool_call_id":"h5","tool":"Read","input":{"__proto__":{"file_path":"a"}}}'),
  permission('hostile.oversize', { tool_call_id: 'h6', tool: 'Read' }, { fill: OVERSIZE_BYTES }),
];

export const gate: Scene = {
  name: 'the gate',
  probes: [
    permission('allow', read('c1')),
    permission('allow.again', read('c1')),
    permission('short', read('c2'), { path: '/internal/permission' }),
    permission('foreign-path', read('c3'), { path: '/internal/sessions/not-a-run/permission' }),
    permission('other-input', read('c1', { file_path: 'b' })),
    permission('other-tool', call('c1', 'Glob', { file_path: 'a' })),
    permission('after-violation', read('c1')),
    permission('deny', call('d1', 'Write', { file_path: 'a', content: 'x' })),
    permission('deny.again', call('d1', 'Write', { file_path: 'a', content: 'x' })),
    permission('unfrozen', call('m1', 'mcp__nowhere__find')),
    permission('malformed-name', call('m2', 'mcp__nowhere')),
    permission('null-input', { tool_call_id: 'n1', tool: 'Read' }),
    permission('null-input.again', { tool_call_id: 'n1', tool: 'Read', input: null }),
    permission('null-input.object', { tool_call_id: 'n1', tool: 'Read', input: {} }),
    permission('reordered', call('o1', 'Read', { file_path: 'a', limit: 1 })),
    raw('reordered.again', '{"input": {"limit": 1, "file_path": "a"}, "tool": "Read", "tool_call_id": "o1"}'),
    exact('exact', '9007199254740993'),
    exact('exact.neighbour', '9007199254740992'),
    ...HOSTILE,
    TWINS.map((id) => permission(id, read('twin'))),
    toolsCall('broker.sandbox-tool', read('b1')),
    toolsCall('broker.unfrozen', call('b2', 'mcp__nowhere__find')),
    toolsCall('broker.not-json', undefined, { text: '{' }),
    toolsCall('broker.no-tool', { tool_call_id: 'b3' }),
    toolsCall('broker.half-character', undefined, {
      text: `{"tool_call_id":"${BROKERED}","tool":"mcp__nowhere__find","input":"\\ud800"}`,
    }),
    { ...permission('cookie', read('k1')), headers: { cookie: '__Host-svc_web=anything' } },
    permission('unknown-route', {}, { path: '/internal/sessions/{id}/permit' }),
  ],
  checks: [
    answered('permission/allow', 4, 'A call that policy allows is allowed', ['allow'], ALLOW),
    answered(
      'permission/deny',
      4,
      'A call that policy denies is denied with a reason, at status 200',
      ['deny'],
      denied('a denial with a reason', 'conformance kit'),
    ),
    answered(
      'permission/replay',
      4,
      'The same id with the same tool and input hears its verdict again',
      ['allow.again', 'after-violation'],
      ALLOW,
    ),
    answered('permission/replay-denied', 4, 'A denial stays one', ['deny.again'], denied('a denial', '')),
    answered(
      'permission/protocol-violation',
      4,
      'A known id with another tool or input is denied, and its own verdict stands',
      ['other-input', 'other-tool'],
      denied('its reason', 'reused'),
    ),
    answered(
      'permission/same-content',
      4,
      'The order of keys and spaces between them do not make another input',
      ['reordered', 'reordered.again'],
      ALLOW,
    ),
    answered(
      'permission/absent-input',
      4,
      'An absent input is null, which is not an empty object',
      ['null-input', 'null-input.again'],
      ALLOW,
    ),
    answered(
      'permission/null-is-not-object',
      4,
      'An empty object under the id of a call without input is another input',
      ['null-input.object'],
      denied('its reason', 'reused'),
    ),
    recorded(
      'permission/exact-numbers',
      4,
      'Numbers that one double stands for are two inputs',
      'allow, then a violation',
      (evidence) => {
        const [first, second] = [evidence.find('exact'), evidence.find('exact.neighbour')].map((seen) =>
          JSON.stringify(seen?.body),
        );
        return first?.includes('allow') === true && second?.includes('reused') === true
          ? null
          : `${first}, then ${second}`;
      },
    ),
    answered(
      'permission/unfrozen',
      4,
      'A brokered name that was not frozen into the run, or is malformed, is denied',
      ['unfrozen', 'malformed-name'],
      DENIED,
    ),
    answered(
      'permission/hostile',
      4,
      'Whatever the body holds, the answer is a denial at 200 and never a 4xx',
      idsOf(HOSTILE),
      DENIED,
    ),
    recorded(
      'permission/hostile-recorded',
      4,
      'Such a denial is in the record',
      `${HOSTILE.length} denied calls`,
      (evidence) => {
        const sources = evidence
          .dataOf('tool.decision')
          .filter(
            (data) => data['verdict'] === 'deny' && data['source'] === 'schema' && data['tool_call_id'] !== BROKERED,
          );
        return sources.length === HOSTILE.length ? null : `${sources.length} decisions of source schema`;
      },
    ),
    answered('permission/concurrent', 4, 'Any number of callers with the same id hear the same', TWINS, ALLOW),
    recorded(
      'permission/one-record',
      4,
      'However often it is presented, a call is requested and decided once in the record',
      'one tool.requested and one tool.decision',
      (evidence) => {
        const counts = ['c1', 'twin'].map((id) => [
          evidence.dataOf('tool.requested', id).length,
          evidence.dataOf('tool.decision', id).filter(({ source }) => source !== 'protocol_violation').length,
        ]);
        return counts.every(([requested, decided]) => requested === 1 && decided === 1) ? null : JSON.stringify(counts);
      },
    ),
    answered('paths/both-forms', 3, 'The form of a path without the run’s id is the same route', ['short'], ALLOW),
    answered(
      'paths/id-is-informational',
      3,
      'The run is the one of the token, whatever id stands in the path',
      ['foreign-path'],
      ALLOW,
    ),
    answered('paths/unknown', 3, 'An unknown route is 404', ['unknown-route'], {
      status: 404,
      where: ['an error text', isError],
    }),
    answered(
      'transport/cookie-beside-token',
      1,
      'A web session’s cookie beside a runner token is refused',
      ['cookie'],
      { status: 400, where: ['an error text', isError] },
    ),
    answered(
      'broker/sandbox-tool',
      5,
      'A tool that executes inside the sandbox is no brokered call',
      ['broker.sandbox-tool'],
      { status: 400, where: ['an error text', isError] },
    ),
    answered(
      'broker/denied',
      5,
      'A brokered call that the gate denies says so at 200',
      ['broker.unfrozen', 'broker.half-character'],
      {
        status: 200,
        where: [
          'ok false, denied true and a message',
          (body) => body['ok'] === false && body['denied'] === true && typeof body['message'] === 'string',
        ],
      },
    ),
    answered('broker/malformed', 5, 'A body that is no call is 400', ['broker.not-json', 'broker.no-tool'], {
      status: 400,
      where: ['an error text', isError],
    }),
  ],
};

function isError(body: JsonObject): boolean {
  return typeof body['error'] === 'string' && body['error'] !== '';
}
