import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { deniedNetworks, deniesName } from './denied.js';

const HTTPS = [{ from: 443, to: 443 }];
const exact = (name: string): JsonObject => ({
  kind: 'dns',
  pattern: { kind: 'exact', name },
  ports: HTTPS,
  protocol: 'tcp',
});

describe('what a policy denies', () => {
  it.each<[JsonObject, string, number, boolean]>([
    [exact('a.example.com'), 'a.example.com', 443, true],
    [exact('A.example.com.'), 'a.example.com', 443, true],
    [exact('a.example.com'), 'a.example.com', 80, false],
    [exact('a.example.com'), 'b.example.com', 443, false],
    [
      { kind: 'dns', pattern: { kind: 'wildcard', suffix: 'Example.com' }, ports: HTTPS, protocol: 'tcp' },
      'b.example.com',
      443,
      true,
    ],
    [{ ...exact('a.example.com'), protocol: 'udp' }, 'a.example.com', 443, false],
    [{ kind: 'cidr', cidr: '10.0.0.0/8', ports: HTTPS, protocol: 'tcp' }, 'a.example.com', 443, false],
    [{ ...exact('a.example.com'), ports: 'all' }, 'b.example.com', 80, true],
    [exact('a.example.com.'), 'b.example.com', 80, true],
    [{ ...exact('a.example.com'), pattern: {} }, 'b.example.com', 80, true],
    [{ ...exact('a.example.com'), kind: 'other' }, 'b.example.com', 80, true],
  ])('%j of %s:%d: %s', (denied, name, port, expected) => {
    expect(deniesName(denied, name, port)).toBe(expected);
  });

  it('has networks, by port', () => {
    const denied = [
      { kind: 'cidr', cidr: '198.51.100.0/24', ports: HTTPS, protocol: 'tcp' },
      { kind: 'cidr', cidr: '203.0.113.0/24', ports: HTTPS, protocol: 'udp' },
      exact('a.example.com'),
    ];
    expect(deniedNetworks(denied, 443)).toEqual(['198.51.100.0/24']);
    expect(deniedNetworks(denied, 80)).toEqual([]);
  });
});
