import { isGrpcCancelledError, isGrpcDeadlineError, type Client } from '@temporalio/client';

/** Longer than an answer takes, and doubled each time, so that a slow server is not asked for ever without being heard. */
const FIRST_PATIENCE_MS = 1000;

/**
 * Asks Temporal for what its server answers by querying a workflow of its own, as everything that reads a schedule does. Servers
 * before 1.32 lose such a query now and then while the machine is busy: the answer comes before they listen for it, and the call
 * waits until its deadline. So a call without an answer is made again, and `ask` has to be harmless to repeat.
 * @throws the client's error when there is no answer within `withinMs`, and any other error at once
 */
export async function askUntilAnswered<T>(client: Client, withinMs: number, ask: () => Promise<T>): Promise<T> {
  const end = Date.now() + withinMs;
  for (let patience = FIRST_PATIENCE_MS; ; patience *= 2) {
    const deadline = Math.min(end, Date.now() + patience);
    try {
      return await client.withDeadline(deadline, ask);
    } catch (cause) {
      if (deadline === end || !wasNotAnswered(cause)) throw cause;
    }
  }
}

/** A server that comes to the deadline before the client does says that the call was cancelled. */
function wasNotAnswered(cause: unknown): boolean {
  return isGrpcDeadlineError(cause) || isGrpcCancelledError(cause);
}
