import { useModal } from '../shell/modal.ts';
import type { LargePaste } from './clipboard-state.ts';

interface QuestionParts {
  readonly question: LargePaste;
  readonly onClose: () => void;
}

/** Asks before a large paste, with its number of cells. */
export function PasteQuestion({ question: { count, paste }, onClose }: QuestionParts) {
  const { attributes } = useModal(onClose);
  const cells = count.toLocaleString();
  return (
    <dialog {...attributes} aria-label="A large paste">
      <form method="dialog" class="fields">
        {paste ? (
          <p>This writes {cells} cells.</p>
        ) : (
          <p>
            These are {cells} cells, and 250,000 can be pasted at once: paste them in parts, or
            import them as a file.
          </p>
        )}
        <p class="actions">
          {paste && (
            <button type="submit" class="main" onClick={paste}>
              Paste {cells} cells
            </button>
          )}
          <button type="submit" class="second">
            {paste ? 'Leave it' : 'Close'}
          </button>
        </p>
      </form>
    </dialog>
  );
}
