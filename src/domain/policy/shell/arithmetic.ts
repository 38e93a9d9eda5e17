import type { SyntaxNode } from 'unbash';
import { isPlainVariable, isSteeredVariable } from './words/variables.js';

const NAMES = /[A-Za-z_][A-Za-z0-9_]*/g;
const DIGITS = /^-?[0-9]*$/;
const ASSIGNS = /^(?:[-+*/%&|^]|<<|>>)?=$|^\+\+$|^--$/;

/**
 * Bash evaluates the value of a name in arithmetic as arithmetic again, subscripts and their substitutions included. So names are
 * harmless only as long as the line assigns no text to a variable.
 */
export class ArithmeticNames {
  private read = false;
  private steered: string | null = null;
  private assignsText = false;
  private sets: string | null = null;

  /** Something gave a variable a value that is not a number. */
  assigned(): void {
    this.assignsText = true;
  }

  note(node: SyntaxNode): void {
    switch (node.type) {
      case 'ArithmeticWord':
        this.names(node.value);
        break;
      case 'ArithmeticUnary':
      case 'ArithmeticBinary':
        if (ASSIGNS.test(node.operator)) this.noteTarget(node);
        break;
      case 'ParameterExpansion':
        this.names(node.index?.text ?? '');
        if (node.operation?.type === 'Slice')
          this.names(`${node.operation.offset.text} ${node.operation.length?.text ?? ''}`);
        if (node.operation?.type === 'Default' && node.operation.operator.endsWith('=')) this.assigned();
        break;
      case 'For':
      case 'Select':
        if (
          node.type === 'Select' ||
          node.wordlist === undefined ||
          !node.wordlist.every((word) => DIGITS.test(word.text))
        ) {
          this.assigned();
        }
        break;
      case 'Assignment':
        if (node.value.type !== 'Word' || !DIGITS.test(node.value.text)) this.assigned();
        break;
      default:
        break;
    }
  }

  problem(): string | null {
    if (this.sets !== null) return `arithmetic that sets the variable ${this.sets}`;
    if (this.steered !== null) return `arithmetic over the variable ${this.steered}`;
    return this.read && this.assignsText ? 'arithmetic over a variable that the line sets' : null;
  }

  private names(text: string): void {
    for (const [name] of text.matchAll(NAMES)) {
      if (/^[0-9]/.test(text)) continue;
      this.read = true;
      if (isSteeredVariable(name)) this.steered ??= name;
    }
  }

  private noteTarget(node: Extract<SyntaxNode, { type: 'ArithmeticUnary' | 'ArithmeticBinary' }>): void {
    const target = node.type === 'ArithmeticUnary' ? node.operand : node.left;
    const name = target.type === 'ArithmeticWord' ? target.value : '';
    if (!isPlainVariable(name)) this.sets ??= name;
  }
}
