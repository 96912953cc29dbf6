import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { featureNames } from '../../workers/matching/features.ts';
import type { LogisticModel } from './logistic.ts';
import { readWorlds, train } from './worlds.ts';

/** Beside the build: the source that is compiled next. */
const target = new URL('../../../workers/matching/weights.ts', import.meta.url);

/** Writes the weights of the local verifier from all sets of a folder; the same bytes each time. */
export async function writeWeights(folder: string): Promise<string> {
  const worlds = await readWorlds(folder);
  await writeFile(target, sourceOf(train(worlds, () => true)));
  return fileURLToPath(target);
}

function sourceOf({ bias, weights }: LogisticModel): string {
  const lines = weights.map(
    (weight, at) => `    ${Number(weight.toFixed(3))}, // ${featureNames[at]}`,
  );
  return `/** Written by \`npm run bench -- matching --only train\` from sets of pairs; not by hand. */
export const featureWeights: { readonly bias: number; readonly weights: readonly number[] } = {
  bias: ${Number(bias.toFixed(3))},
  weights: [
${lines.join('\n')}
  ],
};
`;
}
