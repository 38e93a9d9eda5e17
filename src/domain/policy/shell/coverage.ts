import type { Command } from 'unbash';
import { parse } from 'unbash';
import type { ShellCommand } from './effects/shell-line.js';
import { literalValue } from './words/shell-word.js';

interface AllowPrefix {
  /** As authored, without white space around it. */
  source: string;
  /** One list of words per command of the chain. */
  chain: string[][];
  order: number;
}

/** Allow prefixes by the first word of what they cover. */
export interface AllowPrefixes {
  readonly byProgram: ReadonlyMap<string, readonly AllowPrefix[]>;
  readonly count: number;
}

/** Prefixes are parsed like lines (docs/design/policy.md); one that is no chain of literal words covers nothing. */
export function compileAllowPrefixes(sources: readonly string[]): AllowPrefixes {
  const byProgram = new Map<string, AllowPrefix[]>();
  sources.forEach((source, order) => {
    const chain = parseChain(source);
    if (chain === null) return;
    const program = chain[0]![0]!;
    byProgram.set(program, [...(byProgram.get(program) ?? []), { source: source.trim(), chain, order }]);
  });
  return { byProgram, count: sources.length };
}

/** The first prefix, in authored order, that covers the command by itself or with the pipeline that it stands in; null when none does. */
export function coveringPrefix(prefixes: AllowPrefixes, command: ShellCommand): string | null {
  return command.unsafeAssignment ? null : matchingPrefix(prefixes, command, isCovered);
}

/** The first prefix whose words the command begins with, whatever its assignments and options make of it. */
export function resembledPrefix(prefixes: AllowPrefixes, command: ShellCommand): string | null {
  return matchingPrefix(prefixes, command, startsLike);
}

type Match = (command: ShellCommand, prefix: readonly string[]) => boolean;

function matchingPrefix(prefixes: AllowPrefixes, command: ShellCommand, matches: Match): string | null {
  const chained = command.chain;
  const head = (chained?.[0] ?? command).words[0];
  let best =
    head === undefined || head === null || chained === null
      ? null
      : firstChain(prefixes.byProgram.get(head), chained, matches);
  const program = command.words[0];
  for (const prefix of (program === undefined || program === null ? undefined : prefixes.byProgram.get(program)) ??
    []) {
    if (best !== null && best.order < prefix.order) break;
    if (prefix.chain.length === 1 && matches(command, prefix.chain[0]!)) {
      best = prefix;
      break;
    }
  }
  return best?.source ?? null;
}

/** A prefix with a pipe covers exactly that chain: every command but the last word for word. */
function firstChain(
  candidates: readonly AllowPrefix[] | undefined,
  commands: readonly ShellCommand[],
  matches: Match,
): AllowPrefix | null {
  const covers = ({ chain }: AllowPrefix): boolean =>
    chain.length > 1 &&
    chain.length === commands.length &&
    commands.every((command, i) => {
      const last = i === commands.length - 1;
      return (
        (matches === startsLike || !command.unsafeAssignment) &&
        matches(command, chain[i]!) &&
        (last || command.words.length === chain[i]!.length)
      );
    });
  return candidates?.find(covers) ?? null;
}

/** A word that makes the program run or load more than its name says has to stand in the prefix itself. */
function isCovered(command: ShellCommand, prefix: readonly string[]): boolean {
  return (command.hazard === null || command.hazard.at < prefix.length) && startsLike(command, prefix);
}

function startsLike({ words }: ShellCommand, prefix: readonly string[]): boolean {
  return words.length >= prefix.length && prefix.every((word, i) => words[i] === word);
}

function parseChain(source: string): string[][] | null {
  const script = parse(source);
  if (script.errors !== undefined && script.errors.length > 0) return null;
  const statement = script.commands[0];
  if (statement === undefined || script.commands.length > 1 || statement.background === true) return null;
  const node = statement.command;
  if (node.type === 'Command') return chainOf([node]);
  if (node.type !== 'Pipeline' || node.prefixes.length > 0 || node.operators.some((operator) => operator !== '|'))
    return null;
  const commands = node.commands.filter((command): command is Command => command.type === 'Command');
  return commands.length === node.commands.length ? chainOf(commands) : null;
}

function chainOf(commands: readonly Command[]): string[][] | null {
  const chain: string[][] = [];
  for (const command of commands) {
    if (command.name === undefined || command.prefix.length > 0 || command.redirects.length > 0) return null;
    const words: string[] = [];
    for (const word of [command.name, ...command.args]) {
      const value = word.type === 'Word' ? literalValue(word) : null;
      if (value === null) return null;
      words.push(value);
    }
    chain.push(words);
  }
  return chain;
}
