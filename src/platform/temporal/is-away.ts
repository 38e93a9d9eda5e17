import { isGrpcServiceError } from '@temporalio/client';

/**
 * gRPC statuses of a server that is unreachable or too busy; they say nothing about the row. A call that comes to its deadline is
 * cancelled (1) where the server notices first, and exceeds it (4) where the client does.
 */
const AWAY: readonly number[] = [1, 4, 8, 14];

/** Whether the server could not be asked. The client wraps what the connection said. */
export function isAway(cause: unknown): boolean {
  const said = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return isGrpcServiceError(said) && AWAY.includes(said.code);
}
