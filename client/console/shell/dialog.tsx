import type { ComponentChildren } from 'preact';

import { useModal } from './modal.ts';

interface DialogParts {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog over the page, which Escape and its last button close. */
export function Dialog({ label, onClose, children }: DialogParts) {
  const { close, attributes } = useModal(onClose);
  return (
    <dialog {...attributes} class="wide-dialog" aria-label={label}>
      <div class="fields">
        {children(close)}
        <p class="actions">
          <button type="button" class="second" onClick={close}>
            Close
          </button>
        </p>
      </div>
    </dialog>
  );
}
