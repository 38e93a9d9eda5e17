import type { Approval, Decision } from '../server/wire.js';
import { renderApproval, timeLeft } from './approval-view.js';
import type { LiveScreen } from '../terminal/live-screen.js';

const COUNTDOWN_MS = 1000;
type Answer = Decision | 'later';

interface NamedKey {
  key: string;
  means: string;
  answer: Answer;
}

const ONCE: NamedKey = { key: 'a', means: 'once', answer: 'approved_once' };
const FOR_THE_RUN: NamedKey = { key: 's', means: 'for this run', answer: 'approved_session' };
const OTHERS: readonly NamedKey[] = [
  { key: 'd', means: 'deny', answer: 'denied' },
  { key: 'l', means: 'leave open', answer: 'later' },
];

/** The keys that answer, in the order in which they are named: `once` before `for this run`, which is left out where it means the same. */
function keysFor({ grant }: Approval): readonly NamedKey[] {
  return grant.covers === null ? [ONCE, ...OTHERS] : [ONCE, FOR_THE_RUN, ...OTHERS];
}

/** Where answers are typed; a terminal. */
export type Keyboard = Pick<NodeJS.ReadStream, 'on' | 'off' | 'read' | 'resume' | 'pause' | 'setRawMode'>;

/** Asks on a terminal; resolves with the answer, or `later` when `signal` ends the question (somebody else decided). */
export async function askApproval(
  approval: Approval,
  screen: LiveScreen,
  signal: AbortSignal,
  keyboard: Keyboard = process.stdin,
): Promise<Answer> {
  screen.clearStatus();
  screen.line(renderApproval(approval, screen));
  const keys = keysFor(approval);
  const named = keys.map(({ key, means }) => `[${key}] ${means}`).join('  ');
  const draw = () => {
    const left = timeLeft(approval, Date.now());
    screen.setStatus(` ${left === null ? 'its time is over' : `${left} left`}  ${named}: `);
  };
  draw();
  const countdown = setInterval(draw, COUNTDOWN_MS);
  try {
    return await readKey(keys, draw, signal, keyboard);
  } finally {
    clearInterval(countdown);
    screen.clearStatus();
  }
}

/**
 * One of the named keys; Enter, space and all others answer nothing, and the question stands again. Ctrl+C reaches the process as the
 * interrupt that it is.
 */
function readKey(
  keys: readonly NamedKey[],
  askAgain: () => void,
  signal: AbortSignal,
  keyboard: Keyboard,
): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      keyboard.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      keyboard.setRawMode(false);
      keyboard.pause();
      resolve(answer);
    };
    const onAbort = () => settle('later');
    const onData = (data: Buffer) => {
      const key = data.toString('utf8');
      if (key === '\u0003') {
        settle('later');
        process.kill(process.pid, 'SIGINT');
        return;
      }
      const named = keys.find((each) => each.key === key.toLowerCase());
      if (named === undefined) askAgain();
      else settle(named.answer);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    keyboard.setRawMode(true);
    // Keys typed before the question appeared do not answer it.
    while (keyboard.read() !== null) continue;
    keyboard.resume();
    keyboard.on('data', onData);
  });
}
