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
  readonly requires: readonly string[];
}

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
            {...{ unit, isOpen }}
            onDecide={(change) => decide(unit.id, change)}
          />
        ))}
      </ul>
    </>
  );
}

interface LineParts {
  readonly unit: Unit;
  readonly isOpen: boolean;
  readonly onDecide: (change: Partial<UnitDecision>) => void;
}

/** A part, its decision, and why. */
function UnitLine({ unit, isOpen, onDecide }: LineParts) {
  const { title, decision, reason, requires, changes, conflicts, moreConflicts = 0 } = unit;
  return (
    <li>
      <strong>{title}</strong>{' '}
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
