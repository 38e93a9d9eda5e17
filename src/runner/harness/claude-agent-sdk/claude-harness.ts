import { networkSentence } from '../../../domain/network/tool-variables.js';
import { messageOf } from '../../log/failure-text.js';
import { boundedReason } from '../bounded-reason.js';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { isModelToolName, MAX_TOOL_NAME, tellHiddenTools } from '../model-tool-names.js';
import { UngovernedToolError } from '../ungoverned-tool-error.js';
import { Conversation } from './conversation.js';
import { programEnvironment } from './environment.js';
import { frozenServers } from './frozen-servers.js';
import { loadProgram, ProgramMissingError } from './program.js';
import type { ClaudeProgram } from './program.js';
import type { QueryOptions } from './sdk.js';
import { ProgramProcess } from './spawn-program.js';
import { ToolGate } from './tool-gate.js';

/**
 * Tools of Claude Code that make sense in a run: nobody is there to be asked or notified, the network is closed, and what the
 * provider would execute the gateway refuses. A closed list, so that another version adds none.
 */
const CLAUDE_TOOLS = ['Agent', 'Bash', 'Edit', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'TodoWrite', 'Write'] as const;
/** How the program calls one of them when it lists them. */
const ALIASES = ['Task'];

/**
 * Claude Code through the Claude Agent SDK, both from the installed program (docs/design/runner.md). Model calls go over the
 * loopback bridge to the gateway, every tool call to the gate under the model's own id.
 */
export const claudeHarness: Harness = {
  run: async (context) => {
    let program: ClaudeProgram;
    try {
      program = await loadProgram();
    } catch (error) {
      if (error instanceof ProgramMissingError) return { outcome: 'failed', summary: error.message };
      throw error;
    }
    return runProgram(context, program);
  },
};

/** One run of a program that was found. @throws UngovernedToolError when it acted without the gate's consent */
export async function runProgram(context: HarnessContext, program: ClaudeProgram): Promise<HarnessResult> {
  const tools = context.mcpTools;
  const shown = tools.filter(({ name }) => isModelToolName(name, MAX_TOOL_NAME.anthropic));
  const hidden = tools.filter((tool) => !shown.includes(tool)).map(({ name }) => name);
  await tellHiddenTools(context, hidden, MAX_TOOL_NAME.anthropic);
  const gate = new ToolGate(context);
  const servers = frozenServers(shown, { gate, context: context.tools });
  const { variables, leftOut } = programEnvironment({
    tools: context.tools.environment,
    network: context.tools.network?.variables ?? {},
    model: context.settings.model,
    baseUrl: `${context.loopbackUrl ?? context.settings.controlUrl}/internal/llm`,
  });
  if (leftOut.length > 0)
    await context.narrator.say('harness', `Left out, because they steer Claude Code itself: ${leftOut.join(', ')}`);
  const child = new ProgramProcess(context.model.token, variables);
  const conversation = new Conversation(context, {
    gate,
    tools: [...CLAUDE_TOOLS, ...ALIASES, ...shown.map(({ name }) => name)],
    servers: Object.keys(servers),
  });
  return follow(context, conversation, child, (abortController) =>
    program.sdk.query({
      prompt: context.settings.task,
      options: {
        ...fixedOptions(context),
        env: variables,
        mcpServers: servers,
        hooks: { PreToolUse: [{ hooks: [gate.hook] }], PostToolUseFailure: [{ hooks: [gate.failureHook] }] },
        canUseTool: gate.canUseTool,
        pathToClaudeCodeExecutable: program.executable,
        spawnClaudeCodeProcess: child.spawn,
        abortController,
      },
    }),
  );
}

function fixedOptions(
  context: HarnessContext,
): Omit<
  QueryOptions,
  | 'env'
  | 'mcpServers'
  | 'hooks'
  | 'canUseTool'
  | 'pathToClaudeCodeExecutable'
  | 'spawnClaudeCodeProcess'
  | 'abortController'
> {
  const { model, maxTurns, systemPrompt, workspace, network } = context.settings;
  const sentence = networkSentence(network);
  return {
    model,
    cwd: workspace,
    maxTurns,
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      append: systemPrompt === null ? sentence : `${sentence}\n\n${systemPrompt}`,
    },
    tools: [...CLAUDE_TOOLS],
    // No settings, instructions or servers from files, because the agent may write the workspace.
    settingSources: [],
    strictMcpConfig: true,
    permissionMode: 'default',
    persistSession: false,
    // The task is text: no slash command and no @file in it acts by itself.
    verbatimPrompts: true,
    // Ignores settings files, refuses to skip permissions and opens no socket for other sessions. It would also refuse files
    // outside the working directories before anybody is asked; the gate decides which paths may be touched.
    extraArgs: { restricted: null },
    additionalDirectories: ['/'],
  };
}

async function follow(
  context: HarnessContext,
  conversation: Conversation,
  child: ProgramProcess,
  start: (abort: AbortController) => ReturnType<ClaudeProgram['sdk']['query']>,
): Promise<HarnessResult> {
  const abort = new AbortController();
  const stop = (): void => child.kill();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const messages = start(abort);
    for await (const message of messages) {
      await conversation.take(message);
      if (conversation.result === null) continue;
      // Whatever it would do after its last message must not happen in the run.
      child.kill();
      break;
    }
    context.signal.throwIfAborted();
    return conversation.result ?? { outcome: 'failed', summary: 'Claude Code ended without a result.' };
  } catch (error) {
    if (error instanceof UngovernedToolError) throw error;
    context.signal.throwIfAborted();
    return { outcome: 'failed', summary: describe(error, child.lastWords) };
  } finally {
    context.signal.removeEventListener('abort', stop);
    child.kill();
    abort.abort();
  }
}

function describe(error: unknown, lastWords: string): string {
  const words = lastWords === '' ? '' : ` Its last words: ${lastWords}`;
  return boundedReason(`Claude Code failed: ${messageOf(error)}.${words}`);
}
