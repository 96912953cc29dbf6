import {
  chooseSection,
  textSection,
  type Condition,
  type FormatSection,
} from './format-section.ts';

/**
 * Colours that a number format gives to numbers and texts, such as `[Red]` in `0;[Red]-0`: they
 * stand over the colour of the cell's own font.
 */

interface ColouredSection extends FormatSection {
  readonly colour: string | undefined;
}

const named: Readonly<Record<string, string>> = {
  black: '#000000',
  white: '#ffffff',
  red: '#ff0000',
  green: '#00ff00',
  blue: '#0000ff',
  yellow: '#ffff00',
  magenta: '#ff00ff',
  cyan: '#00ffff',
};

/** `[Color1]` to `[Color56]`: the palette of ECMA-376, part 1, 18.8.27, from its index 8 on. */
const palette = (
  '000000 ffffff ff0000 00ff00 0000ff ffff00 ff00ff 00ffff 800000 008000 000080 808000 800080 ' +
  '008080 c0c0c0 808080 9999ff 993366 ffffcc ccffff 660066 ff8080 0066cc ccccff 000080 ff00ff ' +
  'ffff00 00ffff 800080 800000 008080 0000ff 00ccff ccffff ccffcc ffff99 99ccff ff99cc cc99ff ' +
  'ffcc99 3366ff 33cccc 99cc00 ffcc00 ff9900 ff6600 666699 969696 003366 339966 003300 333300 ' +
  '993300 993366 333399 333333'
).split(' ');

/** Quoted texts, escaped characters, brackets, semicolons; all else one by one. */
const pieces = /"[^"]*"?|[\\_*].|\[[^\]]*\]|;|[^"\\_*[;]+|./gsu;
const numbered = /^colou?r ?(\d{1,2})$/iu;
const compared = /^(<=|>=|<>|<|>|=) *([-+]?[\d.]+(?:e[-+]?\d+)?)$/iu;

const known = new Map<string, readonly ColouredSection[]>();
const knownMost = 500;

/** Returns the colour that a format has for a value; undefined if it says none. */
export function formatColour(code: string, value: unknown): string | undefined {
  if (!code.includes('[')) return undefined;
  const sections = known.get(code) ?? readColours(code);
  if (known.size >= knownMost) known.clear();
  known.set(code, sections);
  if (typeof value === 'number') {
    const choice = chooseSection(sections, value);
    return typeof choice === 'object' ? choice.section.colour : undefined;
  }
  return typeof value === 'string' ? textSection(sections)?.colour : undefined;
}

function readColours(code: string): readonly ColouredSection[] {
  const sections: { parts: string[] }[] = [{ parts: [] }];
  for (const [piece] of code.matchAll(pieces)) {
    if (piece === ';') sections.push({ parts: [] });
    else sections.at(-1)?.parts.push(piece);
  }
  return sections.slice(0, 4).map(({ parts }) => {
    const brackets = parts.filter((part) => part.startsWith('[')).map((part) => part.slice(1, -1));
    const colour = brackets.map(colourOf).find((one) => one !== undefined);
    const condition = brackets.map(conditionOf).find((one) => one !== undefined);
    const isOfText = parts.some((part) => !/^["\\_*[]/u.test(part) && part.includes('@'));
    return { colour, condition, kind: isOfText ? 'text' : 'number' };
  });
}

function colourOf(bracket: string): string | undefined {
  const [, number] = numbered.exec(bracket) ?? [];
  if (number === undefined) return named[bracket.toLowerCase()];
  const hex = palette[Number(number) - 1];
  return hex === undefined ? undefined : `#${hex}`;
}

function conditionOf(bracket: string): Condition | undefined {
  const [, operator = '', operand = ''] = compared.exec(bracket) ?? [];
  return operator === '' ? undefined : { operator, operand: Number(operand) };
}
