import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { analyseLine } from './analyse-line.js';

/** Programs that only log that they ran, and wrappers that log and then are themselves. */
const STUBS = ['ls', 'id', 'rm', 'cat', 'grep', 'make', 'git', 'a', 'b', 'x'];
const WRAPPERS = ['env', 'nice', 'timeout', 'nohup', 'xargs', 'find', 'bash', 'sh'];

/** Pieces of bash that are glued together at random. */
// prettier-ignore
const PIECES = [
  'ls', 'id', 'cat', 'a', 'f', '$x', '"$x"', "'q r'", '$(id)', '`id`', '<(id)', '>(cat)', '$((1+2))', '${x:-$(id)}', '"$(rm y)"', '{a,b}', '*', '\\',
  'a=b', "$'\\x69d'", '$"id"', '<<EOF', 'EOF', "<<'EOF'", '<<<', '>', '>>', '<', '2>&1', '&>', '{fd}>', '|', '|&', '&&', '||', ';', '&', '\n', '!', 'time',
  'if', 'then', 'else', 'fi', 'for', 'in', 'do', 'done', 'until ls', 'case', 'esac', ')', '(', '{', '}', '[[', ']]', '((', '))', ';;', 'function', 'coproc',
  'env', 'nice', 'timeout 1', 'xargs', 'find .', '-exec', '{}', '\\;', '+', 'bash -c', "'id; ls'", 'command', 'eval', 'exec', 'test', '-v', 'printf', '-eq',
  'x=1', 'CI=1', '#', 'echo', 'read', 'declare', '${x}', '${x/a/b}', '$[1]', '$@', '\u00a0', 'cd', ':', 'set', '-k', '--', '$1', '\\\n', 'i\\\nd', 'i""d',
];

// prettier-ignore
const HIDING = [
  "printf -v 'a[$(id)]' x", "x='a[$(id)]'; echo $((x))", "for x in 'a[$(id)]'; do echo $((x)); done", ": 'a[$(id)]'; echo $((_))", "test -v 'a[$(id)]'",
  "[[ -v 'a[$(id)]' ]]", "[[ 'a[$(id)]' -eq 0 ]]", "for o in '-v a[$(id)]'; do [ $o ]; done", "declare -n r='a[$(id)]'; echo $r", "x='$(id)'; echo ${x@P}",
  'for PATH in .; do ls; done', 'echo $((PATH=1)); ls', "echo {-exec,id} ';' | xargs find .", "for x in '-va[$(id)]'; do printf \"$x\" y; done",
  "compgen -W '$(id)'", 'echo id | bash', 'bash <<< id', "find . -exec sh -c '$0' id \\;", 'echo id | xargs', 'echo id | xargs env', "env -S 'id x'",
  'trap id EXIT', 'ls() { id; }; ls', 'coproc id; wait', "let 'a[$(id)]=1'", 'cat <<EOF\n$(id)\nEOF', '!(id)', 'i\\\nd', "$'i\\x64'", 'i""d',
];

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bash-oracle-'));
  mkdirSync(join(root, 'bin'));
  const log = (name: string): string => `#!/bin/sh\nprintf '%s\\n' ${name} >> ${root}/log\n`;
  for (const name of STUBS) writeFileSync(join(root, 'bin', name), `${log(name)}exit 0\n`, { mode: 0o755 });
  for (const name of WRAPPERS) {
    const real = `$(PATH=/usr/bin:/bin command -v ${name})`;
    writeFileSync(join(root, 'bin', name), `${log(name)}exec ${real} "$@"\n`, { mode: 0o755 });
  }
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Names of the programs that bash really started for the line. */
function executed(line: string): string[] {
  const work = join(root, 'w/o/r/k');
  rmSync(join(root, 'w'), { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(root, 'log'), '');
  writeFileSync(join(work, 'f'), '');
  const env = { PATH: join(root, 'bin'), HOME: work };
  spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', line], {
    cwd: work,
    env,
    timeout: 2000,
    killSignal: 'SIGKILL',
    input: 'a\n',
  });
  return [...new Set(readFileSync(join(root, 'log'), 'utf8').split('\n').filter(Boolean))];
}

/** Programs that ran although the parser, sure of the line, did not list them. */
function unlisted(line: string): string[] {
  const found = analyseLine(line);
  if (found.problem !== null) return [];
  const listed = new Set(found.commands.map(({ words }) => words[0]));
  return executed(line).filter((name) => !listed.has(name));
}

describe('bash as the oracle', () => {
  it('really logs what runs', () => {
    expect(executed('ls; id')).toEqual(['ls', 'id']);
  });

  it.each(HIDING)('CP-338 lists what really runs in %j, or refuses to judge it', (line) => {
    expect(unlisted(line)).toEqual([]);
  });

  it('CP-338 lists every program that bash runs in a generated line', () => {
    const line = fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(' ', ' ', ' ', '')), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(line, (pieces) => {
        expect(unlisted(pieces.flat().join(''))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
