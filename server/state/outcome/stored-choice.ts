import type { Choice, ContestPlace } from '../merge/judge.ts';

/** The choice for a conflict or a finding, and the sides for which it was made. */
export interface StoredChoice {
  /** The choice; `accept` leaves a finding as it is, `keep` restores what its formula refers to. */
  readonly choice: Choice | 'accept' | 'keep';
  /** Cell of a finding: it gets the input, or has the formula. */
  readonly place?: Pick<ContestPlace, 'sheetId' | 'row' | 'column'>;
  /** Digest of the sides at the time; the choice does not apply to other sides. */
  readonly sides: string;
  readonly by: string;
  readonly at: number;
}

/** Choices by id of the conflict or finding. */
export type Choices = ReadonlyMap<string, StoredChoice>;
