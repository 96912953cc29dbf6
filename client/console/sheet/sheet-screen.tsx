import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import type { AssistEvents } from '../formula/assist.ts';
import type { PointingField } from '../grid/grid-events.ts';
import type { Grid } from '../grid/grid.ts';
import { selectionName, selectionOf, type Selection } from '../grid/selection.ts';
import { Problem, Unreachable } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { BranchMenu } from './branch-menu.tsx';
import type { HistoryFilter } from '../history/history-filters.tsx';
import { BesidePanel, useBeside } from './beside.tsx';
import type { MenuPlace } from './context-menu.tsx';
import { Faces } from './faces.tsx';
import { useFollowing, type Following } from './following.ts';
import { FormatBar } from './format-bar.tsx';
import { FormulaBar } from './formula-bar.tsx';
import { isNotThere, Notices, NotThere } from './notices.tsx';
import { OthersTold } from './others-told.tsx';
import { Panel, type PanelName } from './panels.tsx';
import { peersOn } from './peers.ts';
import { SheetFoot } from './sheet-foot.tsx';
import { SheetSession } from './sheet-session.ts';
import { statusText } from './status-text.ts';
import { useInput } from './use-input.ts';
import { navigationOf } from './navigation.ts';
import { selectionFrom, useGrid, vocabularyOf, type SheetAddress } from './use-grid.ts';

/** Time after which a service that did not answer is asked again. */
const againMs = 3_000;

interface ScreenParts {
  readonly screen: SheetAddress;
  /** Number of visits to this screen: by a link, the palette or Back. */
  readonly visit: number;
  /** Called with the newest known position of the branch; undefined if there is no such branch. */
  readonly onHead: (head: number | undefined) => void;
  /** Filter of the history, which stays while positions change. */
  readonly filter: HistoryFilter;
}

/** Screen of the cells of a branch or of an older position, with everything to edit them. */
export function SheetScreen({ screen, visit, onHead, filter }: ScreenParts) {
  const [error, setError] = useState<Error>();
  const [selection, setSelection] = useState<Selection>(() => selectionFrom(screen.cell));
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | undefined>(undefined);
  const kept = useRef(new Map<string, Selection>());
  const pointing = useRef<PointingField | undefined>(undefined);
  const session = useSession({ screen, grid, kept, pointing }, setError);
  useRecovery(session, setError);
  const inputs = useRef(new Map<string, string>());
  const input = useInput({ session, selection, inputs, setError, grid });
  useAddress(screen, session, selection);
  const [zoom, setZoom] = useState(1);
  const [typed, setTyped] = useState<string>();
  const { panel, menu, setPanel, setMenu, focus, close } = usePanels({ grid, pointing });
  const beside = useBeside(focus);
  const open = (name: PanelName) => (name === 'beside' ? beside.comment() : setPanel(name));
  const set = { setSelection, setPanel: open, setTyped, setMenu, setZoom };
  useGrid({ session, grid, kept, host, inputs, selection, pointing, ...set });
  useVisit({ screen, visit, session, grid }, setError);
  usePeers(session, grid);
  const following = useFollowing({ session, grid, host, setError });
  const navigation = navigationOf({ session, grid, setSelection, focus, setError });
  const isGone = isNotThere(session, error);
  useEffect(() => onHead(isGone ? undefined : session.head), [isGone, session.head]);
  if (isGone) return <NotThere screen={screen} error={error} />;
  return (
    <main class="sheet">
      <h1 class="visually-hidden">{session.sheet?.name ?? 'Sheet'}</h1>
      <Toolbar book={screen.book} {...{ session, following, error }} />
      <FormatBar session={session} selection={selection} onDone={focus} onOpen={open} />
      <Notices
        session={session}
        screen={screen}
        error={error}
        onGo={navigation.reachOn}
        onEdit={navigation.edit}
      />
      <FormulaBar
        name={selectionName(selection)}
        input={typed ?? input.text}
        isLocked={session.lockedBecause !== undefined}
        isKnown={typed !== undefined || input.isKnown}
        words={wordsOf(session, grid)}
        pointing={pointing}
        onGo={navigation.goTo}
        place={{ sheet: session.sheet, cell: selection.active }}
        onEnter={navigation.enter}
        onLeave={focus}
      />
      <Panel
        name={panel}
        {...{ menu, session, selection }}
        onGo={navigation.reach}
        onPasted={navigation.select}
        onOpen={open}
        onClose={close}
      />
      <div class="cells">
        <div class="grid" ref={host} />
        <BesidePanel
          {...{ screen, session, selection, filter }}
          onOpen={open}
          onClose={beside.close}
        />
      </div>
      <SheetFoot {...{ session, selection, zoom, navigation }} onLeave={focus} />
    </main>
  );
}

function wordsOf(
  session: SheetSession,
  grid: { readonly current: Grid | undefined },
): AssistEvents {
  return {
    vocabulary: (onMore) => vocabularyOf(session, onMore),
    onReferences: (references) => {
      session.formulas.ofBar = references;
      grid.current?.draw();
    },
  };
}

interface Focusable {
  readonly grid: { readonly current: Grid | undefined };
  readonly pointing: { readonly current: PointingField | undefined };
}

/** Panels and the context menu, of which at most one is open; the focus returns to the cells. */
function usePanels({ grid, pointing }: Focusable) {
  const [panel, setPanel] = useState<PanelName>();
  const [menu, setMenu] = useState<MenuPlace>();
  // A formula that is typed in the bar keeps the focus.
  const focus = () => {
    const goal = pointing.current ?? grid.current;
    if (goal) goal.focus();
    // Without a grid yet, keys are noted for it while no field has the focus.
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const close = () => {
    setPanel(undefined);
    setMenu(undefined);
    focus();
  };
  return { panel, menu, setPanel, setMenu, focus, close };
}

function usePeers(session: SheetSession, grid: { readonly current: Grid | undefined }): void {
  const { peers, sheet } = session;
  const others = useMemo(() => peersOn(peers, sheet?.name), [peers, sheet]);
  useEffect(() => grid.current?.showPeers(others), [others]);
}

interface SessionParts {
  readonly screen: SheetAddress;
  readonly grid: { readonly current: Grid | undefined };
  /** Last selection on each sheet, by the id of the sheet. */
  readonly kept: { readonly current: ReadonlyMap<string, Selection> };
  readonly pointing: Focusable['pointing'];
}

/** Opens a session for the position of the screen; draws and renders after each change. */
function useSession(
  { screen, grid, kept, pointing }: SessionParts,
  setError: (error: Error | undefined) => void,
): SheetSession {
  const { service, texts, writer } = useShell();
  const [, setRound] = useState(0);
  const session = useMemo(() => {
    const place = { workbookId: screen.book, at: screen.at, sheet: screen.sheet, writer };
    const made: SheetSession = new SheetSession({ service, texts }, place, {
      onSheet: () => {
        const selection = kept.current.get(made.sheet?.id ?? '') ?? selectionOf(0, 0);
        if (made.shape) grid.current?.turnTo(made.shape, selection);
      },
      onChange: () => {
        grid.current?.draw();
        setRound((count) => count + 1);
      },
      onShift: (shifts) => grid.current?.shift(shifts),
    });
    return made;
  }, []);
  // A typed text is entered when the screen is left.
  const enter = () => {
    pointing.current?.commit();
    grid.current?.enter();
  };
  useEffect(() => {
    const abort = new AbortController();
    void openUntil(session, setError, abort.signal);
    return () => {
      abort.abort();
      enter();
      session.close();
    };
  }, []);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      enter();
      if (session.waitingCount > 0 && !session.edits.isStored) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
  return session;
}

/** Opens a session as soon as the service answers; meanwhile the page tells that it does not. */
async function openUntil(
  session: SheetSession,
  setError: (error: Error | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  do {
    try {
      await session.open();
      return setError(undefined);
    } catch (fault) {
      if (!signal.aborted) setError(fault as Error);
      if (!isAway(fault)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, againMs));
  } while (!signal.aborted);
}

/** Returns whether a failure passes by itself: the service does not answer, or has an error. */
function isAway(fault: unknown): boolean {
  return fault instanceof Problem ? fault.status >= 500 : fault instanceof Unreachable;
}

/** Forgets that the service did not answer once it answers again. */
function useRecovery(
  { edits: { state } }: SheetSession,
  setError: (change: (error: Error | undefined) => Error | undefined) => void,
): void {
  useEffect(() => {
    if (state === 'live') setError((error) => (error instanceof Unreachable ? undefined : error));
  }, [state]);
}

interface VisitParts {
  readonly screen: SheetAddress;
  /** Number of visits to this screen: by a link, the palette or Back. */
  readonly visit: number;
  readonly session: SheetSession;
  readonly grid: { readonly current: Grid | undefined };
}

/** Moves to the sheet and cells of the address at each visit. */
function useVisit(
  { screen, visit, session, grid }: VisitParts,
  setError: (error: Error) => void,
): void {
  useEffect(() => {
    if (!grid.current || !session.sheet) return;
    const select = () => {
      grid.current?.select(selectionFrom(screen.cell));
      grid.current?.focus();
    };
    const isShown = screen.sheet === undefined || screen.sheet === session.sheet.name;
    if (isShown) select();
    else {
      const way = session.choose(screen.sheet).then(select, setError);
      grid.current.lead(way);
    }
  }, [visit]);
}

/** Keeps sheet and selection in the address of the page. */
function useAddress(screen: SheetAddress, session: SheetSession, selection: Selection): void {
  const { change } = useShell();
  const cell = selectionName(selection);
  const sheet = session.sheet?.name;
  const tell = () => {
    if (sheet === undefined) return;
    // The screen, or another part of the address, may have changed meanwhile.
    const place = `${screen.book} ${positionText(screen.at)}`;
    change((now) => {
      const isHere = now.name === 'sheet' && `${now.book} ${positionText(now.at)}` === place;
      return isHere ? { ...now, sheet, cell } : now;
    });
  };
  // A page that is loaded anew at once shows the sheet that was chosen last.
  useLayoutEffect(tell, [sheet]);
  useEffect(tell, [cell]);
}

interface ToolbarParts {
  readonly book: string;
  readonly session: SheetSession;
  readonly following: Following;
  readonly error: Error | undefined;
}

function Toolbar({ book, session, following, error }: ToolbarParts) {
  const { at } = session.place;
  const { isOut, credential } = useShell();
  const isUnopened = error !== undefined && !session.sheet && !isAway(error);
  return (
    <div class="bar">
      <BranchMenu
        book={book}
        at={at}
        head={session.head}
        onGuarded={(isGuarded) => session.edits.guard(isGuarded)}
      />
      <span class="quiet" role="status">
        {statusText(session, { isOut, isKeyTyped: credential.isTyped, isUnopened })}
      </span>
      <span class="quiet" role="status">
        {session.clipboard.told}
      </span>
      {session.clipboard.takeBack && (
        <button type="button" class="second" onClick={session.clipboard.takeBack}>
          Bring it back
        </button>
      )}
      <Faces peers={session.peers} following={following} />
      <OthersTold session={session} />
    </div>
  );
}
