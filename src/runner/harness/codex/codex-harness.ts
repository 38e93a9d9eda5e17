import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { MAX_TOOL_NAME, tellHiddenTools } from '../model-tool-names.js';
import { CodexProgram, installedPaths, readCatalog } from './codex-program.js';
import type { ProgramPaths } from './codex-program.js';
import { CodexSession } from './codex-session.js';
import { commandLineSettings } from './codex-settings.js';
import { frozenCatalog } from './model-catalog.js';
import { offerTools } from './offered-tools.js';

/** A turn that lasts longer is interrupted, and the run fails (docs/design/runner.md). */
const TURN_TIMEOUT_MS = 55 * 60_000;

/**
 * The real Codex: `codex app-server` of the pinned version as a child, spoken to on its standard input and output, one thread and
 * one turn a run. Its own sandbox is off; the run's sandbox and the gate are the boundary.
 */
export const codexHarness: Harness = {
  run: runCodex,
};

async function runCodex(context: HarnessContext): Promise<HarnessResult> {
  const paths = installedPaths();
  const { settings, tools, narrator, loopbackUrl } = context;
  const offered = offerTools(context.mcpTools);
  const catalogPath = await writeCatalog(context, paths);
  const argv = commandLineSettings(loopbackUrl ?? settings.controlUrl, catalogPath);
  const program = CodexProgram.start(paths, argv, tools.workspace.path, tools.environment);
  const session = new CodexSession(context, program, offered);
  try {
    const version = await session.open();
    await narrator.say('harness', `Codex ${version} starts with model ${settings.model}.`);
    await tellHiddenTools(context, offered.hidden, MAX_TOOL_NAME.openai);
    return await session.runTurn(settings.task, TURN_TIMEOUT_MS);
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  } finally {
    await session.close();
  }
}

async function writeCatalog(context: HarnessContext, paths: ProgramPaths): Promise<string> {
  await mkdir(paths.state, { recursive: true, mode: 0o700 });
  const catalog = frozenCatalog(await readCatalog(paths, context.tools.environment), context.settings.model);
  const catalogPath = join(paths.state, 'models.json');
  await writeFile(catalogPath, JSON.stringify(catalog), { mode: 0o600 });
  return catalogPath;
}
