import { describe, expect, it } from '@jest/globals';
import { parseTarget } from '../../../src/domain/network/target.js';
import { learnPresets, type Learned } from '../../../src/embedded/presets/learn-presets.js';

const told = (learned: readonly Learned[], preset: string): Learned => {
  const found = learned.find((one) => one.preset === preset);
  if (found === undefined) throw new Error(`nothing was said of ${preset}`);
  return found;
};

describe('presets that are learned from the package managers of a machine', () => {
  it('name the hosts that each of them really asks, and the variables that lead there', async () => {
    const learned = await learnPresets(process.env, ['npm', 'pypi', 'debian']);
    expect(learned).toHaveLength(3);
    for (const preset of ['npm', 'pypi', 'debian']) {
      const { targets } = told(learned, preset) as { targets: string[] };
      expect(targets.length).toBeGreaterThan(0);
      for (const target of targets) expect(parseTarget(target)).toMatchObject({ kind: 'dns', protocol: 'tcp' });
    }
    const { targets, variables } = told(learned, 'npm') as { targets: string[]; variables: Record<string, string> };
    expect(targets).toContain(`${new URL(variables['npm_config_registry'] ?? '').hostname}:443`);
  });

  it('leave out what is not installed, and say so', async () => {
    const learned = await learnPresets({ ...process.env, PATH: '/nonexistent' });
    expect(learned.map(({ preset }) => preset)).toEqual(['npm', 'pypi', 'crates', 'go', 'maven', 'debian']);
    for (const one of learned) expect(one).toMatchObject({ problem: expect.stringContaining('is not installed here') });
  });

  it('take no host from a package manager that fails', async () => {
    const learned = await learnPresets({ ...process.env, npm_config_registry: 'http://127.0.0.1:9/' }, ['npm']);
    expect(told(learned, 'npm')).toMatchObject({ problem: expect.stringMatching(/^npm failed: /) });
  });
});
