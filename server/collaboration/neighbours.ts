import { overlaps, parseRange, type Range } from '../model/range.ts';
import type { PresenceValue } from './presence-value.ts';

/** The cells where somebody is, of a sheet or of any. */
export interface Place {
  readonly sheet: string | undefined;
  readonly areas: readonly Range[];
}

/** Somebody who gets news of those whose place meets the viewport. */
interface Viewer {
  readonly presence: { readonly value: PresenceValue };
}

interface View<Some extends Viewer> {
  readonly sheet: string;
  readonly area: Range;
  readonly viewers: Some[];
}

/**
 * The cells where somebody is. In a full room everybody is held against every viewport, so that
 * texts are read beforehand.
 */
export function placeOf({ viewport, sheet, cell, ranges }: PresenceValue): Place {
  const texts = [viewport?.range, cell, ...(ranges ?? [])];
  const areas = texts.flatMap((text) => {
    const area = typeof text === 'string' ? parseRange(text) : undefined;
    return area ? [area] : [];
  });
  return { sheet: viewport?.sheet ?? sheet ?? undefined, areas };
}

/** Returns the viewports, each once with all who look at it; others see nobody. */
export function viewsOf<Some extends Viewer>(viewers: Iterable<Some>): View<Some>[] {
  const views = new Map<string, View<Some> | undefined>();
  for (const viewer of viewers) {
    const { viewport } = viewer.presence.value;
    if (!viewport) continue;
    const key = `${viewport.range} ${viewport.sheet}`;
    const area = views.has(key) ? undefined : parseRange(viewport.range);
    if (area) views.set(key, { sheet: viewport.sheet, area, viewers: [] });
    views.get(key)?.viewers.push(viewer);
  }
  return [...views.values()].filter((view) => view !== undefined);
}

/** Returns whether a viewport shows a place. */
export function shows(
  { sheet, area }: Pick<View<Viewer>, 'sheet' | 'area'>,
  place: Place,
): boolean {
  if (place.sheet !== undefined && place.sheet !== sheet) return false;
  return place.areas.some((one) => overlaps(one, area));
}
