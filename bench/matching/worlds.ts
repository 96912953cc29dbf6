import { halved, orphaned, readDataSets, type DataSet } from './data-sets.ts';
import { fitLogistic, type LogisticModel, type Samples } from './logistic.ts';
import { describeSet, type Described } from './samples.ts';

/** Data sets as they are, and twice with rows without a match. */
export interface Worlds {
  readonly closed: readonly Described[];
  /** Without half of the right side. */
  readonly open: readonly Described[];
  /** Without the match of every second row, and with all that looks like it. */
  readonly orphaned: readonly Described[];
}

const candidatesKept = 5;
const penalty = 1;
/** Weight of complete sets, because most columns contain most matches. */
const closedShare = 2;

export async function readWorlds(folder: string): Promise<Worlds> {
  const sets = await readDataSets(folder);
  const describe = (set: DataSet): Described => describeSet(set, candidatesKept);
  return {
    closed: sets.map(describe),
    open: sets.map(halved).map(describe),
    orphaned: sets.map(orphaned).map(describe),
  };
}

/** Trains weights on some of the sets in all variants, each set counting the same. */
export function train(worlds: Worlds, isUsed: (index: number) => boolean): LogisticModel {
  const weighted = [
    ...worlds.closed.map((set, index) => ({ set, index, share: closedShare })),
    ...worlds.open.map((set, index) => ({ set, index, share: 1 })),
    ...worlds.orphaned.map((set, index) => ({ set, index, share: 1 })),
  ].filter(({ index }) => isUsed(index));
  return fitLogistic(joined(weighted), penalty);
}

/** Number of samples that each set counts for. */
const setWeight = 1000;

function joined(all: readonly { set: Described; share: number }[]): Samples {
  const width = all[0]?.set.samples.width ?? 0;
  const count = all.reduce((sum, { set }) => sum + set.left.length, 0);
  const values = new Float64Array(count * width);
  const labels = new Uint8Array(count);
  const weights = new Float64Array(count);
  let at = 0;
  for (const { set, share } of all) {
    values.set(set.samples.values, at * width);
    labels.set(set.samples.labels, at);
    weights.fill((setWeight * share) / set.left.length, at, at + set.left.length);
    at += set.left.length;
  }
  return { width, values, labels, weights };
}
