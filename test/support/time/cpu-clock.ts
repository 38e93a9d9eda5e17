/** Counts this process's own processor time in milliseconds from now on: however busy the machine is, the work costs the same. */
export function cpuClock(): () => number {
  const started = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
}

/**
 * Measures the turns of this thread's event loop in the thread's own processor time, which a busy machine does not stretch: whoever
 * waits for this thread waits for one turn at least.
 * @returns `stop`, which answers the longest turn in milliseconds
 */
export function turnClock(): { stop(): number } {
  let [longest, last] = [0, process.threadCpuUsage()];
  let next: NodeJS.Immediate;
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  return {
    stop: () => {
      clearImmediate(next);
      return longest;
    },
  };
}
