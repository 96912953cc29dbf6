import { useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { useModal } from '../shell/modal.ts';
import type { SheetSession } from './sheet-session.ts';

interface NoteParts {
  readonly session: SheetSession;
  readonly at: Address;
  readonly onClose: () => void;
}

/** The note of a cell, to be read, written and taken away. */
export function NoteDialog({ session, at, onClose }: NoteParts) {
  const { close, attributes } = useModal(onClose);
  const known = session.noteAt(at);
  const [text, setText] = useState(known);
  const a1 = cellName(at.row, at.column);
  const save = (event: Event) => {
    event.preventDefault();
    if (text.trim() === '' && known !== '') session.apply('note.delete', { a1 });
    else if (text !== known) session.apply('note.set', { a1, text });
    close();
  };
  return (
    <dialog {...attributes} aria-label={`Note of ${a1}`}>
      <form class="fields" onSubmit={save}>
        <label>
          Note of {a1}
          <textarea
            rows={5}
            value={text}
            readOnly={session.lockedBecause !== undefined}
            autoFocus
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="main">
            Keep it
          </button>
          <button type="button" class="second" onClick={close}>
            Close
          </button>
        </p>
      </form>
    </dialog>
  );
}
