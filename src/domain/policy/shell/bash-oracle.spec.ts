import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gluedLine, wellFormedScript } from '../../../../test/support/bash-scripts.js';
import { analyseLine } from './analyse-line.js';

/** Programs that only log that they ran, and wrappers that log and then are themselves. */
const STUBS = ['ls', 'id', 'rm', 'cat', 'grep', 'make', 'git', 'a', 'b', 'x'];
const WRAPPERS = [
  'env',
  'nice',
  'timeout',
  'nohup',
  'xargs',
  'find',
  'bash',
  'sh',
  'dash',
  'sed',
  'awk',
  'sort',
  'tar',
];
/** Scripts that are run; the nightly campaign runs 10,000. */
const SCRIPTS = Number(process.env['SANDGATE_ORACLE_SCRIPTS'] ?? 400);

// prettier-ignore
const HIDING = [
  "printf -v 'a[$(id)]' x", "x='a[$(id)]'; echo $((x))", "for x in 'a[$(id)]'; do echo $((x)); done", ": 'a[$(id)]'; echo $((_))", "test -v 'a[$(id)]'",
  "[[ -v 'a[$(id)]' ]]", "[[ 'a[$(id)]' -eq 0 ]]", "for o in '-v a[$(id)]'; do [ $o ]; done", "declare -n r='a[$(id)]'; echo $r", "x='$(id)'; echo ${x@P}",
  'for PATH in .; do ls; done', 'echo $((PATH=1)); ls', "echo {-exec,id} ';' | xargs find .", "for x in '-va[$(id)]'; do printf \"$x\" y; done",
  "compgen -W '$(id)'", 'echo id | bash', 'bash <<< id', "find . -exec sh -c '$0' id \\;", 'echo id | xargs', 'echo id | xargs env', "env -S 'id x'",
  'trap id EXIT', 'ls() { id; }; ls', 'coproc id; wait', "let 'a[$(id)]=1'", 'cat <<EOF\n$(id)\nEOF', '!(id)', 'i\\\nd', "$'i\\x64'", 'i""d',
  "sh -c '[[ a && id ]]'", "sh -c '((a||id))'", "sh -c 'echo $[a||id ]'", "sh -c \"echo \\$'\\\\'; id; #'\"", "for x in 'a -exec id ;'; do find ./$x; done", "sed 'e id' f", "echo a | sed 's/a/id/e'",
  "echo a | sed 's/[/]/x/;e id'", "awk 'BEGIN{system(\"id\")}'", `echo a | awk '{print | "id"}'`, `echo | awk '{print NF /"/; print "a" | "id" #"/ }'`, 'echo "--expression=1e id" | xargs -d "\\n" sed -n p f',
  'ls 1>(id)', 'ls 12<(id)', 'ls {fd}>(id)', 'ls a1>(id)', 'ls "a"1>(id)', 'tar cf /dev/null f --checkpoint=1 --checkpoint-action=exec=id', 'tar -Iid -cf t f', "echo '--checkpoint=1 --checkpoint-action=exec=id f' | xargs tar cf /dev/null",
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
  confinement = findConfinement();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A confinement in which nothing but the folder of the test can be written; empty where the machine has none, and stubs alone confine. */
let confinement: string[] = [];

function findConfinement(): string[] {
  const args = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', root, root, '--die-with-parent'];
  const program = spawnSync('/bin/sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim();
  if (program === '') return [];
  const command = [program, ...args, '--unshare-net', '--unshare-pid', '--unshare-ipc', '--'];
  const tried = spawnSync(program, [...command.slice(1), '/bin/true'], { timeout: 5000 });
  return tried.status === 0 ? command : [];
}

/** Names of the programs that bash really started for the line. */
function executed(line: string): string[] {
  const work = join(root, 'w/o/r/k');
  rmSync(join(root, 'w'), { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(root, 'log'), '');
  writeFileSync(join(work, 'f'), 'a\n');
  const [command, ...args] = [...confinement, '/bin/bash', '--noprofile', '--norc', '-c', line];
  spawnSync(command, args, {
    cwd: work,
    env: { PATH: join(root, 'bin'), HOME: work },
    timeout: 3000,
    killSignal: 'SIGKILL',
    input: 'a\n',
  });
  return [...new Set(readFileSync(join(root, 'log'), 'utf8').split('\n').filter(Boolean))];
}

/** Programs that ran although the parser, sure of the line and of every command in it, did not list them. */
function unlisted(line: string): string[] {
  const found = analyseLine(line);
  if (found.problem !== null || found.commands.some(({ hazard }) => hazard !== null)) return [];
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

  it('CP-338 proof 26: lists every program that bash runs in a generated script', () => {
    fc.assert(
      fc.property(fc.oneof(gluedLine, wellFormedScript), (script) => {
        fc.pre(!script.includes('\0') && script.length < 4000);
        expect(unlisted(script)).toEqual([]);
      }),
      { numRuns: SCRIPTS },
    );
  }, 7_200_000);

  it('CP-338 proof 26: most well-formed scripts run programs, so that the oracle has something to say', () => {
    const scripts = fc.sample(wellFormedScript, { numRuns: 40, seed: 26 });
    expect(scripts.filter((script) => executed(script).length > 0).length).toBeGreaterThan(20);
  }, 60_000);
});
