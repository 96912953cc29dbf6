export interface Condition {
  readonly operator: string;
  readonly operand: number;
}

/** The facts that decide when a section of a format code is used. */
export interface FormatSection {
  /** `text` if it shows texts. */
  readonly kind: string;
  readonly condition: Condition | undefined;
}

/** The section for a number, and whether its digits are shown without a sign. */
export interface Choice<Section extends FormatSection> {
  readonly section: Section;
  readonly isUnsigned: boolean;
}

/** Display of a number that no section fits: General, or a filled cell. */
export type NoChoice = 'general' | 'filled';

/** Chooses a section by the conditions, or else by sign: positive, negative, zero. */
export function chooseSection<Section extends FormatSection>(
  sections: readonly Section[],
  value: number,
): Choice<Section> | NoChoice {
  const numeric = numericSections(sections);
  const [first, second, third] = numeric;
  if (!first) return 'general';
  if (!second) {
    if (first.condition && !meets(value, first.condition)) return 'general';
    return choice(first, first.condition);
  }
  const isLast = third === undefined;
  const forFirst = first.condition ?? firstOf(isLast, second.condition);
  if (meets(value, forFirst)) return choice(first, first.condition);
  const forSecond = second.condition ?? (isLast ? undefined : negative);
  if (!forSecond) return { section: second, isUnsigned: !first.condition };
  if (meets(value, forSecond)) return choice(second, forSecond);
  return third ? { section: third, isUnsigned: false } : 'filled';
}

const negative: Condition = { operator: '<', operand: 0 };

/** Returns the condition of a first section that states none. */
function firstOf(isOfTwo: boolean, second: Condition | undefined): Condition {
  return { operator: isOfTwo && !second ? '>=' : '>', operand: 0 };
}

/** Returns the sections for numbers: a fourth one, and a last one with `@`, are for texts. */
function numericSections<Section extends FormatSection>(
  sections: readonly Section[],
): readonly Section[] {
  const first = sections.slice(0, 3);
  const isText = sections.length > 1 && sections.length < 4 && sections.at(-1)?.kind === 'text';
  return isText ? first.slice(0, sections.length - 1) : first;
}

/** Returns the section for texts; undefined if there is none. */
export function textSection<Section extends FormatSection>(
  sections: readonly Section[],
): Section | undefined {
  if (sections.length === 4) return sections[3];
  const last = sections.at(-1);
  return last?.kind === 'text' ? last : undefined;
}

/** Returns a choice; a section that only gets negative numbers shows them without a sign. */
function choice<Section extends FormatSection>(
  section: Section,
  condition: Condition | undefined,
): Choice<Section> {
  if (!condition) return { section, isUnsigned: false };
  const { operator, operand } = condition;
  const isBelow = (operator === '<' && operand <= 0) || (operator === '<=' && operand < 0);
  return { section, isUnsigned: isBelow || (operator === '=' && operand < 0) };
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
