import { Client, Connection } from '@temporalio/client';
import type { TemporalConfig } from '../config/temporal.config.js';

export type TemporalClient = Client;

/** A client whose connection is made at the first call, so that a process boots while Temporal is away. */
export function connectTemporalClient(config: Pick<TemporalConfig, 'connection' | 'namespace'>): Client {
  return new Client({ connection: Connection.lazy(config.connection), namespace: config.namespace });
}
