import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { RelativeTime } from '../shell/relative-time.tsx';
import type { Book } from './book-list.ts';
import { PurgeForm } from './purge-form.tsx';

interface TableParts {
  readonly books: readonly Book[];
  /** Called when one of them has changed. */
  readonly onChange: () => void;
}

/** Rows at first and with each further request. */
const shownStep = 200;

/** Table of workbooks, in which owners archive, restore and purge theirs. */
export function BookTable({ books, onChange }: TableParts) {
  const [shown, setShown] = useState(shownStep);
  const [purged, setPurged] = useState<Book>();
  return (
    <>
      <div class="scrolling">
        <table class="books">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Owner</th>
              <th scope="col">Head</th>
              <th scope="col">Changed</th>
              <th scope="col" class="number">
                Cells
              </th>
              <th scope="col">You are</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {books.slice(0, shown).map((book) => (
              <BookRow key={book.id} book={book} onChange={onChange} onPurge={setPurged} />
            ))}
          </tbody>
        </table>
      </div>
      {books.length > shown && (
        <button type="button" class="second" onClick={() => setShown(shown + shownStep)}>
          {(books.length - shown).toLocaleString()} more
        </button>
      )}
      {purged && (
        <Dialog label={`Purge ${purged.name}`} onClose={() => setPurged(undefined)}>
          {(close) => (
            <>
              <h2>Purge “{purged.name}”?</h2>
              <PurgeForm
                book={purged.id}
                name={purged.name}
                onPurged={() => {
                  close();
                  onChange();
                }}
              />
            </>
          )}
        </Dialog>
      )}
    </>
  );
}

interface RowParts {
  readonly book: Book;
  readonly onChange: () => void;
  readonly onPurge: (book: Book) => void;
}

function BookRow({ book, onChange, onPurge }: RowParts) {
  const { id, name, namespace, viaAgent, head, updatedAt, cells, role, archived } = book;
  return (
    <tr>
      <td>
        <ScreenLink to={{ name: 'sheet', book: id, at: { branch: 'main' } }}>
          {name || id}
        </ScreenLink>
        {archived && (
          <>
            {' '}
            <span class="state">archived</span>
          </>
        )}
      </td>
      <td>
        {namespace}
        {viaAgent !== undefined && <div class="quiet">by your agent {viaAgent}</div>}
      </td>
      <td>
        <code>main@{head}</code>
      </td>
      <td>
        <RelativeTime at={updatedAt} />
      </td>
      <td class="number">{cells?.toLocaleString()}</td>
      <td>{role}</td>
      <td>{role === 'owner' && <Life book={book} onChange={onChange} onPurge={onPurge} />}</td>
    </tr>
  );
}

/** Buttons that archive a workbook, or restore and purge an archived one. */
function Life({ book, onChange, onPurge }: RowParts) {
  const { service } = useShell();
  const { id, name, archived } = book;
  const [error, setError] = useState<Error>();
  const path = `/v1/workbooks/${id}`;
  const act = (method: 'DELETE' | 'POST', tail: string) => {
    setError(undefined);
    service.ask(path + tail, { method }).then(onChange, setError);
  };
  if (error) return <Fault error={error} />;
  if (!archived) {
    return (
      <button
        type="button"
        class="second"
        aria-label={`Archive ${name}`}
        onClick={() => act('DELETE', '')}
      >
        Archive
      </button>
    );
  }
  return (
    <span class="actions">
      <button
        type="button"
        class="second"
        aria-label={`Restore ${name}`}
        onClick={() => act('POST', '/restore')}
      >
        Restore
      </button>
      <button
        type="button"
        class="second"
        aria-label={`Purge ${name}`}
        onClick={() => onPurge(book)}
      >
        Purge…
      </button>
    </span>
  );
}
