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
  /** Icons of any sets for the points; null is none. */
  readonly own?: readonly ({ readonly set: string; readonly index: number } | null)[] | undefined;
  readonly points: readonly { readonly above?: boolean | undefined }[];
  readonly reverse?: boolean | undefined;
  readonly showValue?: boolean | undefined;
}

/** Returns the icon of a number: the highest whose bound it reaches or exceeds. */
export function iconAt(
  value: unknown,
  bounds: readonly unknown[],
  { icons, own, points, reverse, showValue }: IconRule,
): Icon | undefined {
  if (typeof value !== 'number') return undefined;
  const count = points.length;
  const reached = points.findLastIndex(({ above }, index) => {
    const bound = bounds[index];
    return typeof bound === 'number' && (above === true ? value > bound : value >= bound);
  });
  const rank = reverse === true ? count - 1 - Math.max(0, reached) : Math.max(0, reached);
  const isAlone = showValue === false;
  if (own === undefined) return { set: icons, rank, count, isAlone };
  const chosen = own[rank];
  if (!chosen) return undefined;
  const { set, index } = chosen;
  return { set, rank: index, count: Math.max(index + 1, Number(set.slice(0, 1)) || 0), isAlone };
}
