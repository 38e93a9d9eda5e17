import type { Approval, Decision } from '../server/wire.js';
import { renderApproval, timeLeft } from './approval-view.js';
import type { LiveScreen } from './live-screen.js';

const COUNTDOWN_MS = 1000;
const ANSWERS: Readonly<Record<string, Decision | 'later'>> = {
  a: 'approved_once',
  y: 'approved_once',
  s: 'approved_session',
  d: 'denied',
  n: 'denied',
  k: 'later',
  l: 'later',
  ' ': 'later',
  '\u001b': 'later',
};
const KEYS = '[a] approve once  [s] approve for this run  [d] deny  [space] skip';

/** Where answers are typed; a terminal. */
export type Keyboard = Pick<NodeJS.ReadStream, 'on' | 'off' | 'read' | 'resume' | 'pause' | 'setRawMode'>;

/** Asks on a terminal; resolves with the answer, or `later` when `signal` ends the question (somebody else decided). */
export async function askApproval(
  approval: Approval,
  screen: LiveScreen,
  signal: AbortSignal,
  keyboard: Keyboard = process.stdin,
): Promise<Decision | 'later'> {
  screen.clearStatus();
  screen.line(renderApproval(approval, screen));
  const draw = () => {
    const left = timeLeft(approval, Date.now());
    screen.setStatus(` ${left === null ? 'its time is over' : `${left} left`}  ${KEYS}: `);
  };
  draw();
  const countdown = setInterval(draw, COUNTDOWN_MS);
  try {
    return await readKey(signal, keyboard);
  } finally {
    clearInterval(countdown);
    screen.clearStatus();
  }
}

/** One key that means something; others are passed over. Ctrl+C reaches the process as the interrupt that it is. */
function readKey(signal: AbortSignal, keyboard: Keyboard): Promise<Decision | 'later'> {
  return new Promise((resolve) => {
    const settle = (answer: Decision | 'later') => {
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
      const answer = ANSWERS[key.toLowerCase()];
      if (answer !== undefined) settle(answer);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    keyboard.setRawMode(true);
    // Keys that were typed before the question was on the screen are no answer to it.
    while (keyboard.read() !== null) continue;
    keyboard.resume();
    keyboard.on('data', onData);
  });
}
