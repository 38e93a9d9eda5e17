import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { freeSlug, slugOf } from './connector-slug.js';
import { parseConnector } from './parse-connector.js';

const remote = (more: JsonObject = {}): JsonObject => ({
  slug: 'crm',
  name: 'CRM',
  url: 'https://mcp.crm.example/mcp',
  ...more,
});
const launch = {
  command: '/opt/sandgate/tools/kb/1.0.0/bin/kb',
  tools: [{ name: 'search', description: 'Searches', input_schema: { type: 'object' } }],
};
const program = (more: JsonObject = {}): JsonObject => ({
  slug: 'kb',
  name: 'Knowledge',
  transport: 'stdio',
  sandbox_launch: launch,
  ...more,
});
const refusalOf = (body: JsonObject): string => {
  try {
    parseConnector(body);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was accepted');
};

describe('a described connector', () => {
  it('CP-134 is read with its defaults; tier, organization and provenance are not the describer’s', () => {
    const read = parseConnector(remote({ tier: 'verified', tenant_id: 'x', provenance: { source: 'service' } }));
    expect(read).toEqual({
      slug: 'crm',
      name: 'CRM',
      icon: null,
      description: null,
      categories: [],
      scopes: [],
      egress: ['mcp.crm.example'],
      url: 'https://mcp.crm.example/mcp',
      transport: 'streamable_http',
      auth_mode: 'none',
      auth_hints: {},
      tool_hints: [],
      sandbox_launch: null,
    });
  });

  it('keeps what it says of keys, scopes and tools', () => {
    const read = parseConnector(
      remote({
        auth_mode: 'api_key',
        auth_hints: { header_name: 'X-Key', scheme: '', key_url: 'https://crm.example/keys', unknown: 1 },
        tool_hints: [{ pattern: 'mcp__crm__get_*', action: 'allow' }],
        scopes: ['read', 'read', 'write:all'],
        egress: ['api.crm.example', '*.crm.example'],
        icon: '📇',
      }),
    );
    expect(read.auth_hints).toEqual({ header_name: 'X-Key', scheme: '', key_url: 'https://crm.example/keys' });
    expect(read.tool_hints).toEqual([{ pattern: 'mcp__crm__get_*', action: 'allow', note: null }]);
    expect([read.scopes, read.egress, read.icon]).toEqual([
      ['read', 'write:all'],
      ['api.crm.example', '*.crm.example'],
      '📇',
    ]);
  });

  it('of a program carries what a bundle needs', () => {
    const { sandbox_launch, url } = parseConnector(program());
    expect([sandbox_launch, url]).toEqual([{ ...launch, args: [] }, null]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['a slug of capitals', remote({ slug: 'CRM' }), /^slug: must be 1 to 64/],
    ['a slug that begins with -', remote({ slug: '-crm' }), /^slug:/],
    ['a slug of 65 characters', remote({ slug: 'a'.repeat(65) }), /^slug:/],
    ['no name', remote({ name: ' ' }), /^name: is required/],
    ['a long name', remote({ name: 'n'.repeat(121) }), /^name: has more than 120/],
    [
      'a name with hidden text',
      remote({ name: 'CRM\u200b' }),
      /^name: contains the hidden or control character U\+200B/,
    ],
    ['a description that reorders', remote({ description: 'a\u202eb' }), /^description: contains/],
    ['no address', remote({ url: null }), /^url: is required for streamable_http/],
    ['a blank address', remote({ url: '' }), /^url: is required/],
    ['no address at all', remote({ url: 'crm' }), /^url: must be an http or https address/],
    ['another protocol', remote({ url: 'ftp://crm.example' }), /^url: must be an http or https address/],
    ['an unknown auth_mode', remote({ auth_mode: 'basic' }), /^auth_mode: must be one of none, api_key, oauth/],
    ['an unknown transport', remote({ transport: 'sse' }), /^transport: must be one of streamable_http, stdio/],
    ['a program on a server', remote({ sandbox_launch: launch }), /^sandbox_launch: belongs to transport stdio/],
    ['stdio without a program', program({ sandbox_launch: null }), /^sandbox_launch: is required/],
    ['stdio without tools', program({ sandbox_launch: { ...launch, tools: [] } }), /^sandbox_launch: .*tools/],
    ['stdio without a command', program({ sandbox_launch: { ...launch, command: '' } }), /^sandbox_launch: .*command/],
    ['stdio with a key', program({ auth_mode: 'api_key' }), /^auth_mode: must be none for transport stdio/],
    ['stdio with an address', program({ url: 'https://crm.example' }), /^url: does not belong/],
    ['an unknown scheme', remote({ auth_hints: { scheme: 'Token' } }), /^auth_hints: scheme: must be/],
    ['a header that is none', remote({ auth_hints: { header_name: 'X Key' } }), /^auth_hints: header_name: must be/],
    [
      'a header of the protocol',
      remote({ auth_hints: { header_name: 'Mcp-Session-Id' } }),
      /^auth_hints: header_name: mcp-session-id/,
    ],
    ['a key page over http', remote({ auth_hints: { key_url: 'http://crm.example' } }), /^auth_hints.key_url: must be/],
    ['a hint that denies', remote({ tool_hints: [{ pattern: 'x', action: 'deny' }] }), /^tool_hints\[0\].action/],
    ['a scope of two words', remote({ scopes: ['a b'] }), /^scopes\[0\]: must be an OAuth scope/],
    ['a host that is none', remote({ egress: ['https://x'] }), /^egress\[0\]: must be a host name/],
    ['an icon that is a script', remote({ icon: 'javascript:alert(document.cookie)' }), /^icon: must be/],
  ])('is refused for %s', (_what, body, message) => {
    expect(refusalOf(body)).toMatch(message);
  });

  it('CP-043 is refused with a user or password in its address', () => {
    for (const url of ['https://user:secret@crm.example/mcp', 'https://token@crm.example/mcp'])
      expect(refusalOf(remote({ url }))).toBe('url: must not hold a user or password: the catalog keeps no credential');
  });
});

describe('a slug from a title', () => {
  it.each([
    ['Acme CRM', 'acme-crm'],
    ['  Ünïcode & Söns!  ', 'unicode-sons'],
    ['x'.repeat(80), 'x'.repeat(58)],
    ['日本', 'entry'],
    ['---', 'entry'],
  ])('%s gives %s', (title, slug) => expect(slugOf(title, 'entry')).toBe(slug));

  it('gets the first free number', () => {
    const taken = new Set(['crm', 'crm-2']);
    expect([freeSlug('crm', (slug) => taken.has(slug)), freeSlug('kb', (slug) => taken.has(slug))]).toEqual([
      'crm-3',
      'kb',
    ]);
  });
});
