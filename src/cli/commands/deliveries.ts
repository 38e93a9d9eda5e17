import type { Command } from 'commander';
import { findDelivery, listDeliveries, resendDelivery } from '../server/deliveries.js';
import { textOf } from '../server/event-data.js';
import { findRun, shortId } from '../server/runs.js';
import type { Delivery } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRows, write, type Column } from '../terminal/output.js';
import { contextOf, type CommandContext } from './program-context.js';

const RUN = 'id of the run, part of it, or "last"';

const COLUMNS: readonly Column<Delivery>[] = [
  { title: 'DELIVERY', value: ({ id }) => shortId(id) },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'ATTEMPTS', value: ({ attempts }) => String(attempts) },
  { title: 'TO', value: destinationOf, width: 70 },
  { title: 'NEXT', value: ({ next_attempt_at: next }) => minute(next) },
  { title: 'DELIVERED', value: ({ delivered_at: at }) => minute(at) },
  { title: 'FAILED FOR', value: ({ last_error: error }) => error ?? '', width: 60 },
];

export function registerDeliveryCommands(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('Results of triggered runs on their way to callbacks, comments and checks.');
  deliveries
    .command('list', { isDefault: true })
    .description('List the deliveries of a run; the first is made when the run ends.')
    .argument('<run>', RUN)
    .action((run: string, _flags: unknown, command: Command) => list(run, contextOf(command)));
  deliveries
    .command('resend')
    .description('Send a settled delivery again, from its first attempt; its id stays, by which receivers know it.')
    .argument('<run>', RUN)
    .argument('<delivery>', 'id of the delivery, or the beginning or end of it')
    .action((run: string, delivery: string, _flags: unknown, command: Command) =>
      resend(run, delivery, contextOf(command)),
    );
}

async function list(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const deliveries = await listDeliveries(client, run.id);
  printRows(
    format,
    deliveries,
    COLUMNS,
    run.finished_at === null ? 'The run goes on; results are sent when it has ended.' : 'The result goes nowhere.',
  );
}

async function resend(name: string, key: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const sent = await resendDelivery(client, await findDelivery(client, run.id, key));
  if (format !== 'table') return printDocument(format, sent);
  write(`${sent.id} is ${sent.status}, on its way to ${inline(destinationOf(sent))}`);
}

/** The address of a callback; the pull request or commit of a comment or a check. */
function destinationOf({ destination }: Delivery): string {
  const url = textOf(destination, 'url');
  if (url !== '') return url;
  const number = destination['pr_number'];
  const place = typeof number === 'number' ? `#${number}` : `@${textOf(destination, 'head_sha').slice(0, 12)}`;
  const what = textOf(destination, 'kind') === 'codehost_check' ? 'check' : 'comment';
  return `${what} ${textOf(destination, 'repository')}${place}`;
}

function minute(time: string | null): string {
  return time === null ? '' : time.slice(0, 19).replace('T', ' ');
}
