import { describe, expect, it } from '@jest/globals';
import { aurocOf, calibrationOf, eceOf, type Judged } from './calibration.js';

const leaves = (...pairs: [number, boolean][]): Judged[] => pairs.map(([confidence, right]) => ({ confidence, right }));

describe('how far confidence can be trusted', () => {
  it('is whole where all right leaves are surer than all wrong ones, and a half where nothing tells them apart', () => {
    expect(aurocOf(leaves([0.9, true], [0.8, true], [0.2, false]))).toBe(1);
    expect(aurocOf(leaves([0.1, true], [0.8, false]))).toBe(0);
    expect(aurocOf(leaves([0.5, true], [0.5, false], [0.5, true]))).toBe(0.5);
    expect(aurocOf(leaves([0.5, true]))).toBeNull();
  });

  it('is off by how much more is said than is true', () => {
    const sure = Array.from({ length: 100 }, (_, at): [number, boolean] => [0.9, at % 10 !== 0]);
    expect(eceOf(leaves(...sure))).toBeCloseTo(0, 1);
    const wrong = Array.from({ length: 100 }, (): [number, boolean] => [0.9, false]);
    expect(eceOf(leaves(...wrong))).toBeCloseTo(0.9);
  });

  it('has bounds from resamples of documents, the same on every run', () => {
    const documents = Array.from({ length: 12 }, (_, at) => leaves([0.4 + at / 40, at % 3 !== 0], [0.2, at % 4 === 0]));
    const [one, other] = [calibrationOf(documents), calibrationOf(documents)];
    expect(one).toEqual(other);
    expect(one.auroc?.low).toBeLessThanOrEqual(one.auroc?.value ?? 0);
    expect(one.auroc?.high).toBeGreaterThanOrEqual(one.auroc?.value ?? 1);
    expect(one.leaves).toBe(24);
  });
});
