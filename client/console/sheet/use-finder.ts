import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import {
  beginFinding,
  cellsPerPage,
  findMore,
  nameOfFinding,
  type Finding,
  type FindWays,
  type Found,
} from './search.ts';
import type { SheetSession } from './sheet-session.ts';

/** Matches after which the search pauses until somebody goes further. */
const foundAtOnce = 1_000;

/** Called for each page, with the number of earlier matches. */
type PageSight = (found: Finding, had: number) => void;

interface FinderParts {
  readonly session: SheetSession;
  readonly text: string;
  readonly ways: FindWays;
  readonly onGo: (cell: Found) => void;
}

/** Searches page by page to the end, until it is stopped. */
export function useFinder({ session, text, ways, onGo }: FinderParts) {
  const [, setRound] = useState(0);
  const [current, setCurrent] = useState(0);
  const [isLooking, setLooking] = useState(false);
  const [error, setError] = useState<Error>();
  const abort = useRef<AbortController | undefined>(undefined);
  const kept = useRef<Finding | undefined>(undefined);
  const stop = () => abort.current?.abort();
  const of = nameOfFinding(session.source, text, ways);
  const known = () => (kept.current?.of === of ? kept.current : undefined);
  const keep = (found: Finding) => {
    kept.current = found;
    setRound((count) => count + 1);
  };
  const finding = known();
  const cells = finding?.cells ?? [];
  // Another text or place, or closing the bar, ends the search.
  useLayoutEffect(() => stop, [of]);
  const goTo = (found: Finding, index: number) => {
    setCurrent(index);
    const cell = found.cells[index];
    if (cell) onGo(cell);
  };
  /** Searches until there are enough matches, with a call for each page. */
  const look = async (most: number, onPage: PageSight): Promise<Finding> => {
    stop();
    const { signal } = (abort.current = new AbortController());
    const isBlank = finding?.next === null && cells.length === 0;
    let found = (isBlank ? undefined : known()) ?? beginFinding(session.source, text, ways);
    setError(undefined);
    setLooking(true);
    try {
      while (found.next !== null && found.cells.length < most) {
        const had = found.cells.length;
        found = await findMore(session.service, found, signal);
        keep(found);
        onPage(found, had);
      }
    } catch (fault) {
      if (!signal.aborted) setError(fault as Error);
    }
    if (abort.current.signal === signal) setLooking(false);
    return found;
  };
  /** Moves to the first new match, or back to the first of all. */
  const lookOn = async (first: number) => {
    const found = await look(cells.length + foundAtOnce, (page, had) => {
      if (had <= first && page.cells.length > first) goTo(page, first);
    });
    if (found.next === null && found.cells.length <= first) goTo(found, 0);
  };
  const step = (count: 1 | -1) => {
    if (text === '') return;
    const next = cells.length === 0 ? 0 : current + count;
    const isBehind = next >= cells.length && (cells.length === 0 || finding?.next !== null);
    if (isBehind && !isLooking) void lookOn(next);
    else if (finding && cells.length > 0) goTo(finding, (next + cells.length) % cells.length);
  };
  const drop = (chosen: readonly Found[]) => {
    const found = known();
    if (!found) return;
    const left = without(found, chosen);
    keep(left);
    goTo(left, 0);
  };
  const findAll = async (most: number) => (await look(most, () => undefined)).cells;
  const told = toldOf(finding, current, isLooking);
  return { cells, current, error, isLooking, told, step, stop, drop, findAll };
}

function without(finding: Finding, chosen: readonly Found[]): Finding {
  const places = new Set(chosen.map(placeOf));
  return { ...finding, cells: finding.cells.filter((cell) => !places.has(placeOf(cell))) };
}

function placeOf({ sheet, row, column }: Found): string {
  return `${row}:${column}:${sheet}`;
}

function toldOf(finding: Finding | undefined, current: number, isLooking: boolean): string {
  if (!finding) return isLooking ? 'Looking…' : '';
  const { length } = finding.cells;
  const looked = `${(finding.pageCount * cellsPerPage).toLocaleString()} cells are looked through`;
  const place = length === 0 ? '' : `${current + 1} of ${length.toLocaleString()}`;
  if (finding.next === null) return place || 'Nothing is found.';
  const soFar = place === '' ? 'Nothing yet' : `${place} so far`;
  return isLooking ? `${soFar}, ${looked}…` : `${soFar}, ${looked}: Next goes on.`;
}
