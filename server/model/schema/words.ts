import type { z } from 'zod';

import { suggest } from './suggest.ts';

// Sentences of our own for what a schema refuses: the texts of a library change with its version,
// and speak of types that a client has never heard of.

const shownCharacters = 60;
const shownNames = 24;
const optionTextsMost = 8;

/** Names in a sentence, each in quotes; a long list is cut. */
export function listNames(names: readonly unknown[]): string {
  const shown = names.slice(0, shownNames).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Cut and without control characters, for a sentence. */
export function printable(text: string): string {
  const short = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return short.replaceAll(/[^\x20-\x7e…]/g, '?');
}

const expectedNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Names the value that an option of a union takes, in a word or two. */
export function expectedName(type: string): string {
  return expectedNames[type] ?? 'another type of value';
}

/**
 * Names the value that was found; texts and numbers are shown, because all values of a query are
 * texts.
 */
export function foundName(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the text "${printable(value)}"`;
  if (typeof value === 'number' && !Number.isFinite(value)) return 'not a finite number';
  return JSON.stringify(value);
}

export function wrongType(expected: string, value: unknown): string {
  if (value === undefined) return `This is missing; it must be ${expected}.`;
  return `This must be ${expected}, and is ${foundName(value)}.`;
}

/** A value that fits none of several types. */
export function noneOf(types: readonly string[], value: unknown): string {
  const names = [...new Set(types)].slice(0, optionTextsMost);
  const last = names.length > 1 ? names.pop() : undefined;
  const expected = last === undefined ? names.join() : `${names.join(', ')} or ${last}`;
  return wrongType(expected, value);
}

/** A value outside a fixed list. */
export function notAmong(values: readonly unknown[], value: unknown): string {
  const choices = values.length === 1 ? listNames(values) : `one of ${listNames(values)}`;
  if (typeof value !== 'string') return wrongType(choices, value);
  const names = values.filter((each) => typeof each === 'string');
  const guess = suggest(value, names);
  const question = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  return `This must be ${choices}, and is "${printable(value)}".${question}`;
}

export interface KnownMember {
  readonly name: string;
  readonly isRequired: boolean;
}

/** Names the members that an object takes: `sheet (required), before, after`. */
function takes(known: readonly KnownMember[], kind: string | undefined): string {
  const subject = kind === undefined ? 'This object' : `Here "${printable(kind)}"`;
  if (known.length === 0) return `${subject} takes no members.`;
  const names = known.map(({ name, isRequired }) => (isRequired ? `${name} (required)` : name));
  return `${subject} takes ${names.join(', ')}.`;
}

export function unknownMember(
  name: string,
  known: readonly KnownMember[],
  kind: string | undefined,
): string {
  const guess = suggest(
    name,
    known.map((member) => member.name),
  );
  const question = guess === undefined ? '.' : `; did you mean "${guess}"?`;
  return `"${printable(name)}" is not known here${question} ${takes(known, kind)}`;
}

export function needsObject(
  value: unknown,
  known: readonly KnownMember[],
  kind: string | undefined,
): string {
  return `${wrongType('an object', value)} ${takes(known, kind)}`;
}

/** The sentence, and what the reference says of the value. */
export function describedAs(sentence: string, about: string | undefined): string {
  return about === undefined ? sentence : `${sentence} It is: ${withoutPeriod(about)}.`;
}

/** An issue that zod has found in a value without parts, or in a whole list or object. */
export function issueText(issue: z.core.$ZodIssue, value: unknown, about?: string): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(expectedName(issue.expected), value);
    case 'too_small':
    case 'too_big':
      return sizeText(issue, value);
    case 'invalid_value':
      return notAmong(issue.values, value);
    case 'invalid_format':
      if (!issue.message.startsWith('Invalid')) return customText(issue.message);
      return describedAs(formText(issue, value), about);
    case 'not_multiple_of':
      return `This must be a multiple of ${issue.divisor}.`;
    case 'custom':
      return customText(issue.message);
    default:
      return describedAs('This does not have the form that is taken here.', about);
  }
}

const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['member', 'members'],
};

function sizeText(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  value: unknown,
): string {
  const isSmall = issue.code === 'too_small';
  const bound = Number(isSmall ? issue.minimum : issue.maximum);
  const unit = units[issue.origin];
  if (unit === undefined) {
    const most = isSmall ? 'at least' : 'at most';
    const strict = isSmall ? 'more than' : 'less than';
    return `This must be ${issue.inclusive === false ? strict : most} ${bound}, and is ${String(value)}.`;
  }
  if (isSmall && bound === 1) return 'This must not be empty.';
  const amount = issue.exact === true ? 'exactly' : isSmall ? 'at least' : 'at most';
  return `This must have ${amount} ${bound} ${unit[bound === 1 ? 0 : 1]}, and has ${lengthOf(value)}.`;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
};

function formText({ format }: z.core.$ZodIssueInvalidStringFormat, value: unknown): string {
  const shown = typeof value === 'string' ? `"${printable(value)}"` : 'This';
  const form = formats[format];
  return form === undefined ? `${shown} does not have the right form.` : `${shown} is not ${form}.`;
}

/** Texts of our own schemas say what a value is: `not the name of a branch`, `names nothing`. */
function customText(message: string): string {
  const text = withoutPeriod(message);
  if (text === '' || text === 'Invalid input') return 'This is not taken here.';
  if (text.startsWith('not ')) return `This is ${text}.`;
  if (/^(?:names|must) /.test(text)) return `This ${text}.`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function withoutPeriod(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
