import type { Branches } from '../branches/branches.ts';
import type { Place } from '../branches/place.ts';
import { Failure } from '../model/failure.ts';
import { suggest } from '../model/schema/suggest.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { StoredTable } from '../state/structure/tables.ts';

export type StateSource = Pick<Branches, 'locate' | 'glance' | 'readAt' | 'stateAt' | 'isLive'>;

type Look<Result> = (state: BranchState) => Generator<void, Result>;

/**
 * Reads a state in place: a fork of a head would make the next writer copy what it shares, such as
 * all keys of a table.
 */
export async function lookAt<Result>(
  source: StateSource,
  { address, seq, isPinned }: Place,
  look: Look<Result>,
): Promise<Result> {
  if (isPinned && !source.isLive(address)) return source.readAt(address, seq, look);
  const found = await source.glance(address, function* (state) {
    return isPinned && state.head !== seq ? undefined : { result: yield* look(state) };
  });
  return found ? found.result : source.readAt(address, seq, look);
}

/** Returns an immutable state for long reads, for which writers do not wait. */
export async function stillAt(source: StateSource, place: Place): Promise<BranchState> {
  const { address, seq, isPinned } = place;
  if (isPinned && !source.isLive(address)) return source.stateAt(address, seq);
  const found = await source.glance(address, function* (state) {
    yield* [];
    return isPinned && state.head !== seq ? undefined : state.still();
  });
  return found ?? source.stateAt(address, seq);
}

export function tableIn({ tables }: BranchState, idOrName: string): StoredTable {
  const table = tables.find(idOrName);
  if (table) return table;
  throw tableNotFound(
    idOrName,
    tables.all.map(({ name }) => name),
  );
}

const namedMost = 20;

export function tableNotFound(idOrName: string, names: readonly string[]): Failure {
  const meant = suggest(idOrName, names);
  const shown = names.slice(0, namedMost).join(', ');
  const known = names.length > 0 ? `Its tables are: ${shown}.` : 'It has no tables.';
  return new Failure('tableNotFound', {
    detail: `There is no table called ${idOrName.slice(0, 100)} at this position.`,
    hint: meant === undefined ? known : `Did you mean ${meant}? ${known}`,
  });
}
