import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { readImport } from './import-connectors.js';

const official = (more: JsonObject = {}): JsonObject => ({
  'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true, ...more },
});
const listed = (server: JsonObject, meta: JsonObject = official()): JsonObject => ({ server, _meta: meta });
const remote = (name: string, title: string, type = 'streamable-http', more: JsonObject = {}): JsonObject => ({
  name,
  title,
  description: `${title} for agents`,
  version: '1.2.0',
  remotes: [{ type, url: `https://${name.split('/').at(-1)}.example/mcp` }],
  ...more,
});
const slugs = (servers: JsonObject[], providers: JsonObject[] = []): string[] =>
  readImport({ registry: { servers }, providers: { providers } }).map(({ slug }) => slug);

const SERVERS = [
  listed(remote('com.b/tasks', 'Tasks')),
  listed(remote('com.a/tasks', 'Tasks')),
  listed({ ...remote('com.c/old', 'Old transport'), remotes: [{ type: 'sse', url: 'https://c.example/sse' }] }),
];

describe('importing connectors', () => {
  it('takes remote servers as connectable, of tier-less origin, with what their listing says', () => {
    const [first] = readImport({ registry: { servers: [listed(remote('com.a/crm', 'Acme CRM'))] } });
    expect(first).toEqual({
      slug: 'acme-crm',
      name: 'Acme CRM',
      icon: null,
      description: 'Acme CRM for agents',
      categories: [],
      scopes: [],
      egress: ['crm.example'],
      url: 'https://crm.example/mcp',
      transport: 'streamable_http',
      auth_mode: 'none',
      auth_hints: {},
      tool_hints: [],
      sandbox_launch: null,
      provenance: { source: 'mcp-registry', source_ref: '1.2.0', upstream_id: 'com.a/crm', status: 'active' },
    });
  });

  it('is deterministic: the order of a listing decides neither slugs nor order', () => {
    const entries = readImport({ registry: { servers: SERVERS } });
    expect(entries.map(({ slug, provenance }) => [slug, provenance.upstream_id])).toEqual([
      ['tasks', 'com.a/tasks'],
      ['tasks-2', 'com.b/tasks'],
      ['old-transport', 'com.c/old'],
    ]);
    expect(readImport({ registry: SERVERS.toReversed() })).toEqual(entries);
    expect(entries.at(-1)).toMatchObject({ transport: 'rest_action', url: null });
  });

  it('leaves out what is not active and latest, what has no name, and whole what hides text', () => {
    expect(
      slugs([
        listed(remote('com.a/deleted', 'Deleted'), official({ status: 'deleted' })),
        listed(remote('com.a/earlier', 'Earlier'), official({ isLatest: false })),
        listed(remote('com.a/unsigned', 'Unsigned'), {}),
        listed({ title: 'Nameless' }),
        listed(remote('com.a/hidden', 'Hidden', 'http', { description: 'a\u200bb' })),
        listed(remote('com.a/bidi', 'Bi\u202edi')),
        listed(remote('com.a/good', 'Good', 'http')),
      ]),
    ).toEqual(['good']);
  });

  it.each(['http://crm.example/mcp', 'https://{tenant}.crm.example', 'https://u:p@crm.example', 'nowhere'])(
    'lists a server at %s for reference only',
    (url) => {
      const server = { ...remote('com.a/crm', 'CRM'), remotes: [{ type: 'http', url }] };
      expect(readImport({ registry: [listed(server)] })).toMatchObject([{ transport: 'rest_action', url: null }]);
    },
  );

  it('takes REST providers for reference, and none that the registry has', () => {
    const providers = [
      { id: 'p1', name: 'Tasks', url: 'https://tasks.example' },
      { id: 'p2', name: 'Weather', url: 'https://weather.example', categories: ['data'] },
      { id: 'p3', name: 'Weather' },
    ];
    expect(slugs(SERVERS, providers)).toEqual(['tasks', 'tasks-2', 'old-transport', 'weather', 'weather-2']);
    const [weather] = readImport({ providers });
    expect(weather).toMatchObject({
      slug: 'tasks',
      transport: 'rest_action',
      provenance: { source: 'open-connector' },
    });
  });

  it('cuts long names and refuses a document that is no listing', () => {
    expect(readImport({ registry: [listed(remote('com.a/x', 'N'.repeat(300)))] })[0]?.name).toHaveLength(120);
    expect(() => readImport({ registry: { entries: [] } })).toThrow('the document has no list servers');
  });
});
