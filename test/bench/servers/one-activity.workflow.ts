import { proxyActivities } from '@temporalio/workflow';

const { arrive } = proxyActivities<{ arrive(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** The shortest workflow that does anything: one activity. */
export async function oneActivity(): Promise<void> {
  await arrive();
}
