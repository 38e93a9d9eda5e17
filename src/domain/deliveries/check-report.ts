import type { JsonObject } from '../json.js';
import { checkNameOf, handleOf, type PublishedRun, type PublishingTrigger } from './published-run.js';
import { summaryForPage } from './summary-for-page.js';

/** A check run that has ended, in the code host's words; its commit stands beside it. */
export interface CheckRunBody extends JsonObject {
  name: string;
  external_id: string;
  status: 'completed';
  conclusion: 'success' | 'failure' | 'cancelled';
  completed_at: string;
  output: { title: string; summary: string };
}

/** A commit status, in the code host's words. */
export interface StatusBody extends JsonObject {
  context: string;
  state: 'success' | 'failure' | 'error';
  description: string;
}

/** What code hosts take. */
const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 140;

/** Tells how the run went, not what it found (docs/design/publishing.md). */
export function checkReport(run: PublishedRun, trigger: PublishingTrigger): CheckRunBody {
  return {
    name: shortened(checkNameOf(trigger), LONGEST_NAME),
    external_id: handleOf(trigger),
    status: 'completed',
    conclusion: run.status === 'completed' ? 'success' : run.status === 'cancelled' ? 'cancelled' : 'failure',
    completed_at: run.finishedAt,
    output: { title: titleOf(run), summary: summaryForPage(run.summary) },
  };
}

/** The same where the host has no checks. A status knows no cancellation; it is an error there, as in neither good nor bad. */
export function statusReport(run: PublishedRun, trigger: PublishingTrigger): StatusBody {
  return {
    context: shortened(checkNameOf(trigger), LONGEST_NAME),
    state: run.status === 'completed' ? 'success' : run.status === 'cancelled' ? 'error' : 'failure',
    description: shortened(titleOf(run), LONGEST_DESCRIPTION),
  };
}

function titleOf({ agentName, status }: PublishedRun): string {
  return `${agentName}: ${status}`;
}

function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
