import { realpath } from 'node:fs/promises';
import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { codeOf } from '../../../domain/system-error.js';
import { messageOf } from '../../log/failure-text.js';
import { InvalidToolInputError } from '../../tools/input-shape.js';
import { askAndRun, toolCall } from '../governed-call.js';
import type { HarnessContext } from '../harness.js';
import { UngovernedToolError } from '../ungoverned-tool-error.js';
import { editsOf } from './file-changes.js';
import { METHOD_NOT_FOUND, RpcError } from './json-lines-peer.js';
import type { OfferedTools } from './offered-tools.js';
import { unwrapShell } from './shell-command.js';
import { textOf } from './text-member.js';

interface AllowedItem {
  command: string;
  /** Which connections had been refused when it was allowed. */
  mark: number;
}

/** The answers that the program gets; those that would allow more than this one call are never used. */
type Decision = 'accept' | 'decline';

/** Types of items that are tool calls, with the tool name that the gate knows. */
const WORK_ITEMS: Record<string, string> = { commandExecution: 'Bash', fileChange: 'MultiEdit' };
/** Items of tools that this harness does not offer. */
const FOREIGN_ITEMS = new Set([
  'mcpToolCall',
  'webSearch',
  'imageView',
  'imageGeneration',
  'collabAgentToolCall',
  'subAgentActivity',
  'sleep',
]);
/** Statuses of an item that had no effect. */
const IDLE = new Set(['declined', 'inProgress']);

const MAX_NAMED = 200;

/**
 * Answers what the program asks (docs/harnesses/codex.md) and compares what it did with what it was allowed.
 *
 * Questions are put one after the other in the order in which they arrive, each when the one before has its verdict. None waits for
 * the work that was allowed: the program holds an allowed command back while another of the same reply is being asked about.
 */
export class ToolDesk {
  /** Items that may be performed, by their ids. */
  readonly #allowed = new Map<string, AllowedItem>();
  readonly #changes = new Map<string, JsonValue>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: HarnessContext,
    private readonly offered: OfferedTools,
    /** Tells the model what the program itself does not: why a call was denied, or connections of it were refused. */
    private readonly explain: (reason: string) => Promise<void>,
  ) {}

  async answer(method: string, params: JsonObject): Promise<JsonValue> {
    switch (method) {
      case 'item/commandExecution/requestApproval':
        return { decision: await this.#decideCommand(params) };
      case 'item/fileChange/requestApproval':
        return { decision: await this.#decideChanges(params) };
      case 'item/tool/call':
        return this.#callOffered(params);
      case 'item/permissions/requestApproval':
        return { permissions: {}, scope: 'turn' };
      case 'item/tool/requestUserInput':
        return { answers: {} };
      // No server is wired into the program: those of the run are the runner's.
      case 'mcpServer/elicitation/request':
        return { action: 'decline', content: null, _meta: null };
      case 'execCommandApproval':
      case 'applyPatchApproval':
        return { decision: 'denied' };
      default:
        throw new RpcError(METHOD_NOT_FOUND, `${method} is not answered here`);
    }
  }

  started(item: JsonObject): void {
    if (item['type'] === 'fileChange' && typeof item['id'] === 'string')
      this.#changes.set(item['id'], item['changes'] ?? []);
  }

  /** The call of an item that acted without having been allowed to; null when all is well. */
  completed(item: JsonObject): UngovernedToolError | null {
    const { id, type, status } = item;
    if (typeof id !== 'string' || typeof type !== 'string') return null;
    if (FOREIGN_ITEMS.has(type)) return new UngovernedToolError(id, type);
    const tool = WORK_ITEMS[type];
    if (tool === undefined) return null;
    this.#changes.delete(id);
    const allowed = this.#allowed.get(id);
    if (allowed === undefined) return IDLE.has(textOf(status)) ? null : new UngovernedToolError(id, tool);
    const ok = status === 'completed';
    if (!ok) this.#tellRefused(allowed);
    void this.context.narrator.toolCompleted(id, tool, ok, noteOf(item));
    this.context.log(`${id} ${tool}: ${noteOf(item)}`);
    return null;
  }

  /** Why connections were refused while a command ran that failed: what its output says of them is a status at most. */
  #tellRefused({ command, mark }: AllowedItem): void {
    const words = this.context.tools.network?.refusals.since(mark) ?? null;
    if (words === null) return;
    this.explain(`${named(command)}: ${words}.`).catch((error: unknown) => {
      this.context.log(`the model was not told of refused connections: ${messageOf(error)}`);
    });
  }

  async #decideCommand(params: JsonObject): Promise<Decision> {
    const { kind, itemId, approvalId, command, cwd } = params;
    const id = typeof approvalId === 'string' ? approvalId : itemId;
    if (typeof id !== 'string' || typeof itemId !== 'string' || typeof command !== 'string') return 'decline';
    return this.#queued(async () => {
      const refusal = refusalOf(params) ?? (await this.#outside(cwd));
      if (refusal !== null || typeof cwd !== 'string') {
        this.context.log(`${id}: declined, ${refusal}`);
        await this.explain(`${named(command)} was not run: ${refusal}.`);
        return 'decline';
      }
      // An older program, without this member, asks about commands only.
      if (kind !== undefined && kind !== 'command') return 'decline';
      return this.#decide(id, itemId, 'Bash', { command: unwrapShell(command), cwd });
    });
  }

  async #decideChanges({ itemId, grantRoot }: JsonObject): Promise<Decision> {
    if (typeof itemId !== 'string') return 'decline';
    const input = editsOf(this.#changes.get(itemId), this.context.tools.workspace.path);
    if (input === null || typeof grantRoot === 'string') {
      await this.explain('The patch was not applied: nothing of it could be shown to those who decide.');
      return 'decline';
    }
    return this.#queued(() => this.#decide(itemId, itemId, 'MultiEdit', input));
  }

  async #decide(id: string, itemId: string, tool: string, input: JsonObject): Promise<Decision> {
    const answer = await this.context.contract.permission(toolCall(id, tool, input));
    this.context.signal.throwIfAborted();
    // A changed input cannot be handed to the program, which runs what it asked about.
    if (answer.decision === 'allow' && answer.updatedInput === undefined) {
      const mark = this.context.tools.network?.refusals.mark ?? 0;
      this.#allowed.set(itemId, { command: textOf(input['command']), mark });
      return 'accept';
    }
    this.context.log(`${id} ${tool}: denied`);
    const reason = answer.decision === 'deny' ? answer.message : 'its input would have to be changed';
    await this.explain(`${named(textOf(input['command']) || 'The patch')} was denied: ${reason}`);
    return 'decline';
  }

  /** Called before anything is waited for, or a later question could overtake this one. */
  #queued<T>(ask: () => Promise<T>): Promise<T> {
    const asked = this.#queue.then(ask);
    this.#queue = asked.catch(() => undefined);
    return asked;
  }

  async #callOffered({ callId, tool: offeredName, arguments: input }: JsonObject): Promise<JsonValue> {
    const tool = this.offered.find(textOf(offeredName));
    if (tool === null || typeof callId !== 'string' || input === undefined)
      return answerOf(`error: there is no tool ${textOf(offeredName).slice(0, 64)}`, false);
    const work = this.#queued(async () => {
      const outcome = await askAndRun(this.context, tool, toolCall(callId, tool.name, input), tool.prepare(input));
      return outcome.kind === 'executed'
        ? answerOf(outcome.text, !outcome.isError)
        : answerOf(`The call was denied: ${outcome.message}`, false);
    });
    try {
      return await work;
    } catch (error) {
      if (error instanceof InvalidToolInputError) return answerOf(`error: ${error.message}`, false);
      throw error;
    }
  }

  async #outside(cwd: JsonValue | undefined): Promise<string | null> {
    if (typeof cwd !== 'string') return 'it names no working directory';
    const root = this.context.tools.workspace.path;
    try {
      const real = await realpath(cwd);
      return real === root || real.startsWith(`${root}/`) ? null : 'its working directory is outside the workspace';
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return 'its working directory cannot be entered';
    }
  }
}

/** Whatever the request asks for beside running its command. The offer to remember it for later calls is no part of it: it is not taken. */
function refusalOf(params: JsonObject): string | null {
  const { networkApprovalContext, additionalPermissions, proposedNetworkPolicyAmendments, availableDecisions } = params;
  if (isPresent(networkApprovalContext) || isPresent(proposedNetworkPolicyAmendments)) return 'it asks for a network';
  if (isPresent(additionalPermissions)) return 'it asks for further rights';
  const mayAccept = !Array.isArray(availableDecisions) || availableDecisions.includes('accept');
  return mayAccept ? null : 'it cannot be allowed for this one time';
}

/** Which of several calls is meant; the model wrote it, so its beginning is enough. */
function named(command: string): string {
  return command.length > MAX_NAMED ? `${command.slice(0, MAX_NAMED)}…` : command;
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function answerOf(text: string, success: boolean): JsonObject {
  return { contentItems: [{ type: 'inputText', text }], success };
}

/** In our own words: a tool's result never enters the ledger. */
function noteOf(item: JsonObject): string {
  const { exitCode, status, changes } = item;
  if (typeof exitCode === 'number') return `exit code ${exitCode}`;
  if (Array.isArray(changes)) return `${changes.filter(isJsonObject).length} files, ${textOf(status)}`;
  return textOf(status);
}
