/** What the kernel hands to a seccomp filter. */
export interface SeccompCall {
  arch: number;
  number: number;
  args: (number | bigint)[];
}

/** Runs a compiled filter as the kernel would. @returns `allow`, `kill` or `errno <n>`. */
export function runFilter(filter: Buffer, call: SeccompCall): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.arch >>> 0, 4);
  call.args.forEach((value, index) => data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index));
  let accumulator = 0;
  for (let at = 0, steps = 0; at * 8 < filter.length; at++, steps++) {
    if (steps > 64) throw new Error('a verdict took more than 64 instructions');
    const code = filter.readUInt16LE(at * 8);
    const k = filter.readUInt32LE(at * 8 + 4);
    const jump = (taken: boolean): number => filter.readUInt8(at * 8 + (taken ? 2 : 3));
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x05) at += k;
    else if (code === 0x15) at += jump(accumulator === k);
    else if (code === 0x35) at += jump(accumulator >= k);
    else if (code === 0x06) return verdict(k);
    else throw new Error(`instruction ${code.toString(16)} is not known`);
  }
  throw new Error('the filter ran off its end');
}

function verdict(k: number): string {
  if (k === 0x7fff0000) return 'allow';
  if (k === 0x80000000) return 'kill';
  if ((k & 0xffff0000) >>> 0 === 0x00050000) return `errno ${k & 0xffff}`;
  throw new Error(`verdict ${k.toString(16)} is not known`);
}
