/**
 * A harness program executed a tool call that the gate did not allow. The run ends at once with exit code 5 and without a result
 * (docs/design/runner.md); the control plane's own check of the conversation does not depend on it (docs/design/model-gateway.md).
 */
export class UngovernedToolError extends Error {
  override readonly name = 'UngovernedToolError';

  constructor(
    readonly toolCallId: string,
    readonly tool: string,
  ) {
    super(`The harness program executed ${tool} (${toolCallId}) although the gate had not allowed it.`);
  }
}
