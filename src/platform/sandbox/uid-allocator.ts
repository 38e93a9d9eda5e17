/** Hands out one unprivileged host uid per live run, to a provider that needs them. Claiming twice answers the same uid. */
export interface UidAllocator {
  claim(runId: string): Promise<number>;
  release(runId: string): Promise<void>;
}
