import type { ExactJson, ExactObject } from '../../../../domain/digest/exact-json.js';
import { memberOf, textOf } from '../../metering/loose-members.js';
import type { CarriedToolResult } from '../../model-dialect.js';
import { jsonBytes, objectsOf, requireResultId } from '../../request-rules.js';

/**
 * The words with which Codex answers a call itself, without asking: a tool that it does not have, an input that is malformed or
 * that its settings refuse, a call that its client declined. The dialect has no mark for it (docs/design/model-gateway.md).
 */
const REFUSAL = new RegExp(
  `^\\s*(${[
    'error:',
    'unsupported (custom tool )?call: ',
    'failed to parse function arguments: ',
    'apply_patch verification failed: ',
    '[a-z_]+ handler received unsupported payload',
    '(login shell|TTY execution) is disabled by config',
    'request_user_input is unavailable',
    'exec_command failed: CreateProcess \\{ message: "Rejected\\(',
    'patch rejected by user',
  ].join('|')})`,
  'i',
);

/** The name of the tool that an item calls; undefined for any other item. Tools of a namespace are named as the gate names them. */
export function toolOfCall(item: unknown): string | undefined {
  switch (memberOf(item, 'type')) {
    case 'function_call':
    case 'custom_tool_call': {
      const name = textOf(item, 'name');
      const namespace = textOf(item, 'namespace');
      if (name === undefined || namespace === undefined) return name;
      return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
    }
    case 'local_shell_call':
      return 'local_shell';
    case 'shell_call':
      return 'shell';
    case 'apply_patch_call':
      return 'apply_patch';
    default:
      return undefined;
  }
}

/** The results among the items of a request. Every item that answers a call ends its type so; what a search found is definitions. */
export function toolResultsOf(input: ExactJson | undefined): CarriedToolResult[] {
  return objectsOf(input)
    .filter(({ type }) => typeof type === 'string' && type.endsWith('_call_output'))
    .map((item) => {
      // A local shell call is answered by its id; every other call has one of its own for this.
      const toolUseId = requireResultId(
        item['call_id'] ?? item['id'],
        'input: the output of a call without its call_id',
      );
      return { toolUseId, isError: REFUSAL.test(outputText(item)), bytes: jsonBytes(item['output']) };
    });
}

function outputText(item: ExactObject): string {
  const { output } = item;
  if (typeof output === 'string') return output;
  const text = objectsOf(output)[0]?.['text'];
  return typeof text === 'string' ? text : '';
}
