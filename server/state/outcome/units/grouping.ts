import type { StateDiff } from '../../diff/diff.ts';
import type { ScopedChange } from '../../merge/scope.ts';
import { digest } from '../digest.ts';
import { neededChanges } from './dependencies.ts';
import { Membership } from './membership.ts';
import { sourceChanges } from './source-changes.ts';
import { restId, type Grouping, type UnitGroup, type UnitSides } from './unit.ts';

const changesBetweenPauses = 256;
/** Units that are made unasked; what would be in more is in the rest. */
const unitsMost = 200;

interface OwnUnit {
  readonly title: string;
  readonly members: UnitGroup['members'];
  /** Keys of those that it cannot be without. */
  readonly needs: Set<string>;
}

/** Puts changes into units. */
interface Sorter {
  /** Returns one key for changes that belong together. */
  readonly keyOf: (change: ScopedChange) => string;
  readonly titleOf: (key: string) => string;
  readonly membersOf: (key: string) => UnitGroup['members'];
}

const workbookKey = 'workbook';

/**
 * Units as the server makes them. With `auto` those are one that cannot be without one another;
 * otherwise each requires those that it cannot be without.
 */
export function* ownGroups(
  { grouping, diff }: { readonly grouping: Grouping; readonly diff: StateDiff },
  sides: UnitSides,
): Generator<void, UnitGroup[]> {
  const units = yield* needsOf(diff, sides, sorterFor(grouping, diff, sides));
  const isJoined = grouping === 'auto';
  const groups = isJoined
    ? joined(units)
    : [...units].map(([key, unit]) => ({ keys: [key], unit }));
  return inOrder(groups).map(({ keys, unit }) => ({
    id: unitId(keys[0] ?? ''),
    title: unit.title,
    members: unit.members,
    decision: 'accept',
    requires: isJoined ? [] : [...unit.needs].map(unitId),
  }));
}

/** Units by their keys, in the order in which they were met. */
function* needsOf(
  diff: StateDiff,
  sides: UnitSides,
  sorter: Sorter,
): Generator<void, Map<string, OwnUnit>> {
  const units = new Map<string, OwnUnit>();
  const keyOf = (change: ScopedChange): string => {
    const key = sorter.keyOf(change);
    const own = units.has(key) || units.size < unitsMost ? key : restId;
    if (!units.has(own)) units.set(own, madeOf(own, sorter));
    return own;
  };
  let seen = 0;
  for (const change of sourceChanges(diff)) {
    const own = keyOf(change);
    for (const needed of neededChanges(change, sides)) {
      const other = keyOf(needed);
      if (other !== own) units.get(own)?.needs.add(other);
    }
    if (++seen % changesBetweenPauses === 0) yield;
  }
  return units;
}

function madeOf(key: string, { titleOf, membersOf }: Sorter): OwnUnit {
  const needs = new Set<string>();
  if (key === restId) return { title: 'Everything else', members: ['*'], needs };
  return { title: titleOf(key), members: membersOf(key), needs };
}

interface JoinedUnit {
  readonly keys: readonly string[];
  readonly unit: OwnUnit;
}

/** Units that need one another, joined into one. */
function joined(units: ReadonlyMap<string, OwnUnit>): JoinedUnit[] {
  const parents = new Map([...units.keys()].map((key) => [key, key]));
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key;
    return parent === key ? key : rootOf(parent);
  };
  for (const [key, { needs }] of units) {
    for (const other of needs) parents.set(rootOf(other), rootOf(key));
  }
  const byRoot = new Map<string, string[]>();
  for (const key of units.keys()) {
    const root = rootOf(key);
    byRoot.set(root, [...(byRoot.get(root) ?? []), key]);
  }
  return [...byRoot.values()].map((keys) => {
    const own = keys.flatMap((key) => units.get(key) ?? []);
    const title = own.map((unit) => unit.title).join(', ');
    const members = own.flatMap((unit) => unit.members);
    return { keys, unit: { title, members, needs: new Set() } };
  });
}

/** A change is in the first that has it: tables come before their sheets, and the rest last. */
function inOrder(groups: readonly JoinedUnit[]): JoinedUnit[] {
  const rank = ({ keys: [key = ''] }: JoinedUnit) => {
    if (key === restId) return 2;
    return key.startsWith(tablePrefix) ? 0 : 1;
  };
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

function unitId(key: string): string {
  if (key === restId) return restId;
  return /^[\w.-]{1,90}$/u.test(key) ? `u_${key}` : `u_${digest(key)}`;
}

const tablePrefix = 'table.';

function sorterFor(grouping: Grouping, diff: StateDiff, sides: UnitSides): Sorter {
  switch (grouping) {
    case 'auto':
    case 'sheet':
      return bySheet(sides);
    case 'table':
      return byTable(diff, sides);
    case 'writer':
      return byAuthor('writer', sides);
    case 'op-group':
      return byAuthor('group', sides);
  }
}

function bySheet({ theirs, base }: UnitSides): Sorter {
  return {
    keyOf: ({ place }) => place.sheetId ?? place.scopeId ?? workbookKey,
    titleOf: (key) =>
      key === workbookKey
        ? 'The workbook'
        : ((theirs.structure.withId(key) ?? base.structure.withId(key))?.name ?? key),
    membersOf: (key) =>
      key === workbookKey
        ? [{ kind: 'name' }, { kind: 'setting' }, { kind: 'style' }, { kind: 'sheet.order' }]
        : [{ sheet: key }],
  };
}

function byTable(diff: StateDiff, sides: UnitSides): Sorter {
  const sheets = bySheet(sides);
  const tables = diff.sheets.flatMap(({ pair: { id: sheetId } }) =>
    [sides.theirs, sides.base].flatMap((state) => state.tables.onSheet(sheetId)),
  );
  const named = new Map(tables.map((table) => [`${tablePrefix}${table.id}`, table]));
  const membersOf = (key: string): UnitGroup['members'] => {
    const table = named.get(key);
    return table ? [{ table: table.id }] : sheets.membersOf(key);
  };
  const groups = [...named.keys()].map((id): UnitGroup => {
    return { id, title: id, members: membersOf(id), decision: 'accept', requires: [] };
  });
  const membership = new Membership(groups, sides);
  return {
    keyOf: (change) => {
      const key = membership.unitOf(change);
      return key === restId ? sheets.keyOf(change) : key;
    },
    titleOf: (key) => named.get(key)?.name ?? sheets.titleOf(key),
    membersOf,
  };
}

function byAuthor(what: 'writer' | 'group', { authors }: UnitSides): Sorter {
  return {
    keyOf: (change) => authors.of(change)?.[what] ?? restId,
    titleOf: (key) => key,
    membersOf: (key) => [{ [what]: key }],
  };
}
