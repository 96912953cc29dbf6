import { columnName } from '../../server/model/address.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { Range } from '../../server/model/range.ts';
import type { FileRecord } from './file-record.ts';
import { objectsOf } from './record-operations.ts';
import { isTrue } from './xml-reader.ts';
import { childOf, childrenOf, textAttribute, type XmlElement } from './xml-tree.ts';

export interface FilterContext {
  /** Styles of conditional formats, to which filters by colour refer. */
  readonly styles: readonly FormatStyle[];
  readonly lose: (why: string) => void;
}

/** Criteria in the place of those that cannot be kept: the rows that they hide stay hidden. */
const unknownRule = { dynamic: 'null' };

/** Reads the criteria of a filter, by column. */
export function readFilter(
  filter: XmlElement,
  { column0, column1 }: Range,
  context: FilterContext,
): object[] {
  const criteria: object[] = [];
  const seen = new Set<number>();
  for (const element of childrenOf(filter, 'filterColumn')) {
    const position = column0 + Number(element.attributes['colId'] ?? NaN);
    if (!(position >= column0 && position <= column1) || seen.has(position)) continue;
    const criterion = readCriterion(element, context);
    if (!criterion) continue;
    seen.add(position);
    criteria.push({ column: columnName(position), ...criterion });
  }
  return criteria;
}

/** Returns whether a filter hides rows; some only hide their buttons. */
export function isActiveFilter({ value }: FileRecord): boolean {
  return objectsOf(value['criteria']).some((criterion) =>
    Object.keys(criterion).some((key) => key !== 'column' && key !== 'hideButton'),
  );
}

function readCriterion(element: XmlElement, context: FilterContext): object | undefined {
  const hideButton = isTrue(element.attributes['hiddenButton']) || undefined;
  const rule = ruleOf(element);
  const criterion = rule && readRule(rule, context);
  if (criterion) return { ...criterion, hideButton };
  return hideButton && { hideButton };
}

/**
 * Returns the rule of a filter. A rule for newer programs only is beside one for all, or instead of
 * it.
 */
function ruleOf({ children }: XmlElement): XmlElement | undefined {
  const [first] = children;
  if (first?.name !== 'AlternateContent') return first;
  const branches = ['Choice', 'Fallback'].flatMap((name) => childOf(first, name) ?? []);
  return branches.flatMap((branch) => branch.children)[0];
}

function readRule(rule: XmlElement, context: FilterContext): object {
  switch (rule.name) {
    case 'filters':
      return readValues(rule, context);
    case 'customFilters':
      return readConditions(rule) ?? unknownRule;
    case 'top10':
      return readTop(rule) ?? unknownRule;
    case 'dynamicFilter':
      return { dynamic: (rule.attributes['type'] ?? 'null').slice(0, 32) };
    case 'colorFilter':
      return { color: readColorRule(rule, context) };
    case 'iconFilter':
      return { icon: readIconRule(rule) };
    default:
      context.lose(`criteria of the type ${rule.name} are not kept`);
      return unknownRule;
  }
}

function readConditions(rule: XmlElement): object | undefined {
  const conditions = childrenOf(rule, 'customFilter').slice(0, 2).map(readCondition);
  if (conditions.length === 0) return undefined;
  const isAny = conditions.length > 1 && !isTrue(rule.attributes['and']);
  return isAny ? { conditions, any: true } : { conditions };
}

function readTop({ attributes }: XmlElement): object | undefined {
  const count = Number(attributes['val'] ?? NaN);
  if (!(count >= 1 && count <= 500)) return undefined;
  const bottom = attributes['top'] !== undefined && !isTrue(attributes['top']);
  const percent = isTrue(attributes['percent']);
  return { top: { count, ...(percent && { percent }), ...(bottom && { bottom }) } };
}

/** Reads the values of a filter, without impossible dates and texts that are too long. */
function readValues(rule: XmlElement, { lose }: FilterContext): object {
  const values = childrenOf(rule, 'filter').flatMap(
    (element) => textAttribute(element, 'val') ?? [],
  );
  const dates = childrenOf(rule, 'dateGroupItem').flatMap((element) => readDates(element) ?? []);
  const kept = values.filter((value) => value.length <= 255).slice(0, limits.filterValues);
  const keptDates = dates.slice(0, limits.filterValues);
  const isCut = kept.length < values.length || keptDates.length < dates.length;
  if (isCut) lose(`${limits.filterValues} values of up to 255 characters are kept`);
  const blanks = isTrue(rule.attributes['blank']) || undefined;
  return { values: kept, blanks, dates: keptDates.length > 0 ? keptDates : undefined };
}

/** Parts of a date down to the one that its grouping names: ECMA-376 part 1, 18.18.21. */
const dateParts = [
  ['year', 1900, 9999],
  ['month', 1, 12],
  ['day', 1, 31],
  ['hour', 0, 23],
  ['minute', 0, 59],
  ['second', 0, 59],
] as const;

function readDates({ attributes }: XmlElement): object | undefined {
  const grouping = attributes['dateTimeGrouping'] ?? 'day';
  const last = dateParts.findIndex(([name]) => name === grouping);
  const group: Record<string, number> = {};
  for (const [name, least, most] of dateParts.slice(0, last + 1)) {
    const value = Number(attributes[name] ?? NaN);
    if (!Number.isInteger(value) || value < least || value > most) return undefined;
    group[name] = value;
  }
  return last === -1 ? undefined : group;
}

function readColorRule({ attributes }: XmlElement, { styles }: FilterContext): object {
  const isFill = attributes['cellColor'] === undefined || isTrue(attributes['cellColor']);
  const style = styles[Number(attributes['dxfId'] ?? NaN)];
  return { of: isFill ? 'fill' : 'font', color: isFill ? style?.fill : style?.color };
}

function readIconRule({ attributes }: XmlElement): object {
  const index = Number(attributes['iconId'] ?? NaN);
  const isIcon = Number.isInteger(index) && index >= 0 && index <= 4;
  const set = attributes['iconSet']?.slice(0, 32) || '3Arrows';
  return isIcon ? { set, index } : { set };
}

const operators = new Set([
  'equal',
  'notEqual',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
]);

function readCondition(element: XmlElement): object {
  const { operator = 'equal' } = element.attributes;
  const text = (textAttribute(element, 'val') ?? '').slice(0, 255);
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(text);
  return {
    operator: operators.has(operator) ? operator : 'equal',
    value: isNumber && String(Number(text)) === text ? Number(text) : text,
  };
}
