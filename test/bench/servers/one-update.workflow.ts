import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';

const { arrive } = proxyActivities<{ arrive(call: string): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

export const oneUpdate = defineUpdate<void, [string]>('oneUpdate');

/** Stays open; each update does one activity and nothing else. */
export async function updated(): Promise<void> {
  setHandler(oneUpdate, (call) => arrive(call));
  await condition(() => false);
}
