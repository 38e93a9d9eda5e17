import { handleOf, type PublishedRun, type PublishingTrigger } from './published-run.js';
import { summaryForPage } from './summary-for-page.js';

/**
 * The comment by which a run reports at a pull request (docs/design/publishing.md): Markdown whose last line is the trigger's marker. What the
 * agent wrote stands above a rule and the footer, so it is never in the marker's place, whatever it holds.
 */
export function commentText(run: PublishedRun, trigger: PublishingTrigger): string {
  const { id, status, agentName, commit } = run;
  const footer = [`trigger ${inline(trigger.name)}`, `run ${id}`];
  if (commit !== null) footer.push(`commit ${commit.slice(0, 12)}`);
  return [
    `### 🤖 ${inline(agentName)} review`,
    ...(status === 'completed' ? [] : [`> ⚠️ The run ended as **${inline(status)}**.`]),
    summaryForPage(run.summary),
    '---',
    `_${footer.join(' · ')}_`,
    markerOf(trigger),
  ].join('\n\n');
}

/** Whether a comment is one that {@link commentText} made for this trigger. */
export function carriesMarker(comment: string, trigger: Pick<PublishingTrigger, 'id'>): boolean {
  return comment.trim().endsWith(markerOf(trigger));
}

function markerOf(trigger: Pick<PublishingTrigger, 'id'>): string {
  return `<!-- ${handleOf(trigger)} -->`;
}

/** A name as one line of plain text within Markdown. */
function inline(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]()<>#+!|~&]/g, String.raw`\$&`);
}
