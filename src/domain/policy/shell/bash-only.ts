import type { SyntaxNode } from 'unbash';

/** Syntax that a plain POSIX shell reads as other commands: `[[ a && id ]]` runs `id` there, `$'\\'` ends sooner. */
const BASH_ONLY = new Set<SyntaxNode['type']>([
  'AnsiCQuoted',
  'ArithmeticCommand',
  'ArithmeticFor',
  'HereString',
  'LocaleString',
  'ProcessSubstitution',
  'Select',
  'TestCommand',
]);
const BASH_REDIRECTS = new Set<string>(['&>', '&>>', '>&', '<<<']);

/** Why a node may mean something else to `sh` than to bash, or null. */
export function bashOnly(node: SyntaxNode): string | null {
  if (BASH_ONLY.has(node.type)) return 'syntax that `sh` may read in another way';
  if (node.type === 'ArithmeticExpansion' && node.text.startsWith('$[')) return 'the `$[` of bash';
  if (node.type === 'Redirect' && BASH_REDIRECTS.has(node.operator) && !/^(?:\d+-?|-)$/.test(node.target?.text ?? '')) {
    return `the redirect \`${node.operator}\` of bash`;
  }
  if (node.type === 'Assignment' && node.append === true) return 'the `+=` of bash';
  if (node.type === 'Pipeline' && node.prefixes.some(({ type }) => type === 'Time'))
    return 'the keyword `time` of bash';
  return node.type === 'Pipeline' && node.operators.some((operator) => operator !== '|')
    ? 'the pipe `|&` of bash'
    : null;
}
