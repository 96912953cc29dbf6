import type { DroppedList } from './imported-workbook.ts';

const onlyCells = 'only cells are kept';

/** Parts of the archive with content that a reader would miss. */
const lostParts: readonly (readonly [part: RegExp, what: string, why: string])[] = [
  [/(^|\/)charts?(ex)?\/chart(ex)?\d*\.xml$/i, 'charts', onlyCells],
  [/(^|\/)media\/[^/]+$/i, 'images', onlyCells],
  [/(^|\/)drawings\/drawing\d*\.xml$/i, 'drawings', onlyCells],
  [/(^|\/)pivottables\/[^/]+\.xml$/i, 'pivot tables', 'their last values are kept as cells'],
  [/(^|\/)externallinks\/[^/]+\.xml$/i, 'external links', 'other workbooks are not read'],
  [/(^|\/)vbaproject\.bin$/i, 'macros', 'macros are never kept or run'],
  [/(^|\/)(connections|querytables\/[^/]+)\.xml$/i, 'data connections', 'nothing is fetched'],
  [/(^|\/)slicers\/[^/]+\.xml$/i, 'slicers', onlyCells],
  [/(^|\/)model\/item\.data$/i, 'data model', 'Power Pivot data is not kept'],
  [/(^|\/)embeddings\/[^/]+$/i, 'embedded files', onlyCells],
];

/** Lists the content of parts that the import does not read. */
export function dropParts(
  names: readonly string[],
  kept: ReadonlySet<string>,
  dropped: DroppedList,
): void {
  for (const name of names) {
    if (kept.has(name.toLowerCase())) continue;
    for (const [part, what, why] of lostParts) if (part.test(name)) dropped.add(what, why);
  }
}
