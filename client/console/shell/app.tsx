import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { tabTexts } from '../browser-storage.ts';
import { parseScreen, positionText, screenPath, type Screen } from '../address.ts';
import { bookOf, type Entry } from '../palette/entries.ts';
import { BooksScreen } from '../books/books-screen.tsx';
import { Service, silent, Unreachable } from '../service.ts';
import { KeptTexts } from '../store/kept-texts.ts';
import { SheetPlace } from '../sheet/sheet-place.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ShellProvider, type Shell } from './context.ts';
import { BookFrame } from './book-frame.tsx';
import { useEntry } from './entry.ts';
import { Fault } from './fault.tsx';
import { lazy } from './lazy.tsx';
import { ScreenLink } from './link.tsx';
import { Overlays } from './overlays.tsx';
import { Waiting } from './waiting.tsx';
import { tellScreen } from './title.ts';
import { Welcome } from './welcome.tsx';

const ProofScreen = lazy(() => import('../proof/proof-screen.tsx'));
const DiffScreen = lazy(() => import('../diff/diff-screen.tsx'));
const MergesScreen = lazy(() => import('../merges/merges-screen.tsx'));
const ReviewScreen = lazy(() => import('../merges/review-screen.tsx'));
const TablesScreen = lazy(() => import('../tables/tables-screen.tsx'));
const TableScreen = lazy(() => import('../tables/table-screen.tsx'));
const MatchesScreen = lazy(() => import('../matches/matches-screen.tsx'));
const MatchScreen = lazy(() => import('../matches/match-screen.tsx'));
const SettingsScreen = lazy(() => import('../settings/settings-screen.tsx'));
const LogScreen = lazy(() => import('../log/log-screen.tsx'));
const UsageScreen = lazy(() => import('../usage/usage-screen.tsx'));

/** Frame of all screens: shows who is signed in, and the screen of the address. */
export function App() {
  const { credential, entry, setEntry, signOut, fault, isRefused, setRefused } = useEntry();
  const texts = useMemo(() => new KeptTexts(), []);
  const service = useMemo(() => new Service(baseUrl(), credential, setRefused), []);
  const [screen, showScreen] = useState<Screen>(() => parseScreen(location));
  const latest = useRef(screen);
  const setScreen = useCallback((next: Screen) => {
    latest.current = next;
    showScreen(next);
  }, []);
  const [visit, setVisit] = useState(0);
  useEffect(() => {
    const follow = () => {
      setScreen(parseScreen(location));
      setVisit((count) => count + 1);
    };
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);
  const go = useCallback<Shell['go']>((next) => {
    history.pushState(null, '', screenPath(next));
    setVisit((count) => count + 1);
    setScreen(next);
  }, []);
  const change = useCallback<Shell['change']>((edit) => {
    const next = edit(latest.current);
    history.replaceState(null, '', screenPath(next));
    setScreen(next);
  }, []);
  const [offered, offer] = useState<readonly Entry[]>([]);
  const shell = useMemo<Shell>(
    () => ({
      service,
      credential,
      texts,
      go,
      change,
      signOut,
      offer,
      writer: writerName(),
      isOut: isRefused,
    }),
    [go, signOut, entry, isRefused],
  );
  return (
    <ShellProvider value={shell}>
      <header class="top">
        <ScreenLink to={{ name: 'books' }} name="brand">
          Quire
        </ScreenLink>
        {entry === 'in' && <BookFrame key={bookOf(screen)} screen={screen} />}
        <nav aria-label="Account">
          {entry === 'in' && <Overlays screen={screen} offered={offered} />}
          {entry === 'in' && <AccountMenu credential={credential} onLeave={signOut} />}
        </nav>
      </header>
      {fault && <Fault error={fault} again={signOut} />}
      {entry === 'asking' && <Asking />}
      {entry === 'lost' && <NoService onAgain={() => setEntry('asking')} />}
      {entry === 'out' && <Welcome onEntered={() => setEntry('in')} />}
      {entry === 'in' && <Current screen={screen} visit={visit} />}
    </ShellProvider>
  );
}

function Asking() {
  return (
    <main class="page">
      <Waiting label="The console is on the way" />
    </main>
  );
}

function NoService({ onAgain }: { onAgain: () => void }) {
  return (
    <main class="page">
      <h1>Nobody answers</h1>
      <Fault error={new Unreachable(silent)} again={onAgain} />
    </main>
  );
}

function Current({ screen, visit }: { screen: Screen; visit: number }) {
  useEffect(() => tellScreen(titleOf(screen)), [screen]);
  switch (screen.name) {
    case 'books':
      return <BooksScreen />;
    case 'usage':
      return <UsageScreen />;
    case 'log':
      return <LogScreen />;
    case 'lost':
      return <Lost />;
    case 'sheet':
      return (
        <SheetPlace key={`${screen.book} ${screen.at.branch}`} screen={screen} visit={visit} />
      );
    default:
      return <OfBook screen={screen} />;
  }
}

type BookScreen = Exclude<Screen, { name: 'books' | 'usage' | 'log' | 'lost' | 'sheet' }>;

function OfBook({ screen }: { screen: BookScreen }) {
  const { book } = screen;
  switch (screen.name) {
    case 'diff':
      return <DiffScreen key={`${screen.from} ${screen.to}`} screen={screen} />;
    case 'merges':
      return <MergesScreen book={book} />;
    case 'review':
      return <ReviewScreen key={screen.merge} book={book} mergeId={screen.merge} />;
    case 'tables':
      return <TablesScreen screen={screen} />;
    case 'table':
      return <TableScreen key={`${screen.table} ${positionText(screen.at)}`} screen={screen} />;
    case 'matches':
      return <MatchesScreen book={book} />;
    case 'match':
      return <MatchScreen key={screen.match} screen={screen} />;
    case 'settings':
      return <SettingsScreen book={book} />;
    case 'proof':
      return <ProofScreen screen={screen} />;
  }
}

function Lost() {
  return (
    <main class="page">
      <h1>There is no such page</h1>
      <p>
        <ScreenLink to={{ name: 'books' }}>All workbooks</ScreenLink>
      </p>
    </main>
  );
}

const titles: Readonly<Record<Exclude<Screen['name'], 'sheet' | 'diff'>, string>> = {
  books: 'Workbooks',
  usage: 'Usage',
  merges: 'Merges',
  review: 'A merge',
  tables: 'Tables',
  table: 'A table',
  matches: 'Matches',
  match: 'A match',
  settings: 'Settings',
  proof: 'Proof',
  log: 'Transparency log',
  lost: 'Not found',
};

function titleOf(screen: Screen): string {
  if (screen.name === 'sheet') return `${screen.sheet ?? 'Cells'} ${positionText(screen.at)}`;
  if (screen.name === 'diff') return `${screen.from} and ${screen.to} compared`;
  return titles[screen.name];
}

/** Returns the address of the workbook service, which may differ from that of this page. */
function baseUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="quire-base-url"]');
  return meta?.content ?? location.origin;
}

/** Returns the writer's name of this tab, so that its operations are distinguishable. */
function writerName(): string {
  const known = tabTexts.getItem('quire.writer');
  if (known !== null) return known;
  const made = `console-${crypto.randomUUID().slice(0, 8)}`;
  tabTexts.setItem('quire.writer', made);
  return made;
}
