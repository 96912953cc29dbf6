import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Opens a dialog as soon as it is there, so that the next key is for it. Its end is told at once:
 * browsers fire `close` at the next frame, when another key may have led elsewhere.
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  useLayoutEffect(() => ref.current?.showModal(), []);
  const close = () => {
    if (isOver.current) return;
    isOver.current = true;
    ref.current?.close();
    onClose();
  };
  const closeInstead = (event: Event) => {
    event.preventDefault();
    close();
  };
  return {
    close,
    /** Attributes of the dialog. */
    attributes: {
      ref,
      onClose: close,
      onCancel: closeInstead,
      onKeyDown: (event: KeyboardEvent) => {
        const isTaken = event.defaultPrevented || event.isComposing;
        if (event.key === 'Escape' && !isTaken) closeInstead(event);
      },
      onSubmit: (event: SubmitEvent) => {
        const isOfDialog =
          event.target instanceof HTMLFormElement && event.target.method === 'dialog';
        if (isOfDialog) closeInstead(event);
      },
    },
  };
}
