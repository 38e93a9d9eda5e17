/** Time-outs and waits of the runner contract, in milliseconds (docs/design/runner.md). Tests shrink them. */
export interface ContractTiming {
  permissionTimeoutMs: number;
  permissionRetryStepMs: number;
  permissionRetryCapMs: number;
  callTimeoutMs: number;
  retryStepMs: number;
  retryCapMs: number;
  brokeredTimeoutMs: number;
  brokeredRetryWaitsMs: readonly number[];
  heartbeatEveryMs: number;
  renewAfterSuccessMs: number;
  renewAfterFailureMs: number;
  lastWordTimeoutMs: number;
  /** Wait before a broken model reply is requested again, multiplied by the number of failures in a row. */
  brokenReplyStepMs: number;
}

export const CONTRACT_TIMING: ContractTiming = {
  permissionTimeoutMs: 12 * 60_000,
  permissionRetryStepMs: 2_000,
  permissionRetryCapMs: 10_000,
  callTimeoutMs: 30_000,
  retryStepMs: 2_000,
  retryCapMs: 8_000,
  brokeredTimeoutMs: 12.5 * 60_000,
  brokeredRetryWaitsMs: [500, 1_500],
  heartbeatEveryMs: 10_000,
  renewAfterSuccessMs: 45 * 60_000,
  renewAfterFailureMs: 2 * 60_000,
  lastWordTimeoutMs: 5_000,
  brokenReplyStepMs: 1_000,
};

/** Retries after the first attempt. */
export const RETRIES = { events: 3, heartbeat: 1, result: 5, renew: 1 } as const;
