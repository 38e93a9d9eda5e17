import { listOf, textOf, type Typed, type Verb } from './verb.js';

const WEBHOOK = {
  ...{ ID: 'id', Address: 'url', Events: 'events', Enabled: 'enabled' },
  ...{ Disabled: 'disabledReason', 'Failing since': 'failingSince' },
};
const SECRET = { ...WEBHOOK, Secret: 'secret' };
const DELIVERY = {
  ...{ ID: 'id', Event: 'eventType', Status: 'status', Code: 'attempts', Next: 'nextAttemptAt' },
  ...{ Created: 'createdAt', Finished: 'finishedAt' },
};
const CHANGES = [
  ['--events <list>', 'as in document.ready,document.failed; * is all'],
  ['--description <text>', 'what it is for'],
  ['--retry <strategy>', 'standard, exponential or fixed'],
  ['--max-attempts <number>', 'from 1 to 12'],
] as const;

/** Verbs for webhooks and their deliveries. */
export const WEBHOOK_VERBS: readonly Verb[] = [
  {
    name: 'webhooks list',
    about: 'list the webhooks of the project',
    prints: 'rows',
    columns: WEBHOOK,
    request: ({ context }) => ({ path: `/api/projects/${encodeURIComponent(context.project)}/webhooks` }),
  },
  {
    name: 'webhooks create',
    about: 'tell an address of events; the secret is shown once',
    takes: '<url>',
    options: [['--events <list>!', 'as in document.ready,document.failed; * is all'], ...CHANGES.slice(1)],
    prints: 'record',
    columns: SECRET,
    request: ({ args: [url], options, context }) => ({
      method: 'POST',
      path: `/api/projects/${encodeURIComponent(context.project)}/webhooks`,
      body: { url, ...changesOf(options) },
    }),
  },
  {
    name: 'webhooks update',
    about: 'change, enable or disable a webhook',
    takes: '<id>',
    options: [
      ['--url <url>', 'its new address'],
      ['--enable', 'send again'],
      ['--disable', 'send nothing'],
      ...CHANGES,
    ],
    prints: 'record',
    columns: WEBHOOK,
    request: ({ args: [id = ''], options }) => ({
      method: 'PATCH',
      path: `/api/webhooks/${encodeURIComponent(id)}`,
      body: { url: textOf(options['url']), ...enabledOf(options), ...changesOf(options) },
    }),
  },
  {
    name: 'webhooks delete',
    about: 'delete a webhook',
    takes: '<id>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'DELETE', path: `/api/webhooks/${encodeURIComponent(id)}` }),
  },
  {
    name: 'webhooks rotate',
    about: 'give a webhook a new secret, shown once; for 24 hours both sign',
    takes: '<id>',
    prints: 'record',
    columns: SECRET,
    request: ({ args: [id = ''] }) => ({ method: 'POST', path: `/api/webhooks/${encodeURIComponent(id)}/rotate` }),
  },
  {
    name: 'webhooks test',
    about: 'send webhook.test now, and show what became of it',
    takes: '<id>',
    prints: 'record',
    columns: { Status: 'statusCode', Took: 'durationMs', Error: 'error', Answer: 'responseSnippet' },
    request: ({ args: [id = ''] }) => ({ method: 'POST', path: `/api/webhooks/${encodeURIComponent(id)}/test` }),
  },
  {
    name: 'webhooks deliveries',
    about: 'list what was sent to a webhook, with every attempt',
    takes: '<id>',
    options: [['--status <status>', 'in this status']],
    prints: 'rows',
    columns: DELIVERY,
    request: ({ args: [id = ''], options }) => ({
      path: `/api/webhooks/${encodeURIComponent(id)}/deliveries`,
      query: { status: textOf(options['status']) },
    }),
  },
  {
    name: 'webhooks redeliver',
    about: 'send a delivery again',
    takes: '<delivery>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'POST', path: `/api/deliveries/${encodeURIComponent(id)}/redeliver` }),
  },
];

function changesOf(options: Typed['options']): object {
  const strategy = textOf(options['retry']);
  const maxAttempts = textOf(options['maxAttempts']);
  const retry = {
    strategy: strategy ?? 'standard',
    ...(maxAttempts === undefined ? {} : { maxAttempts: +maxAttempts }),
  };
  return {
    events: listOf(options['events']),
    description: textOf(options['description']),
    ...(strategy === undefined && maxAttempts === undefined ? {} : { retry }),
  };
}

function enabledOf({ enable, disable }: Typed['options']): object {
  return enable === true ? { enabled: true } : disable === true ? { enabled: false } : {};
}
