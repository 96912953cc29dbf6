import type { KeptContent, OpenArchive } from './kept-archive.ts';
import type { KeptChartSheet, KeptChoice, KeptPart } from './kept-manifest.ts';

export interface WrittenChartSheet extends Pick<
  KeptChartSheet,
  'name' | 'part' | 'hidden' | 'isSelected'
> {
  /** Number of worksheets before it. */
  readonly before: number;
}

/** Parts of the imported file as an export writes them. */
export interface KeptSource {
  readonly parts: readonly KeptPart[];
  /** Returns the content of a part. */
  content(part: KeptPart): KeptContent;
  /** Parts of drawings, by the index of their sheet. */
  readonly drawings: ReadonlyMap<number, string>;
  readonly chartSheets: readonly WrittenChartSheet[];
}

export const nothingKept: KeptSource = {
  parts: [],
  content: () => {
    throw new Error('nothing is kept');
  },
  drawings: new Map(),
  chartSheets: [],
};

/** Opens the chosen drawings and chart sheets of an archive, with all parts that they need. */
export function keptSource(archive: OpenArchive, choice: KeptChoice): KeptSource {
  const { manifest } = archive;
  const wanted = new Set<number>();
  const drawings = new Map<number, string>();
  for (const [sheet, index] of choice.drawings) {
    const drawing = manifest.drawings[index];
    if (!drawing) continue;
    drawings.set(sheet, drawing.part);
    for (const part of drawing.parts) wanted.add(part);
  }
  const chartSheets = choice.chartSheets.flatMap(({ index, before }) => {
    const sheet = manifest.chartSheets[index];
    for (const part of sheet?.parts ?? []) wanted.add(part);
    return sheet ? [{ ...sheet, before }] : [];
  });
  const places = new Map<KeptPart, number>();
  for (const place of [...wanted].sort((a, b) => a - b)) {
    const part = manifest.parts[place];
    if (part) places.set(part, place);
  }
  const content = (part: KeptPart): KeptContent => archive.content(places.get(part) ?? -1);
  return { parts: [...places.keys()], content, drawings, chartSheets };
}
