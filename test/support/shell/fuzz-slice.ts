import type { GeneratedLine } from './generate-line.js';
import { generateLine } from './generate-line.js';
import type { Analyse, Finding } from './judge-line.js';
import { judged, unlisted } from './judge-line.js';
import type { Oracle } from './oracle.js';

/** A line that did what its analysis does not list. */
export interface FoundLine extends GeneratedLine {
  findings: Finding[];
}

export interface SliceResult {
  lines: number;
  /** Lines for every part of which the analysis vouches; only these are run. */
  judged: number;
  /** Of those, the ones that started a program or changed a file. */
  acted: number;
  /** Cut short by time or number of processes. */
  cut: number;
  found: FoundLine[];
}

/** Lines that are analysed while the oracle runs earlier ones. */
const AHEAD = 64;

/** Generates the lines of a slice, runs each that the analysis judges, and compares. The same numbers give the same lines. */
export async function fuzzSlice(oracle: Oracle, slice: number, lines: number, analyse?: Analyse): Promise<SliceResult> {
  const result: SliceResult = { lines, judged: 0, acted: 0, cut: 0, found: [] };
  const running: Promise<void>[] = [];
  for (let index = 0; index < lines; index++) {
    const generated = generateLine(slice, index);
    const found = judged(generated.line, analyse);
    if (found === null) continue;
    result.judged++;
    running.push(
      oracle.observe(generated.line).then((observed) => {
        if (observed.programs.length > 0 || observed.changed.length > 0) result.acted++;
        if (observed.cut) result.cut++;
        const findings = unlisted(found, observed);
        if (findings.length > 0) result.found.push({ ...generated, findings });
      }),
    );
    if (running.length > AHEAD) await running.shift();
  }
  await Promise.all(running);
  return result;
}

/** Leaves out whatever can be left out of a line while it goes on doing something unlisted of the same kind. */
export async function shortened(
  oracle: Oracle,
  line: string,
  kind: Finding['kind'],
  analyse?: Analyse,
): Promise<string> {
  const still = async (candidate: string): Promise<boolean> => {
    const found = judged(candidate, analyse);
    return found !== null && unlisted(found, await oracle.observe(candidate)).some((finding) => finding.kind === kind);
  };
  let shortest = line;
  for (let width = Math.ceil(line.length / 2); width >= 1;) {
    let progress = false;
    for (let at = 0; at < shortest.length;) {
      const candidate = shortest.slice(0, at) + shortest.slice(at + width);
      if (await still(candidate)) {
        shortest = candidate;
        progress = true;
      } else at += Math.max(1, Math.floor(width / 2));
    }
    if (width > 1) width = Math.floor(width / 2);
    else if (!progress) break;
  }
  return shortest;
}
