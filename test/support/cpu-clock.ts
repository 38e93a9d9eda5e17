/** Counts this process's own processor time in milliseconds from now on: however busy the machine is, the work costs the same. */
export function cpuClock(): () => number {
  const started = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
}
