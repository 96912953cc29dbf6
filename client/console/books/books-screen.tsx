import { useRef, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { foundBooks, useBookList, type Book } from './book-list.ts';
import { BookTable } from './book-table.tsx';
import { makeEmpty } from './empty-book.ts';
import { importBook, importedEndings } from './import-book.ts';
import { MakingLine, useMaking, type Make } from './making.tsx';
import { makeSample } from './sample.ts';

/** Screen of all workbooks that this key can see, with the ways to make one. */
export function BooksScreen() {
  const { service, go } = useShell();
  const [isArchivedToo, setArchivedToo] = useState(false);
  const [text, setText] = useState('');
  const { books, error, again } = useBookList(isArchivedToo);
  const { making, make, stop, ...made } = useMaking((book) =>
    go({ name: 'sheet', book, at: { branch: 'main' } }),
  );
  const importFile = (file: File | undefined) => {
    if (!file) return;
    void make((told) => importBook(service, file, told), `Importing ${file.name}…`);
  };
  const [isOver, setOver] = useState(false);
  const isEmpty = books?.length === 0;
  return (
    <main
      class={isOver ? 'page wide drop-target' : 'page wide'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        importFile(event.dataTransfer?.files[0]);
      }}
    >
      <h1>Workbooks</h1>
      <Actions isBusy={making !== undefined} {...{ make, importFile }} />
      <MakingLine making={making} onStop={stop} />
      {made.error && <Fault error={made.error} />}
      {error && <Fault error={error} again={again} />}
      {(!isEmpty || isArchivedToo) && (
        <p class="actions">
          <label>
            Search{' '}
            <input
              type="search"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <Archived isChosen={isArchivedToo} onChoose={setArchivedToo} />
        </p>
      )}
      {!books && !error && <Waiting label="Workbooks are on the way" />}
      {isEmpty && <Empty isArchivedToo={isArchivedToo} onArchived={setArchivedToo} />}
      {books && !isEmpty && <Found books={books} text={text} onChange={again} />}
    </main>
  );
}

interface ArchivedParts {
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function Archived({ isChosen, onChoose }: ArchivedParts) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />{' '}
      Archived ones too
    </label>
  );
}

interface FoundParts {
  readonly books: readonly Book[];
  readonly text: string;
  readonly onChange: () => void;
}

function Found({ books, text, onChange }: FoundParts) {
  const found = foundBooks(books, text);
  const told = `${found.length.toLocaleString()} of ${books.length.toLocaleString()} workbooks`;
  return (
    <>
      <p role="status" class={text.trim() === '' ? 'visually-hidden' : 'quiet'}>
        {text.trim() === '' ? '' : told}
      </p>
      {found.length > 0 && <BookTable key={text} books={found} onChange={onChange} />}
    </>
  );
}

interface EmptyParts {
  readonly isArchivedToo: boolean;
  readonly onArchived: (isChosen: boolean) => void;
}

function Empty({ isArchivedToo, onArchived }: EmptyParts) {
  return (
    <>
      <p>
        A workbook keeps every change, and has branches to try things on. There is none yet: make
        one, or drop an .xlsx or .csv file here.
      </p>
      <p class="quiet">
        <code>quire new</code> and <code>curl -X POST $QUIRE/v1/workbooks</code> do the same.
      </p>
      {!isArchivedToo && <Archived isChosen={false} onChoose={onArchived} />}
    </>
  );
}

interface ActionParts {
  readonly isBusy: boolean;
  readonly make: (work: Make, text: string) => Promise<void>;
  readonly importFile: (file: File | undefined) => void;
}

function Actions({ isBusy, make, importFile }: ActionParts) {
  const { service } = useShell();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <p class="actions">
      <button
        type="button"
        class="main"
        disabled={isBusy}
        onClick={() => void make(() => makeEmpty(service), 'Making a workbook…')}
      >
        New workbook
      </button>
      <button
        type="button"
        class="second"
        disabled={isBusy}
        onClick={() => picker.current?.click()}
      >
        Import .xlsx or .csv
      </button>
      <button
        type="button"
        class="second"
        disabled={isBusy}
        onClick={() => void make(() => makeSample(service), 'Making a sample…')}
      >
        Sample
      </button>
      <input
        ref={picker}
        type="file"
        accept={importedEndings}
        hidden
        aria-label="File to import"
        onChange={({ currentTarget }) => {
          importFile(currentTarget.files?.[0]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </p>
  );
}
