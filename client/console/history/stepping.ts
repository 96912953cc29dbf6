import type { Service } from '../service.ts';
import { groupsOf, type Done } from './groups.ts';
import type { HistoryMark } from './history-marks.ts';

export interface Stepping {
  readonly book: string;
  readonly branch: string;
  /** Position of the slider. */
  readonly seq: number;
  readonly last: number;
  readonly marks: readonly HistoryMark[];
}

const stretch = 200;

/** Returns the position of the named version before or after a position; an end if there is none. */
export function versionBeside({ seq, last, marks }: Stepping, isBack: boolean): number {
  const versions = marks.filter(({ kind }) => kind === 'version').map((mark) => mark.seq);
  if (isBack) return versions.findLast((one) => one < seq) ?? 0;
  return versions.find((one) => one > seq) ?? last;
}

/** Returns the end of the group of operations before or after a position. */
export async function groupBeside(
  service: Service,
  { book, branch, seq, last, marks }: Stepping,
  isBack: boolean,
): Promise<number> {
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const from = isBack ? `before=${seq + 1}` : `after=${seq}`;
  const query = `${from}&payload=false&limit=${stretch}`;
  const { ops } = await service.ask<{ ops: readonly Done[] }>(`${path}?${query}`);
  const names = new Map(marks.map((mark) => [mark.seq, mark.name]));
  if (isBack) return Math.max(0, (groupsOf(ops, names)[0]?.first ?? seq) - 1);
  return groupsOf(ops.toReversed(), names).at(-1)?.last ?? last;
}

interface Leap {
  readonly by: 'group' | 'version';
  readonly isBack: boolean;
}

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Returns where a key of the slider leads that is no single step; undefined for other keys. */
export function leapOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): Leap | undefined {
  const isBack = key === 'ArrowLeft' || key === 'ArrowDown';
  if (altKey || (!isBack && key !== 'ArrowRight' && key !== 'ArrowUp')) return undefined;
  if (ctrlKey || metaKey) return { by: 'version', isBack };
  return shiftKey ? { by: 'group', isBack } : undefined;
}
