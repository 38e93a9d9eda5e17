import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedPlane } from '../../../test/support/plane/scripted-plane.js';
import { openLoopbackBridge } from './loopback-bridge.js';
import type { LoopbackBridge } from './loopback-bridge.js';

let plane: ScriptedPlane;
let bridge: LoopbackBridge;

afterEach(async () => {
  await bridge.close();
  await plane.stop();
});

describe('the loopback bridge', () => {
  it('serves the plane to programs that only speak TCP, and adds no right of its own', async () => {
    plane = await ScriptedPlane.start();
    bridge = await openLoopbackBridge(plane.socketPath);
    expect(bridge.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const beat = (token: string): Promise<Response> =>
      fetch(`${bridge.url}/internal/sessions/x/heartbeat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await beat(plane.tokens.control)).status).toBe(200);
    expect((await beat('another')).status).toBe(403);
    expect(plane.attempts.get('heartbeat')).toBe(2);
  });

  it('closes its side when the plane is away', async () => {
    plane = await ScriptedPlane.start();
    bridge = await openLoopbackBridge(`${plane.directory}/later.sock`);
    await expect(fetch(bridge.url)).rejects.toThrow();
  });
});
