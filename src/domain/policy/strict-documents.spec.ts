import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { stringify } from 'yaml';
import { parsePriceOverrides } from '../prices/price-overrides.js';
import { parseCaseFile } from './case-file.js';
import { DocumentReader } from './document-reader.js';
import { parsePolicyYaml } from './policy-yaml.js';

type Members = Record<string, unknown>;

/** Every kind of YAML file that is read, each with all of its members. */
const KINDS: Record<string, { read: (text: string) => unknown; whole: Members; own: string[] }> = {
  'a policy': {
    read: parsePolicyYaml,
    own: [],
    whole: {
      name: 'team',
      defaults: { tool_action: 'approve' },
      egress: { mode: 'none' },
      budgets: { max_wall_clock_secs: 1, max_tokens: 1, max_cost_usd: 1, max_tool_calls: 1 },
      approvals: { default_ttl_secs: 600, scope: 'once', timeout_action: 'deny' },
      autonomy: { permitted: true, on_approval_rule: 'deny' },
      tools: [
        {
          match: ['Bash'],
          action: 'approve',
          risk: 'shell',
          paths: { allow: ['src/**'], deny: ['.env'] },
          shell: { allow_prefixes: ['npm test'], deny_regex: ['rm'], on_no_match: 'approve' },
          on_autonomous: 'deny',
          approval_ttl_secs: 60,
          approval_scope: 'once',
        },
      ],
      network: {
        max_mode: 'offline',
        allow: [
          { kind: 'dns', pattern: { kind: 'exact', name: 'a.example' }, protocol: 'tcp', ports: [{ from: 1, to: 2 }] },
          {
            kind: 'dns',
            pattern: { kind: 'wildcard', suffix: 'a.example' },
            protocol: 'tcp',
            ports: [{ from: 1, to: 2 }],
          },
          { kind: 'cidr', cidr: '10.0.0.0/8', protocol: 'udp', ports: [{ from: 1, to: 2 }] },
        ],
        deny: [{ kind: 'cidr', cidr: '10.0.0.0/8', protocol: 'tcp', ports: [{ from: 1, to: 2 }] }],
        require_approval: false,
        allow_public_with_brokered: false,
        max_grant_secs: 60,
      },
    },
  },
  'a file of cases': {
    read: parseCaseFile,
    own: ['input'],
    whole: {
      policy: 'team',
      cases: [
        {
          name: 'a',
          tool: 'Bash',
          input: { command: 'ls' },
          mode: 'supervised',
          expect: { verdict: 'allow', reason: 'x', rule: 0, key: 'Bash' },
        },
        { tool: 'Bash', command: 'ls', expect: 'allow' },
        { tool: 'Read', path: 'a', expect: 'allow' },
      ],
    },
  },
  'a file of prices': {
    read: parsePriceOverrides,
    own: ['models'],
    whole: {
      models: {
        m: {
          input_mtok: 1,
          output_mtok: 1,
          cache_read_mtok: 1,
          cache_write_mtok: 1,
          cache_write_1h_mtok: 1,
        },
      },
    },
  },
};

type Way = (string | number)[];

/** The ways to all objects whose members the reader names; those of `own` are the writer's. */
function objectsIn(value: unknown, own: readonly string[], way: Way = []): Way[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objectsIn(item, own, [...way, index]));
  if (typeof value !== 'object' || value === null) return [];
  const isOwn = own.includes(String(way.at(-1)));
  const inner = Object.entries(value).flatMap(([key, member]) => objectsIn(member, own, [...way, key]));
  return isOwn && way.at(-1) === 'input' ? [] : isOwn ? inner : [way, ...inner];
}

function at(document: unknown, way: Way): Members {
  return way.reduce((value, step) => (value as Members)[step], document) as Members;
}

/** A copy with the members of one object made anew. */
function changed(whole: Members, way: Way, change: (members: Members) => Members): string {
  const copy = structuredClone(whole);
  if (way.length === 0) return stringify(change(copy));
  const owner = at(copy, way.slice(0, -1));
  const last = way.at(-1)!;
  owner[last] = change(owner[last] as Members);
  return stringify(copy);
}

const doubled = (name: string): string => `${name.slice(0, 1)}${name}`;

describe.each(Object.entries(KINDS))('%s', (_kind, { read, whole, own }) => {
  it('CP-329 is read with all of its members', () => {
    expect(() => read(stringify(whole))).not.toThrow();
  });

  it('CP-329 refuses a member that is misspelt, with the one that was meant', () => {
    for (const way of objectsIn(whole, own)) {
      for (const name of Object.keys(at(whole, way))) {
        const rename = (members: Members): Members =>
          Object.fromEntries(Object.entries(members).map(([key, value]) => [key === name ? doubled(key) : key, value]));
        const text = changed(whole, way, rename);
        expect(() => read(text)).toThrow(new RegExp(`${doubled(name)}.*(?:did you mean|only) .?${name}`, 's'));
      }
    }
  });

  it('CP-329 refuses a member that nobody knows, and one of another place', () => {
    const places = objectsIn(whole, own);
    for (const way of places) {
      const known = Object.keys(at(whole, way));
      const elsewhere = new Set(places.flatMap((other) => Object.keys(at(whole, other))));
      for (const stranger of ['x_unheard_of', ...elsewhere].filter((name) => !known.includes(name))) {
        const text = changed(whole, way, (members) => ({ ...members, [stranger]: {} }));
        expect(() => read(text)).toThrow(stranger);
      }
    }
  });
});

describe('the examples above', () => {
  const spy = jest.spyOn(DocumentReader.prototype, 'object');
  afterAll(() => spy.mockRestore());

  it.each(Object.entries(KINDS))('CP-329 hold every member that %s may have', (_kind, { read, whole }) => {
    spy.mockClear();
    read(stringify(whole));
    const [held, known] = [new Map<string, string[]>(), new Map<string, string[]>()];
    const add = (to: Map<string, string[]>, place: string, names: readonly string[]): void => {
      to.set(place, [...new Set([...(to.get(place) ?? []), ...names])].sort());
    };
    for (const [value, place, keys] of spy.mock.calls) {
      const anywhere = place.replace(/\[\d+\]/g, '[]');
      if (value !== undefined) add(held, anywhere, Object.keys(value as object));
      add(known, anywhere, keys);
    }
    expect(held).toEqual(known);
  });
});
