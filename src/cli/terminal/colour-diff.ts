import { coloursFor } from './style.js';

/** A unified diff in the usual colours, where the terminal has colours. The text must be safe to print. */
export function colourDiff(text: string): string {
  const colours = coloursFor(process.stdout);
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return colours.bold(line);
      if (line.startsWith('+')) return colours.green(line);
      if (line.startsWith('-')) return colours.red(line);
      return line.startsWith('@@') ? colours.cyan(line) : line;
    })
    .join('\n');
}
