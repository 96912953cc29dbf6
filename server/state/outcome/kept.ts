import { deletionsText, namedDeletions, type DeletedPart } from '../merge/named-deletions.ts';
import type { Choices, StoredChoice } from './stored-choice.ts';
import { digest } from './digest.ts';

type Sides = Parameters<typeof namedDeletions>[1];

/**
 * Digest of the deleted parts that the formula of a finding's cell refers to, for the choice
 * `keep`; undefined if it refers to none.
 */
export function keptSides(place: StoredChoice['place'], sides: Sides): string | undefined {
  const parts = deletionsAt(place, sides);
  return parts.length > 0 ? sidesOf(parts) : undefined;
}

/** Finds the deleted parts that a merge keeps, because a choice keeps them for a formula. */
export function keptBy(choices: Choices, sides: Sides): DeletedPart[] {
  const kept: DeletedPart[] = [];
  for (const { choice, place, sides: chosenFor } of choices.values()) {
    const parts = choice === 'keep' ? deletionsAt(place, sides) : [];
    if (parts.length > 0 && sidesOf(parts) === chosenFor) kept.push(...parts);
  }
  return kept;
}

function deletionsAt(place: StoredChoice['place'], sides: Sides): DeletedPart[] {
  const { sheetId, row, column } = place ?? {};
  if (sheetId === undefined || !row || !column) return [];
  return namedDeletions({ sheetId, row, column }, sides);
}

function sidesOf(parts: readonly DeletedPart[]): string {
  return digest(deletionsText(parts));
}
