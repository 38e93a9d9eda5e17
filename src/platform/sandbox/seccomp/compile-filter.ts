import type { ArgumentTest, Ruling, SeccompProfile } from './profile.js';
import { EPERM, resolveRulings } from './profile.js';
import type { Machine } from './syscall-numbers.js';
import { AUDIT_ARCH } from './syscall-numbers.js';

/** One instruction of classic BPF; jumps are relative to the next instruction. */
export interface Instruction {
  code: number;
  jt: number;
  jf: number;
  k: number;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;
const RET_KILL_PROCESS = 0x80000000;

const OFFSET_NUMBER = 0;
const OFFSET_ARCH = 4;
const OFFSET_ARGUMENTS = 16;
/** Numbers from here on are x32 calls, another calling convention on the same architecture value. */
const X32_BIT = 0x40000000;
/** A conditional jump reaches this far. */
const MAX_JUMP = 255;
/** `BPF_MAXINSNS`. */
const MAX_INSTRUCTIONS = 4096;

const ret = (k: number): Instruction => ({ code: RETURN, jt: 0, jf: 0, k });
const load = (k: number): Instruction => ({ code: LOAD_WORD, jt: 0, jf: 0, k });
const refuse = (errno: number): Instruction[] => [ret(RET_ERRNO | errno)];

/**
 * The filter of a sandbox as the kernel takes it (docs/design/sandbox.md): calls of another architecture kill the process, calls that
 * the profile does not allow are refused with EPERM.
 * @param absent calls that are refused as if this kernel did not have them
 */
export function compileFilter(profile: SeccompProfile, machine: Machine, absent: readonly string[] = []): Buffer {
  return encode(assembleFilter(resolveRulings(profile, machine, absent), machine));
}

/** The program for a set of rulings, in front of it the check of the architecture. */
export function assembleFilter(rulings: ReadonlyMap<number, Ruling>, machine: Machine): Instruction[] {
  const kill = ret(RET_KILL_PROCESS);
  const program = [
    load(OFFSET_ARCH),
    { code: JUMP_IF_EQUAL, jt: 1, jf: 0, k: AUDIT_ARCH[machine] },
    kill,
    load(OFFSET_NUMBER),
    ...(machine === 'x86-64' ? [{ code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32_BIT }, kill] : []),
    ...search(segments(rulings)),
  ];
  if (program.length > MAX_INSTRUCTIONS)
    throw new Error(`the seccomp filter has ${program.length} instructions, at most ${MAX_INSTRUCTIONS} fit`);
  return program;
}

/** All numbers from `start` to the start of the next segment have the same ruling. */
interface Segment {
  start: number;
  ruling: Ruling;
}

function segments(rulings: ReadonlyMap<number, Ruling>): Segment[] {
  const refused: Ruling = { kind: 'refuse', errno: EPERM };
  const last = Math.max(...rulings.keys());
  const result: Segment[] = [];
  for (let number = 0; number <= last + 1; number++) {
    const ruling = rulings.get(number) ?? refused;
    const before = result.at(-1);
    if (before === undefined || !same(before.ruling, ruling)) result.push({ start: number, ruling });
  }
  return result;
}

function same(a: Ruling, b: Ruling): boolean {
  if (a.kind === 'allow') return b.kind === 'allow';
  return a.kind === 'refuse' && b.kind === 'refuse' && a.errno === b.errno;
}

/** A binary search over the segments, so that the longest path stays around ten comparisons. */
function search(list: Segment[]): Instruction[] {
  const [first] = list;
  if (first === undefined) return refuse(EPERM);
  if (list.length === 1) return verdict(first.ruling);
  const middle = list.length >> 1;
  const pivot = list[middle] ?? first;
  const below = search(list.slice(0, middle));
  const atLeast = search(list.slice(middle));
  if (below.length <= MAX_JUMP)
    return [{ code: JUMP_IF_AT_LEAST, jt: below.length, jf: 0, k: pivot.start }, ...below, ...atLeast];
  const far = { code: JUMP, jt: 0, jf: 0, k: below.length };
  return [{ code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: pivot.start }, far, ...below, ...atLeast];
}

function verdict(ruling: Ruling): Instruction[] {
  if (ruling.kind === 'allow') return [ret(RET_ALLOW)];
  if (ruling.kind === 'refuse') return refuse(ruling.errno);
  return ruling.alternatives.reduceRight<Instruction[]>((otherwise, tests) => {
    const body = conjunction(tests);
    return [...body, ...otherwise];
  }, refuse(EPERM));
}

/** Allows when all tests hold; else falls through to the instruction after this block. */
function conjunction(tests: ArgumentTest[]): Instruction[] {
  return tests.reduceRight<Instruction[]>(
    (rest, test) => [...comparison(test, rest.length), ...rest],
    [ret(RET_ALLOW)],
  );
}

function comparison(test: ArgumentTest, skip: number): Instruction[] {
  const low = OFFSET_ARGUMENTS + 8 * test.index;
  const lowHalf = half(low, Number(test.mask & 0xffff_ffffn), Number(test.value & 0xffff_ffffn), skip);
  const highHalf = half(low + 4, Number(test.mask >> 32n), Number(test.value >> 32n), skip + lowHalf.length);
  return [...highHalf, ...lowHalf];
}

function half(offset: number, mask: number, value: number, skip: number): Instruction[] {
  if (mask === 0) return [];
  const masked = mask === 0xffff_ffff ? [] : [{ code: AND, jt: 0, jf: 0, k: mask }];
  return [load(offset), ...masked, { code: JUMP_IF_EQUAL, jt: 0, jf: skip, k: value }];
}

/** The `struct sock_filter` array, little-endian as both machines are. */
export function encode(program: Instruction[]): Buffer {
  const buffer = Buffer.alloc(program.length * 8);
  program.forEach((instruction, index) => {
    buffer.writeUInt16LE(instruction.code, index * 8);
    buffer.writeUInt8(instruction.jt, index * 8 + 2);
    buffer.writeUInt8(instruction.jf, index * 8 + 3);
    buffer.writeUInt32LE(instruction.k >>> 0, index * 8 + 4);
  });
  return buffer;
}
