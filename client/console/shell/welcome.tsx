import { useRef, useState } from 'preact/hooks';

import { makeEmpty } from '../books/empty-book.ts';
import { importBook, importedEndings } from '../books/import-book.ts';
import { MakingLine, useMaking, type Make } from '../books/making.tsx';
import { makeSample } from '../books/sample.ts';
import type { Service } from '../service.ts';
import { useShell } from './context.ts';
import { Fault } from './fault.tsx';
import { loginPath } from './way-in.tsx';

interface Registered {
  readonly data?: { readonly credential?: string };
  readonly credential?: string;
}

async function register(service: Service): Promise<string> {
  const body = { type: 'anonymous', client: { name: `guest-${crypto.randomUUID().slice(0, 4)}` } };
  const answer = await service.ask<Registered>('/agent/auth', { body });
  return answer.data?.credential ?? answer.credential ?? '';
}

/** First screen for somebody without an account or key. */
export function Welcome({ onEntered }: { onEntered: () => void }) {
  const { service, credential, go } = useShell();
  const { making, error, make, stop } = useMaking((book) => {
    onEntered();
    go({ name: 'sheet', book, at: { branch: 'main' } });
  });
  const isBusy = making !== undefined;
  const begin = (work: Make, text: string) =>
    void make(async (told) => {
      // After a failure the next try uses the account that the first one made.
      if (credential.key === undefined) credential.useKey(await register(service));
      return work(told);
    }, text);
  return (
    <main class="page">
      <h1>Spreadsheets with branches</h1>
      <p>
        Edit a workbook in a branch of its own, compare it, merge it after a review, and go back to
        any position of its history.
      </p>
      {error && <Fault error={error} />}
      <p class="actions">
        <button
          type="button"
          class="main"
          disabled={isBusy}
          onClick={() => begin(() => makeSample(service), 'Making a workbook…')}
        >
          Try it with a sample workbook
        </button>
        <button
          type="button"
          class="second"
          disabled={isBusy}
          onClick={() => begin(() => makeEmpty(service), 'Making a workbook…')}
        >
          New blank workbook
        </button>
        <FileStart
          isBusy={isBusy}
          onFile={(file) =>
            begin((told) => importBook(service, file, told), `Importing ${file.name}…`)
          }
        />
      </p>
      <MakingLine making={making} onStop={stop} />
      <p class="quiet">
        No account is needed. What you make belongs to this tab alone, until you sign in and claim
        it.
      </p>
      <p>
        <a href={loginPath()}>Sign in</a>
      </p>
      <KeyForm
        onKey={(key) => {
          credential.useKey(key);
          onEntered();
        }}
      />
    </main>
  );
}

interface FileParts {
  readonly isBusy: boolean;
  readonly onFile: (file: File) => void;
}

function FileStart({ isBusy, onFile }: FileParts) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="second"
        disabled={isBusy}
        onClick={() => picker.current?.click()}
      >
        Start with an .xlsx or .csv file
      </button>
      <input
        ref={picker}
        type="file"
        accept={importedEndings}
        hidden
        aria-label="File to start with"
        onChange={({ currentTarget: { files } }) => {
          if (files?.[0]) onFile(files[0]);
        }}
      />
    </>
  );
}

function KeyForm({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onKey(key.trim());
      }}
    >
      <p class="actions">
        <label for="key">Or use a key that you have</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button type="submit" class="second">
          Use the key
        </button>
      </p>
      <p class="quiet">The key stays in this tab until you close it.</p>
    </form>
  );
}
