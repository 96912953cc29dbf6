import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';

import { parseScreen, screenPath, type Screen } from '../address.ts';
import { BooksScreen } from '../books/books-screen.tsx';
import { Credential } from '../credential.ts';
import { DiffScreen } from '../diff/diff-screen.tsx';
import { MergesScreen } from '../merges/merges-screen.tsx';
import { ReviewScreen } from '../merges/review-screen.tsx';
import { Service } from '../service.ts';
import { SheetScreen } from '../sheet/sheet-screen.tsx';
import { ShellProvider, type Shell } from './context.ts';
import { lazy } from './lazy.tsx';
import { ScreenLink } from './link.tsx';
import { Overlays } from './overlays.tsx';
import { Welcome } from './welcome.tsx';

const ProofScreen = lazy(() => import('../proof/proof-screen.tsx'));

type Entry = 'asking' | 'out' | 'in';

/** The frame of all screens: who is signed in, and which screen the address names. */
export function App() {
  const credential = useMemo(() => new Credential(), []);
  const service = useMemo(() => new Service(baseUrl(), () => credential.key), []);
  const [screen, setScreen] = useState<Screen>(() => parseScreen(location));
  const [visit, setVisit] = useState(0);
  const [entry, setEntry] = useState<Entry>(() => (credential.key === undefined ? 'asking' : 'in'));
  useEffect(() => {
    const follow = () => {
      setScreen(parseScreen(location));
      setVisit((count) => count + 1);
    };
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);
  useEffect(() => {
    if (entry !== 'asking') return;
    credential.signIn().then(
      (isIn) => setEntry(isIn ? 'in' : 'out'),
      () => setEntry('out'),
    );
  }, [entry]);
  const go = useCallback<Shell['go']>((next, how) => {
    const path = screenPath(next);
    if (how?.replace === true) history.replaceState(null, '', path);
    else {
      history.pushState(null, '', path);
      setVisit((count) => count + 1);
    }
    setScreen(next);
  }, []);
  const signOut = useCallback(() => {
    credential.forget();
    setEntry('out');
  }, []);
  const shell = useMemo<Shell>(
    () => ({ service, credential, go, writer: writerName(), signOut }),
    [go, signOut],
  );
  return (
    <ShellProvider value={shell}>
      <header class="top">
        <ScreenLink to={{ name: 'books' }}>Quire</ScreenLink>
        <nav aria-label="Account">
          {entry === 'in' && <Overlays screen={screen} />}
          {entry === 'in' && (
            <button type="button" class="second" onClick={signOut}>
              {credential.isTyped ? 'Forget the key' : 'Leave'}
            </button>
          )}
        </nav>
      </header>
      {entry === 'out' && <Welcome onEntered={() => setEntry('in')} />}
      {entry === 'in' && <Current screen={screen} visit={visit} />}
    </ShellProvider>
  );
}

function Current({ screen, visit }: { screen: Screen; visit: number }) {
  useEffect(() => {
    document.title = `${titleOf(screen)} · Quire`;
  }, [screen]);
  switch (screen.name) {
    case 'books':
      return <BooksScreen />;
    case 'sheet':
      return (
        <SheetScreen
          key={`${screen.book} ${screen.at.branch} ${screen.at.seq}`}
          screen={screen}
          visit={visit}
        />
      );
    case 'diff':
      return <DiffScreen screen={screen} />;
    case 'merges':
      return <MergesScreen book={screen.book} />;
    case 'review':
      return <ReviewScreen key={screen.merge} book={screen.book} mergeId={screen.merge} />;
    case 'proof':
      return <ProofScreen screen={screen} />;
    case 'lost':
      return (
        <main class="page">
          <h1>There is no such page</h1>
          <p>
            <ScreenLink to={{ name: 'books' }}>All workbooks</ScreenLink>
          </p>
        </main>
      );
  }
}

function titleOf(screen: Screen): string {
  switch (screen.name) {
    case 'books':
      return 'Workbooks';
    case 'sheet':
      return screen.book;
    case 'diff':
      return `${screen.from} and ${screen.to} compared`;
    case 'merges':
      return `Merges of ${screen.book}`;
    case 'review':
      return 'A merge';
    case 'proof':
      return 'Proof';
    case 'lost':
      return 'Not found';
  }
}

/** The address of the workbook service, which may be another one than that of this page. */
function baseUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="quire-base-url"]');
  return meta?.content ?? location.origin;
}

/** One name for each tab, so that its operations are told from those of others. */
function writerName(): string {
  const known = sessionStorage.getItem('quire.writer');
  if (known !== null) return known;
  const made = `console-${crypto.randomUUID().slice(0, 8)}`;
  sessionStorage.setItem('quire.writer', made);
  return made;
}
