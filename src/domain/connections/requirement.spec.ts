import { describe, expect, it } from '@jest/globals';
import { parseRequirements } from './requirement.js';

const whole = {
  slot: 'crm-1',
  connector: { url: 'https://crm.example.com/mcp', slug: 'acme' },
  required_tools: ['find', 'Get_all.v2'],
  binding_mode: 'invoking_user',
};

describe('connection requirements', () => {
  it('CP-088 CP-091 CP-093 are read as they are written', () => {
    const plain = { ...whole, slot: 'x', connector: { url: 'http://h/' }, binding_mode: 'organization' };
    expect(parseRequirements([whole, plain])).toEqual([whole, plain]);
    expect(parseRequirements([])).toEqual([]);
    const many = Array.from({ length: 16 }, (_, index) => ({ ...whole, slot: `s${index}` }));
    expect(parseRequirements(many)).toHaveLength(16);
  });

  it.each<[unknown, string]>([
    [{}, 'connection_requirements: must be a list'],
    [Array.from({ length: 17 }, () => whole), 'connection_requirements: must not have more than 16'],
    [[whole, whole], 'connection_requirements[1].slot: crm-1 is named twice'],
    [['x'], 'connection_requirements[0]: must be an object'],
    [[{ ...whole, connection_id: 'c' }], 'connection_requirements[0]: has no member connection_id'],
    [[{ ...whole, credential: 'c' }], 'connection_requirements[0]: has no member credential'],
    [[{ ...whole, slot: 'CRM' }], 'connection_requirements[0].slot: must be'],
    [[{ ...whole, slot: '-crm' }], '.slot: must be'],
    [[{ ...whole, slot: 'a__b' }], '.slot: must be'],
    [[{ ...whole, slot: 'x'.repeat(65) }], '.slot: must be'],
    [[{ ...whole, slot: undefined }], '.slot: must be'],
    [[{ ...whole, connector: undefined }], '.connector: must be an object'],
    [[{ ...whole, connector: { url: 'ftp://h/' } }], '.connector.url: must be an absolute http or https URL'],
    [[{ ...whole, connector: { url: '/mcp' } }], '.connector.url: must be an absolute'],
    [[{ ...whole, connector: { url: 'https://u:p@h/' } }], '.connector.url: must not hold a user name'],
    [[{ ...whole, connector: { slug: 'acme' } }], '.connector.url: must be a URL'],
    [[{ ...whole, connector: { url: 'https://h/', slug: 'A B' } }], '.connector.slug: must be'],
    [[{ ...whole, connector: { url: 'https://h/', id: 'x' } }], '.connector: has no member id'],
    [[{ ...whole, required_tools: [] }], '.required_tools: must be a list of 1 to 64'],
    [[{ ...whole, required_tools: Array.from({ length: 65 }, (_, i) => `t${i}`) }], '.required_tools: must be a list'],
    [[{ ...whole, required_tools: ['a', 'a'] }], '.required_tools: a is named twice'],
    [[{ ...whole, required_tools: ['a b'] }], '.required_tools[0]: must be a tool name'],
    [[{ ...whole, required_tools: 'find' }], '.required_tools: must be a list'],
    [[{ ...whole, binding_mode: 'explicit' }], '.binding_mode: must be invoking_user or organization'],
  ])('CP-029 %# are refused with the place and the reason', (value, words) => {
    expect(() => parseRequirements(value)).toThrow(words);
  });
});
