import type { z } from 'zod';

import { Failure } from '../model/failure.ts';
import type { FieldError } from '../model/failure.ts';
import { isObject } from '../model/plain-json.ts';
import { readQuery } from './incoming.ts';
import type { Route } from './route.ts';
import { bodyFailure, described } from '../model/schema/refusal.ts';
import { checkOf, faultsOf } from '../model/schema/compile.ts';
import { keepsValue } from '../model/schema/definition.ts';
import { suggest } from '../model/schema/suggest.ts';
import { faultsMost } from '../model/schema/walk.ts';
import { issueText, printable } from '../model/schema/words.ts';
import { assertStrict, isList, isNumber, quickCheckOf } from './schema.ts';
import type { QuickCheck } from './schema.ts';

const decimal = /^-?\d+(?:\.\d+)?$/;

/** Parses the parts of a request by the schemas of its route. */
export class Validator {
  readonly #route: Route;
  /** True when the handler gets the body as sent, without defaults. */
  readonly #keepsValue: boolean;
  /** Known query parameters, and whether each may be repeated. */
  readonly #parameters: ReadonlyMap<string, boolean>;
  readonly #numbers: ReadonlySet<string>;

  constructor(route: Route) {
    this.#route = route;
    const { body, query, params } = route.request;
    const where = `${route.method} ${route.path}`;
    this.#keepsValue = body === undefined || keepsValue(body);
    if (body !== undefined) checkOf(body);
    assertParameters(route.path, Object.keys(params?.shape ?? {}), where);
    if (body !== undefined && route.lenient !== true) {
      assertStrict(body, where);
    }
    const fields = Object.entries<z.core.$ZodType>(query?.shape ?? {});
    this.#parameters = new Map(fields.map(([name, field]) => [name, isList(field)]));
    const numbers = fields.filter(([, field]) => isNumber(field));
    this.#numbers = new Set(numbers.map(([name]) => name));
  }

  /** A path parameter of the wrong form names nothing, so it is a 404 and not a 400. */
  params(params: Readonly<Record<string, string>>): unknown {
    const schema = this.#route.request.params;
    if (schema === undefined) return undefined;
    const result = schema.safeParse(params);
    if (result.success) return result.data;
    const errors = fieldErrors(result.error.issues, params, (path) => `/${path.join('/')}`);
    const [first] = errors;
    const name = first?.pointer.slice(1) ?? '';
    throw new Failure('notFound', {
      detail: `No path has "${printable(params[name] ?? '')}" in the place of ${name}: ${first?.message ?? ''}`,
      errors,
    });
  }

  query(queryText: string): unknown {
    const schema = this.#route.request.query;
    const fields: Record<string, unknown> = {};
    for (const [name, values] of readQuery(queryText)) {
      const repeats = this.#parameters.get(name);
      if (repeats !== undefined) fields[name] = repeats ? values : onlyValue(name, values);
      else if (this.#route.lenient !== true) throw this.#unknownParameter(name);
    }
    if (schema === undefined) return undefined;
    const result = schema.safeParse({ ...fields, ...this.#wrongNumbers(fields) });
    if (result.success) return result.data;
    throw invalid(fieldErrors(result.error.issues, fields, (path) => `?${path.join('/')}`));
  }

  body(value: unknown): unknown {
    const schema = this.#route.request.body;
    if (schema === undefined) return this.#withoutMembers(value);
    if (this.#quickCheck()?.(value) === true) return value;
    const walk = faultsOf(schema, value);
    if (walk.faults.length > 0) throw bodyFailure(walk, this.#route.lenient === true);
    return this.#keepsValue ? value : schema.parse(value);
  }

  /**
   * The check of the body, compiled on first use, because compiling all would slow down the start.
   */
  #quickCheck(): QuickCheck | undefined {
    const { lenient, isPlainBody, request } = this.#route;
    if (request.body === undefined || lenient === true) return undefined;
    return isPlainBody ?? quickCheckOf(request.body);
  }

  #withoutMembers(value: unknown): undefined {
    const empty = value === undefined || value === null || isEmptyObject(value);
    if (empty || this.#route.lenient === true) return undefined;
    throw new Failure('unknownMember', { detail: 'This route takes no body.' });
  }

  /** Number() would take an empty text for 0, and 0x10 and 1e3 for what JavaScript means by them. */
  #wrongNumbers(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
    const wrong = Object.entries(fields).filter(([name, text]) => {
      return this.#numbers.has(name) && !decimal.test(String(text));
    });
    return Object.fromEntries(wrong.map(([name]) => [name, Number.NaN]));
  }

  #unknownParameter(name: string): Failure {
    const known = [...this.#parameters.keys()];
    const guess = suggest(name, known);
    const knownText = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
    const message = guess === undefined ? knownText : `Did you mean "${guess}"?`;
    return new Failure('unknownMember', {
      detail: `This route has no query parameter "${printable(name)}". ${message}`,
      errors: [{ pointer: `?${printable(name)}`, code: 'unknown_member', message }],
    });
  }
}

/** Checks at the start that path and schema name the same parameters. */
function assertParameters(path: string, names: readonly string[], where: string): void {
  const inPath = path
    .split('/')
    .filter((segment) => segment.startsWith(':') || segment === '*')
    .map((segment) => (segment === '*' ? 'rest' : segment.slice(1)));
  const differs = inPath.toSorted().join() !== names.toSorted().join();
  if (differs) throw new Error(`${where}: the params schema has [${names.join()}]`);
}

function onlyValue(name: string, values: readonly string[]): string | undefined {
  if (values.length === 1) return values[0];
  throw new Failure('duplicateMember', {
    detail: `The query parameter "${name}" is given ${values.length} times.`,
    errors: [{ pointer: `?${name}`, code: 'duplicate_member', message: 'Give it once.' }],
  });
}

function invalid(errors: readonly FieldError[]): Failure {
  return new Failure('invalidRequest', described(errors));
}

/** Lists all errors of a path or a query, which are short. */
function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  fields: Readonly<Record<string, unknown>>,
  pointer: (path: readonly PropertyKey[]) => string,
): FieldError[] {
  return issues.slice(0, faultsMost).map((issue) => {
    const value = fields[String(issue.path[0])];
    const message = value === undefined ? 'This is missing.' : issueText(issue, value);
    return { pointer: pointer(issue.path), code: issue.code, message };
  });
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
