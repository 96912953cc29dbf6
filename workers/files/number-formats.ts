/**
 * Number formats that files only name by id, in en-US: ECMA-376 part 1, 18.8.30. The standard has
 * no text for ids 5 to 8 and 41 to 44; these are what Excel en-US shows.
 */
const builtInFormats: ReadonlyMap<number, string> = new Map([
  [0, 'General'],
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '"$"#,##0_);("$"#,##0)'],
  [6, '"$"#,##0_);[Red]("$"#,##0)'],
  [7, '"$"#,##0.00_);("$"#,##0.00)'],
  [8, '"$"#,##0.00_);[Red]("$"#,##0.00)'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'm/d/yyyy'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yyyy h:mm'],
  [37, '#,##0_);(#,##0)'],
  [38, '#,##0_);[Red](#,##0)'],
  [39, '#,##0.00_);(#,##0.00)'],
  [40, '#,##0.00_);[Red](#,##0.00)'],
  [41, '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)'],
  [42, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'],
  [43, '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'],
  [44, '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);

const builtInIds: ReadonlyMap<string, number> = new Map(
  [...builtInFormats].map(([id, code]) => [code, id]),
);

/** First id of a file's own formats. */
export const firstCustomFormatId = 164;

/** Ids of formats of East Asia and of Thailand, by the en-US ones as which Excel reads them there. */
const localIds: ReadonlyMap<number, number> = new Map(
  (
    [
      [14, [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58, 71, 72]],
      [21, [32, 33, 34, 35, 77]],
      [1, [59]],
      [2, [60]],
      [3, [61]],
      [4, [62]],
      [9, [67]],
      [10, [68]],
      [12, [69]],
      [13, [70]],
      [15, [73]],
      [16, [74]],
      [17, [75]],
      [20, [76]],
      [22, [78]],
      [45, [79]],
      [46, [80]],
      [47, [81]],
    ] as const
  ).flatMap(([known, local]) => local.map((id): [number, number] => [id, known])),
);

/** Returns the code of a built-in id; ids that no locale has are General. */
export function builtInFormat(id: number): string {
  return builtInFormats.get(localIds.get(id) ?? id) ?? 'General';
}

export function builtInFormatId(code: string): number | undefined {
  return builtInIds.get(code);
}
