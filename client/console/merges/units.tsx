import { useState } from 'preact/hooks';

import { PartKindChoice } from './part-kind-choice.tsx';
import type { Unit } from './review.ts';

interface UnitParts {
  readonly units: readonly Unit[];
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
export function Units({ units, isOpen, grouping = 'auto', onDecide, onDivide }: UnitParts) {
  const shown = units.filter(({ changes }) => changes > 0);
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
  const [dragged, setDragged] = useState<string>();
  const join = (id: string, into: string) => {
    setDragged(undefined);
    if (id !== into) onDecide(joinedUnits(units, id, into));
  };
  const joiningOf = (own: string): Joining => ({
    others: shown.filter(({ id }) => id !== own),
    isTarget: dragged !== undefined && dragged !== own,
    onJoin: (into) => join(own, into),
    onDrag: (isBegun) => setDragged(isBegun ? own : undefined),
    onDrop: () => dragged !== undefined && join(dragged, own),
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
      {isOpen && (
        <p class="actions">
          All {shown.length} parts:
          <button type="button" class="second" onClick={() => decideAll('accept')}>
            Take them
          </button>
          <button type="button" class="second" onClick={() => decideAll('defer')}>
            Keep them for later
          </button>
        </p>
      )}
      <ul class="list" aria-label="Parts of the merge">
        {shown.map((unit) => (
          <UnitLine
            key={unit.id}
            unit={unit}
            joining={isOpen ? joiningOf(unit.id) : undefined}
            onDecide={(change) => decide(unit.id, change)}
          />
        ))}
      </ul>
    </>
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

/** The ways in which a part becomes a part of another one. */
interface Joining {
  /** Units that it can be put together with. */
  readonly others: readonly Unit[];
  /** True while another unit is dragged, which can be dropped here. */
  readonly isTarget: boolean;
  readonly onJoin: (into: string) => void;
  /** Called when a drag of it begins and when it ends. */
  readonly onDrag: (isBegun: boolean) => void;
  readonly onDrop: () => void;
}

interface LineParts {
  readonly unit: Unit;
  /** Undefined once the merge is over. */
  readonly joining: Joining | undefined;
  readonly onDecide: (change: Partial<UnitDecision>) => void;
}

/** A part, its decision, and why; it is put together with another one by dragging or by choice. */
function UnitLine({ unit, joining, onDecide }: LineParts) {
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
function JoinChoice({ title, joining: { others, onJoin } }: JoiningParts) {
  return (
    <select
      aria-label={`Put ${title} together with`}
      value=""
      onChange={(event) => onJoin(event.currentTarget.value)}
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
