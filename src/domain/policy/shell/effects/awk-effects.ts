import type { ShellWord } from '../words/shell-word.js';
import { awkRefusal } from './awk-program.js';
import type { Effects, Hazard } from './effects.js';
import { laterHazard, NO_EFFECTS, onlyHazard } from './effects.js';

const VALUED = /^(?:-[Fv]|--field-separator|--assign)$/;
const JOINED = /^(?:-[Fv].|--field-separator=|--assign=)/s;
/** Options of gawk that change how numbers and expressions are read. Others read them differently, or not at all. */
const FLAGS =
  /^--(?:posix|traditional|re-interval|characters-as-bytes|use-lc-numeric|optimize|no-optimize|sandbox|csv)$/;
const QUERY = /^--(?:version|help)$/;

/** `awk` is judged by its program text; before that only options stand that do not bring another (CP-338). */
export function awkEffects(words: readonly ShellWord[]): Effects {
  let at = 1;
  for (; at < words.length; at++) {
    const { value, text, mayBeOption } = words[at]!;
    if (value === null)
      return unsure(
        words,
        mayBeOption ? `\`${text}\` may be an option of \`awk\`` : 'the `awk` program is not a literal',
      );
    if (value === '--') {
      at++;
      break;
    }
    if (!value.startsWith('-') || value === '-') break;
    if (VALUED.test(value)) {
      at++;
      if (words[at]?.value === null && !words[at]!.single) {
        return unsure(words, `\`${words[at]!.text}\` may be more than one word`);
      }
    } else if (QUERY.test(value) && words.length === 2) {
      return NO_EFFECTS;
    } else if (!JOINED.test(value) && !FLAGS.test(value)) {
      return unsure(words, `the option \`${value}\` of \`awk\` reads a program that nobody has seen, or is not known`);
    }
  }
  const program = words[at];
  if (program === undefined) return NO_EFFECTS;
  if (program.value === null) return unsure(words, 'the `awk` program is not a literal');
  const why = awkRefusal(program.value);
  let hazard: Hazard | null = why === null ? null : { at, why };
  const late = words.findLastIndex(({ value }, i) => i > at && value !== null && /^-[A-Za-z-]/.test(value));
  if (late !== -1)
    hazard = laterHazard(hazard, { at: late, why: `\`${words[late]!.text}\` may be an option of \`awk\`` });
  return { hazard, writes: [], reads: [] };
}

/** Where the program stands is not certain, so a prefix has to hold the whole command. */
function unsure(words: readonly ShellWord[], why: string): Effects {
  return onlyHazard(words.length - 1, why);
}
