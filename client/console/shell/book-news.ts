import { useEffect } from 'preact/hooks';

const kind = 'quire:book';

/** Tells all parts of the page that the workbook was archived, restored or changed otherwise. */
export function tellBookChanged(): void {
  window.dispatchEvent(new Event(kind));
}

/** Calls `again` whenever a part of the page has told of a change. */
export function useBookNews(again: () => void): void {
  useEffect(() => {
    window.addEventListener(kind, again);
    return () => window.removeEventListener(kind, again);
  }, [again]);
}
