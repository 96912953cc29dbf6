import type { StyleColor } from '../../../server/model/payload-rules.ts';
import type { Color } from './block-store.ts';

/** A bar in a cell, from its left edge, as a share of its width. */
export interface Bar {
  readonly share: number;
  readonly color: Color;
  /** True to hide the number itself. */
  readonly isAlone: boolean;
}

interface BarRule {
  readonly color: StyleColor;
  readonly showValue?: boolean | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

/** Returns the colour of a number on a scale of two or three colours. */
export function shadeAt(
  value: unknown,
  bounds: readonly unknown[],
  points: readonly { readonly color: StyleColor }[],
): Color | undefined {
  const numbers = bounds.filter((bound) => typeof bound === 'number');
  if (typeof value !== 'number' || numbers.length !== points.length) return undefined;
  const above = numbers.findIndex((bound) => value <= bound);
  if (above === 0) return points[0]?.color as Color;
  if (above < 0) return points.at(-1)?.color as Color;
  const [low = 0, high = 0] = [numbers[above - 1], numbers[above]];
  return mixed(points[above - 1]?.color, points[above]?.color, (value - low) / (high - low));
}

/** Returns the bar of a number between the shortest and the longest. */
export function shareAt(value: unknown, [low, high]: readonly unknown[], rule: BarRule) {
  if (typeof value !== 'number' || typeof low !== 'number' || typeof high !== 'number') {
    return undefined;
  }
  const { minLength = 0, maxLength = 100, color, showValue } = rule;
  const part = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 1;
  const share = (minLength + (maxLength - minLength) * part) / 100;
  return { share, color: color as Color, isAlone: showValue === false };
}

/** Mixes two colours; of theme colours, which do not mix here, it takes the nearer one. */
function mixed(from: StyleColor | undefined, to: StyleColor | undefined, share: number) {
  if (typeof from !== 'string' || typeof to !== 'string') {
    return (share < 0.5 ? from : to) as Color | undefined;
  }
  const channel = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  const parts = [1, 3, 5].map((at) => {
    const [one, other] = [channel(from, at), channel(to, at)];
    return Math.round(one + (other - one) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
