import type { JsonObject } from '../../../../domain/json.js';
import { fail, pass, skip } from '../../check.js';
import { answered, describe, recorded } from '../evidence.js';
import { event, events, heartbeat, model, renew, withKey } from '../probes.js';
import type { Scene } from '../scene.js';

/** Kinds that the server alone writes, one of each family. */
const REFUSED = [
  'tool.requested',
  'tool.decision',
  'tool.brokered',
  'approval.requested',
  'model.response',
  'budget.exceeded',
  'session.completed',
  'run.result',
  'run.quiesce_requested',
  'artifact.collected',
  'workspace.initialized',
  'capability.frozen',
  'callback.delivered',
  'network.granted',
];
const dropped = (type: string): string => `dropped.${type.replace('_', '-')}`;
/** Of a kind that is recorded in every deployment, with a member too many. */
const TOLD_ONCE = event('tool.completed', {
  tool_call_id: 'told-once',
  tool: 'Read',
  ok: true,
  summary: 'kit',
  unknown: 1,
});
/** It looks like a token and belongs to nobody; built here, so that secret scanners do not report it. */
const TOKEN_SHAPE = ['svc', 'sess', 'ab'.repeat(32)].join('_');

const BURST = 8;
const AT_ONCE = 40;
const bursts = Array.from({ length: BURST }, (_, round) =>
  Array.from({ length: AT_ONCE }, (_each, n) =>
    events(`burst.${round}.${n}`, event('x.burst', { n: round * AT_ONCE + n })),
  ),
);
const isError = (body: JsonObject): boolean => typeof body['error'] === 'string' && body['error'] !== '';
const REFUSAL = { status: 400, where: ['an error text', isError] } as const;
const renewed = (words: string, holds: (ttl: number) => boolean) =>
  ({
    status: 200,
    where: [words, (body: JsonObject) => body['renewed'] === true && holds(Number(body['ttl_secs']))],
  }) as const;
const FINAL = {
  status: 400,
  where: [
    'an error text and x-should-retry: false',
    (body: JsonObject, seen: { headers?: JsonObject }) => isError(body) && seen.headers?.['x-should-retry'] === 'false',
  ],
} as const;

export const narrative: Scene = {
  name: 'events, heartbeats and the model gateway',
  probes: [
    events('event', TOLD_ONCE, withKey('k1')),
    events('event.again', TOLD_ONCE, withKey('k1')),
    events('event.other', event('run.error', { message: 'told twice' }), withKey('k1')),
    events('event.short', event('run.error', { message: 'kit' }), { path: '/internal/events' }),
    events('event.human', event('x.actor', { text: 'claimed by a human' }, 'human')),
    events('event.system', event('x.actor', { text: 'claimed by the system' }, 'system')),
    events('event.agent', event('x.actor', { text: 'of the agent' }, 'agent')),
    events('event.unknown', event('x.conformance', { anything: [1, { at: 'all' }] })),
    events('event.secret', event('x.secret', { text: `a token: ${TOKEN_SHAPE}` })),
    ...REFUSED.map((type) => events(dropped(type), event(type, { forged: true }))),
    events('event.not-json', undefined, { text: '{' }),
    events('event.no-body', { actor: 'harness' }),
    events('event.half-character', event('x.half', { text: '\ud800' })),
    events('event.odd-kind', event('x.\0', {})),
    events('event.oversize', event('x.large', {}), { fill: 80 * 1024 }),
    heartbeat('beat', {}),
    heartbeat('beat.empty'),
    heartbeat('beat.garbage', undefined, { text: '<>' }),
    heartbeat('beat.short', {}, { path: '/internal/heartbeat' }),
    renew('renew', {}),
    renew('renew.short', { ttl_secs: 600 }),
    renew('renew.long', { ttl_secs: 99_999_999 }),
    renew('renew.fraction', { ttl_secs: 1.5 }),
    renew('renew.not-json', undefined, { text: '{' }),
    model('model', {}),
    model('model.api-key', {}, { via: 'x-api-key' }),
    model('model.api-key-wins', {}, { headers: { 'x-api-key': 'of no run' } }),
    model('model.elsewhere', {}, { path: '/internal/llm/v1/files' }),
    ...bursts,
    renew('renew.restore', {}),
  ],
  checks: [
    answered(
      'events/accepted',
      6,
      'An event is answered with its place in the record',
      ['event', 'event.short', 'event.unknown'],
      { status: 200, where: ['a whole number seq', (body) => Number.isInteger(body['seq'])] },
    ),
    recorded(
      'events/idempotent',
      6,
      'The same Idempotency-Key and event are told once and answered with the same seq',
      'one line and one seq',
      (evidence) => {
        const seqs = ['event', 'event.again'].map((id) => JSON.stringify(evidence.find(id)?.body));
        const lines = evidence.dataOf('tool.completed', 'told-once');
        return seqs[0] === seqs[1] && lines.length === 1 ? null : `${seqs.join(' and ')}, ${lines.length} lines`;
      },
    ),
    answered('events/key-reused', 6, 'The same Idempotency-Key with another event is 409', ['event.other'], {
      status: 409,
      where: ['an error text', isError],
    }),
    recorded(
      'events/known-members',
      6,
      'A known kind keeps its own members only',
      'ok, summary, tool and tool_call_id',
      (evidence) => {
        const [line] = evidence.dataOf('tool.completed', 'told-once');
        return line !== undefined && Object.keys(line).sort().join() === 'ok,summary,tool,tool_call_id'
          ? null
          : JSON.stringify(line ?? null);
      },
    ),
    recorded(
      'events/opaque',
      6,
      'An unknown kind is stored as it came',
      '{"anything":[1,{"at":"all"}]}',
      (evidence) => {
        const stored = JSON.stringify(evidence.dataOf('x.conformance')[0] ?? null);
        return stored === '{"anything":[1,{"at":"all"}]}' ? null : stored;
      },
    ),
    recorded(
      'events/actors',
      6,
      'A runner speaks as agent or harness; whatever else it claims is the harness',
      'harness, harness, agent',
      (evidence) => {
        const actors = ['claimed by a human', 'claimed by the system', 'of the agent'].map(
          (text) => evidence.events.find(({ payload }) => payload.data['text'] === text)?.actor,
        );
        return actors.join() === 'harness,harness,agent' ? null : actors.join();
      },
    ),
    recorded(
      'events/server-kinds',
      6,
      'Kinds that the server alone writes are dropped and named',
      '{"seq":null,"dropped":"<type>"} for each',
      (evidence) => {
        const wrong = REFUSED.filter(
          (type) => JSON.stringify(evidence.find(dropped(type))?.body) !== JSON.stringify({ seq: null, dropped: type }),
        );
        const forged = evidence.events.filter(({ payload }) => payload.data['forged'] === true);
        return wrong.length === 0 && forged.length === 0
          ? null
          : `accepted: ${wrong.join(', ')}; recorded: ${forged.length}`;
      },
    ),
    recorded('events/redacted', 6, 'What has the shape of a token is not stored', 'a line without it', (evidence) => {
      const [line] = evidence.dataOf('x.secret');
      return line !== undefined && !JSON.stringify(evidence.events).includes(TOKEN_SHAPE)
        ? null
        : JSON.stringify(line ?? null);
    }),
    answered('events/malformed', 6, 'A body that is no event is 400', ['event.not-json', 'event.no-body'], REFUSAL),
    answered(
      'events/unstorable',
      6,
      'An event that holds NUL or half a surrogate pair is 400',
      ['event.half-character', 'event.odd-kind'],
      REFUSAL,
    ),
    answered('events/oversize', 15, 'An event over 64 KiB is 413', ['event.oversize'], {
      status: 413,
      where: ['an error text', isError],
    }),
    {
      id: 'events/rate',
      section: 15,
      title: 'Too many events at once are 429 with Retry-After, and nothing else is lost',
      expected: `${BURST * AT_ONCE} answers of 200 or 429, some 429`,
      judge: (evidence) => {
        const seen = evidence.observations.filter(({ id }) => id.startsWith('burst.'));
        if (seen.length < BURST * AT_ONCE) return fail(`${seen.length} answers`);
        const other = seen.find(
          ({ status, headers }) => status !== 200 && !(status === 429 && headers?.['retry-after'] !== undefined),
        );
        if (other !== undefined) return fail(`${other.id}: ${describe(other)}`);
        const accepted = seen.filter(({ status }) => status === 200).length;
        const stored = evidence.dataOf('x.burst').length;
        if (stored !== accepted) return fail(`${accepted} accepted, ${stored} in the record`);
        return accepted === seen.length
          ? skip(`the limit was not reached with ${accepted} events`)
          : pass(`${accepted} accepted, ${seen.length - accepted} told to wait`);
      },
    },
    answered(
      'heartbeat/answer',
      7,
      'A heartbeat is answered with no directive while the run works, whatever its body',
      ['beat', 'beat.empty', 'beat.garbage', 'beat.short'],
      { status: 200, body: { ok: true, action: null } },
    ),
    answered('renew/answer', 9, 'A renewal answers renewed and the seconds, and no token', ['renew', 'renew.restore'], {
      status: 200,
      where: [
        'renewed and ttl_secs alone',
        (body) => body['renewed'] === true && Object.keys(body).sort().join() === 'renewed,ttl_secs',
      ],
    }),
    answered(
      'renew/asked',
      9,
      'A shorter life is granted as asked',
      ['renew.short'],
      renewed('ttl_secs 600', (ttl) => ttl === 600),
    ),
    answered(
      'renew/clamped',
      9,
      'A longer life than the deployment’s is cut to it',
      ['renew.long'],
      renewed('ttl_secs of at most three hours', (ttl) => ttl >= 1 && ttl <= 10_800),
    ),
    answered(
      'renew/malformed',
      9,
      'Anything but a whole number of seconds is 400',
      ['renew.fraction', 'renew.not-json'],
      REFUSAL,
    ),
    answered(
      'llm/no-dialect',
      11,
      'A harness that calls no model is refused for good',
      ['model', 'model.api-key'],
      FINAL,
    ),
    answered('llm/api-key-wins', 11, 'x-api-key wins over the bearer', ['model.api-key-wins'], {
      status: 401,
      body: { error: 'unauthorized' },
    }),
    recorded(
      'llm/closed-paths',
      11,
      'A path that is not the provider’s own is refused',
      '400 or 404 with an error text',
      (evidence) => {
        const seen = evidence.find('model.elsewhere');
        return seen?.status === 400 || seen?.status === 404 ? null : describe(seen);
      },
    ),
  ],
};
