import type { ShellWord } from '../shell-word.js';
import { awkHazard } from './awk-program.js';
import type { Effects } from './effects.js';
import { NO_EFFECTS, onlyHazard } from './effects.js';

/** `awk` is judged by its program text (06-gate §1). Only `-F` and `-v` may come before it. */
export function awkEffects(words: readonly ShellWord[]): Effects {
  let at = 1;
  for (; at < words.length; at++) {
    const { value, text, mayBeOption } = words[at]!;
    if (value === null)
      return onlyHazard(
        at,
        mayBeOption ? `\`${text}\` may be an option of \`awk\`` : 'the `awk` program is not a literal',
      );
    if (value === '--') {
      at++;
      break;
    }
    if (!value.startsWith('-') || value === '-') break;
    if (value === '-F' || value === '-v') {
      at++;
      if (words[at]?.mayBeOption === true && words[at]?.single !== true) {
        return onlyHazard(at, `\`${words[at]!.text}\` may be more than one word`);
      }
    } else if (!/^-[Fv]/.test(value)) {
      return onlyHazard(at, `the option \`${value}\` of \`awk\` reads a program that nobody has seen, or is not known`);
    }
  }
  const program = words[at];
  if (program === undefined) return NO_EFFECTS;
  if (program.value === null) return onlyHazard(at, 'the `awk` program is not a literal');
  const late = words.findIndex(({ value }, i) => i > at && value !== null && /^-[A-Za-z-]/.test(value));
  if (late !== -1) return onlyHazard(late, `\`${words[late]!.text}\` may be an option of \`awk\``);
  const why = awkHazard(program.value);
  return why === null ? NO_EFFECTS : onlyHazard(at, why);
}
