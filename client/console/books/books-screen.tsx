import { useRef, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { makeEmpty } from './empty-book.ts';
import { importBook, importedEndings } from './import-book.ts';
import { makeSample } from './sample.ts';

interface Book {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly state: string;
  readonly updatedAt: string;
}

/** Screen of all workbooks that this key can see, with the ways to make one. */
export function BooksScreen() {
  const { service, go } = useShell();
  const books = useLoaded(
    (signal) => service.ask<{ workbooks: readonly Book[] }>('/v1/workbooks?limit=200', { signal }),
    [],
  );
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState<string>();
  const open: Opening = (work, text) => {
    setBusy(text);
    setError(undefined);
    work()
      .then((book) => go({ name: 'sheet', book, at: { branch: 'main' } }))
      .catch(setError)
      .finally(() => setBusy(undefined));
  };
  const importFile = (file: File | undefined) => {
    if (file) open(() => importBook(service, file), `Importing ${file.name}…`);
  };
  return (
    <main
      class="page"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        importFile(event.dataTransfer?.files[0]);
      }}
    >
      <h1>Workbooks</h1>
      <Actions open={open} importFile={importFile} />
      <p role="status">{busy}</p>
      {error && <Fault error={error} />}
      {books.error && <Fault error={books.error} again={books.again} />}
      {books.value && <BookTable books={books.value.workbooks} />}
    </main>
  );
}

/** Makes a workbook while a text is shown, and opens it. */
type Opening = (work: () => Promise<string>, text: string) => void;

interface ActionParts {
  readonly open: Opening;
  readonly importFile: (file: File | undefined) => void;
}

function Actions({ open, importFile }: ActionParts) {
  const { service } = useShell();
  const picker = useRef<HTMLInputElement>(null);
  const make = () => open(() => makeEmpty(service), 'Making a workbook…');
  const sample = () => open(() => makeSample(service), 'Making a sample…');
  return (
    <p class="actions">
      <button type="button" class="main" onClick={make}>
        New workbook
      </button>
      <button type="button" class="second" onClick={() => picker.current?.click()}>
        Import .xlsx or .csv
      </button>
      <button type="button" class="second" onClick={sample}>
        Sample
      </button>
      <input
        ref={picker}
        type="file"
        accept={importedEndings}
        hidden
        aria-label="File to import"
        onChange={(event) => importFile(event.currentTarget.files?.[0])}
      />
    </p>
  );
}

function BookTable({ books }: { books: readonly Book[] }) {
  if (books.length === 0) {
    return (
      <p>
        There is no workbook yet. Drop an .xlsx or .csv file here, or make one:{' '}
        <code>quire new</code> and <code>curl -X POST $QUIRE/v1/workbooks</code> do the same.
      </p>
    );
  }
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Owner</th>
          <th scope="col">State</th>
          <th scope="col">Changed</th>
        </tr>
      </thead>
      <tbody>
        {books.map(({ id, name, namespace, state, updatedAt }) => (
          <tr key={id}>
            <td>
              <ScreenLink to={{ name: 'sheet', book: id, at: { branch: 'main' } }}>
                {name || id}
              </ScreenLink>
            </td>
            <td>{namespace}</td>
            <td>{state === 'active' ? '' : state}</td>
            <td>
              <time dateTime={updatedAt}>{new Date(updatedAt).toLocaleString()}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
