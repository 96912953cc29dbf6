import type { FormatRule } from '../../server/model/payload-rules.ts';

export type IconRule = Extract<FormatRule, { type: 'iconSet' }>;
type Point = IconRule['points'][number];

/** Icon sets that every program knows; the digit is their number of icons. */
const iconSets =
  /^(?:3(?:Arrows(?:Gray)?|Flags|TrafficLights[12]|Signs|Symbols2?)|4(?:Arrows(?:Gray)?|RedToBlack|Rating|TrafficLights)|5(?:Arrows(?:Gray)?|Rating|Quarters))$/u;
/** Icon sets of newer programs. */
const newerSets = /^(?:3(?:Stars|Triangles)|5Boxes)$/u;

function isSet(name: string): boolean {
  return iconSets.test(name) || newerSets.test(name);
}

function attributesOf({ icons, reverse, showValue }: IconRule): string {
  const hidden = showValue === false ? ' showValue="0"' : '';
  return ` iconSet="${icons}"${hidden}${reverse === true ? ' reverse="1"' : ''}`;
}

/** Returns the content of a rule that every program reads; undefined if a file cannot hold it. */
export function iconContent(
  rule: IconRule,
  anchor: (point: Point) => string,
): { readonly attributes: string; readonly inner: string } | undefined {
  const { icons, own, points } = rule;
  const isPlain = own === undefined && iconSets.test(icons);
  if (!isPlain || Number(icons.slice(0, 1)) !== points.length) return undefined;
  const inner = `<iconSet${attributesOf(rule)}>${points.map(anchor).join('')}</iconSet>`;
  return { attributes: '', inner };
}

/**
 * Returns the icons of a rule that only newer programs read; undefined for any other, and for one
 * that a file cannot hold.
 */
export function extendedIcons(
  rule: IconRule,
  spell: (operand: string | number) => string,
): string | undefined {
  const { icons, own, points } = rule;
  if (own === undefined && !newerSets.test(icons)) return undefined;
  const isWritable = isSet(icons) && Number(icons.slice(0, 1)) === points.length;
  if (!isWritable || own?.some((icon) => icon !== null && !isSet(icon.set))) return undefined;
  const anchors = points.map(({ at, value, above }) => {
    const inner = value === undefined ? '' : `<xm:f>${spell(value)}</xm:f>`;
    return `<x14:cfvo type="${at}"${above === true ? ' gte="0"' : ''}>${inner}</x14:cfvo>`;
  });
  const chosen = own?.map((icon) => {
    const { set, index } = icon ?? { set: 'NoIcons', index: 0 };
    return `<x14:cfIcon iconSet="${set}" iconId="${index}"/>`;
  });
  const custom = chosen === undefined ? '' : ' custom="1"';
  const inner = anchors.join('') + (chosen?.join('') ?? '');
  return `<x14:iconSet${attributesOf(rule)}${custom}>${inner}</x14:iconSet>`;
}
