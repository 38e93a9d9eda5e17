import { eventsOf } from '../../../support/installation/timeline.js';
import type { TimelineEvent } from '../../../support/installation/live-stack.js';

/** A command that asks the proxy of its run for a connection, shows nothing of the answer, and fails. */
export const REFUSED_COMMAND =
  `node -e "require('http').request({port: 3128, host: '127.0.0.1', method: 'CONNECT', path: 'registry.example:443'})` +
  `.on('connect', () => process.exit(1)).end()"`;

/** What the model has to be told of it. */
export const REFUSAL_TOLD =
  "registry.example:443 — this run is offline; registry.example:443 was not reached. The agent's network setting has to allow it";

/** Every connection of a run that was refused. */
export const deniedConnections = (timeline: TimelineEvent[]): unknown[] =>
  eventsOf(timeline, 'network.denied').map(({ target, port, rule }) => [target, port, rule]);
