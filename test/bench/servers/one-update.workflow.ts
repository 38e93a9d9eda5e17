import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';

const { arrive } = proxyActivities<{ arrive(): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

export const oneUpdate = defineUpdate('oneUpdate');

/** Stays open; each update does one activity and nothing else. */
export async function updated(): Promise<void> {
  setHandler(oneUpdate, () => arrive());
  await condition(() => false);
}
