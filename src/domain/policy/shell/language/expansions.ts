import { isPlainVariable } from '../words/variables.js';
import type { Scanner } from './scanner.js';

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const SUBSCRIPT = String.raw`\[(?:[@*]|[0-9]+)\]`;
/** The plain word that may stand behind an operator. */
const PLAIN = '[A-Za-z0-9_./:,@%+=-]*';
const PATTERN = '[A-Za-z0-9_./:,@%+=*?-]*';
const REPLACED = '[A-Za-z0-9_.:,@+=*?-]+';
const OPERATIONS = [
  `:?[-=+?]${PLAIN}`,
  `##?${PATTERN}`,
  `%%?${PATTERN}`,
  `//?[#%]?${REPLACED}(?:/${PLAIN})?`,
  ':[0-9]+(?::[0-9]+)?',
  String.raw`\^\^?`,
  ',,?',
].join('|');
const PARAMETER = new RegExp(
  String.raw`\{(?:#(?:${NAME}|[0-9]+)?(?:${SUBSCRIPT})?|[@*?$!-]|(?:${NAME}|[0-9]+)(?:${SUBSCRIPT})?(?:${OPERATIONS})?)\}`,
  'y',
);
const SETS = /^\{([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?:?=/;
const ARITHMETIC = /[A-Za-z0-9_ \t+*/%<>=!&|^~?:,-]/;

/** Reads `{…}` behind a dollar sign: a parameter, and at most one operator with a plain word. */
export function readParameter(scan: Scanner): string {
  const found = scan.match(PARAMETER);
  if (found === null) scan.refuse('an expansion with more than a plain word in it');
  const name = SETS.exec(found[0])?.[1];
  if (name !== undefined && !isPlainVariable(name)) scan.refuse(`an expansion that sets the variable ${name}`);
  return found[0];
}

/**
 * Reads `((…))`: digits, names and operators.
 * @param parts How many expressions stand in it, with `;` between them: three in the head of a loop.
 */
export function readArithmetic(scan: Scanner, parts = 1): string {
  const start = scan.at;
  scan.at += 2;
  let left = parts;
  for (let depth = 0; ; scan.at++) {
    const { char } = scan;
    if (char === '(') depth++;
    else if (char === ')' && depth > 0) depth--;
    else if (char === ')' && scan.ahead(1) === ')') break;
    else if (char === ';' && depth === 0 && left > 1) left--;
    else if (!ARITHMETIC.test(char)) scan.refuse('arithmetic with more than digits, names and operators');
  }
  scan.at += 2;
  return scan.text.slice(start, scan.at);
}
