import {
  canonicalObject,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../model/plain-json.ts';
import type { StoredType } from '../records/stored-record.ts';
import { isSame, verdictOn, type Preference, type Sides } from '../compare/merged-members.ts';

/** Decides which side wins a member that both changed; `member` is its path. */
export type Decide = (member: string, sides: Sides<JsonValue | undefined>) => Preference;

/** Lists of a record that are merged as sets, and the member that identifies an item. */
interface ListKinds {
  /** `text` when the items are plain texts. */
  readonly [member: string]: 'id' | 'column' | 'text';
}

/**
 * Types of records that are merged by member, with their lists; all others are merged as a whole.
 */
const listsOf: Readonly<Partial<Record<StoredType, ListKinds>>> = {
  thread: { comments: 'id' },
  protection: { who: 'text' },
  filter: { criteria: 'column' },
};

/** Members that never make a conflict, such as who set a record. */
const untold: ReadonlySet<string> = new Set(['by']);

export function hasMembers(type: StoredType): boolean {
  return listsOf[type] !== undefined;
}

/**
 * Merges a record member by member. A list gets the additions of both sides and loses what one side
 * removed, unless the other changed it.
 */
export function mergeRecordMembers(
  type: StoredType,
  sides: Sides<JsonObject>,
  decide: Decide,
): JsonObject {
  const lists = listsOf[type] ?? {};
  const { theirs, base, ours } = sides;
  const merged: Record<string, JsonValue> = {};
  for (const member of Object.keys({ ...ours, ...theirs, ...base })) {
    const own = { theirs: theirs[member], base: base[member], ours: ours[member] };
    const kind = lists[member];
    const value =
      kind === undefined
        ? mergedValue(member, own, decide)
        : mergedList({ member, kind }, own, decide);
    if (value !== undefined) merged[member] = value;
  }
  return canonicalObject(merged);
}

/** Merges a set of texts: additions and removals of both sides apply, without conflicts. */
export function mergeTexts(sides: Sides<readonly string[]>): readonly string[] {
  const merged = mergedList({ member: '', kind: 'text' }, sides, () => 'ours');
  return Array.isArray(merged) ? merged.map(String) : [];
}

function mergedValue(
  member: string,
  sides: Sides<JsonValue | undefined>,
  decide: Decide,
): JsonValue | undefined {
  const verdict = verdictOn(sides);
  if (verdict !== 'contest') return verdict === 'set' ? sides.theirs : sides.ours;
  if (untold.has(member)) return [sides.ours, sides.theirs].map(String).toSorted()[0];
  return decide(member, sides) === 'theirs' ? sides.theirs : sides.ours;
}

function mergedList(
  { member, kind }: { readonly member: string; readonly kind: ListKinds[string] },
  sides: Sides<JsonValue | undefined>,
  decide: Decide,
): JsonValue | undefined {
  if (isSame(sides.ours, sides.theirs)) return sides.ours;
  const [theirs, base, ours] = [sides.theirs, sides.base, sides.ours].map((list) =>
    byName(list, kind),
  ) as [Named, Named, Named];
  const merged: JsonValue[] = [];
  for (const name of inOneOrder(ours, theirs, base)) {
    const own = { theirs: theirs.get(name), base: base.get(name), ours: ours.get(name) };
    const value = mergedValue(`${member}/${name}`, own, decide);
    if (value !== undefined) merged.push(value);
  }
  return merged;
}

type Named = ReadonlyMap<string, JsonValue>;

function byName(list: JsonValue | undefined, kind: ListKinds[string]): Named {
  const values = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  return new Map(values.map((value) => [nameOf(value, kind), value]));
}

function nameOf(value: JsonValue, kind: ListKinds[string]): string {
  if (typeof value === 'string') return value;
  const name = kind === 'text' ? value : memberOf(value, kind);
  return typeof name === 'string' ? name : JSON.stringify(name ?? null);
}

/**
 * Returns the names of items in merged order: those of the base first, then new ones by time and
 * id, so that both directions agree.
 */
function inOneOrder(ours: Named, theirs: Named, base: Named): Set<string> {
  const added = new Map([...ours, ...theirs].filter(([name]) => !base.has(name)));
  const sorted = [...added].sort(([a, left], [b, right]) => {
    const [first, second] = [timeOf(left), timeOf(right)];
    return first === second ? byNumber.compare(a, b) : first < second ? -1 : 1;
  });
  return new Set([...base.keys(), ...sorted.map(([name]) => name)]);
}

/** Compares ids, which end in a counter. */
const byNumber = new Intl.Collator('en', { numeric: true });

function timeOf(value: JsonValue): string {
  const time = memberOf(value, 'at');
  return typeof time === 'string' ? time : '';
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
