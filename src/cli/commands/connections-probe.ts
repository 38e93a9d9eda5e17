import type { Command } from 'commander';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { printRecord } from '../terminal/output.js';

export function registerProbeCommand(connections: Command): void {
  connections
    .command('probe')
    .description('Ask a remote MCP server how it wants to be connected; nothing is stored, no secret is sent.')
    .argument('<url>', 'its endpoint')
    .action((url: string, _flags: unknown, command: Command) => probe(url, contextOf(command)));
}

async function probe(url: string, { client, format }: CommandContext): Promise<void> {
  const answer = await client.call((api) => api.POST('/v1/mcp/probe', { body: { url } }));
  const tools = answer.tools_preview.map(({ name }) => name);
  printRecord(format, answer, [
    ['Server', answer.url],
    ['Reachable', answer.reachable ? 'yes' : 'no'],
    ['Sign-in', answer.auth_mode ?? ''],
    ['Issuer', answer.oauth?.issuer ?? ''],
    ['Scopes', answer.oauth?.scopes_supported.join(' ') ?? ''],
    ['Tools', `${tools.join(', ')}${answer.tools_truncated ? ' …' : ''}`],
    ['Notes', answer.notes.join('\n')],
  ]);
}
