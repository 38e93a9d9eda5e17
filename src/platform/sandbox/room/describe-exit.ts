const LAST_BYTES = 512;

/** Why a runner that nobody stopped is gone, with the last line that it printed. */
export function describeExit(exitCode: number, output: Buffer): string {
  if (exitCode === 0) return 'the runner ended';
  const lastLine = output.subarray(-LAST_BYTES).toString('utf8').trim().split('\n').at(-1) ?? '';
  return `the runner ended with exit code ${exitCode}${lastLine === '' ? '' : `: ${lastLine}`}`;
}
