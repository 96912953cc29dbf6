import { Failure, type FieldError } from '../model/failure.ts';
import type { WireInput } from '../model/input.ts';
import type { Conflict, MergeOutcome } from './computer.ts';
import { choicesFor, fitsFilter, isCell, type ConflictFilter } from './conflict-view.ts';
import type { StoredChoice } from './merge-record.ts';

export interface ResolutionRequest {
  readonly resolutions: readonly {
    readonly id: string;
    /** Null takes the choice back. */
    readonly choice: string | null;
    readonly input?: WireInput | undefined;
  }[];
  readonly bulk: readonly { readonly where: ConflictFilter; readonly choice: string | null }[];
}

interface Author {
  readonly by: string;
  readonly at: number;
}

/** The choices of a merge once a request was carried out, and how many of them it changed. */
export function resolved(
  before: Readonly<Record<string, StoredChoice>>,
  request: ResolutionRequest,
  { outcome, author }: { readonly outcome: MergeOutcome; readonly author: Author },
): { readonly choices: Record<string, StoredChoice>; readonly count: number } {
  const choices = { ...before };
  const errors: FieldError[] = [];
  let count = 0;
  const put = (conflict: Conflict, wanted: Wanted, pointer: string): void => {
    const choice = wanted.choice === null ? null : choiceOf(conflict, wanted);
    if (choice === undefined) {
      const taken = Object.keys(choicesFor(conflict.contest));
      if (isCell(conflict.contest)) taken.push('base', 'custom with an input');
      const message = `${conflict.contest.text} (${conflict.contest.kind}) takes ${taken.join(', ')}`;
      errors.push({ pointer, code: 'bad_choice', message });
      return;
    }
    count++;
    if (choice === null) delete choices[conflict.id];
    else choices[conflict.id] = { choice, sides: conflict.sides, ...author };
  };
  for (const [index, { where, choice }] of request.bulk.entries()) {
    for (const conflict of outcome.conflicts.values()) {
      if (fitsFilter(conflict, where, outcome)) put(conflict, { choice }, `/bulk/${index}/choice`);
    }
  }
  for (const [index, resolution] of request.resolutions.entries()) {
    const conflict = outcome.conflicts.get(resolution.id);
    const pointer = `/resolutions/${index}`;
    if (conflict) put(conflict, resolution, `${pointer}/choice`);
    else {
      const message = `the merge has no conflict ${resolution.id}`;
      errors.push({ pointer: `${pointer}/id`, code: 'bad_choice', message });
    }
  }
  if (errors.length > 0) throw badChoice(errors);
  return { choices, count };
}

interface Wanted {
  readonly choice: string | null;
  readonly input?: WireInput | undefined;
}

function choiceOf(
  { contest }: Conflict,
  { choice, input }: Wanted,
): StoredChoice['choice'] | undefined {
  if (choice === null) return undefined;
  if (isCell(contest) && choice === 'base') return 'base';
  if (isCell(contest) && choice === 'custom') return input === undefined ? undefined : { input };
  return choicesFor(contest)[choice];
}

function badChoice(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure('badChoice', {
    ...(first && { detail: `${first.message}.` }),
    hint: 'GET the conflicts of the merge: each lists its choices.',
    errors: errors.slice(0, 100),
  });
}
