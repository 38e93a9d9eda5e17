import { describe, expect, it } from '@jest/globals';
import { anchorsOf, findFaults, proofNumbers } from './citations.mjs';

const PAGES = { 'docs/gate.md': '# The gate\n\n## What holds, and how\n', 'ARCHITECTURE.md': '# Architecture\n' };
const repository = {
  requirements: new Set(['CP-001']),
  proofs: proofNumbers('| # | Claim |\n| --- | --- |\n| 16, 17 | none escapes |\n| 28 | no throw |\n| — | more |\n'),
  exists: (path) => path in PAGES,
  headings: (path) => anchorsOf(PAGES[path]),
};
const faultsOf = (text, path = 'src/gate.ts') => findFaults(path, text, repository);

describe('a citation', () => {
  it.each([
    '/** Judges a call (chapter 30). */',
    '/** Judges a call (Chapters 10 and 20). */',
    '/** The order of 06-gate §. */',
    '/** See §12. */',
    "it('CP-002 holds', () => {});",
    "it('proof 9: holds', () => {});",
    '/** Judges a call (docs/nowhere.md). */',
    'const a = 1; // as docs/nowhere.md says',
    '/** Judges a call (documents/docs/nowhere.md). */',
  ])('that leads nowhere is a fault: %s', (text) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(/^src\/gate\.ts:1: /)]);
  });

  it.each([
    '/** Judges a call (CP-001, docs/gate.md). */',
    '/** One tool of a path (RFC 9110 §12.5.1; OpenID Connect Core §11). */',
    "it('CP-001 proof 17: holds', () => {});",
    "const fixture = 'docs/nowhere.md';",
    '/** ARCHITECTURE.md has the walk. */',
  ])('that a reader can follow is none: %s', (text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  it('is looked for in prose and in comments of every language', () => {
    expect(faultsOf('Read docs/nowhere.md.', 'README.md')).toHaveLength(1);
    expect(faultsOf('a: 1 # docs/nowhere.md', 'policies/a.yaml')).toHaveLength(1);
    expect(faultsOf('select 1 -- docs/nowhere.md', 'migrations/functions/a.sql')).toHaveLength(1);
    expect(faultsOf('path: docs/nowhere.md', 'policies/a.yaml')).toEqual([]);
  });

  it('names files and folders of the repository that are there', () => {
    const files = { ...repository, exists: (path) => ['src/', 'src/a.ts', 'src/b.ts'].includes(path) };
    expect(findFaults('docs/a.md', '`src/{a,b}.ts`, `src/*.spec.ts`', files)).toEqual([]);
    expect(findFaults('docs/a.md', '`src/{a,c}.ts`, `test/*.ts`', files)).toHaveLength(2);
  });

  it('says the line', () => {
    expect(faultsOf('/**\n * One.\n * See §3.\n */')).toEqual(['src/gate.ts:3: cites "§3", which is not in here']);
  });
});

describe('a link of a page', () => {
  it.each(['[a](nowhere.md)', '[a](../src/nowhere.ts)', '[a](gate.md#no-such-heading)', '[a](#nor-this)'])(
    'that leads nowhere is a fault: %s',
    (text) => expect(faultsOf(text, 'docs/gate.md')).toHaveLength(1),
  );

  it.each([
    '[a](gate.md)',
    '[a](gate.md#what-holds-and-how)',
    '[a](../ARCHITECTURE.md)',
    '[a](https://example.com/x.md)',
  ])('that leads somewhere is none: %s', (text) => expect(faultsOf(text, 'docs/other.md')).toEqual([]));
});
