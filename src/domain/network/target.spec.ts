import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeTarget, isCovered, parseTarget, reaches, type NameTarget } from './target.js';

function target(text: string): NameTarget {
  const parsed = parseTarget(text);
  if (typeof parsed === 'string') throw new Error(`${text} ${parsed}`);
  return parsed;
}

describe('a target', () => {
  it.each([
    ['registry.example.com:443', { kind: 'exact', name: 'registry.example.com' }],
    ['Registry.Example.COM:443', { kind: 'exact', name: 'registry.example.com' }],
    ['*.example.com:443', { kind: 'wildcard', suffix: 'example.com' }],
    ['mirror:443', { kind: 'exact', name: 'mirror' }],
    ['xn--bcher-kva.example:443', { kind: 'exact', name: 'xn--bcher-kva.example' }],
    ['_dav.example.com:443', { kind: 'exact', name: '_dav.example.com' }],
  ])('%s is read', (text, pattern) => {
    expect(parseTarget(text)).toEqual({ kind: 'dns', pattern, ports: [{ from: 443, to: 443 }], protocol: 'tcp' });
  });

  it.each([
    ['registry.example.com', 'host:port'],
    ['https://registry.example.com:443', 'host:port'],
    ['user@registry.example.com:443', 'host:port'],
    ['registry.example.com:443/path', 'host:port'],
    [' registry.example.com:443', 'host:port'],
    [':443', 'host:port'],
    ['[::1]:443', 'host:port'],
    ['registry.example.com:0', 'port from 1 to 65535'],
    ['registry.example.com:65536', 'port from 1 to 65535'],
    ['127.0.0.1:443', 'must be a name'],
    ['2130706433:443', 'must be a name'],
    ['0x7f000001:443', 'must be a name'],
    ['0x7f.1:443', 'must be a name'],
    ['name.0x:443', 'must be a name'],
    ['*.com:443', 'two labels or more'],
    ['*:443', 'name of a host'],
    ['a.*.example.com:443', 'name of a host'],
    ['*x.example.com:443', 'name of a host'],
    ['*.*.example.com:443', 'name of a host'],
    ['registry.example.com.:443', 'name of a host'],
    ['a..b:443', 'name of a host'],
    ['-a.example.com:443', 'name of a host'],
    [`${'a'.repeat(64)}.example.com:443`, 'name of a host'],
    [`${'a.'.repeat(126)}ab:443`, 'name of a host'],
    ['bücher.example:443', 'xn--'],
    ['registry\0.example.com:443', 'name of a host'],
  ])('%j is refused', (text, problem) => {
    expect(parseTarget(text)).toContain(problem);
  });

  it('is written as it was read', () => {
    for (const text of ['registry.example.com:443', '*.example.com:8080'])
      expect(describeTarget(target(text))).toBe(text);
    const several = {
      ...target('a.example:1'),
      ports: [
        { from: 80, to: 80 },
        { from: 8000, to: 8010 },
      ],
    };
    expect(describeTarget(several)).toBe('a.example:80, a.example:8000-8010');
  });
});

describe('a connection', () => {
  it.each([
    ['a.example.com:443', 'a.example.com', 443, true],
    ['a.example.com:443', 'a.example.com', 444, false],
    ['a.example.com:443', 'b.a.example.com', 443, false],
    ['*.example.com:443', 'a.example.com', 443, true],
    ['*.example.com:443', 'example.com', 443, false],
    ['*.example.com:443', 'b.a.example.com', 443, false],
    ['*.example.com:443', '.example.com', 443, false],
    ['*.example.com:443', 'aexample.com', 443, false],
  ])('of %s to %s:%d: %s', (text, name, port, expected) => {
    expect(reaches(target(text), name, port)).toBe(expected);
  });
});

describe('coverage', () => {
  const NAMES = ['a.example.com', 'b.example.com', 'c.a.example.com', 'example.com', 'a.example.org'];
  const PATTERNS = [
    ...NAMES.map((name) => ({ kind: 'exact' as const, name })),
    ...['example.com', 'a.example.com', 'example.org'].map((suffix) => ({ kind: 'wildcard' as const, suffix })),
  ];
  const range = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 5 }))
    .map(([from, more]) => ({ from, to: from + more }));
  const anyTarget = fc.record({
    kind: fc.constant('dns' as const),
    pattern: fc.constantFrom(...PATTERNS),
    ports: fc.array(range, { minLength: 1, maxLength: 3 }),
    protocol: fc.constant('tcp' as const),
  });

  it('lets nothing through that no granted target reaches', () => {
    // `x` stands for every label that no exact target names.
    const hosts = [...NAMES, 'x.example.com', 'x.a.example.com', 'x.example.org'];
    fc.assert(
      fc.property(anyTarget, fc.array(anyTarget, { maxLength: 4 }), (asked, granted) => {
        const all = hosts.flatMap((host) => Array.from({ length: 20 }, (_, port) => [host, port] as const));
        const meant = all.filter(([host, port]) => reaches(asked, host, port));
        const reached = meant.every(([host, port]) => granted.some((one) => reaches(one, host, port)));
        expect(isCovered(asked, granted)).toBe(reached);
      }),
      { numRuns: 2000 },
    );
  });
});
