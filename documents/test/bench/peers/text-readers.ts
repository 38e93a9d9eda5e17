import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FileRead } from '../reading/jailed-reading.js';
import { readBare } from '../reading/read-bare.js';
import {
  installPeer,
  installPythonPeer,
  pythonVersionOf,
  sourceOf,
  versionOf,
  type PythonPeer,
} from './installed-peers.js';

/** A reader of PDFs that is ready to be compared with. */
export interface ReadyReader {
  /** With its version. */
  name: string;
  read(file: string): Promise<FileRead>;
}

interface TextReader {
  /** Pages of ours for each of theirs, at least. */
  times: number;
  /** What a reader of the figures must know. */
  note: string;
  /** Installs it where it must be. */
  ready(): Promise<ReadyReader>;
}

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 1024 ** 3;

/** Each in a process of its own, with an environment that has nothing but where programs are. */
async function runProgram(program: string, argv: string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  return (await run(program, argv, { maxBuffer: MAX_OUTPUT_BYTES, env: { PATH, HOME } })).stdout;
}

/** Readers of text and boxes, by the ends of their rows' names. */
export const TEXT_READERS: { readonly [name: string]: TextReader } = {
  liteparse: {
    times: 0.7,
    note: 'the reader within ours, without the jail, without tables; its time begins when its library is loaded',
    ready: () => Promise.resolve({ name: 'liteparse', read: readBare }),
  },
  poppler: {
    times: 0.4,
    note: 'its time is that of the whole program; it gives words and boxes alone: no lines, no fields, no tables',
    ready: () => Promise.resolve({ name: popplerVersion(), read: readWithPoppler }),
  },
  pdfjs: {
    times: 1,
    note: 'runs of text with their positions, cut at blanks; its time begins when its library is loaded',
    ready: () => {
      const folder = installPeer('pdfjs');
      return Promise.resolve({ name: versionOf('pdfjs'), read: nodeProgram('pdfjs.js', folder) });
    },
  },
  pdfplumber: {
    times: 10,
    note: 'words with their boxes; its time begins when its library is loaded',
    ready: () => readyPython('pdfplumber'),
  },
  kreuzberg: {
    times: 0.4,
    note: 'text by page without boxes of words; its time begins when its library is loaded',
    ready: () => {
      const folder = installPeer('kreuzberg');
      return Promise.resolve({ name: versionOf('kreuzberg'), read: nodeProgram('kreuzberg.js', folder) });
    },
  },
  'kreuzberg-python': {
    times: 0.4,
    note: 'the same core as the row before, for systems on which its package for Node does not load',
    ready: () => readyPython('kreuzberg'),
  },
};

function nodeProgram(program: string, folder: string): ReadyReader['read'] {
  const path = fileURLToPath(new URL(`programs/${program}`, import.meta.url));
  return async (file) => JSON.parse(await runProgram(process.execPath, [path, folder, file])) as FileRead;
}

async function readyPython(peer: PythonPeer): Promise<ReadyReader> {
  const python = await installPythonPeer(peer);
  const program = sourceOf(`programs/read_with_${peer}.py`);
  return {
    name: `${pythonVersionOf(peer)} of PyPI`,
    read: async (file) => JSON.parse(await runProgram(python, [program, file])) as FileRead,
  };
}

async function readWithPoppler(file: string): Promise<FileRead> {
  const started = performance.now();
  const said = await runProgram('pdftotext', ['-bbox', file, '-']);
  const milliseconds = performance.now() - started;
  return { pages: said.split('<page ').length - 1, words: said.split('<word ').length - 1, milliseconds };
}

const popplerVersion = (): string =>
  /^pdftotext version \S+/m.exec(spawnSync('pdftotext', ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'pdftotext';
