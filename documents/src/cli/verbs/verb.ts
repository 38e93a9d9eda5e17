import type { Command } from 'commander';
import type { JsonObject } from '../../../../src/domain/json.js';
import { CliContext } from '../context/cli-context.js';
import type { ApiRequest } from '../server/docsvc-api.js';
import type { Columns } from '../terminal/output.js';

/** What somebody typed. */
export interface Typed {
  args: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
  context: CliContext;
}

/** A request of the API that a verb stands for. */
export interface VerbRequest extends ApiRequest {
  path: string;
}

/** One verb for one operation of the API. */
export interface Verb {
  /** As it is typed, `clients rotate`. */
  name: string;
  about: string;
  /** Its arguments, `<id> [version]`. */
  takes?: string;
  /** Flags with what they mean; one that ends with `!` has to be given. */
  options?: readonly (readonly [flags: string, about: string])[];
  /** `rows` reads a list to its end, or to --limit. */
  prints: 'rows' | 'record' | 'nothing';
  columns: Columns;
  request(typed: Typed): VerbRequest | Promise<VerbRequest>;
}

/** Adds verbs to a program, with the groups that they stand in. */
export function addVerbs(program: Command, verbs: readonly Verb[]): void {
  for (const verb of verbs) {
    const words = verb.name.split(' ');
    const [last = ''] = words.slice(-1);
    const parent = words.slice(0, -1).reduce(groupOf, program);
    const command = parent.command(`${last} ${verb.takes ?? ''}`.trim()).description(verb.about);
    for (const [flags, about] of verb.options ?? []) {
      if (flags.endsWith('!')) command.requiredOption(flags.slice(0, -1), about);
      else command.option(flags, about);
    }
    if (verb.prints === 'rows') command.option('--limit <number>', 'most rows; all of them without it');
    command.action(() => runVerb(verb, command));
  }
}

/** The group of that name, which is made where it is missing. */
export function groupOf(parent: Command, name: string): Command {
  return parent.commands.find((command) => command.name() === name) ?? parent.command(name);
}

async function runVerb(verb: Verb, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Typed['options']>();
  const context = CliContext.open(options);
  const { path, ...request } = await verb.request({ args: command.processedArgs as string[], options, context });
  if (verb.prints === 'rows') {
    const most = options['limit'] === undefined ? Infinity : Number(options['limit']);
    context.printRows(await context.api.rows(path, request.query, most), verb.columns);
    return;
  }
  const answer = await context.api.request(path, request);
  if (verb.prints === 'record') context.printRecord(answer as JsonObject, verb.columns);
  else context.note('done');
}

/** Several values in one flag, `a,b`. */
export function listOf(value: string | boolean | undefined): string[] | undefined {
  return typeof value === 'string' ? value.split(',').filter((one) => one !== '') : undefined;
}

export function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
