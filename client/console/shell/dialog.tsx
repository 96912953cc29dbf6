import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogParts {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog over the page, which Escape and its last button close. */
export function Dialog({ label, onClose, children }: DialogParts) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} class="wide-dialog" aria-label={label} onClose={onClose}>
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
