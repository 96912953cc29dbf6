import { useState } from 'preact/hooks';

import type { Address } from '../../../server/model/address.ts';
import type { RefusedEdit } from '../store/refused-edit.ts';
import { hintForPeople, withoutPointer } from '../shell/words-for-people.ts';
import { memberText, placeOf, toldOf, typedOf } from '../store/overlay.ts';
import type { SheetSession } from './sheet-session.ts';

export interface RejectedEditsParts {
  readonly session: SheetSession;
  /** Moves to a cell, by the id of its sheet. */
  readonly onGo: (cell: Address, sheetId: string) => void;
  /** Moves to a cell and opens its editor with a text. */
  readonly onEdit: (cell: Address, sheetId: string, text: string) => void;
}

/** Lists rejected edits with the reason, the place and the input, until somebody decides. */
export function RejectedEdits(parts: RejectedEditsParts) {
  const { session } = parts;
  const { refused, edits } = session;
  if (refused.length === 0) return null;
  return (
    <section class="tray" role="alert" aria-label="Not applied">
      {refused.length > 1 && (
        <p class="actions">
          <strong>{refused.length.toLocaleString()} edits were not applied</strong>
          <button
            type="button"
            class="second"
            onClick={() => refused.forEach((one) => edits.dismiss(one))}
          >
            Dismiss all
          </button>
        </p>
      )}
      <ul class="list">
        {refused.slice(0, shownMost).map((one) => (
          <Refused key={one.id} refused={one} {...parts} />
        ))}
      </ul>
    </section>
  );
}

const shownMost = 20;

interface RefusedParts extends RejectedEditsParts {
  readonly refused: RefusedEdit;
}

function Refused({ refused, session, onGo, onEdit }: RefusedParts) {
  const typed = typedOf(refused);
  const place = placeOf(refused);
  const sheetId = memberText(refused.payload, 'sheet');
  const [isByHand, setByHand] = useState(false);
  const copy = () => {
    // Without permission to write to the clipboard, the text is shown for selection.
    navigator.clipboard.writeText(typed).catch(() => setByHand(true));
  };
  const isLocked = session.lockedBecause !== undefined;
  return (
    <li>
      <span>
        Not applied: {toldOf(refused)}. {withoutPointer(refused.message)}{' '}
        {hintForPeople(refused.hint)}
      </span>
      {place && (
        <button type="button" class="second" onClick={() => onGo(place, sheetId)}>
          Go there
        </button>
      )}
      {refused.code === 'bad_formula' && place && typed !== '' ? (
        <button
          type="button"
          class="second"
          disabled={isLocked}
          onClick={() => {
            session.edits.dismiss(refused);
            onEdit(place, sheetId, typed);
          }}
        >
          Edit again
        </button>
      ) : (
        <button
          type="button"
          class="second"
          disabled={isLocked}
          onClick={() => session.tryEditAgain(refused)}
        >
          Try again
        </button>
      )}
      {typed !== '' && (
        <button type="button" class="second" onClick={copy}>
          Copy
        </button>
      )}
      <button type="button" class="second" onClick={() => session.edits.dismiss(refused)}>
        Dismiss
      </button>
      {isByHand && (
        <label>
          Copy this by hand
          <textarea
            readOnly
            value={typed}
            autoFocus
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
      )}
    </li>
  );
}
