import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { codeOf } from '../../../../src/domain/system-error.js';
import type { DocsvcConfig } from '../config/index.js';

/** gRPC's NOT_FOUND and ALREADY_EXISTS. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const KEPT_FOR = '3 days';
const CONNECT_WITHIN = '30s';

/**
 * Makes the namespace of the workflows where the server lacks it. Closed workflows are kept there for three days.
 *
 * @throws Error saying what to do when the server does not let us
 */
export async function ensureNamespace({
  connection: options,
  namespace,
}: Pick<DocsvcConfig['temporal'], 'connection' | 'namespace'>): Promise<void> {
  const connection = await Connection.connect({ ...options, connectTimeout: CONNECT_WITHIN });
  try {
    if (await knows(connection, namespace)) return;
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(KEPT_FOR),
    });
  } catch (cause) {
    if (codeOf(cause) === ALREADY_EXISTS) return;
    throw new Error(
      `the Temporal namespace ${namespace} is missing and cannot be made (${(cause as Error).message}): make it, or name another one in DOCSVC_TEMPORAL_NAMESPACE`,
      { cause },
    );
  } finally {
    await connection.close();
  }
}

async function knows(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return false;
    throw error;
  }
}
