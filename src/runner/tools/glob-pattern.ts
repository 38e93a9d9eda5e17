import { RE2JS } from 're2js';
import { ToolFailure } from './tool-failure.js';

const MAX_PATTERN = 1_000;

/**
 * Compiles a path pattern for names relative to the searched folder: `*` and `?` stay within a component, `**` crosses
 * them, `[…]` is a class, `{a,b}` are alternatives. A pattern without `/` matches the file name at any depth. Matching is
 * linear in time whatever the pattern. Throws ToolFailure when it cannot be read or points outside.
 */
export function compileGlob(pattern: string): (relativePath: string) => boolean {
  if (pattern.length > MAX_PATTERN) throw new ToolFailure(`the pattern is longer than ${MAX_PATTERN} characters`);
  if (pattern.startsWith('/') || pattern.split('/').includes('..')) {
    throw new ToolFailure(
      'the pattern must be relative to the searched folder and must not contain ..; use path for the folder',
    );
  }
  const anchored = pattern.includes('/') ? pattern.replace(/^\.\//, '') : `**/${pattern}`;
  const expression = compileExpression(`^(?:${translate(anchored)})$`, pattern);
  return (relativePath) => expression.test(relativePath);
}

function compileExpression(source: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch {
    throw new ToolFailure(`the pattern ${JSON.stringify(pattern)} cannot be read`);
  }
}

function translate(pattern: string): string {
  let source = '';
  let openBraces = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const rest = pattern.slice(index);
    const character = rest.charAt(0);
    const set = character === '[' ? /^\[[!^]?\]?[^\]]*\]/.exec(rest)?.[0] : undefined;
    if (rest.startsWith('**/')) {
      source += '(?:[^/]+/)*';
      index += 2;
    } else if (rest.startsWith('**')) {
      source += '.*';
      index += 1;
    } else if (set !== undefined) {
      source += `[${set
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\[\]]/g, '\\$&')}]`;
      index += set.length - 1;
    } else if (character === '{' && rest.includes('}')) {
      openBraces += 1;
      source += '(?:';
    } else if (character === '}' && openBraces > 0) {
      openBraces -= 1;
      source += ')';
    } else if (character === ',' && openBraces > 0) {
      source += '|';
    } else {
      source += single(character);
    }
  }
  return source;
}

function single(character: string): string {
  if (character === '*') return '[^/]*';
  if (character === '?') return '[^/]';
  return RE2JS.quote(character);
}
