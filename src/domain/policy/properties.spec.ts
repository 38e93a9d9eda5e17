import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import type { ExactJson } from '../digest/exact-json.js';
import { compileDocument } from './compile-policy.js';
import type { PolicyDocument } from './document.js';
import { evaluate } from './evaluate.js';
import { parsePolicyYaml } from './policy-yaml.js';

const DEFAULT = parsePolicyYaml(readFileSync(new URL('../../../policies/default.yaml', import.meta.url), 'utf8'));
const POLICY = compileDocument(DEFAULT);
/** Generated cases of the properties that lines grow by; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);

const covered = fc.constantFrom(
  'ls -la',
  'cat a.txt',
  'git status',
  'npm test',
  'echo "a b"',
  'grep -r x src',
  'env | grep X',
  'for f in a b; do cat "$f"; done',
  'if ls; then pwd; fi',
  'echo $(date) > out.txt',
  'find . -exec cat {} +',
  'cd src && go test ./...',
  'cat <<EOF\ntext\nEOF',
  'printf "%s" x | sort | uniq',
);
const uncovered = fc.constantFrom(
  ...[
    'sort --compress-program=id a',
    "sed '1e id' a",
    "awk 'BEGIN{system(1)}'",
    'rg --pre id x',
    'git -c a=b status',
    'xargs make',
    'find . -exec make +',
  ],
  ...[
    '> .env',
    'ls > /etc/x',
    'ls 1>(make)',
    'sh -c "((a||make))"',
    'PATH=. ls',
    'git diff --ext-diff',
    'cat <(make)',
    'source x',
    'l{s,x}',
    '${x@P}',
  ],
  'id',
  'make',
  'rm x',
  'rm -rf y',
  './x',
  '"id"',
  'i\\d',
  'env id',
  'timeout 5 ls',
  'eval ls',
  '$x',
  'FOO=1 ls',
  'bash -c ls',
  'x=1',
);
const join = fc.constantFrom(
  (a: string, b: string) => `${a}\n${b}`,
  (a: string, b: string) => `${b}; ${a}`,
  (a: string, b: string) => `${b} && ${a}`,
  (a: string, b: string) => `${b} | ${a}`,
  (a: string, b: string) => `${b} & ${a}`,
  (a: string, b: string) => `{ ${b}; }; ${a}`,
  (a: string, b: string) => `(${b}) || ${a}`,
  (a: string, b: string) => `ls $(${b}) && ${a}`,
  (a: string, b: string) => `ls "\`${b.replaceAll('\\', '')}\`"; ${a}`,
  (a: string, b: string) => `cat <(${b}); ${a}`,
  (a: string, b: string) => `if ${b}; then ${a}\nfi`,
  (a: string, b: string) => `if ls; then ${a}\nelse ${b}; fi`,
  (a: string, b: string) => `for i in a; do ${a}\n${b}; done`,
  (a: string, b: string) => `case x in x) ${b} ;; *) ${a}\n;; esac`,
  (a: string, b: string) => `ls \${x:-$(${b})}; ${a}`,
  (a: string, b: string) => `cat <<END\n$(${b})\nEND\n${a}`,
  (a: string, b: string) => `! ${b}; ${a}`,
);

/** Lines with places where a word may stand: `§`. */
const gaps = fc.constantFrom(
  'ls § -la §',
  'cat a.txt § | wc § -l',
  'git status § && npm test §',
  'echo "a § b" §',
  'for f in a § b; do cat "$f" §; done',
  'if ls §; then pwd; else echo "§"; fi',
  'cat > out.txt <<EOF\na § b\nEOF',
  'case § in x) ls;; *) echo §;; esac',
  'echo $(ls §) "${x:-§}"',
  '[[ -n "§" ]] && ls §',
  'cd src && grep -r "§" .',
  'ls <<< "§"',
);
const inside = fc.constantFrom(
  (b: string) => `$(${b})`,
  (b: string) => `$(ls; ${b})`,
  (b: string) => `$(ls $(${b}))`,
  (b: string) => `\${y:-$(${b})}`,
  (b: string) => `$( ( ${b} ) )`,
);

function verdict(command: string, mode: 'supervised' | 'autonomous' = 'supervised'): string {
  return evaluate(POLICY, { tool: 'Bash', input: { command } }, mode).verdict;
}

const anyInput = fc.jsonValue() as fc.Arbitrary<ExactJson>;
const anyCall = fc.record({
  tool: fc.oneof(
    fc.constantFrom('Bash', 'Read', 'Write', 'Edit', 'MultiEdit', 'mcp__a__b', '__proto__', ''),
    fc.string(),
  ),
  input: fc.oneof(
    anyInput,
    fc.record({ command: fc.string({ unit: anyCharacter }) }),
    fc.record({ file_path: fc.string({ unit: anyCharacter }), edits: anyInput, cwd: fc.string() }),
  ),
});

describe('properties of evaluation', () => {
  it('CP-338 allows lines whose every command is covered', () => {
    fc.assert(fc.property(covered, (line) => expect(verdict(line)).toBe('allow')));
  });

  it('CP-338 never allows a line to which any uncovered command was added, wherever it stands', () => {
    fc.assert(
      fc.property(covered, uncovered, join, (line, extra, glue) => {
        expect(verdict(glue(line, extra))).not.toBe('allow');
      }),
      { numRuns: CASES },
    );
  }, 3_600_000);

  it('CP-338 never allows a line with any uncovered command inside one of its words', () => {
    fc.assert(
      fc.property(gaps, fc.array(fc.nat(), { maxLength: 3 }), uncovered, inside, (line, at, extra, wrap) => {
        const parts = line.split('§');
        const chosen = new Set([0, ...at].map((n) => n % (parts.length - 1)));
        const filled = parts.map(
          (part, i) => `${part}${i === parts.length - 1 ? '' : chosen.has(i) ? wrap(extra) : 'w'}`,
        );
        expect(verdict(parts.join('w'))).toBe('allow');
        expect(verdict(filled.join(''))).not.toBe('allow');
      }),
      { numRuns: CASES },
    );
  }, 3_600_000);

  it('never throws and answers the same call the same way', () => {
    fc.assert(
      fc.property(anyCall, (call) => {
        const first = evaluate(POLICY, call, 'supervised');
        expect(evaluate(POLICY, call, 'supervised')).toEqual(first);
        expect(['allow', 'deny', 'require_approval']).toContain(first.verdict);
      }),
      { numRuns: 400 },
    );
  });

  it('CP-077 autonomous never asks, and its original verdict is the supervised one', () => {
    fc.assert(
      fc.property(anyCall, (call) => {
        const autonomous = evaluate(POLICY, call, 'autonomous');
        expect(autonomous.verdict).not.toBe('require_approval');
        expect(autonomous.original_verdict).toBe(evaluate(POLICY, call, 'supervised').verdict);
      }),
    );
  });

  it('an exact-name deny at the head always decides', () => {
    fc.assert(
      fc.property(anyCall, (call) => {
        const head = { ...DEFAULT.tools[0]!, match: [call.tool], action: 'deny' as const };
        const document: PolicyDocument = {
          ...DEFAULT,
          tools: call.tool.endsWith('*') ? [head] : [head, ...DEFAULT.tools],
        };
        expect(evaluate(compileDocument(document), call, 'supervised').verdict).toBe('deny');
      }),
      { numRuns: 25 },
    );
  });
});
