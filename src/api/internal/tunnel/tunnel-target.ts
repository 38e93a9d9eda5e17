import { SandgateError } from '../../../domain/errors.js';
import { nameProblem } from '../../../domain/network/target.js';

/** Where a tunnel is to lead. */
export interface TunnelTarget {
  /** In lower case. */
  name: string;
  port: number;
  /** An address, in whatever spelling; never dialled. */
  isAddress: boolean;
}

const MAX_TARGET_CHARS = 300;
const MAX_PORT = 65_535;
const HOST_AND_PORT = /^([^:/@?#\s]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;

/** Reads `host:port`. @throws SandgateError `invalid_request` */
export function readTunnelTarget(value: string | string[] | undefined): TunnelTarget {
  const text = typeof value === 'string' && value.length <= MAX_TARGET_CHARS ? value : '';
  const [, host = '', digits = ''] = HOST_AND_PORT.exec(text) ?? [];
  const port = Number(digits);
  if (host === '' || port < 1 || port > MAX_PORT) throw malformed('must be host:port');
  const name = host.toLowerCase();
  if (name.startsWith('[')) return { name, port, isAddress: true };
  const problem = nameProblem(name);
  if (problem?.includes('address') === true) return { name, port, isAddress: true };
  if (problem !== undefined) throw malformed(problem);
  return { name, port, isAddress: false };
}

function malformed(problem: string): SandgateError {
  return new SandgateError('invalid_request', `x-tunnel-target: ${problem}`);
}
