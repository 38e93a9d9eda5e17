import { randomBytes } from 'node:crypto';
import type { ScriptedReply, ScriptedUsage } from './model-script.js';

const BYTES_PER_TOKEN = 4;
const PIECE_CHARACTERS = 24;

/** A part of a reply, with the id that a tool call goes by; arguments as the text that is sent. */
export type ComposedBlock =
  | { kind: 'text'; text: string }
  | { kind: 'tool' | 'text tool'; id: string; name: string; text: string; input: unknown };

/** A whole reply before a format writes it. */
export interface ComposedReply {
  model: string;
  blocks: ComposedBlock[];
  stopReason: NonNullable<ScriptedReply['stopReason']>;
  usage: ScriptedUsage;
  withoutUsage: boolean;
}

/** @param idPrefix what the provider's ids of tool calls begin with */
export function composeReply(
  reply: ScriptedReply,
  { model, requestBytes, idPrefix }: { model: string; requestBytes: number; idPrefix: string },
): ComposedReply {
  const blocks = reply.content.map((block): ComposedBlock => {
    if ('text' in block) return { kind: 'text', text: block.text };
    const { input } = block;
    const id = block.id ?? newId(idPrefix);
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return 'tool' in block
      ? { kind: 'tool', id, name: block.tool, text, input }
      : { kind: 'text tool', id, name: block.textTool, text, input };
  });
  const callsTool = blocks.some(({ kind }) => kind !== 'text');
  return {
    model,
    blocks,
    stopReason: reply.stopReason ?? (callsTool ? 'tool_use' : 'end_turn'),
    usage: {
      input_tokens: tokensOf(requestBytes),
      output_tokens: tokensOf(Buffer.byteLength(JSON.stringify(blocks))),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...reply.usage,
    },
    withoutUsage: reply.withoutUsage === true,
  };
}

/** Cut as a model writes: a few characters at a time, never inside one. */
export function* piecesOf(text: string): Generator<string> {
  const characters = [...text];
  for (let start = 0; start < characters.length; start += PIECE_CHARACTERS)
    yield characters.slice(start, start + PIECE_CHARACTERS).join('');
}

export function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));
}

export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}
