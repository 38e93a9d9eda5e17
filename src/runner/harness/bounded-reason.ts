const MAX_REASON = 600;

/** A message of ours that quotes a model or a program, short enough for a result that the harness makes up. */
export function boundedReason(reason: string): string {
  return reason.slice(0, MAX_REASON).toWellFormed();
}
