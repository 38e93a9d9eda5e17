import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LineSource } from './line-source.js';

/** 400 lines of the tests of the analysis. */
export const SEEDS = JSON.parse(
  readFileSync(fileURLToPath(new URL('seeds.json', import.meta.url)).replace('/dist/test/', '/test/'), 'utf8'),
) as string[];

const TOKEN = /[A-Za-z0-9_]+|\s+|\$['"({]?|[<>|&;]{1,3}|[^]/gu;
const CHARACTERS = [...'\'"\\$`(){}[];&|<>#!*?~=,/\n\t -:@%^+.0a'];

/** A seed, changed a little or much; each `id` in it, which is what seeds hide, gets a name of its own. */
export function mutatedSeed(source: LineSource): string {
  let line = source.pick(SEEDS);
  const rounds = source.between(0, source.chance(0.5) ? 2 : 5);
  for (let round = 0; round < rounds; round++) line = mutate(line, source);
  return line.replaceAll(/\bid\b/g, () => source.program());
}

function mutate(line: string, source: LineSource): string {
  const tokens = line.match(TOKEN) ?? [' '];
  const at = source.between(0, tokens.length - 1);
  const to = source.between(0, tokens.length - 1);
  const token = tokens[at]!;
  const inserted = (text: string): string => [...tokens.slice(0, at), text, ...tokens.slice(at)].join('');
  return source.one([
    () => tokens.toSpliced(at, 1).join(''),
    () => inserted(token),
    () => inserted(source.pick(CHARACTERS)),
    () => inserted(source.pick(CHARACTERS)),
    () => inserted('\\\n'),
    () => inserted(source.danger()),
    () => inserted(source.pick(SEEDS).match(TOKEN)?.[0] ?? ''),
    () => tokens.with(at, tokens[to]!).join(''),
    () => tokens.with(at, tokens[to]!).with(to, token).join(''),
    () => tokens.with(at, source.pick(CHARACTERS)).join(''),
    () => tokens.with(at, `"${token}"`).join(''),
    () => tokens.with(at, `'${token}'`).join(''),
    () => tokens.with(at, `$'${token}'`).join(''),
    () => tokens.with(at, `$(${token})`).join(''),
    () => tokens.with(at, `\${x:-${token}}`).join(''),
    () => tokens.with(at, `\\${token}`).join(''),
    () => spliced(line, source.pick(SEEDS), source),
    () => `${line}${source.pick(['; ', ' && ', ' | ', '\n', ' '])}${source.pick(SEEDS)}`,
    () => source.pick(SEEDS).replace(/\bid\b/, () => line),
    () => `bash -c ${source.quote(line)}`,
    () => `echo "$(${line})"`,
    () => `cat <<E\n${line}\nE`,
  ]);
}

/** The head of one line and the tail of another. */
function spliced(head: string, tail: string, source: LineSource): string {
  return head.slice(0, source.between(0, head.length)) + tail.slice(source.between(0, tail.length));
}
