import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

const READY_WITHIN_MS = 30_000;
const DAY_SECONDS = 86_400;

/** A namespace of one spec on the Temporal server of the project, so that no other spec's worker takes its tasks. */
export interface OwnNamespace {
  address: string;
  namespace: string;
  client: Client;
  close(): Promise<void>;
}

export async function createNamespace(): Promise<OwnNamespace> {
  const address = process.env['TEST_TEMPORAL_ADDRESS'];
  if (address === undefined) throw new Error('TEST_TEMPORAL_ADDRESS is not set: run an integration project of jest');
  const connection = await Connection.connect({ address });
  const namespace = `spec-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: DAY_SECONDS as unknown as Long },
  });
  const client = new Client({ connection, namespace });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(client))) {
    if (Date.now() > deadline) throw new Error(`the namespace ${namespace} was not ready in ${READY_WITHIN_MS} ms`);
    await delay(100);
  }
  return { address, namespace, client, close: () => connection.close() };
}

type Long = NonNullable<
  NonNullable<
    Parameters<Connection['workflowService']['registerNamespace']>[0]['workflowExecutionRetentionPeriod']
  >['seconds']
>;

/** The server's parts learn of a namespace one after the other. */
async function isReady(client: Client): Promise<boolean> {
  try {
    await client.workflow.getHandle('nobody').describe();
    return true;
  } catch (error) {
    return error instanceof Error && error.name === 'WorkflowNotFoundError';
  }
}
