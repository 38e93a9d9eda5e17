import { FAMILIES, FEATURES, type Family, type Features } from './features.js';

/**
 * Weights by family, as `date: bias -2.5, label 3;` says them.
 * @throws TypeError for a family that is missing, and for a name that is no feature
 */
export function readWeights(text: string): Readonly<Record<Family, Features>> {
  const said = new Map(
    text.split(';').map((entry): [string, string] => {
      const [family = '', weights = ''] = entry.split(':');
      return [family.trim(), weights];
    }),
  );
  return Object.fromEntries(FAMILIES.map((family) => [family, featuresOf(family, said.get(family))])) as Record<
    Family,
    Features
  >;
}

function featuresOf(family: Family, text: string | undefined): Features {
  if (text === undefined) throw new TypeError(`there are no weights of ${family}`);
  const features: Features = {};
  for (const entry of text.split(',')) {
    const [name, weight] = entry.trim().split(' ');
    const feature = FEATURES.find((one) => one === name);
    if (feature === undefined || !Number.isFinite(Number(weight))) throw new TypeError(`"${entry}" is no weight`);
    features[feature] = Number(weight);
  }
  return features;
}
