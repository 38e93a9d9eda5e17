import { mapItems } from '../../../map-items.js';
import type { Assignment, Command, HereString, Redirect } from 'unbash';
import type { ShellWord } from '../words/shell-word.js';
import type { UnderstoodLine, UnderstoodWord } from './understood-line.js';

const DISAGREEMENT = 'two parsers read the line in two ways';

/**
 * Gathers what the parser found in a line, to be held against what the reader of the language understood. Only a line that both read
 * alike is judged by its parts: to hide a command, a line has to deceive two parsers in the same way.
 */
export class SecondReading {
  private readonly commands: (readonly SecondWord[])[] = [];
  private readonly redirects: string[] = [];

  /** @param words Program and arguments of the command. */
  command({ prefix, args }: Command, words: readonly ShellWord[]): void {
    const found: SecondWord[] = [];
    for (const item of prefix) if (item.type === 'Assignment') found.push(item);
    words.forEach((word, i) => {
      const argument = i === 0 ? undefined : args[i - 1];
      found.push(argument?.type === 'Assignment' ? argument : word);
    });
    if (found.length > 0) this.commands.push(found);
  }

  redirect({ descriptor, operator, target }: Redirect | HereString): void {
    const from = descriptor?.type === 'FileDescriptor' ? String(descriptor.value) : (descriptor?.name ?? '');
    this.redirects.push(`${from}${operator} ${target?.text ?? ''}`);
  }

  /** Why the two readings differ, or null. */
  problem(understood: UnderstoodLine): string | null {
    const redirects = mapItems(understood.redirects, ({ operator, target }) => `${operator} ${target.text}`);
    const commands = understood.commands.filter((words) => words.length > 0);
    if (redirects.length !== this.redirects.length || commands.length !== this.commands.length) return DISAGREEMENT;
    if (this.isSame(commands, redirects)) return null;
    // One of the two meets a nested command before the command around it.
    commands.sort(byText);
    this.commands.sort(byText);
    redirects.sort();
    this.redirects.sort();
    return this.isSame(commands, redirects) ? null : DISAGREEMENT;
  }

  private isSame(commands: readonly (readonly UnderstoodWord[])[], redirects: readonly string[]): boolean {
    return (
      redirects.every((text, i) => text === this.redirects[i]) &&
      commands.every((command, i) => areSame(command, this.commands[i]!))
    );
  }
}

/** A word, or an assignment, of which the text alone is compared. */
type SecondWord = ShellWord | Assignment;

function byText(first: readonly { text: string }[], second: readonly { text: string }[]): number {
  for (let i = 0; i < first.length && i < second.length; i++) {
    if (first[i]!.text !== second[i]!.text) return first[i]!.text < second[i]!.text ? -1 : 1;
  }
  return first.length - second.length;
}

function areSame(first: readonly UnderstoodWord[], second: readonly SecondWord[]): boolean {
  return (
    first.length === second.length &&
    second.every((word, i) => {
      const { text, value } = first[i]!;
      return word.text === text && ('type' in word || word.value === value);
    })
  );
}
