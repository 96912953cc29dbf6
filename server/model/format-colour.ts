/**
 * Colours that a number format gives to numbers and texts, such as `[Red]` in `0;[Red]-0`: they
 * stand over the colour of the cell's own font.
 */

interface Condition {
  readonly operator: string;
  readonly operand: number;
}

interface ColouredSection {
  readonly colour: string | undefined;
  readonly condition: Condition | undefined;
  readonly isOfText: boolean;
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
  if (typeof value === 'number') return sectionFor(sections, value)?.colour;
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
    return { colour, condition, isOfText };
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

function textSection(sections: readonly ColouredSection[]): ColouredSection | undefined {
  if (sections.length === 4) return sections[3];
  return sections.at(-1)?.isOfText === true ? sections.at(-1) : undefined;
}

/** Returns the sections for numbers: a fourth one, and a last one with `@`, are for texts. */
function numericSections(sections: readonly ColouredSection[]): readonly ColouredSection[] {
  const isWithText = sections.length > 1 && sections.length < 4;
  const isLastOfText = isWithText && sections.at(-1)?.isOfText === true;
  return sections.slice(0, isLastOfText ? -1 : 3);
}

/** Returns the section of a number, as `workers/formats/choice.ts` chooses the one that shows it. */
function sectionFor(
  sections: readonly ColouredSection[],
  value: number,
): ColouredSection | undefined {
  const [first, second, third] = numericSections(sections);
  if (!first) return undefined;
  const forFirst = first.condition ?? (second && firstOf(!third, second));
  if (!forFirst || meets(value, forFirst)) return first;
  const forSecond = second?.condition ?? (third && { operator: '<', operand: 0 });
  return !forSecond || meets(value, forSecond) ? second : third;
}

/** Returns the condition of a first section that states none. */
function firstOf(isOfTwo: boolean, { condition }: ColouredSection): Condition {
  return { operator: isOfTwo && !condition ? '>=' : '>', operand: 0 };
}

function meets(value: number, { operator, operand }: Condition): boolean {
  switch (operator) {
    case '<':
      return value < operand;
    case '<=':
      return value <= operand;
    case '>':
      return value > operand;
    case '>=':
      return value >= operand;
    case '=':
      return value === operand;
    default:
      return value !== operand;
  }
}
