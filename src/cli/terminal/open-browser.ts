import { spawn } from 'node:child_process';

/**
 * Opens an address in the person's browser: `BROWSER` when it is set, else what the system opens addresses with. Nothing passes
 * through a shell, and only http and https addresses are opened.
 *
 * @returns false when there is nothing to open it with, such as on a server without a display
 */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const command = browserCommand(env, platform);
  if (command === null || !/^https?:\/\//.test(url)) return false;
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserCommand(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): [string, ...string[]] | null {
  const named = (env['BROWSER'] ?? '').split(/\s+/).filter((word) => word !== '' && word !== '%s');
  const [program, ...args] = named;
  if (program !== undefined) return [program, ...args];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
  return hasDisplay ? ['xdg-open'] : null;
}
