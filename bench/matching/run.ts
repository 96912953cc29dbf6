import { summarise, type Figure } from '../report.ts';
import { judge, meanOf, type Quality } from './figures.ts';
import { readDataSets } from './data-sets.ts';
import { measureDots } from './dots.ts';
import { measurePeerKernels } from './peer-kernels.ts';
import { measureRetrieval } from './retrieval.ts';
import { measureSpeed } from './speed.ts';
import { writeWeights } from './train.ts';
import { readWorlds, train, type Worlds } from './worlds.ts';

const foldCount = 5;
const worldNames = ['closed', 'open', 'orphaned'] as const;

export interface MatchingBench {
  readonly only: string | undefined;
  /** Rows of each side, of `speed`. */
  readonly size: number;
  /** The folder with the sets. */
  readonly folder: string | undefined;
}

/** Measures quality by cross-validation: no set is judged by weights that it has trained. */
export async function runMatchingBench({ only, size, folder }: MatchingBench): Promise<Figure[]> {
  if (only === 'kernels') return [...measureDots(), ...measurePeerKernels()];
  if (folder === undefined) throw new Error('name the folder of the sets: -- matching <folder>');
  if (only === 'train') {
    await writeWeights(folder);
    return [];
  }
  if (only === 'retrieval') return measureRetrieval(await readDataSets(folder));
  if (only === 'speed') return measureSpeed(await readDataSets(folder), size);
  const worlds = await readWorlds(folder);
  const models = Array.from({ length: foldCount }, (_, fold) =>
    train(worlds, (index) => index % foldCount !== fold),
  );
  const figures: Figure[] = [];
  for (const world of worldNames) {
    const judged = worlds[world].map((set, index) => {
      const model = models[index % foldCount];
      if (!model) throw new Error('each set has a fold');
      return judge(set, model);
    });
    for (let fold = 0; fold < foldCount; fold++) {
      const ofFold = judged.filter((_, index) => index % foldCount === fold);
      figures.push(...figuresOf(`${world}, fold ${fold + 1}`, meanOf(ofFold)));
    }
    figures.push(...figuresOf(`${world}, all`, meanOf(judged)));
    if (only === 'sets') figures.push(...ofSets(worlds, world, judged));
  }
  return figures;
}

function ofSets(worlds: Worlds, world: keyof Worlds, judged: readonly Quality[]): Figure[] {
  return worlds[world].flatMap(({ name }, index) => {
    const quality = judged[index];
    return quality ? figuresOf(`${world}, ${name}`, quality) : [];
  });
}

function figuresOf(of: string, quality: Quality): Figure[] {
  const shares = [
    ['F1', quality.f1],
    ['precision', quality.precision],
    ['recall', quality.recall],
    ['top-1', quality.top1],
  ] as const;
  return shares.map(([name, share]) => ({
    subject: of,
    measure: name,
    unit: '%',
    quire: summarise([Math.round(share * 1000) / 10]),
  }));
}
