import { AwkLines } from './awk-lines.js';
import { BashLines } from './bash-lines.js';
import { LineSource } from './line-source.js';
import { OptionLines } from './option-lines.js';
import { SedLines } from './sed-lines.js';
import { StateLines } from './state-lines.js';
import { mutatedSeed } from './mutated-seed.js';

export interface GeneratedLine {
  kind: 'bash' | 'sed' | 'awk' | 'options' | 'state' | 'seed';
  line: string;
}

const MAX_LENGTH = 3000;
// prettier-ignore
/** How often each kind comes. */
const WEIGHTS: Readonly<Record<GeneratedLine['kind'], number>> = { bash: 8, sed: 4, awk: 3, options: 3, state: 3, seed: 2 };
const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
  Array<GeneratedLine['kind']>(weight).fill(kind as GeneratedLine['kind']),
);

/** The line of a place in a slice, always the same. */
export function generateLine(slice: number, index: number): GeneratedLine {
  for (let attempt = 0; ; attempt++) {
    const source = new LineSource(Math.imul(slice + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b) ^ attempt);
    const kind = source.pick(KINDS);
    const line = generate(kind, source).replaceAll(/[\0\r]/g, '');
    if (line.length <= MAX_LENGTH) return { kind, line };
  }
}

function generate(kind: GeneratedLine['kind'], source: LineSource): string {
  const bash = new BashLines(source);
  const plain = (): string => bash.simple();
  const mixed = (): string =>
    source.one([plain, plain, () => new SedLines(source).line(), () => new AwkLines(source).line(), () => bash.line()]);
  const made = {
    bash: () => bash.line(),
    sed: () => new SedLines(source).line(),
    awk: () => new AwkLines(source).line(),
    options: () => new OptionLines(source, mixed).any(),
    state: () => new StateLines(source).line(),
    seed: () => mutatedSeed(source),
  }[kind]();
  return kind === 'bash' || !source.chance(0.2) ? made : around(made, source);
}

/** The line inside or beside another. */
function around(line: string, source: LineSource): string {
  return source.one([
    `cat f | ${line}`,
    `${line} | cat`,
    `echo "$(${line})"`,
    `echo $(${line})`,
    () => `bash -c ${source.quote(line)}`,
    () => `sh -c ${source.quote(line)}`,
    `${line} >/dev/null 2>&1`,
    `cd d && ${line}`,
    `for i in 1; do ${line}; done`,
    `if ${line}; then ls; fi`,
    `( ${line} )`,
    `ls; ${line}`,
    `${line} && ls`,
    `find . -name f -exec ${line} \\;`,
    `ls | xargs ${line}`,
    `env ${line}`,
    `timeout 1 ${line}`,
    () => `echo \`${line.replaceAll(/[\\`]/g, '\\$&')}\``,
    () => `cat <<E\n$(${line})\nE`,
    `cat <(${line})`,
    () => `${line} > ${source.file()}`,
  ]);
}
