import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { changedNames } from '../diff/changed-names.ts';
import type { DefinedName } from '../references/names.ts';
import { columnWithId, type StoredTable } from '../structure/tables.ts';
import type { Judge } from './judge.ts';
import { verdictOn, type Sides } from '../compare/merged-members.ts';
import { definitionOf } from './names.ts';
import { columnClash, newTables, settleClash, tableClash } from './name-clashes.ts';
import type { AlignedSides } from './parts.ts';
import { rename, type Named } from './renaming.ts';
import { contestedChange, type Asked, type Scope } from './scope.ts';

/**
 * Gives each defined name, table and column the same name in all three states. Formulas refer to
 * them by name: after this, a formula whose text differs was really edited, and formulas that one
 * side wrote follow the renames of the other side.
 */
export function* alignNames(
  { base, ours, theirs }: AlignedSides,
  { judge, scope }: Asked,
): Generator<void, AlignedSides> {
  const sides = { base: base.state, theirs: theirs.state, ours: ours.state };
  let waiting = [...definedNames(sides), ...tableNames(sides)]
    .filter(({ names }) => new Set(Object.values(names)).size > 1)
    .map((named) => ({ ...named, to: nameOf(named, judge, scope) }));
  let aligned: AlignedSides = { base, ours, theirs };
  // One may have the name that another is to have, and give it up for its own.
  for (let wasMore = true; wasMore;) {
    const left: typeof waiting = [];
    for (const named of waiting) {
      const renamed = yield* rename(named, aligned);
      if (renamed) aligned = renamed;
      else left.push(named);
    }
    wasMore = left.length < waiting.length;
    waiting = left;
  }
  for (const named of judge.isBetweenBranches ? waiting.filter(({ isFree }) => isFree) : []) {
    const former = { ...named, to: named.names.base };
    aligned = (yield* rename(former, aligned)) ?? aligned;
  }
  if (!judge.isBetweenBranches) return aligned;
  const renamed = waiting.map(({ names, to, contest, clash }) => {
    const giver = names.ours === to ? ('ours' as const) : ('theirs' as const);
    return { giver, to, place: contest.place, clash };
  });
  for (const given of [...renamed, ...(scope ? [] : newTables(aligned))]) {
    aligned = (yield* settleClash(given, aligned, { judge, base: sides.base })) ?? aligned;
  }
  return aligned;
}

function nameOf({ names, contest }: Named, judge: Judge, scope: Scope | undefined): string {
  if (scope?.(contestedChange(contest)) === false) return names.ours;
  const verdict = verdictOn(names);
  const isTheirs =
    verdict === 'set' || (verdict === 'contest' && judge.decide(contest) === 'theirs');
  return isTheirs ? names.theirs : names.ours;
}

function* definedNames({ base, theirs, ours }: Sides<BranchState>): Generator<Named> {
  const [yours, mine] = [renamedSince(base, theirs), renamedSince(base, ours)];
  for (const was of new Set([...yours.keys(), ...mine.keys()])) {
    const { name, scopeId } = was;
    const held = { state: base, value: was };
    const [wanted, now] = [
      { state: theirs, value: yours.get(was) ?? alike(theirs, held, mine.get(was)) },
      { state: ours, value: mine.get(was) ?? alike(ours, held, yours.get(was)) },
    ];
    if (!wanted.value || !now.value) continue;
    const others = [
      [yours.get(was), ours],
      [mine.get(was), theirs],
    ] as const;
    const scope = scopeId === undefined ? {} : { scope: scopeId };
    yield {
      names: { base: name, theirs: wanted.value.name, ours: now.value.name },
      isFree: others.every(([renamed, { names }]) => !renamed || !names.get(renamed.name, scopeId)),
      contest: {
        kind: 'name.value',
        register: `name called ${foldName(name)} ${scopeId ?? ''}`,
        text: `the name ${name}`,
        place: { name, ...(scopeId !== undefined && { scopeId }) },
        sides: () => ({
          base: definitionOf(held),
          ours: definitionOf(now),
          theirs: definitionOf(wanted),
        }),
      },
      renaming: (from, to) => ({ kind: 'name.rename', payload: { from, to, ...scope } }),
    };
  }
}

/** Finds a name of the base on one side: as it was, or as the other side renamed it. */
function alike(
  { names }: BranchState,
  { state, value }: { readonly state: BranchState; readonly value: DefinedName },
  renamed: DefinedName | undefined,
): DefinedName | undefined {
  const { name, scopeId } = value;
  const own = names.get(name, scopeId);
  if (own || !renamed || state.names.get(renamed.name, scopeId)) return own;
  return names.get(renamed.name, scopeId);
}

/** Maps each defined name of the base that was renamed to its new definition. */
function renamedSince(base: BranchState, state: BranchState): Map<DefinedName, DefinedName> {
  const found = new Map<DefinedName, DefinedName>();
  for (const { was, is } of changedNames({ from: base, to: state })) {
    if (was && is && was.name !== is.name) found.set(was, is);
  }
  return found;
}

function* tableNames(states: Sides<BranchState>): Generator<Named> {
  for (const base of states.base.tables.all) {
    const [theirs, ours] = [states.theirs, states.ours].map(({ tables }) => tables.withId(base.id));
    if (!theirs || !ours || (theirs === base && ours === base)) continue;
    const place = { tableId: base.id, sheetId: ours.sheetId };
    const names = { base: base.name, theirs: theirs.name, ours: ours.name };
    yield {
      names,
      contest: {
        kind: 'table.schema',
        subtype: 'rename',
        register: `table name ${base.id}`,
        text: `the name of the table ${ours.name}`,
        place,
        sides: () => names,
      },
      renaming: (_from, name) => ({ kind: 'table.rename', payload: { table: base.id, name } }),
      clash: tableClash(base.id),
    };
    yield* columnNames({ base, theirs, ours });
  }
}

function* columnNames({ base, theirs, ours }: Sides<StoredTable>): Generator<Named> {
  for (const then of base.columns) {
    const [wanted, held] = [theirs, ours].map((table) => columnWithId(table, then.id));
    if (!wanted || !held) continue;
    const names = { base: then.name, theirs: wanted.name, ours: held.name };
    yield {
      names,
      contest: {
        kind: 'table.schema',
        subtype: 'rename',
        register: `table column name ${base.id} ${then.id}`,
        text: `${ours.name}[${held.name}]`,
        place: { tableId: base.id, sheetId: ours.sheetId, field: held.name },
        sides: () => names,
      },
      renaming: (column, name) => ({
        kind: 'table.column.rename',
        payload: { table: base.id, column, name },
      }),
      clash: columnClash(base.id, then.id),
    };
  }
}
