const MAX_REASON = 600;

/** Words of ours that repeat some of a model's or a program's, short enough for a result that the harness made up. */
export function boundedReason(reason: string): string {
  return reason.slice(0, MAX_REASON).toWellFormed();
}
