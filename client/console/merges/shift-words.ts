interface OfKind {
  readonly kind: string;
  readonly subtype?: string;
}

/** Returns whether a conflict is about cells that each side shifted in its way. */
export function isShift({ kind, subtype }: OfKind): boolean {
  return kind === 'range.move' && subtype === 'shift';
}

/** Directions by the words of an operation: where cells go, and which go there. */
const directions: Readonly<Record<string, readonly [where: string, which: string]>> = {
  down: ['down', 'below'],
  right: ['to the right', 'to the right of it'],
  up: ['up', 'below'],
  left: ['to the left', 'to the right of them'],
};

/** Says what a side did, from `range.insert Plan!F1:F2 down`; undefined for other texts. */
export function shiftWords(value: unknown): string | undefined {
  const found = /^range\.(insert|delete) (?:(.+) )?(down|right|up|left)$/u.exec(String(value));
  if (!found) return undefined;
  const [, done, place, direction = ''] = found;
  const [where, which] = directions[direction] ?? [direction, 'behind them'];
  // A sheet that is gone has no place any more.
  return done === 'insert'
    ? `inserted cells${place ? ` at ${place}` : ''}: what was there and ${which} went ${where}`
    : `deleted ${place ? `the cells ${place}` : 'cells'}: what was ${which} came ${where}`;
}

/** Says what the choice between two shifts means. */
export const shiftChoice =
  'Both cannot be done. The one that is taken is done for both branches; the other one is taken back, so that its cells stay where they were. Whatever else that branch wrote is kept, in the cells where it wrote it.';
