import { bashTool } from './bash.js';
import type { CanonicalTool } from './canonical-tool.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

/** The tools that our own harnesses perform themselves, in the order in which the model sees them. */
export const TOOL_CATALOG: readonly CanonicalTool[] = [bashTool, readTool, writeTool, editTool, globTool, grepTool];

export function findTool(name: string): CanonicalTool | null {
  return TOOL_CATALOG.find((tool) => tool.name === name) ?? null;
}
