import { runId, runPath, runsPath } from '../runs/run-reference.js';
import { schemaId } from './schema-verbs.js';
import { textOf, type Verb } from './verb.js';

const RUN = {
  ...{ ID: 'id', 'External ID': 'externalId', Status: 'status', Done: 'progress.itemsDone', Of: 'progress.itemsTotal' },
  ...{ Attempt: 'attempt', Created: 'createdAt', Finished: 'finishedAt' },
};

/** What is shown of one run. */
export const RUN_DETAILS = { ...RUN, Pages: 'usage.pages', Schema: 'schemaVersionId', Error: 'error.message' };

/** Verbs for runs of extraction that are one request each. */
export const RUN_VERBS: readonly Verb[] = [
  {
    name: 'runs list',
    about: 'list the runs of the project, the newest first',
    options: [
      ['--status <status>', 'queued, waiting, running, cancelling, completed, partial, failed or cancelled'],
      ['--schema <schema>', 'with a version of this schema, by id or name'],
      ['--external-id <id>', 'the one with this key'],
      ['--after <time>', 'made after it, as in 2026-01-31T12:00:00Z'],
    ],
    prints: 'rows',
    columns: RUN,
    request: async ({ options, context }) => {
      const schema = textOf(options['schema']);
      return {
        path: runsPath(context),
        query: {
          status: textOf(options['status']),
          externalId: textOf(options['externalId']),
          createdAfter: textOf(options['after']),
          schemaId: schema === undefined ? undefined : await schemaId(context, schema),
        },
      };
    },
  },
  {
    name: 'runs show',
    about: 'show a run, named by its id or its external id',
    takes: '<run>',
    prints: 'record',
    columns: RUN_DETAILS,
    request: async ({ args: [named = ''], context }) => ({
      path: runPath(await runId(context, named)),
    }),
  },
  {
    name: 'runs cancel',
    about: 'stop a run; one that has ended stays as it is',
    takes: '<run>',
    prints: 'record',
    columns: RUN_DETAILS,
    request: async ({ args: [named = ''], context }) => ({
      method: 'POST',
      path: `${runPath(await runId(context, named))}/cancel`,
    }),
  },
  {
    name: 'runs retry',
    about: 'do a run again that failed, was cancelled or is partial; what it came to before stays readable',
    takes: '<run>',
    options: [['--only-failed', 'take over what came to a result']],
    prints: 'record',
    columns: RUN_DETAILS,
    request: async ({ args: [named = ''], options, context }) => ({
      method: 'POST',
      path: `${runPath(await runId(context, named))}/retry`,
      body: { onlyFailed: options['onlyFailed'] === true },
    }),
  },
];
