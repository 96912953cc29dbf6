import { plainColumn, typeOf, type ColumnType } from '../../model/table-column.ts';
import type { StoredColumn } from '../structure/tables.ts';
import type { SchemaContest } from './judge.ts';
import { isSame, verdictOn, type Preference, type Sides } from '../compare/merged-members.ts';

export interface ContestedColumn {
  readonly id: string;
  readonly subtype: SchemaContest;
  readonly sides: Sides<StoredColumn | undefined>;
}

/** Decides which side wins a column that both changed, each in its way. */
export type AskColumn = (column: ContestedColumn) => Preference;

/** Merges columns by id, field by field. */
export function mergedColumns(
  sides: Sides<readonly StoredColumn[]>,
  ask: AskColumn,
): StoredColumn[] {
  const of = (columns: readonly StoredColumn[]) =>
    new Map(columns.map((column) => [column.id, column]));
  const [wanted, then, ours] = [of(sides.theirs), of(sides.base), of(sides.ours)];
  const columns = new Map(ours);
  for (const id of new Set([...wanted.keys(), ...then.keys()])) {
    const own = { theirs: wanted.get(id), base: then.get(id), ours: ours.get(id) };
    const merged = mergedColumn(id, own, ask);
    if (merged) columns.set(id, merged);
    else columns.delete(id);
  }
  return [...columns.values()];
}

function mergedColumn(
  id: string,
  sides: Sides<StoredColumn | undefined>,
  ask: AskColumn,
): StoredColumn | undefined {
  const { theirs, base, ours } = sides;
  const verdict = verdictOn(sides);
  if (verdict !== 'contest') return verdict === 'set' ? theirs : ours;
  if (!theirs || !ours) {
    return ask({ id, subtype: 'drop_alter', sides }) === 'theirs' ? theirs : ours;
  }
  const { values, contested } = mergeFields({ theirs, base, ours }, 'ours');
  if (contested.length === 0) return values;
  const isName = contested.every((field) => field === 'name');
  const subtype = base ? (isName ? 'rename' : 'alter_alter') : 'add_add';
  const preference = ask({ id, subtype, sides });
  return mergeFields({ theirs, base, ours }, preference).values;
}

const fields = ['name', 'line', 'type', 'nullable', 'default', 'enum', 'formula'] as const;
type Field = (typeof fields)[number];

interface Fields extends Sides<StoredColumn | undefined> {
  readonly theirs: StoredColumn;
  readonly ours: StoredColumn;
}

function mergeFields(
  { theirs, base, ours }: Fields,
  preference: Preference,
): { values: StoredColumn; contested: Field[] } {
  const values: Record<string, unknown> = {};
  const contested: Field[] = [];
  for (const field of fields) {
    const sides = { theirs: theirs[field], base: base?.[field], ours: ours[field] };
    const verdict = isSame(sides.theirs, sides.ours) ? 'leave' : verdictOn(sides);
    const wide = field === 'type' && base ? wider(theirs, ours) : undefined;
    if (verdict !== 'contest') values[field] = sides[verdict === 'set' ? 'theirs' : 'ours'];
    else {
      if (wide === undefined) contested.push(field);
      values[field] = wide ?? sides[preference];
    }
  }
  const merged = { ...ours, ...values } as StoredColumn;
  const { id, line } = merged;
  return { values: { ...plainColumn(merged), id, line }, contested };
}

/** Types that can hold every value of another. */
const wideningTo: readonly (readonly [from: ColumnType, to: ColumnType])[] = [
  ['integer', 'number'],
  ['date', 'datetime'],
];

/** Returns the one of two types that can hold the values of both; undefined when neither can. */
function wider(a: StoredColumn, b: StoredColumn): ColumnType | undefined {
  const [one, other] = [typeOf(a), typeOf(b)];
  if (one === 'any' || other === 'any') return 'any';
  for (const [from, to] of wideningTo) {
    if ((one === from && other === to) || (one === to && other === from)) return to;
  }
  return undefined;
}
