import { browserTexts } from '../browser-storage.ts';

const storageKey = (origin: string) => `quire.checkpoint:${origin}`;

/** Returns the newest checkpoint of a log that this browser found right, as a signed note. */
export function seenCheckpoint(origin: string): string | undefined {
  return browserTexts.getItem(storageKey(origin)) ?? undefined;
}

/** Keeps a checkpoint that was found right, or that somebody wants to begin anew with. */
export function keepCheckpoint(origin: string, note: string): void {
  browserTexts.setItem(storageKey(origin), note);
}
