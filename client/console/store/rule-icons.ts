/** Icon of a cell by a rule: its index in a set, from the lowest. */
export interface Icon {
  /** Name of the set in Excel: `3Arrows`. */
  readonly set: string;
  readonly rank: number;
  readonly count: number;
  /** True to hide the number itself. */
  readonly isAlone: boolean;
}

interface IconRule {
  readonly icons: string;
  readonly points: readonly { readonly above?: boolean | undefined }[];
  readonly reverse?: boolean | undefined;
  readonly showValue?: boolean | undefined;
}

/** Returns the icon of a number: the highest whose bound it reaches or exceeds. */
export function iconAt(
  value: unknown,
  bounds: readonly unknown[],
  { icons: set, points, reverse, showValue }: IconRule,
): Icon | undefined {
  if (typeof value !== 'number') return undefined;
  const count = points.length;
  const reached = points.findLastIndex(({ above }, index) => {
    const bound = bounds[index];
    return typeof bound === 'number' && (above === true ? value > bound : value >= bound);
  });
  const rank = Math.max(0, reached);
  return {
    set,
    rank: reverse === true ? count - 1 - rank : rank,
    count,
    isAlone: showValue === false,
  };
}
