import { useState } from 'preact/hooks';

import { PartKindChoice } from './part-kind-choice.tsx';
import type { Unit } from './review.ts';
import { UnitChanges, type ChangeMember } from './unit-changes.tsx';

interface UnitParts {
  readonly units: readonly Unit[];
  /** Address of the diff of the merge. */
  readonly path: string;
  /** The merge as it was loaded last. */
  readonly version: unknown;
  readonly isOpen: boolean;
  /** Rule that made the units; undefined if a person made them. */
  readonly grouping: string | undefined;
  readonly onDecide: (units: readonly UnitDecision[]) => void;
  readonly onDivide: (grouping: string) => void;
}

export interface UnitDecision {
  readonly id: string;
  readonly decision: string;
  readonly reason?: string;
  /** Units that it is not taken without; those of the joined units if left out. */
  readonly requires?: readonly string[];
  readonly title?: string;
  /** Units that it joins. */
  readonly units?: readonly string[];
  /** Changes that it gets from other units. */
  readonly moves?: readonly ChangeMember[];
}

/** Length of a title at most. */
const titleLength = 200;

const decisions = [
  ['accept', 'take it'],
  ['reject', 'leave it out'],
  ['defer', 'keep it for later'],
  ['pending', 'not decided'],
] as const;

/** Parts of a merge, each of which is accepted, rejected or deferred. */
export function Units({
  units,
  isOpen,
  grouping = 'auto',
  onDecide,
  onDivide,
  ...asked
}: UnitParts) {
  // A part that somebody made may get changes again, whose last one was moved away.
  const shown = units.filter(({ changes, auto }) => changes > 0 || !auto);
  const decide = (id: string, change: Partial<UnitDecision>) => {
    onDecide(
      units.map((unit) => {
        const { decision, reason, requires } = unit;
        const known = { id: unit.id, decision, requires };
        const whole = reason === undefined ? known : { ...known, reason };
        return unit.id === id ? { ...whole, ...change } : whole;
      }),
    );
  };
  const decideAll = (decision: string) => {
    onDecide(units.map(({ id, requires }) => ({ id, decision, requires })));
  };
  const [dragged, setDragged] = useState<Dragged>();
  const put = ({ unit, member }: Dragged, into: string) => {
    setDragged(undefined);
    if (unit === into || into === '') return;
    if (member) decide(into, { moves: [member] });
    else onDecide(joinedUnits(units, unit, into));
  };
  const joiningOf = (own: string): Joining => ({
    others: shown.filter(({ id }) => id !== own),
    isTarget: dragged !== undefined && dragged.unit !== own,
    onPut: (into, member) => put({ unit: own, member }, into),
    onDrag: (isBegun, member) => setDragged(isBegun ? { unit: own, member } : undefined),
    onDrop: () => dragged !== undefined && put(dragged, own),
  });
  const kind = units.every(({ auto }) => auto) ? grouping : '';
  const divide = isOpen && shown.length > 0 && (
    <p class="actions">
      <PartKindChoice label="In parts by" kind={kind} onPick={onDivide} />
    </p>
  );
  if (shown.length < 2) return divide || null;
  return (
    <>
      {divide}
      {isOpen && <AllParts count={shown.length} onDecide={decideAll} />}
      <ul class="list" aria-label="Parts of the merge">
        {shown.map((unit) => (
          <UnitLine
            key={unit.id}
            unit={unit}
            {...asked}
            joining={isOpen ? joiningOf(unit.id) : undefined}
            onDecide={(change) => decide(unit.id, change)}
          />
        ))}
      </ul>
    </>
  );
}

/** Decisions on all parts at once. */
function AllParts({ count, onDecide }: { count: number; onDecide: (decision: string) => void }) {
  return (
    <p class="actions">
      All {count} parts:
      <button type="button" class="second" onClick={() => onDecide('accept')}>
        Take them
      </button>
      <button type="button" class="second" onClick={() => onDecide('defer')}>
        Keep them for later
      </button>
    </p>
  );
}

/** Returns all units, of which one has become a part of another. */
function joinedUnits(units: readonly Unit[], id: string, into: string): UnitDecision[] {
  const titleOf = (name: string) => units.find((unit) => unit.id === name)?.title ?? name;
  return units.flatMap(({ id: own, decision, reason }): UnitDecision[] => {
    if (own === id) return [];
    const known = { id: own, decision, ...(reason !== undefined && { reason }) };
    if (own !== into) return [known];
    const title = `${titleOf(into)}, ${titleOf(id)}`.slice(0, titleLength);
    return [{ ...known, title, units: [into, id] }];
  });
}

/** A unit while it is dragged, or one change of it. */
interface Dragged {
  readonly unit: string;
  readonly member: ChangeMember | undefined;
}

/** The ways in which a part, or a change of it, becomes a part of another one. */
interface Joining {
  /** Units that it can be put together with. */
  readonly others: readonly Unit[];
  /** True while another unit, or a change of one, is dragged, which can be dropped here. */
  readonly isTarget: boolean;
  readonly onPut: (into: string, member?: ChangeMember) => void;
  /** Called when a drag begins and when it ends. */
  readonly onDrag: (isBegun: boolean, member?: ChangeMember) => void;
  readonly onDrop: () => void;
}

interface LineParts extends Pick<UnitParts, 'path' | 'version'> {
  readonly unit: Unit;
  /** Undefined once the merge is over. */
  readonly joining: Joining | undefined;
  readonly onDecide: (change: Partial<UnitDecision>) => void;
}

/** A part, its decision, and why; it is put together with another one by dragging or by choice. */
function UnitLine({ unit, joining, onDecide, ...asked }: LineParts) {
  const { title, decision, reason, requires, changes, conflicts, moreConflicts = 0 } = unit;
  const isOpen = joining !== undefined;
  return (
    <li
      class={joining?.isTarget === true ? 'drop-target' : undefined}
      onDragOver={(event) => joining?.isTarget === true && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        joining?.onDrop();
      }}
    >
      <Handle title={title} joining={joining} />{' '}
      <span>
        <select
          aria-label={`Decide on ${title}`}
          value={decision}
          disabled={!isOpen}
          onChange={(event) => onDecide({ decision: event.currentTarget.value })}
        >
          {decisions.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </span>{' '}
      {joining && <JoinChoice title={title} joining={joining} />}{' '}
      <span class="quiet">
        {changes === 1 ? '1 change' : `${changes.toLocaleString()} changes`}
        {conflicts.length > 0 && `, ${conflicts.length + moreConflicts} with a conflict`}
        {requires.length > 0 && `, not without ${requires.join(', ')}`}
      </span>
      {decision === 'reject' && (
        <label>
          {' '}
          Why{' '}
          <input
            value={reason ?? ''}
            disabled={!isOpen}
            onChange={(event) => onDecide({ reason: event.currentTarget.value })}
          />
        </label>
      )}
      <UnitChanges
        {...{ unit, ...asked }}
        moving={
          joining && {
            others: joining.others,
            onMove: (member, into) => joining.onPut(into, member),
            onDrag: (member) => joining.onDrag(member !== undefined, member),
          }
        }
      />
    </li>
  );
}

interface JoiningParts {
  readonly title: string;
  readonly joining: Joining;
}

/** Title of a part, by which it can be dragged. */
function Handle({ title, joining }: { title: string; joining: Joining | undefined }) {
  if (!joining) return <strong>{title}</strong>;
  return (
    <strong
      class="handle"
      title="Drag it to the part that it belongs to"
      draggable
      onDragStart={(event) => {
        // Firefox drags nothing that holds no data.
        event.dataTransfer?.setData('text/plain', title);
        joining.onDrag(true);
      }}
      onDragEnd={() => joining.onDrag(false)}
    >
      {title}
    </strong>
  );
}

/** Puts a part together with another one, without dragging. */
function JoinChoice({ title, joining: { others, onPut } }: JoiningParts) {
  return (
    <select
      aria-label={`Put ${title} together with`}
      value=""
      onChange={(event) => onPut(event.currentTarget.value)}
    >
      <option value="">a part of its own</option>
      {others.map(({ id, title: other }) => (
        <option key={id} value={id}>
          together with {other}
        </option>
      ))}
    </select>
  );
}
