import fc from 'fast-check';
import { EVERYDAY_TOOLS } from '../tools/tool-names.js';

/** Stands in every text and every key of a generated request, and nowhere else. */
export const MARK = 'zqxmarkjv';
/** Stands in the numbers that are too great to be ordinary. */
export const MARK_DIGITS = '271828182845904523';

/** One request of the runner plane: the body as it goes over the wire, null for none. */
export interface HostileRequest {
  body: Buffer | null;
  headers: Record<string, string>;
  /** Behind the path of the route, with its question mark; and what stands for the id of the run, null for its own. */
  query: string;
  pathId: string | null;
  /** Whether the body is a JSON object with a text as `tool_call_id` and as `tool`, whatever is in them. */
  namesCall: boolean;
}

/** JSON text. Written as text, because no JavaScript value holds `1e400`, a member twice or ten thousand levels. */
type Json = string;

const ESCAPES = [
  '\\ud800', '\\udfff', '\\uD83D', '\\udc00\\ud800', '\\u0000', '\\u0000\\u0000', '\\ud83d\\ude00', '\\u001b[2J', '\\u202e', '\\\\ud800',
  '\\n\\r\\t', '\\"', '\\u2028', 'é', '😀', '\ufeff', "'; drop table events; --", '%00', '$(id)', '../../etc/passwd', '‹redacted›', '',
] as const; // prettier-ignore
const NUMBERS = [
  `1${MARK_DIGITS}e400`, `-${MARK_DIGITS}e4000`, '1e400', '1e-400', '1e131073', '1e-20000', '1e999999999', '-1e-999999999',
  '9223372036854775807', '9223372036854775808', '-9223372036854775809', '2147483648', '18446744073709551616', `${MARK_DIGITS}27182818284`,
  '0.1000000000000000055511151231257827', '1.0', '-0', '0e5', '5e-324', '1.7976931348623159e308', '1.5', '-1', '0', '1', `0.${MARK_DIGITS.repeat(1_000)}`,
  MARK_DIGITS.repeat(1_000),
] as const; // prettier-ignore
const KEYS = [
  '', '__proto__', 'constructor', 'prototype', 'toJSON', 'hasOwnProperty', 'then', 'length', 'rawJSON', 'type', 'input', '\\ud800', '\\u0000',
] as const; // prettier-ignore
const SCALARS = ['null', 'true', 'false'] as const;

const piece = fc.constantFrom(...ESCAPES);
const text: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(piece, piece).map(([before, after]) => `"${before}${MARK}${after}"`) },
  { weight: 1, arbitrary: fc.constant(`"${MARK}${'a'.repeat(300)}"`) },
  { weight: 1, arbitrary: fc.constant(`"${`${MARK}\\ud800`.repeat(3_000)}"`) },
  { weight: 2, arbitrary: fc.constant(`"${MARK}"`) },
);
const key: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...KEYS).map((name) => `"${name}"`),
  fc.constantFrom(...KEYS).map((name) => `"${MARK}${name}"`),
);
const nested: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(30, 64, 127, 128, 129, 10_000), fc.boolean())
  .map(([levels, objects]) => {
    const [open, close] = objects ? [`{"${MARK}":`, '}'] : ['[', ']'];
    return `${open.repeat(levels)}"${MARK}"${close.repeat(levels)}`;
  });
const wide: fc.Arbitrary<Json> = fc.constantFrom(
  `[${'0,'.repeat(70_000)}0]`,
  `{${`"${MARK}":1,`.repeat(3_000)}"a":0}`,
  `[${`"${MARK}\\u0000",`.repeat(200)}0]`,
);
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom<string>(...NUMBERS) },
  { weight: 1, arbitrary: fc.constantFrom<string>(...SCALARS) },
);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((members) => `{${members.map(([name, member]) => `${name}:${member}`).join(',')}}`),
    },
    { weight: 1, arbitrary: nested },
  ),
}));

/** Mostly what fits there, else anything. */
function mostly(good: fc.Arbitrary<Json>, share = 4): fc.Arbitrary<Json> {
  return fc.oneof({ weight: share, arbitrary: good }, { weight: 1, arbitrary: value });
}

/** Members in random order, each there or not, some twice, some that no document names. */
function objectOf(members: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> {
  const known = Object.entries(members).map(([name, arbitrary]) =>
    fc.option(arbitrary, { freq: 12 }).map((given) => (given === null ? [] : [`"${name}":${given}`])),
  );
  const further = fc
    .option(fc.tuple(key, value), { freq: 3, nil: null })
    .map((given) => (given === null ? [] : [`${given[0]}:${given[1]}`]));
  return fc.tuple(...known, further).map((parts) => `{${parts.flat().join(',')}}`);
}

const TOOLS = [...EVERYDAY_TOOLS, 'WebFetch', 'mcp__kb__find', 'mcp__mail__send', 'mcp__', 'unknown'];
const plainTool = fc.constantFrom(...TOOLS).map((name) => `"${name}"`);
const hostileTool = fc.tuple(plainTool, piece).map(([name, end]) => `${name.slice(0, -1)}${MARK}${end}"`);
const plainInput = objectOf({
  command: fc.constantFrom(`"ls ${MARK}"`, `"cat ${MARK}.txt > /tmp/${MARK}"`, `"rm -rf /${MARK}"`, '"git status"'),
  file_path: fc.constantFrom(`"src/${MARK}.ts"`, `"/etc/${MARK}"`, '"a"'),
  edits: fc.constant(`[{"file_path":"${MARK}"}]`),
  q: fc.constant(`"${MARK}"`),
  limit: fc.constant('3'),
});
const hostileInput = objectOf({
  command: mostly(text),
  file_path: mostly(text),
  cwd: mostly(text),
  edits: mostly(text.map((path) => `[{"file_path":${path}},${path}]`)),
  q: value,
  limit: fc.constantFrom(...NUMBERS),
});
const callInput = fc.oneof(
  { weight: 3, arbitrary: plainInput },
  { weight: 5, arbitrary: hostileInput },
  { weight: 3, arbitrary: value },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: wide },
);

/** `@id` is replaced by a number of the request's own, so that no two requests are one call. */
const callId = fc.oneof(
  { weight: 6, arbitrary: fc.constant(`"${MARK}@id"`) },
  { weight: 2, arbitrary: piece.map((end) => `"${MARK}@id${end}"`) },
  { weight: 1, arbitrary: fc.constant(`"${MARK}@id${'a'.repeat(400)}"`) },
);
const noCallId = fc.constantFrom('@id', `[@id,"${MARK}"]`, '{"a":@id}', 'null', '""');
const namedCall = fc
  .tuple(
    callId,
    fc.oneof({ weight: 4, arbitrary: plainTool }, { weight: 1, arbitrary: hostileTool }),
    callInput,
    fc.boolean(),
  )
  .map(([id, tool, input, last]) => {
    const names = [`"tool_call_id":${id}`, `"tool":${tool}`];
    return `{${(last ? [`"input":${input}`, ...names] : [...names, `"input":${input}`]).join(',')}}`;
  });
const unnamedCall = fc.oneof(
  fc
    .tuple(noCallId, plainTool, callInput)
    .map(([id, tool, input]) => `{"tool_call_id":${id},"tool":${tool},"input":${input}}`),
  fc
    .tuple(callId, fc.constantFrom('null', '7', '""', '[]'), callInput)
    .map(([id, tool, input]) => `{"tool_call_id":${id},"tool":${tool},"input":${input}}`),
  callInput.map((input) => `{"input":${input}}`),
);

const event = objectOf({
  actor: mostly(fc.constantFrom('"agent"', '"harness"', '"system"')),
  body: mostly(
    objectOf({
      type: fc.oneof(
        fc.constantFrom('"agent.message"', '"tool.completed"', '"run.error"', '"tool.requested"', '"__proto__"'),
        text,
        value,
      ),
      data: mostly(
        objectOf({
          role: mostly(fc.constant('"assistant"')),
          text: mostly(text),
          tool_call_id: mostly(text),
          ok: value,
          n: value,
        }),
      ),
    }),
    8,
  ),
});
const result = objectOf({
  outcome: mostly(fc.constantFrom('"completed"', '"failed"', `"${MARK}"`)),
  summary: mostly(text),
});
const renewal = objectOf({ ttl_secs: fc.oneof(fc.constantFrom<string>(...NUMBERS), value) });
const modelRequest = objectOf({
  model: mostly(fc.constant('"claude-haiku-4-5"'), 12),
  max_tokens: mostly(fc.constantFrom<string>('1000', ...NUMBERS)),
  stream: mostly(fc.constantFrom('true', 'false')),
  system: mostly(text),
  tools: mostly(fc.constant('[]')),
  messages: mostly(
    fc.oneof(text, value).map((content) => `[{"role":"user","content":${content}}]`),
    6,
  ),
});
const carriedResult = text.map(
  (id) =>
    `{"model":"claude-haiku-4-5","max_tokens":100,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":${id},"content":"x"}]}]}`,
);

/** Bodies by the end of the route's path; a route that is not named here gets anything. */
const BODIES: Record<string, fc.Arbitrary<Json>> = {
  '/events': event,
  '/result': result,
  '/token/renew': renewal,
  '/llm/*': fc.oneof({ weight: 5, arbitrary: modelRequest }, { weight: 1, arbitrary: carriedResult }),
};

/** Bytes that are not a JSON object, and some that are not even text. */
const broken: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom('', 'null', '[]', `"${MARK}"`, '7', '{', `{"${MARK}`, `{"tool":"${MARK}\u0000"}`, '\ufeff{}', '{} {}')
    .map((json) => Buffer.from(json)),
  fc.constantFrom(
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.concat([Buffer.from(`{"${MARK}":"`), Buffer.from([0xff, 0xc0, 0x00]), Buffer.from('"}')]),
  ),
  fc.oneof(value, nested).map((json) => Buffer.from(json.slice(0, -1))),
);

const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'text/html', `application/${MARK}; charset=${MARK}`, ''),
    'idempotency-key': fc.constantFrom(`${MARK}@id`, `${MARK}@id\u00ff`, MARK.repeat(40), MARK),
    'x-request-id': fc.constantFrom(MARK, `${MARK} \u00ff`),
    traceparent: fc.constantFrom(MARK, `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`),
    'anthropic-version': fc.constantFrom('2023-06-01', `${MARK}\u00ff`),
  },
  { requiredKeys: [] },
);
const around = fc.record({
  headers,
  query: fc.constantFrom('', '', '', `?${MARK}=%00&a=%ED%A0%80`, `?ttl_secs=${MARK_DIGITS}`),
  pathId: fc.constantFrom(null, null, null, MARK, '%00', `${MARK}%F0%9F%98%80`, `..%2f${MARK}`, MARK.repeat(100)),
});

const malformed = broken.map((body) => ({ body, namesCall: false }));
const json = (
  texts: fc.Arbitrary<Json>,
  namesCall: boolean,
): fc.Arbitrary<Pick<HostileRequest, 'body' | 'namesCall'>> =>
  texts.map((body) => ({ body: Buffer.from(body), namesCall }));

function bodiesOf(route: string): fc.Arbitrary<Pick<HostileRequest, 'body' | 'namesCall'>> {
  if (route.startsWith('GET ')) return fc.constant({ body: null, namesCall: false });
  const others = { weight: 1, arbitrary: malformed };
  if (/\/(permission|tools\/call)$/.test(route))
    return fc.oneof(
      { weight: 10, arbitrary: json(namedCall, true) },
      { weight: 2, arbitrary: json(unnamedCall, false) },
      others,
    );
  const [, bodies = value] = Object.entries(BODIES).find(([end]) => route.endsWith(end)) ?? [];
  return fc.oneof({ weight: 12, arbitrary: json(bodies, false) }, { weight: 1, arbitrary: json(wide, false) }, others);
}

/** Requests of one route, `POST /internal/permission`, the same for the same seed. */
export function hostileRequests(route: string, count: number, seed: number): HostileRequest[] {
  const request = fc.tuple(bodiesOf(route), around).map(([body, rest]) => ({ ...body, ...rest }));
  return fc.sample(request, { numRuns: count, seed }).map((made, index) => numbered(made, `${seed}${index}`));
}

function numbered(made: HostileRequest, number: string): HostileRequest {
  const { body, headers: given } = made;
  return {
    ...made,
    body: body === null ? null : Buffer.from(body.toString('latin1').replaceAll('@id', number), 'latin1'),
    headers: Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text.replaceAll('@id', number)])),
  };
}
