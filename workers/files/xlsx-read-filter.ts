import { columnName } from '../../server/model/address.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import type { Range } from '../../server/model/range.ts';
import type { FileRecord } from './file-record.ts';
import { objectsOf } from './record-operations.ts';
import { isTrue } from './xml-reader.ts';
import { childrenOf, textAttribute, type XmlElement } from './xml-tree.ts';

type Lose = (why: string) => void;

/** What the columns of a filter show. */
export function readFilter(filter: XmlElement, { column0, column1 }: Range, lose: Lose): object[] {
  const criteria: object[] = [];
  const seen = new Set<number>();
  for (const element of childrenOf(filter, 'filterColumn')) {
    const position = column0 + Number(element.attributes['colId'] ?? NaN);
    if (!(position >= column0 && position <= column1) || seen.has(position)) continue;
    const criterion = readCriterion(element, lose);
    if (!criterion) continue;
    seen.add(position);
    criteria.push({ column: columnName(position), ...criterion });
  }
  return criteria;
}

/** Whether a filter leaves rows out: one that hides no more than buttons does not. */
export function isActiveFilter({ value }: FileRecord): boolean {
  return objectsOf(value['criteria']).some((criterion) =>
    Object.keys(criterion).some((key) => key !== 'column' && key !== 'hideButton'),
  );
}

function readCriterion(element: XmlElement, lose: Lose): object | undefined {
  const hideButton = isTrue(element.attributes['hiddenButton']) || undefined;
  const [rule] = element.children;
  const criterion = rule && readRule(rule, lose);
  if (criterion) return { ...criterion, hideButton };
  return hideButton && { hideButton };
}

function readRule(rule: XmlElement, lose: Lose): object | undefined {
  switch (rule.name) {
    case 'filters':
      return readValues(rule, lose);
    case 'customFilters':
      return readConditions(rule);
    case 'top10':
      return readTop(rule);
    case 'dynamicFilter':
      return { dynamic: (rule.attributes['type'] ?? 'null').slice(0, 32) };
    default:
      lose(`criteria of the type ${rule.name} are not kept`);
      return undefined;
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

function readValues(rule: XmlElement, lose: Lose): object | undefined {
  const values = childrenOf(rule, 'filter')
    .flatMap((element) => textAttribute(element, 'val') ?? [])
    .filter((value) => value.length <= 255);
  if (childrenOf(rule, 'dateGroupItem').length > 0) lose('groups of dates are not kept');
  const blanks = isTrue(rule.attributes['blank']) || undefined;
  if (values.length === 0 && blanks === undefined) return undefined;
  return { values: values.slice(0, limits.filterValues), blanks };
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
