import type { SyntaxNode } from 'unbash';
import { isPlainVariable } from './variables.js';

/** Arithmetic that reads digits and names only: anything else may hide a command (06-gate §1). */
const ARITHMETIC_WORD = /^(?:[0-9][0-9A-Za-z#@_]*|[A-Za-z_][A-Za-z0-9_]*)$/;
const SUBSCRIPT = /^(?:[@*]|[0-9A-Za-z_+\-*/% ]+)$/;
const SLICE = /^[0-9A-Za-z_+\-*/% ]*$/;
const NUMERIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** Why a node makes its line impossible to judge by its parts, or null. */
export function unsafeConstruct(node: SyntaxNode): string | null {
  switch (node.type) {
    case 'Script':
      return 'errors' in node && node.errors !== undefined && node.errors.length > 0 ? 'the line does not parse' : null;
    case 'Function':
      return 'a function definition';
    case 'Coproc':
      return '`coproc`';
    case 'For':
    case 'Select':
      return isPlainVariable(node.name.text) ? null : `a loop over the variable ${node.name.text}`;
    case 'ArrayValue':
      return 'an array';
    case 'ExtendedGlob':
      return 'an extended glob';
    case 'LocaleString':
      return 'a translated string';
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script === undefined ? 'a substitution that does not parse' : arithmeticSubstitution(node.type);
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R' ? '`[[ -v` expands its operand' : null;
    case 'TestBinary':
      return NUMERIC_TESTS.has(node.operator) ? `\`[[ ${node.operator}\` evaluates its operands` : null;
    case 'Word':
      return hidesSubstitution(node) ? 'a substitution that the parser took for text' : null;
    case 'Assignment':
      return node.index === undefined ? null : 'an assignment with a subscript';
    default:
      return unsafeExpansion(node);
  }
}

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
  return node.type === 'Pipeline' && node.operators.some((operator) => operator !== '|')
    ? 'the pipe `|&` of bash'
    : null;
}

/** Bash runs `1>(id)` as a word with a process substitution, not as a redirect; the parser reads plain text there. */
function hidesSubstitution({ text, parts }: Extract<SyntaxNode, { type: 'Word' }>): boolean {
  if (!text.includes('(')) return false;
  const literals = parts === undefined ? [text] : parts.map((part) => (part.type === 'Literal' ? part.text : ''));
  return literals.some((literal) => /[<>]\(/.test(literal.replaceAll(/\\[^]/g, '')));
}

function arithmeticSubstitution(type: SyntaxNode['type']): string | null {
  return type === 'ArithmeticCommandExpansion' ? 'a command inside arithmetic' : null;
}

function unsafeExpansion(node: SyntaxNode): string | null {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.prefix === '!') return 'an indirect expansion';
      if (node.index !== undefined && !SUBSCRIPT.test(node.index.text))
        return 'a subscript with more than digits and names';
      return unsafeParameter(node);
    case 'ArithmeticWord':
      return ARITHMETIC_WORD.test(node.value) ? null : 'arithmetic with more than digits, names and operators';
    case 'ArithmeticExpansion':
      return node.expression === undefined ? 'arithmetic that does not parse' : null;
    case 'ArithmeticCommand':
      return node.expression === undefined ? 'arithmetic that does not parse' : null;
    default:
      return null;
  }
}

function unsafeParameter(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): string | null {
  const operation = node.operation;
  if (operation === undefined) return null;
  switch (operation.type) {
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return `the expansion \`${node.text.slice(0, 40).toWellFormed()}\``;
    case 'Slice': {
      const plain = SLICE.test(operation.offset.text) && SLICE.test(operation.length?.text ?? '');
      return plain ? null : 'a slice with more than digits and names';
    }
    case 'Default':
      return operation.operator.endsWith('=') && !isPlainVariable(node.parameter)
        ? `an expansion that sets the variable ${node.parameter}`
        : null;
    default:
      return null;
  }
}
