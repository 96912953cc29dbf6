import type { Payload } from '../../model/operation.ts';
import type {
  FormatPayload,
  FormatRule,
  ValidationPayload,
  ValidationRule,
} from '../../model/payload-rules.ts';
import {
  canonicalObject,
  sameJson,
  type JsonObject,
  type JsonValue,
} from '../../model/plain-json.ts';
import { rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { plainOperand } from '../../model/rule-operand.ts';
import { orderOf, orderOn, withoutFormats } from '../records/format-order.ts';
import { carryLate } from '../references/late-formulas.ts';
import { carryLateNames } from '../references/late-names.ts';
import { carryLateRule } from '../references/late-records.ts';
import {
  findPlaces,
  knownRecord,
  namedRecord,
  planned,
  putOne,
  recordId,
  type RecordPlace,
} from '../plan/plan-record-target.ts';
import type { PlanContext, Planned } from '../plan/plan.ts';
import { formulasOf, mapFormulas, relative } from '../records/record-formulas.ts';
import {
  joined,
  recordKey,
  type RecordChange,
  type StoredRecord,
} from '../records/stored-record.ts';

const nothing: RecordChange = { puts: [], deletes: [] };

export function planValidationSet(payload: ValidationPayload, context: PlanContext): Planned {
  const rule = validationRule(payload.rule);
  const { onInvalid = 'reject', allowBlank = true, prompt, error } = payload;
  const value = canonicalObject({ rule, onInvalid, allowBlank, prompt, error });
  const draft = draftRule('validation', payload, { value, context });
  const change = putOne(draft.record, draft.known);
  return ruled('validation.set', payload, { draft, change });
}

export function planRuleDelete(
  type: 'validation' | 'cf' | 'protection' | 'image' | 'chart',
  payload: Payload<'validation.delete'>,
  context: PlanContext,
): Planned {
  const record = knownRecord(type, payload.id, context);
  const order = type === 'cf' ? withoutFormats([record], context) : nothing;
  const kind = type === 'protection' ? 'protect.delete' : (`${type}.delete` as const);
  return planned({
    kind,
    payload,
    change: joined([{ puts: [], deletes: [recordKey(record)] }, order]),
    sheet: context.head.withId(record.sheetId),
    resolved: { record: record.id },
  });
}

export function planFormatSet(payload: FormatPayload, context: PlanContext): Planned {
  const rule = formatRule(payload.rule);
  const { style, stopIfTrue = false } = payload;
  const value = canonicalObject({ rule, style, stopIfTrue });
  const draft = draftRule('cf', payload, { value, context });
  const { record, known } = draft;
  const order = orderOn(draft.place.sheet, context);
  const others = order.filter((id) => id !== record.id);
  const was = order.indexOf(record.id);
  const index = payload.priority === undefined ? was : payload.priority - 1;
  const ids = others.toSpliced(index < 0 ? others.length : index, 0, record.id);
  const isElsewhere = known !== undefined && known.sheetId !== record.sheetId;
  const left = isElsewhere ? withoutFormats([known], context) : nothing;
  const change = joined([putOne(record, known), orderOf(record.sheetId, ids), left]);
  return ruled('cf.set', payload, { draft, change });
}

export function planFormatMove(payload: Payload<'cf.move'>, context: PlanContext): Planned {
  const { id, before, after, priority } = payload;
  const record = knownRecord('cf', id, context);
  const sheet = context.head.withId(record.sheetId);
  if (!sheet) throw new Error('a record lies on a sheet');
  if ([before, after, priority].filter((place) => place !== undefined).length !== 1) {
    throw new Rejection('position_missing', 'give one of before, after and priority');
  }
  const others = orderOn(sheet, context).filter((other) => other !== id);
  const neighbour = before ?? after;
  const found = neighbour === undefined ? (priority ?? 1) - 1 : others.indexOf(neighbour);
  if (found < 0) {
    throw new Rejection('record_not_found', `the sheet has no other rule ${neighbour ?? ''}`);
  }
  const index = after === undefined ? found : found + 1;
  const change = orderOf(sheet.id, others.toSpliced(index, 0, id));
  return planned({ kind: 'cf.move', payload, change, sheet, resolved: { record: id } });
}

interface RulePayload {
  readonly id?: string | undefined;
  readonly sheet?: string | undefined;
  readonly ranges: readonly string[];
}

interface RuleDraft {
  readonly record: StoredRecord;
  readonly known: StoredRecord | undefined;
  readonly place: RecordPlace;
  /** The rule with its formulas in addresses of the head. */
  readonly rule: JsonValue;
  readonly isRespelled: boolean;
}

/** Makes the rule for its place, with its formulas carried to the head. */
function draftRule(
  type: 'validation' | 'cf',
  payload: RulePayload,
  { value, context }: { value: JsonObject; context: PlanContext },
): RuleDraft {
  const place = findPlaces(payload.sheet, payload.ranges, context);
  const known = namedRecord(type, payload, context);
  const id = known?.id ?? recordId(type, payload.id, context);
  const { moved, isRespelled } = atHead(value, place, context);
  const structure = formulasOf(value).length > 0 ? context.head : undefined;
  const stored = structure
    ? relative(moved, cornerOf(place.ranges), context.coding.formulas)
    : moved;
  const { areas, sheet } = place;
  const record = { type, id, sheetId: sheet.id, areas, value: stored, structure };
  return { record, known, place, rule: moved['rule'] ?? null, isRespelled };
}

/**
 * Returns the value relative to the first cell at the head, which may be another one than was sent.
 */
function atHead(value: JsonObject, place: RecordPlace, context: PlanContext) {
  const { base, head, coding } = context;
  const checked = carried(value, place.sheet.id, context);
  if (base === head) return { moved: checked, isRespelled: false };
  const { row, column } = cornerOf(place.sent);
  const late = carryLateRule(value, place, context);
  const moved = late
    ? mapFormulas(late, (text) => carryLateNames(text, place.sheet.id, context))
    : checked;
  const canonical = mapFormulas(relative(value, { row, column }, coding.formulas), (text) => {
    return coding.formulas.fromR1C1(text, row, column);
  });
  return { moved, isRespelled: !sameJson(moved, canonical) };
}

/** Checks the formulas of a value and carries them to the head. */
export function carried(value: JsonObject, sheetId: string, context: PlanContext): JsonObject {
  return mapFormulas(value, (text) => {
    context.coding.checkFormula(text, context.formulaOrigin);
    return carryLateNames(carryLate(text, sheetId, context), sheetId, context);
  });
}

function cornerOf([range]: readonly Range[]): { row: number; column: number } {
  if (!range) throw new Error('a record lies somewhere');
  return { row: range.row0, column: range.column0 };
}

function ruled(
  kind: 'validation.set' | 'cf.set',
  payload: RulePayload,
  { draft, change }: { draft: RuleDraft; change: RecordChange },
): Planned {
  const { place, rule, isRespelled, record } = draft;
  const rebased = isRespelled || place.isMoved;
  const ranges = place.ranges.map(rangeName);
  const moved = { ...payload, sheet: place.argument, ranges, rule };
  return planned({
    kind,
    payload: rebased ? moved : payload,
    change,
    place,
    resolved: { record: record.id },
    rebased,
  });
}

function validationRule(rule: ValidationRule): ValidationRule {
  switch (rule.type) {
    case 'list': {
      if ((rule.items === undefined) === (rule.source === undefined)) {
        throw badRule('a list has either items or a source');
      }
      if (rule.source !== undefined) mustBeFormula('source', rule.source);
      const { dropdown = true } = rule;
      return { ...rule, dropdown };
    }
    case 'custom':
      mustBeFormula('formula1', rule.formula1);
      return rule;
    case 'any':
      return rule;
    default: {
      const operands = checkedOperands(rule);
      for (const operand of Object.values(operands)) {
        const isText = typeof operand === 'string' && !operand.startsWith('=');
        if (isText) throw badRule(`${operand} is neither a number nor a formula`);
      }
      return { ...rule, ...operands };
    }
  }
}

function formatRule(rule: FormatRule): FormatRule {
  switch (rule.type) {
    case 'cellIs':
      return { ...rule, ...checkedOperands(rule) };
    case 'expression':
      mustBeFormula('formula1', rule.formula1);
      return rule;
    case 'colorScale':
      return { ...rule, points: rule.points.map(checkedPoint) };
    case 'iconSet':
      if (rule.own !== undefined && rule.own.length !== rule.points.length) {
        throw badRule('`own` has an icon for each of its points');
      }
      return { ...rule, points: rule.points.map(checkedPoint) };
    case 'dataBar':
      return { ...rule, min: checkedPoint(rule.min), max: checkedPoint(rule.max) };
    default:
      return textRules.has(rule.type) ? checkedText(rule) : rule;
  }
}

const textRules = new Set(['containsText', 'notContainsText', 'beginsWith', 'endsWith']);

function checkedText(rule: FormatRule): FormatRule {
  const { text, formula1 } = { text: undefined, formula1: undefined, ...rule };
  if (text === undefined && formula1 === undefined) {
    throw badRule(`${rule.type} needs a text or formula1`);
  }
  if (formula1 !== undefined) mustBeFormula('formula1', String(formula1));
  return rule;
}

interface Operands {
  readonly operator: string;
  readonly formula1: string | number;
  readonly formula2?: string | number | undefined;
}

function checkedOperands({ operator, formula1, formula2 }: Operands) {
  const isBetween = operator === 'between' || operator === 'notBetween';
  if (isBetween && formula2 === undefined) throw badRule(`${operator} needs formula2`);
  if (!isBetween && formula2 !== undefined) throw badRule(`${operator} takes no formula2`);
  const first = plainOperand(formula1);
  return formula2 === undefined
    ? { formula1: first }
    : { formula1: first, formula2: plainOperand(formula2) };
}

function checkedPoint<Point extends { at: string; value?: string | number | undefined }>(
  point: Point,
): Point {
  const { at, value } = point;
  const isEnd = at === 'min' || at === 'max';
  if (isEnd && value !== undefined) throw badRule(`a point at ${at} has no value`);
  if (!isEnd && value === undefined) throw badRule(`a point at ${at} needs a value`);
  if (value === undefined) return point;
  const plain = plainOperand(value);
  const isText = typeof plain === 'string' && !plain.startsWith('=');
  if (isText) throw badRule(`${plain} is neither a number nor a formula`);
  return { ...point, value: plain };
}

function mustBeFormula(member: string, text: string): void {
  if (text.startsWith('=') && text.length > 1) return;
  throw badRule(`${member} is a formula: it starts with =`);
}

function badRule(message: string): Rejection {
  return new Rejection('bad_rule', message);
}
