import { logKey, sequencesOf } from '../../history/keys.ts';
import { rowPlace, VerifyFault, type FaultKind } from './fault.ts';
import type { StoredObjects } from './stored-objects.ts';
import type { SealedEntry, StoredBranch } from './sql.ts';

/** One object that holds a part of a journal. */
export interface SealedPart {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Key below the prefix of the workbook. */
  readonly place: string;
  /** Row of the part; undefined for an object that was found by listing the store. */
  readonly entry: SealedEntry | undefined;
}

/**
 * The objects that hold a branch's journal up to `sealedSeq`, without holes. The rows are a cache of
 * what listing the store says, so what they leave out is filled from there.
 */
export function sealedParts(
  workbookId: string,
  branch: StoredBranch,
  objects: StoredObjects,
): SealedPart[] {
  const { branchNo, sealedSeq } = branch;
  const listed = new ListedParts({ workbookId, branchNo }, objects);
  const parts: SealedPart[] = [];
  let next = 1;
  const fill = (through: number): void => {
    while (next <= through) {
      const part = listed.from(next, through);
      if (!part) throw entryFault(branch, next, 'missing');
      parts.push(part);
      next = part.lastSeq + 1;
    }
  };
  for (const entry of branch.sealed) {
    const { firstSeq, lastSeq, objectKey } = entry;
    fill(firstSeq - 1);
    const isNamed = objectKey === logKey({ workbookId, branchNo }, firstSeq, lastSeq);
    const place = objects.placeOf(objectKey);
    if (firstSeq !== next || !isNamed || place === undefined) {
      throw entryFault(branch, firstSeq, 'wrong_entry');
    }
    parts.push({ firstSeq, lastSeq, place, entry });
    next = lastSeq + 1;
  }
  fill(sealedSeq);
  if (next - 1 > sealedSeq) throw headFault(branch, sealedSeq + 1, 'sealed_seq is behind its rows');
  return parts;
}

/** Parts of a journal by the names of their objects. */
class ListedParts {
  readonly #byFirst = new Map<number, SealedPart[]>();

  constructor(address: { workbookId: string; branchNo: number }, objects: StoredObjects) {
    const prefix = `log/${address.branchNo}/`;
    for (const place of objects.keys) {
      if (!place.startsWith(prefix)) continue;
      const { firstSeq, lastSeq } = sequencesOf(place);
      const part = { firstSeq, lastSeq, place, entry: undefined };
      this.#byFirst.set(firstSeq, [...(this.#byFirst.get(firstSeq) ?? []), part]);
    }
  }

  /** Returns the longest part from an operation that ends at or before `through`. */
  from(firstSeq: number, through: number): SealedPart | undefined {
    const parts = this.#byFirst.get(firstSeq) ?? [];
    return parts
      .filter(({ lastSeq }) => lastSeq >= firstSeq && lastSeq <= through)
      .toSorted((a, b) => b.lastSeq - a.lastSeq)[0];
  }
}

/** An object with operations after the head: they were written once, and sealed. */
export function sealedBeyond(
  { branchNo, head }: StoredBranch,
  objects: StoredObjects,
): { readonly place: string; readonly lastSeq: number } | undefined {
  const prefix = `log/${branchNo}/`;
  for (const place of objects.keys) {
    if (!place.startsWith(prefix)) continue;
    const { lastSeq } = sequencesOf(place);
    if (lastSeq > head) return { place, lastSeq };
  }
  return undefined;
}

export function entryFault(branch: StoredBranch, seq: number, what: FaultKind): VerifyFault {
  const { branchNo } = branch;
  const where = rowPlace('sealed_segment', branchNo, seq);
  const hint =
    'Restore this row from a backup of the database; the object of that name has its part.';
  return new VerifyFault({ branchNo, seq, what, where, hint });
}

export function headFault({ branchNo }: StoredBranch, seq: number, why: string): VerifyFault {
  const where = rowPlace('branch', branchNo);
  const hint = `The row of the branch does not fit its journal: ${why}. Restore it from a backup.`;
  return new VerifyFault({ branchNo, seq, what: 'wrong_head', where, hint });
}
