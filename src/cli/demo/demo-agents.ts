import type { HarnessId } from '../../domain/harness/harness-models.js';
import { codexDemoModel, demoModel, replayDemoTask, TASK } from './scenario.js';
import type { ModelScript } from './wire/model-script.js';

/** What the demo does with one harness. */
export interface DemoAgent {
  task: string;
  /** The scripted model, with the phrases and tools of this agent; null for one that calls no model. */
  script: (() => ModelScript) | null;
  headline: string;
}

const SCRIPTED =
  'The model is a script that speaks the real wire format; everything else is what every run goes through.';

export const DEMO_AGENTS: Readonly<Record<HarnessId, DemoAgent>> = {
  builtin: { task: TASK, script: demoModel, headline: SCRIPTED },
  'claude-agent-sdk': { task: TASK, script: demoModel, headline: `It is the real Claude Code. ${SCRIPTED}` },
  codex: { task: TASK, script: codexDemoModel, headline: `It is the real Codex. ${SCRIPTED}` },
  replay: {
    task: replayDemoTask(),
    script: null,
    headline: 'Its steps stand in the task and no model is called; everything else is what every run goes through.',
  },
};
