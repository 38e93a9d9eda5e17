import type { CallToolResult } from '@modelcontextprotocol/client';
import { BASH_MAX_OUTPUT_CHARACTERS } from '../tools/bash.js';
import type { ToolOutcome } from '../tools/canonical-tool.js';
import { KeptOutput } from '../tools/kept-output.js';

/** What the model reads of a server's answer: its texts, bounded as the output of Bash is; other content is named, not shown. */
export function readAnswer(answer: CallToolResult): ToolOutcome {
  const isError = answer.isError === true;
  const pieces = (Array.isArray(answer.content) ? answer.content : []).map(describeContent);
  if (pieces.length === 0 && answer.structuredContent !== undefined)
    pieces.push(JSON.stringify(answer.structuredContent));
  return {
    text: boundAnswer(pieces.join('\n')),
    isError,
    note: isError ? 'answered with an error' : 'answered',
  };
}

export function boundAnswer(text: string): string {
  const kept = new KeptOutput(BASH_MAX_OUTPUT_CHARACTERS);
  kept.append(text);
  return kept.toString().toWellFormed() || '(no output)';
}

function describeContent(content: CallToolResult['content'][number]): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'image':
    case 'audio':
      return `[${content.type} of type ${content.mimeType}, not shown]`;
    case 'resource':
      return 'text' in content.resource ? content.resource.text : `[resource ${content.resource.uri}, not shown]`;
    case 'resource_link':
      return `[link to ${content.uri}]`;
    default:
      return '[content of an unknown type, not shown]';
  }
}
