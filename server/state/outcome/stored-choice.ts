import type { Choice, ContestPlace } from '../merge/judge.ts';

/** The choice somebody made for a conflict or a finding, and the sides it was made for. */
export interface StoredChoice {
  /** `accept` takes a finding as it is, `keep` brings back what its formula names. */
  readonly choice: Choice | 'accept' | 'keep';
  /** For a finding, the cell that gets the input, or whose formula it is. */
  readonly place?: Pick<ContestPlace, 'sheetId' | 'row' | 'column'>;
  /** Digest of the sides at the time: other sides are another question. */
  readonly sides: string;
  readonly by: string;
  readonly at: number;
}

/** By the id of the conflict or finding. */
export type Choices = ReadonlyMap<string, StoredChoice>;
