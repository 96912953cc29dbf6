import { useEffect, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { Problem, Unreachable } from '../service.ts';
import { tellBookChanged, useBookNews } from './book-news.ts';
import { useShell } from './context.ts';
import { ScreenLink } from './link.tsx';
import { useLoaded } from './loaded.ts';
import { tellBook } from './title.ts';
import { hintForPeople } from './words-for-people.ts';

interface Book {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
  readonly role?: string;
}

/** Time after which a service that did not answer is asked again. */
const againMs = 5_000;

type OfBook = Extract<Screen, { readonly book: string }>;

/** Frame of a workbook's screens: its name, and links to the other screens. */
export function BookFrame({ screen }: { screen: Screen }) {
  return 'book' in screen ? <Frame screen={screen} /> : null;
}

function Frame({ screen }: { screen: OfBook }) {
  const { service } = useShell();
  const { book } = screen;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<Book>(`/v1/workbooks/${book}`, { signal }),
    [book, screen.name],
  );
  useBookNews(again);
  useEffect(() => {
    if (!(error instanceof Unreachable)) return undefined;
    const timer = setTimeout(again, againMs);
    return () => clearTimeout(timer);
  }, [error]);
  const bookName = value?.name ?? '';
  useEffect(() => {
    tellBook(bookName);
    return () => tellBook('');
  }, [bookName]);
  const [fault, setFault] = useState<Error>();
  const change = (method: 'PATCH' | 'POST', path: string, body: unknown) => {
    setFault(undefined);
    service.ask(`/v1/workbooks/${book}${path}`, { method, body }).then(tellBookChanged, setFault);
  };
  const told = fault ?? error;
  return (
    <>
      <BookName
        name={value?.name}
        lockedBecause={value && whyNotRenamed(value)}
        onRename={(name) => change('PATCH', '', { name })}
      />
      <Places screen={screen} />
      {told && <Refused error={told} />}
      {value?.archived === true && (
        <p class="banner whole" role="status">
          <span>
            This workbook was archived by its owner, {value.namespace}
            {value.archivedAt !== null && `, ${new Date(value.archivedAt).toLocaleString()}`}: it
            can be read and not written to.
          </span>
          {value.role === 'owner' && (
            <button type="button" class="second" onClick={() => change('POST', '/restore', {})}>
              Restore it
            </button>
          )}
        </p>
      )}
    </>
  );
}

function Refused({ error }: { error: Error }) {
  const isGone = error instanceof Problem && error.status === 404;
  return (
    <p class="banner alarm whole" role="alert">
      {isGone
        ? 'This workbook was removed, or nobody has shared it with you.'
        : `${error.message} ${(error instanceof Problem && hintForPeople(error.hint)) || ''}`}
    </p>
  );
}

/** Returns why the reader cannot rename a workbook; undefined if they can. */
function whyNotRenamed({ archived, role }: Book): string | undefined {
  if (archived) return 'An archived workbook keeps its name: restore it first.';
  if (role === undefined || role === 'owner') return undefined;
  return `You are ${role === 'editor' ? 'an' : 'a'} ${role}: its owner renames it.`;
}

interface NameParts {
  readonly name: string | undefined;
  readonly lockedBecause: string | undefined;
  readonly onRename: (name: string) => void;
}

/** Name of the workbook, as a field for those who may rename it. */
function BookName({ name, lockedBecause, onRename }: NameParts) {
  const [typed, setTyped] = useState<string>();
  const send = () => {
    const wanted = typed?.trim();
    setTyped(undefined);
    if (wanted !== undefined && wanted !== '' && wanted !== name) onRename(wanted);
  };
  return (
    <input
      class="book-name"
      aria-label="Name of the workbook"
      readOnly={lockedBecause !== undefined}
      title={lockedBecause ?? 'Rename it here'}
      value={typed ?? name ?? ''}
      size={Math.max(8, (typed ?? name ?? '').length)}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onBlur={send}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setTyped(undefined);
      }}
    />
  );
}

function Places({ screen }: { screen: OfBook }) {
  const { book } = screen;
  const at = 'at' in screen ? screen.at : { branch: 'main' };
  const places: readonly (readonly [string, readonly Screen['name'][], Screen])[] = [
    ['Cells', ['sheet'], { name: 'sheet', book, at }],
    ['Compare', ['diff'], { name: 'diff', book, ...compared(screen) }],
    ['Merges', ['merges', 'review'], { name: 'merges', book }],
    ['Tables', ['tables', 'table'], { name: 'tables', book, ...at }],
    ['Matches', ['matches', 'match'], { name: 'matches', book }],
    ['Proof', ['proof'], { name: 'proof', book, ...at }],
    ['Share, settings', ['settings'], { name: 'settings', book }],
  ];
  return (
    <nav aria-label="Workbook" class="places">
      {places.map(([label, names, to]) => (
        <ScreenLink key={label} to={to} isCurrent={names.includes(screen.name)}>
          {label}
        </ScreenLink>
      ))}
    </nav>
  );
}

/** Returns the ends of a comparison with main for the shown branch or position. */
function compared(screen: OfBook): { readonly from: string; readonly to: string } {
  if (screen.name === 'diff') return { from: screen.from, to: screen.to };
  const { branch, seq } = 'at' in screen ? screen.at : { branch: 'main', seq: undefined };
  return { from: 'main', to: seq === undefined ? branch : `${branch}@${seq}` };
}
