/**
 * Lines of the runner's own output, which becomes the artifact `log`. They hold our own words, ids and numbers only: never
 * a tool's input or result, a prompt or a token (docs/design/runner.md).
 */
export type RunnerLog = (message: string) => void;

const LINE_LIMIT = 2_000;

export function logToStdout(message: string): void {
  process.stdout.write(`${new Date().toISOString()} runner: ${message.slice(0, LINE_LIMIT)}\n`);
}
