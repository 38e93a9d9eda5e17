const BYTES = 'application/octet-stream';
const JSON_TYPES = ['application/json', 'application/*', '*/*'];

/**
 * Whether an `Accept` header asks for raw bytes: it must name them, with a weight above what it gives to JSON. At equal
 * weights the order in the header decides; without a header the answer is JSON (docs/design/api-conventions.md).
 */
export function prefersBytes(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(parseRange);
  const bytes = ranges.findIndex((range) => range.type === BYTES && range.weight > 0);
  if (bytes === -1) return false;
  const json = ranges.findIndex((range) => JSON_TYPES.includes(range.type) && range.weight > 0);
  if (json === -1) return true;
  const difference = (ranges[bytes]?.weight ?? 0) - (ranges[json]?.weight ?? 0);
  if (difference !== 0) return difference > 0;
  return ranges[json]?.type !== 'application/json' || bytes < json;
}

function parseRange(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}
