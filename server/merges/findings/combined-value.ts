import type { Branches } from '../../branches/branches.ts';
import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import type { Models } from '../../values/models.ts';
import type { MergeOutcome } from '../merge-computer.ts';
import type { Position } from '../graph.ts';

export interface CombiningParts {
  readonly models: Pick<Models, 'prepare' | 'use' | 'useState' | 'tryOn'>;
  readonly branches: Pick<Branches, 'timeOf'>;
  readonly environment: Environment;
}

/** The input of evaluating a merge. */
export interface CombinedSides {
  readonly workbookId: string;
  readonly target: Position;
  readonly source: Position;
  readonly outcome: Pick<MergeOutcome, 'ours' | 'theirs' | 'merged' | 'mutations'>;
}

/** A cell whose value in the merged state is the value on neither side. */
export interface CombinedValue {
  readonly row: number;
  readonly column: number;
  readonly value: { readonly ours: Value; readonly theirs: Value; readonly merged: Value };
}

export interface CombinedValues {
  /** Cells by id of the sheet, in the order of sheets, rows and columns. */
  readonly cells: ReadonlyMap<string, readonly CombinedValue[]>;
  /** Cells that differ from one of the sides; row and column packed into one number. */
  readonly places: ReadonlyMap<string, ReadonlySet<number>>;
}
