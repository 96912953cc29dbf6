import type { Address } from '../../../server/model/address.ts';
import { useLoaded } from '../shell/loaded.ts';
import { choiceAt, textsOfChoice } from './choices.ts';
import type { SheetSession } from './sheet-session.ts';
import { enterInput } from './writes.ts';

interface ChoiceParts {
  readonly session: SheetSession;
  readonly active: Address;
  readonly onDone: () => void;
}

/** List of allowed values for the active cell, if a rule has one. */
export function ChoiceField({ session, active, onDone }: ChoiceParts) {
  const choice = choiceAt(session.records.choices, active);
  if (!choice || session.lockedBecause !== undefined) return null;
  const place = `${session.sheet?.id} ${active.row}:${active.column}`;
  return <Choices key={place} {...{ session, active, onDone, choice }} />;
}

interface ListParts extends ChoiceParts {
  readonly choice: NonNullable<ReturnType<typeof choiceAt>>;
}

function Choices({ session, active, onDone, choice }: ListParts) {
  const { value: texts = [] } = useLoaded(
    (signal) => textsOfChoice(session, choice, signal),
    [session.source.ref],
  );
  return (
    <select
      class="choice"
      aria-label="Choose a value for the cell"
      value=""
      onChange={({ currentTarget }) => {
        enterInput(session, active, currentTarget.value);
        currentTarget.value = '';
        onDone();
      }}
    >
      <option value="">Choose…</option>
      {texts.map((text) => (
        <option key={text} value={text}>
          {text}
        </option>
      ))}
    </select>
  );
}
