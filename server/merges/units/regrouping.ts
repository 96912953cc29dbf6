import { Failure, type FieldError } from '../../model/failure.ts';
import { parseRange } from '../../model/range.ts';
import { changeKinds, contestedChange } from '../../state/merge/scope.ts';
import { columnNamed } from '../../state/structure/tables.ts';
import type { MergeOutcome } from '../merge-computer.ts';
import { isOfKind } from '../../state/outcome/units/membership.ts';
import type { MissingRequirement } from '../../state/outcome/units/report.ts';
import type { Member, Selector, UnitDecision, UnitGroup } from '../../state/outcome/units/unit.ts';

type SentSelector = Omit<Selector, 'place'>;
type SentMember = string | SentSelector;

/** A group in a request: `*` and ids of conflicts are texts. */
export interface SentGroup {
  readonly id: string;
  readonly title?: string | undefined;
  /** New members; those of the unit with this id if left out. */
  readonly members?: readonly SentMember[] | undefined;
  /** Units of the merge whose members it gets, instead of others. */
  readonly units?: readonly string[] | undefined;
  /** Changes that it gets, whichever unit has them. */
  readonly moves?: readonly SentMember[] | undefined;
  readonly decision?: UnitDecision | undefined;
  readonly reason?: string | undefined;
  readonly requires?: readonly string[] | undefined;
}

/** Reads groups; fails with `bad_unit` for members that can hold no change. */
export function readGroups(sent: readonly SentGroup[], outcome: MergeOutcome): UnitGroup[] {
  const errors: FieldError[] = [];
  const joined = new Map(sent.flatMap(({ id, units = [] }) => units.map((unit) => [unit, id])));
  const groups = sent.map((group, index) => readGroup(group, outcome, { index, joined, errors }));
  errors.push(...faultsAmong(groups));
  if (errors.length > 0) throw badUnit(errors);
  return groups;
}

interface ReadingGroup {
  readonly index: number;
  /** Group that each joined unit becomes a part of. */
  readonly joined: ReadonlyMap<string, string>;
  readonly errors: FieldError[];
}

function readGroup(sent: SentGroup, outcome: MergeOutcome, reading: ReadingGroup): UnitGroup {
  const { id, decision = 'pending', reason, members: own, units } = sent;
  const sources = own !== undefined && units === undefined ? [] : (units ?? [id]);
  const known = outcome.units.filter((unit) => sources.includes(unit.id));
  const kept =
    own && !units
      ? readMembers(own, outcome, { ...reading, part: 'members' })
      : keptMembers(sent, known, reading);
  const members = [...movedMembers(sent, outcome, reading), ...kept];
  const { title = known.find((unit) => unit.id === id)?.title ?? id } = sent;
  const { requires = requiredBy(known, id, reading) } = sent;
  return { id, title, members, decision, requires, ...(reason !== undefined && { reason }) };
}

/** Returns the members that units of the merge have: that of a group's own id, or joined ones. */
function keptMembers(
  { id, members, units = [id] }: SentGroup,
  known: readonly UnitGroup[],
  { index, errors }: ReadingGroup,
): Member[] {
  const pointer = `/groups/${index}/members`;
  if (members) errors.push(fault(pointer, `the unit ${id} has members, or joins units, not both`));
  for (const name of units) {
    if (known.some((unit) => unit.id === name)) continue;
    errors.push(fault(pointer, `the merge has no unit ${name} whose members it could have`));
  }
  return units.flatMap((name) => known.find((unit) => unit.id === name)?.members ?? []);
}

/** Returns the groups that hold what units require, apart from their own. */
function requiredBy(
  known: readonly UnitGroup[],
  id: string,
  { joined }: ReadingGroup,
): readonly string[] {
  const required = known.flatMap((unit) => unit.requires.map((one) => joined.get(one) ?? one));
  return [...new Set(required)].filter((one) => one !== id);
}

function readMembers(
  members: readonly SentMember[],
  outcome: MergeOutcome,
  { index, errors, part }: ReadingGroup & { readonly part: 'members' | 'moves' },
): Member[] {
  return members.map((member, at) => {
    const read = readMember(member, outcome);
    if (typeof read !== 'object' || !('fault' in read)) return read;
    errors.push(fault(`/groups/${index}/${part}/${at}`, read.fault));
    return {};
  });
}

/** Returns the changes that a group gets from others, moved later than all before. */
function movedMembers(
  { moves = [] }: SentGroup,
  outcome: MergeOutcome,
  reading: ReadingGroup,
): Member[] {
  const moved = lastMove(outcome) + 1;
  return readMembers(moves, outcome, { ...reading, part: 'moves' }).map((member, at) => {
    if (member !== '*') return { ...member, moved };
    const pointer = `/groups/${reading.index}/moves/${at}`;
    reading.errors.push(fault(pointer, '"*" is no change that could be moved'));
    return {};
  });
}

function lastMove({ units }: MergeOutcome): number {
  const members = units.flatMap((unit) => unit.members);
  return members.reduce(
    (last, member) => (member === '*' ? last : Math.max(last, member.moved ?? 0)),
    0,
  );
}

function* faultsAmong(groups: readonly UnitGroup[]): Generator<FieldError> {
  const ids = new Set(groups.map(({ id }) => id));
  const seen = new Set<string>();
  let restId: string | undefined;
  for (const [index, { id, members, requires }] of groups.entries()) {
    const pointer = `/groups/${index}`;
    if (seen.has(id)) yield fault(`${pointer}/id`, `two units are called ${id}`);
    seen.add(id);
    for (const other of requires) {
      if (!ids.has(other)) yield fault(`${pointer}/requires`, `there is no unit ${other}`);
      else if (other === id) yield fault(`${pointer}/requires`, `the unit ${id} requires itself`);
    }
    if (!members.includes('*')) continue;
    if (restId !== undefined) {
      yield fault(`${pointer}/members`, `the unit ${restId} has "*" already`);
    }
    restId ??= id;
  }
}

function readMember(
  member: SentMember,
  outcome: MergeOutcome,
): Member | { readonly fault: string } {
  if (member === '*') return member;
  if (typeof member === 'string') {
    const conflict = outcome.conflicts.get(member);
    return conflict
      ? { ...contestedChange(conflict.contest) }
      : { fault: `the merge has no conflict ${member}` };
  }
  const faults = [memberFault(member), missingFault(member, outcome)];
  const found = faults.find((one) => one !== undefined);
  return found === undefined ? member : { fault: found };
}

function memberFault({
  sheet,
  range,
  table,
  keys,
  column,
  ...others
}: SentSelector): string | undefined {
  if (range !== undefined && (sheet === undefined || !parseRange(range))) {
    return 'a range is one of a sheet, as in A1:C9';
  }
  if (table === undefined && [keys, column].some((part) => part !== undefined)) {
    return 'keys and column are those of a table';
  }
  const { kind, writer, group } = others;
  const isEmpty = [kind, sheet, table, writer, group].every((part) => part === undefined);
  return isEmpty ? 'a member names a kind, a place, a writer or a conflict, or is "*"' : undefined;
}

function missingFault(
  { kind, sheet, table, column }: SentSelector,
  outcome: MergeOutcome,
): string | undefined {
  const states = [outcome.theirs, outcome.base];
  if (kind !== undefined && !changeKinds.some((known) => isOfKind(known, kind))) {
    return `no change is of the kind ${kind}`;
  }
  if (sheet !== undefined) {
    const found = states.some(({ structure }) => structure.withId(sheet) ?? structure.named(sheet));
    if (!found) return `there is no sheet ${sheet}`;
  }
  if (table === undefined) return undefined;
  const tables = states.flatMap((state) => state.tables.find(table) ?? []);
  if (tables.length === 0) return `there is no table ${table}`;
  if (column === undefined || tables.some((one) => columnNamed(one, column))) return undefined;
  return `the table ${table} has no column ${column}`;
}

function fault(pointer: string, message: string): FieldError {
  return { pointer, code: 'bad_unit', message };
}

function badUnit(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure('badUnit', {
    ...(first && { detail: `${first.message}.` }),
    hint: 'A member is "*", the id of a conflict, or an object with sheet and range, with table, keys and column, with kind, with writer or with group.',
    errors: errors.slice(0, 100),
  });
}

export function unitDependency(missing: readonly MissingRequirement[]): Failure {
  const [first] = missing;
  return new Failure('unitDependency', {
    detail: `The unit ${first?.unit ?? ''} cannot be without ${first?.requires ?? ''}: a ${first?.change.kind ?? ''} of it needs one of those.`,
    hint: 'Put both into one unit, or name the other one in "requires".',
    extra: {
      edges: missing.map(({ unit, requires, change }) => ({
        unit,
        requires,
        kind: change.kind,
      })),
    },
  });
}
