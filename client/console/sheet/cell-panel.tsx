import { cellName, type Address } from '../../../server/model/address.ts';
import { quoteSheet } from '../../../server/model/range.ts';
import { kindWords } from '../history/kind-words.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { CommentList } from './comment-list.tsx';
import type { SheetSession } from './sheet-session.ts';

interface CellParts {
  readonly session: SheetSession;
  readonly at: Address;
  readonly onNote: () => void;
  readonly onClose: () => void;
}

/** Panel of the active cell: its value, writers, note and comments. */
export function CellPanel({ session, at, onNote, onClose }: CellParts) {
  const cell = cellName(at.row, at.column);
  const note = session.noteAt(at);
  return (
    <aside
      class="beside"
      aria-label={`About ${cell}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <p class="actions spread">
        <h2>{cell}</h2>
        <button type="button" class="second" onClick={onClose}>
          Close
        </button>
      </p>
      <h3>Who wrote it</h3>
      <Writers session={session} cell={cell} />
      {note !== '' && (
        <>
          <h3>Note</h3>
          <p class="note">{note}</p>
          <button type="button" class="second" onClick={onNote}>
            Edit the note
          </button>
        </>
      )}
      <h3>Comments</h3>
      <CommentList key={`${session.sheet?.id} ${cell}`} session={session} at={at} />
    </aside>
  );
}

interface Written {
  readonly branch: string | null;
  readonly seq: number;
  readonly by: string;
  readonly at: string;
  readonly proof: string | null;
}

interface Origin extends Written {
  readonly kind: string;
  readonly merge: Written | null;
}

interface Blame {
  readonly next: string | null;
  readonly cells: readonly (Origin & { readonly format: Origin | null })[];
}

const stillMs = 150;

/** Writers of a cell and its format; for a merged change also who merged it. */
function Writers({ session, cell }: { session: SheetSession; cell: string }) {
  const { service } = useShell();
  const { workbookId, sheet, ref } = session.source;
  const { value, error, again } = useLoaded(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, stillMs));
      signal.throwIfAborted();
      const query = new URLSearchParams({ ref, range: `${quoteSheet(sheet)}!${cell}` });
      for (;;) {
        const path = `/v1/workbooks/${workbookId}/blame?${query}`;
        const page = await service.ask<Blame>(path, { signal });
        const [found] = page.cells;
        if (found || page.next === null) return { cell, found };
        // A page only covers part of the journal.
        query.set('cursor', page.next);
      }
    },
    [workbookId, sheet, ref, cell],
  );
  if (error) return <Fault error={error} again={again} />;
  if (value?.cell !== cell) return <p class="quiet">Looking through the history…</p>;
  if (!value.found) return <p class="quiet">Nobody: the cell is blank.</p>;
  const { format, merge, ...written } = value.found;
  const isOther = format !== null && format.seq !== written.seq;
  return (
    <ul class="plain">
      <Writer of={written} told={kindWords(written.kind)} book={workbookId} />
      {merge && <Writer of={merge} told="merged it in" book={workbookId} />}
      {isOther && <Writer of={format} told="changed its look" book={workbookId} />}
    </ul>
  );
}

function Writer({ of, told, book }: { of: Written; told: string; book: string }) {
  const { branch, seq, by, at, proof } = of;
  return (
    <li>
      <strong>{by}</strong> {told} <RelativeTime at={at} />
      {branch !== null && (
        <div class="links">
          <ScreenLink to={{ name: 'sheet', book, at: { branch, seq } }}>
            See {branch}@{seq}
          </ScreenLink>
          {proof !== null && (
            <ScreenLink to={{ name: 'proof', book, branch, seq }}>Proof</ScreenLink>
          )}
        </div>
      )}
    </li>
  );
}
