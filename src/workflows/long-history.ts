import { workflowInfo } from '@temporalio/workflow';

/** Long before the limits of a history (51,200 events) are near. */
const HISTORY_EVENTS_BEFORE_NEW = 4000;

/** Whether the workflow should go on in a new execution. */
export function isHistoryLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > HISTORY_EVENTS_BEFORE_NEW;
}
