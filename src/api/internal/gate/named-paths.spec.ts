import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/time/cpu-clock.js';
import { namedPaths, wordsNotKnown } from './named-paths.js';

describe('paths that a command names', () => {
  it.each([
    ['./deploy.sh --to=prod.yaml', ['deploy.sh', '--to=prod.yaml', 'prod.yaml']],
    ['cd ops && ./deploy', ['cd', 'ops', 'deploy', 'ops/cd', 'ops/ops', 'ops/deploy']],
    ['cat /workspace/a /etc/passwd ../x', ['cat', 'a']],
    ['sh run.sh < in.txt > out.txt', ['sh', 'run.sh', 'in.txt', 'out.txt']],
    ['bash -c "python tool.py"', ['tool.py']],
    ['$PROGRAM', []],
  ])('CP-006 %s', (command, expected) => {
    const named = namedPaths({ command }) ?? [];
    for (const path of expected) expect(named).toContain(path);
    expect(named.every((path) => !path.startsWith('/') && !path.startsWith('..'))).toBe(true);
  });

  it('CP-006 are taken from the directory of the call', () => {
    expect(namedPaths({ command: './x', cwd: '/workspace/sub' })).toEqual(['sub/x']);
    expect(namedPaths({ command: './x', cwd: '/tmp' })).toEqual([]);
    expect(namedPaths({ file_path: 'a' })).toEqual([]);
  });

  it('a line that would make the host look at too many places is refused in little time', () => {
    const line = Array.from({ length: 3000 }, (_, index) => `cd d${index}; cat f${index}`).join('; ');
    const spentMs = cpuClock();
    expect(namedPaths({ command: line })).toBeNull();
    expect(spentMs()).toBeLessThan(2000);
  });

  it.each([
    ['cat a.txt "b c"', []],
    ['cat $FILE "$HOME/x" *.log', ['$FILE', '"$HOME/x"', '*.log']],
    ['cat $FILE > $OUT < in.txt', ['$FILE', '> $OUT']],
    ['env A=1 cat ~/.ssh/config', ['~/.ssh/config']],
    ['ls | xargs cat', ['what `xargs` reads']],
    ['rm -- "$1" "$1"', ['"$1"']],
  ])('CP-006 not known beforehand are of %j: %j', (command, words) => {
    expect(wordsNotKnown({ command })).toEqual(words);
  });
});
