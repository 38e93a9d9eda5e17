import { describe, expect, it } from '@jest/globals';
import type { BrokeredToolSet, FrozenBundle, FrozenServer } from '../run/spec.js';
import { ToolSet } from './tool-set.js';

const server = (name: string, ...tools: string[]): FrozenServer => ({
  class: 'sandbox',
  name,
  command: 'node',
  args: [],
  tools: tools.map((tool) => ({ name: tool, description: '', input_schema: { title: `${name}.${tool}` } })),
});
const bundle = (...servers: FrozenServer[]): FrozenBundle => ({
  id: 'b',
  name: 'b',
  version: 1,
  definition_digest: 'sha256:0',
  servers,
});

describe('the tool set', () => {
  it('CP-311 holds the tools of every server of every bundle, and nothing else', () => {
    const set = new ToolSet([
      bundle(server('kb', 'find', 'get__all'), server('ws', 'count')),
      bundle(server('x', 'y')),
    ]);
    expect(
      ['mcp__kb__find', 'mcp__kb__get__all', 'mcp__ws__count', 'mcp__x__y'].map((name) => set.find(name)?.name),
    ).toEqual(['mcp__kb__find', 'mcp__kb__get__all', 'mcp__ws__count', 'mcp__x__y']);
    for (const name of [
      'mcp__kb__Find',
      'MCP__kb__find',
      'mcp__kb__',
      'mcp__kb',
      'mcp__kb__find ',
      'find',
      '__proto__',
      'mcp__ws__find',
    ]) {
      expect(set.find(name)).toBeUndefined();
    }
    expect(new ToolSet().find('mcp__kb__find')).toBeUndefined();
  });

  it('CP-311 lets no server pass for another by the way its names are split', () => {
    const set = new ToolSet([bundle(server('a__b', 'c'), server('', 't'))]);
    expect([set.find('mcp__a__b__c'), set.find('mcp____t')]).toEqual([undefined, undefined]);
  });

  it('keeps the first of two tools of one name', () => {
    const [first, second] = [server('kb', 'find'), server('kb', 'find')];
    second.tools[0]!.input_schema = { title: 'second' };
    expect(new ToolSet([bundle(first), bundle(second)]).find('mcp__kb__find')?.schema).toEqual({ title: 'kb.find' });
  });

  it('CP-042 CP-311 CP-320 holds the tools of bound connections, in the dialect of their protocol version', () => {
    const toolSet = (slot: string, version?: string): BrokeredToolSet => ({
      slot,
      url: 'https://crm.example.com/',
      binding_id: 'x',
      snapshot_version: 1,
      tools: [{ name: 'find', description: '', input_schema: { title: slot } }],
      tools_digest: `sha256:${slot}`,
      ...(version === undefined ? {} : { protocol_version: version }),
    });
    const set = new ToolSet(
      [bundle(server('kb', 'find'))],
      [toolSet('crm', '2025-06-18'), toolSet('erp', '2025-11-25')],
    );
    expect(set.find('mcp__crm__find')).toMatchObject({
      class: 'brokered',
      tool: 'find',
      toolSet: { slot: 'crm' },
      schema: { title: 'crm' },
      dialect: 'draft-07',
    });
    expect(set.find('mcp__erp__find')).toMatchObject({ class: 'brokered', dialect: '2020-12' });
    expect(set.find('mcp__kb__find')?.class).toBe('sandbox');
    expect([set.find('mcp__crm__other'), set.find('crm__find')]).toEqual([undefined, undefined]);
    expect(set.find('mcp__crm__find')?.validatorKey()).toBe('sha256:crm find draft-07');
    const shadowed = new ToolSet([bundle(server('crm', 'find'))], [toolSet('crm')]);
    expect(shadowed.find('mcp__crm__find')?.class).toBe('brokered');
  });

  it('names the compiled form of a schema by digest, tool and dialect', () => {
    const key = (one: FrozenServer): string | undefined =>
      new ToolSet([bundle(one)]).find('mcp__kb__find')?.validatorKey();
    expect(key(server('kb', 'find'))).toMatch(/^sha256:[0-9a-f]{64} find 2020-12$/);
    expect(key(server('kb', 'find'))).toBe(key(server('kb', 'find')));
    expect(key(server('kb', 'find'))).not.toBe(key(server('kb', 'find', 'other')));
  });
});
