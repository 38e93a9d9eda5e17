import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../json.js';
import { definitionDigest } from './bundle.js';
import { MAX_DEFINITION_BYTES, parseBundle } from './parse-bundle.js';
import { toolsDigest } from './tools-digest.js';

const tool = (more: JsonObject = {}): JsonObject => ({ name: 'search', description: 'd', ...more });
const server = (more: JsonObject = {}): JsonObject => ({
  class: 'sandbox',
  name: 'kb',
  command: 'kb-server',
  tools: [tool()],
  ...more,
});
const bundle = (more: JsonObject = {}): JsonObject => ({ name: 'kb', servers: [server()], ...more });

describe('a capability bundle', () => {
  it('CP-094 CP-095 fills defaults in, trims the name and leaves out what is unknown', () => {
    const draft = parseBundle({
      name: ' kb_1 ',
      more: 1,
      servers: [
        {
          ...server({ extra: true, identity: { name: '@a/b', version: '1', other: 'x' } }),
          tools: [{ name: 'a.B-c_1', extra: 1 }, tool({ output_schema: {}, annotations: { readOnlyHint: true } })],
        },
      ],
    });
    expect(draft).toEqual({
      name: 'kb_1',
      description: null,
      servers: [
        {
          class: 'sandbox',
          name: 'kb',
          command: 'kb-server',
          args: [],
          identity: { name: '@a/b', version: '1' },
          tools: [
            { name: 'a.B-c_1', description: '', input_schema: {} },
            {
              name: 'search',
              description: 'd',
              input_schema: {},
              output_schema: {},
              annotations: { readOnlyHint: true },
            },
          ],
        },
      ],
    });
  });

  const tools = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => tool({ name: `t${i}` }));
  const servers = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => server({ name: `s${i}` }));

  it.each<[string, JsonObject]>([
    ['16 servers', bundle({ servers: servers(16) })],
    ['64 tools', bundle({ servers: [server({ tools: tools(64) })] })],
    ['a bundle name of 64', bundle({ name: `0${'_'.repeat(63)}` })],
    ['a server name of 64', bundle({ servers: [server({ name: `0${'-'.repeat(63)}` })] })],
    ['a tool name of 128', bundle({ servers: [server({ tools: [tool({ name: '.'.repeat(128) })] })] })],
    [
      'a description of 32768 characters',
      bundle({ servers: [server({ tools: [tool({ description: '😀'.repeat(32_768) })] })] }),
    ],
    ['newline, tab and carriage return', bundle({ servers: [server({ tools: [tool({ description: 'a\n\t\rb' })] })] })],
    ['symbols and other scripts', bundle({ servers: [server({ tools: [tool({ description: '⚠️ été ไทย ١٢' })] })] })],
    [
      'a property named description',
      bundle({ servers: [server({ tools: [tool({ input_schema: { properties: { description: {} } } })] })] }),
    ],
  ])('accepts %s', (_, body) => {
    expect(parseBundle(body).servers.length).toBeGreaterThan(0);
  });

  it.each<[string, JsonObject, string | RegExp]>([
    ['no name', { servers: [server()] }, /^name: must be 1 to 64/],
    ['a name with @', bundle({ name: 'kb@1' }), /^name:/],
    ['a name with upper case', bundle({ name: 'KB' }), /^name:/],
    ['a name that begins with _', bundle({ name: '_kb' }), /^name:/],
    ['a name of 65', bundle({ name: 'a'.repeat(65) }), /^name:/],
    ['no servers', { name: 'kb' }, 'servers: must be an array of 1 to 16 servers'],
    ['an empty list of servers', bundle({ servers: [] }), 'servers: must be an array of 1 to 16 servers'],
    ['17 servers', bundle({ servers: servers(17) }), 'servers: must be an array of 1 to 16 servers'],
    ['a server that is none', bundle({ servers: ['x'] }), 'servers[0]: must be an object'],
    ['two servers of one name', bundle({ servers: [server(), server()] }), 'servers: server name kb is used twice'],
    ['no class', bundle({ servers: [server({ class: null })] }), 'server kb: class: must be sandbox'],
    ['another class', bundle({ servers: [server({ class: 'remote' })] }), 'server kb: class: must be sandbox'],
    ['an underscore in a server name', bundle({ servers: [server({ name: 'a_b' })] }), /^server a_b: name:/],
    [
      'a blank command',
      bundle({ servers: [server({ command: ' ' })] }),
      'server kb: command: must be a non-blank string',
    ],
    [
      'args that are no strings',
      bundle({ servers: [server({ args: [1] })] }),
      'server kb: args: must be an array of strings',
    ],
    ['no tools', bundle({ servers: [server({ tools: null })] }), 'server kb: tools: must be an array of 1 to 64 tools'],
    [
      'an empty list of tools',
      bundle({ servers: [server({ tools: [] })] }),
      'server kb: tools: must be an array of 1 to 64 tools',
    ],
    [
      '65 tools',
      bundle({ servers: [server({ tools: tools(65) })] }),
      'server kb: tools: must be an array of 1 to 64 tools',
    ],
    [
      'two tools of one name',
      bundle({ servers: [server({ tools: [tool(), tool()] })] }),
      'server kb: tool name search is used twice',
    ],
    [
      'a tool name with a space',
      bundle({ servers: [server({ tools: [tool({ name: 'a b' })] })] }),
      /^server kb, tool a b: name:/,
    ],
    [
      'a description that is no text',
      bundle({ servers: [server({ tools: [tool({ description: 1 })] })] }),
      'server kb, tool search: description: must be a string',
    ],
    [
      'a description of 32769 characters',
      bundle({ servers: [server({ tools: [tool({ description: '😀'.repeat(32_769) })] })] }),
      /^server kb, tool search: description: has more than 32768/,
    ],
    [
      'a schema that is no object',
      bundle({ servers: [server({ tools: [tool({ input_schema: [] })] })] }),
      'server kb, tool search: input_schema: must be an object',
    ],
    [
      'a number beyond JSON',
      bundle({ servers: [server({ tools: [tool({ input_schema: { maximum: Infinity } })] })] }),
      /input_schema: holds a number that is too large/,
    ],
  ])('refuses %s, naming server and tool', (_, body, reason) => {
    expect(() => parseBundle(body)).toThrow(reason);
  });

  it.each([
    ...[0, 8, 0xb, 0x1f, 0x7f, 0x85, 0x200b, 0x200d, 0x2060, 0xfeff, 0x202a, 0x202e, 0x2066, 0x2069],
    ...[0xad, 0x61c, 0x200e, 0x200f, 0xe0001, 0xe0041, 0xe007f, 0xe0100],
  ])(
    'CP-095 refuses the hidden or control character %i in descriptions of tools and of their arguments, and names it',
    (codePoint) => {
      const text = `a${String.fromCodePoint(codePoint)}b`;
      const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
      const described = bundle({ servers: [server({ tools: [tool({ description: text })] })] });
      expect(() => parseBundle(described)).toThrow(
        `server kb, tool search: description: contains the hidden or control character ${name}`,
      );
      const input_schema = { properties: { q: { description: text } } };
      expect(() => parseBundle(bundle({ servers: [server({ tools: [tool({ input_schema })] })] }))).toThrow(name);
      expect(() => parseBundle(bundle({ description: text }))).toThrow(name);
    },
  );

  it.each<[string, JsonObject, string]>([
    ['a choice', { properties: { q: { enum: ['plain', 'a\u202eb'] } } }, 'a text in input_schema: contains the hidden'],
    ['a name of a member', { properties: { 'a\u200bb': {} } }, 'a member name in input_schema: contains the hidden'],
    ['a default', { properties: { q: { default: 'a\u0000b' } } }, 'U+0000'],
    ['an example', { examples: [{ deep: ['\u2066'] }] }, 'U+2066'],
    ['half a surrogate pair', { properties: { q: { const: 'a\ud800' } } }, 'U+D800'],
    ['a description that is a list', { description: ['\u202e'] }, 'a description in input_schema'],
  ])('CP-095 reads a schema as whole as a model does: %s', (_, input_schema, words) => {
    expect(() => parseBundle(bundle({ servers: [server({ tools: [tool({ input_schema })] })] }))).toThrow(words);
  });

  it('CP-265 refuses a brokered server before its structure and after the name, saying where brokered tools belong', () => {
    const servers = [{ class: 'other' }, { class: 'brokered', name: 'crm' }];
    expect(() => parseBundle({ name: 'kb', servers })).toThrow(
      /server crm is brokered; brokered tools are now connection requirements plus snapshots/,
    );
    expect(() => parseBundle({ name: '', servers })).toThrow(/^name:/);
  });

  it('refuses a definition above 2 MiB', () => {
    const padded = (bytes: number): JsonObject => bundle({ servers: [server({ command: 'x'.repeat(bytes) })] });
    const empty = Buffer.byteLength(JSON.stringify({ servers: parseBundle(padded(1)).servers })) - 1;
    expect(parseBundle(padded(MAX_DEFINITION_BYTES - empty)).name).toBe('kb');
    expect(() => parseBundle(padded(MAX_DEFINITION_BYTES - empty + 1))).toThrow(
      /^servers: the definition is 2097153 bytes/,
    );
  });

  it('digests the definition as stored: a known vector', () => {
    const counting = {
      class: 'sandbox',
      name: 'ws',
      command: 'node',
      tools: [{ name: 'count', input_schema: { type: 'object' } }],
    };
    expect(definitionDigest(parseBundle({ name: 'ws', servers: [counting] }).servers)).toBe(
      'sha256:ddf93fb64e2e1c265807dcfdc903d4dfb68f13d55b2298c8c9a189001c946bee',
    );
  });
});

const text = fc.string({ maxLength: 12 }).map((value) => `x${value.replaceAll(/[^ -~]/g, '')}`);
const schema = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 })), {
  maxKeys: 5,
});
const tools = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    description: text,
    input_schema: schema,
    output_schema: schema,
  }),
  { minLength: 1, maxLength: 5, selector: ({ name }) => name },
);

/** Another order of members everywhere, which is the same document. */
function permuted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(permuted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, permuted(member)]),
  );
}

const digestsOf = (definitions: JsonObject[]): [string, string] => {
  const [parsed] = parseBundle({ name: 'kb', servers: [server({ tools: definitions })] }).servers;
  if (parsed === undefined) throw new Error('no server');
  return [definitionDigest([parsed]), toolsDigest(parsed.tools)];
};

const MUTATIONS: ((tool: JsonObject, by: string) => JsonObject)[] = [
  (one, by) => ({ ...one, name: `${one['name'] as string}_${by.length}` }),
  (one, by) => ({ ...one, description: `${one['description'] as string}${by}` }),
  (one, by) => ({ ...one, input_schema: { ...(one['input_schema'] as JsonObject), '~new': by } }),
  (one, by) => ({ ...one, output_schema: { ...(one['output_schema'] as JsonObject), '~new': by } }),
  ({ output_schema: _, ...one }) => one,
];

describe('proof 23: definitions of tools', () => {
  it('200 mutations of a tool give other digests', () => {
    fc.assert(
      fc.property(tools, fc.nat(), fc.nat(MUTATIONS.length - 1), text, (definitions, at, mutation, by) => {
        const index = at % definitions.length;
        const mutated = definitions.map((one, i) => (i === index ? MUTATIONS[mutation]!(one, by) : one));
        const [before, after] = [digestsOf(definitions), digestsOf(mutated)];
        expect(after[0]).not.toBe(before[0]);
        expect(after[1]).not.toBe(before[1]);
      }),
      { numRuns: 200, seed: 23 },
    );
  });

  it('200 harmless permutations of members give the same digests', () => {
    fc.assert(
      fc.property(tools, (definitions) => {
        expect(digestsOf(definitions.map((one) => permuted(one) as JsonObject))).toEqual(digestsOf(definitions));
      }),
      { numRuns: 200, seed: 23 },
    );
  });
});
