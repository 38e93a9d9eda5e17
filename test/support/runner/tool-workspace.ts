import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ToolContext, ToolOutcome } from '../../../src/runner/tools/canonical-tool.js';
import { findTool } from '../../../src/runner/tools/tool-catalog.js';
import { toolEnvironment } from '../../../src/runner/tools/tool-environment.js';
import { WorkspaceRoot } from '../../../src/runner/tools/workspace-root.js';

/** A folder with a workspace and a neighbour that no tool may reach. */
export class ToolWorkspace {
  readonly stop = new AbortController();

  private constructor(
    private readonly base: string,
    private readonly root: WorkspaceRoot,
  ) {}

  static async create(): Promise<ToolWorkspace> {
    const base = await mkdtemp(join(tmpdir(), 'tools-'));
    await mkdir(join(base, 'workspace'));
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside/secret.txt'), 'secret\n');
    return new ToolWorkspace(base, await WorkspaceRoot.open(join(base, 'workspace')));
  }

  get path(): string {
    return this.root.path;
  }

  get outside(): string {
    return join(this.base, 'outside');
  }

  async put(files: Record<string, string>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, name)), { recursive: true });
      await writeFile(join(this.path, name), content);
    }
  }

  /** Runs a tool by name; throws what an invalid input throws. */
  run(name: string, input: unknown, changes: Partial<ToolContext> = {}): Promise<ToolOutcome> {
    const tool = findTool(name);
    if (tool === null) throw new Error(`no tool ${name}`);
    return tool.prepare(input).run({
      workspace: this.root,
      environment: toolEnvironment(this.path, {}),
      signal: this.stop.signal,
      ...changes,
    });
  }

  async remove(): Promise<void> {
    await this.root[Symbol.asyncDispose]();
    await rm(this.base, { recursive: true, force: true });
  }
}

/** Open descriptors of this process. */
export async function openDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}
