import type { SheetSession } from './sheet-session.ts';

type Shown = Pick<SheetSession, 'isHead' | 'edits' | 'place'>;

/** Returns why nothing can be written here, and the remedy; undefined if it can. */
export function lockedBecause({ isHead, edits, place }: Shown): string | undefined {
  if (!isHead) return 'An older position is read only: branch from here to edit.';
  const { role, endCode, isGuarded, isArchived } = edits;
  if (endCode === 4410) return 'The workbook was purged.';
  if (endCode !== undefined && endCode !== 4401) return 'You cannot write here any more.';
  if (isArchived) return 'It is archived: it can be read, and written to once it is restored.';
  const mayWrite = role === undefined || role === 'owner' || role === 'editor';
  if (!mayWrite) return `You are a ${role}: you can read, and edit a branch of your own.`;
  if (!isGuarded) return undefined;
  return `${place.at.branch} is protected: branch from here, change that, and propose to merge it.`;
}
