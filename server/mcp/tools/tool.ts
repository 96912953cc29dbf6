import { z } from 'zod';

import { Failure, type FieldError } from '../../model/failure.ts';
import { checkOf, faultsOf } from '../../model/schema/compile.ts';
import { bodyFailure } from '../../model/schema/refusal.ts';
import { missingScopes, type Principal } from '../../model/scope.ts';
import { asSentence } from '../../model/sentence.ts';
import type { CallResult, Questions, Tool, ToolResult } from '../catalogue.ts';
import type { McpContext } from '../context.ts';
import type { JsonObject } from '../protocol/message.ts';
import { headerMember } from '../protocol/names.ts';
import type { McpServices } from '../services.ts';
import { hintFor, inArguments } from './hints.ts';
import { Targets } from './targets.ts';

/** A value of a schema with all of its parts read-only. */
type Settled<Part> = Part extends readonly (infer Item)[]
  ? readonly Settled<Item>[]
  : Part extends object
    ? { readonly [Member in keyof Part]: Settled<Part[Member]> }
    : Part;

/** The outcome of a call that went well. */
export interface Outcome<Shown> {
  readonly shown: Shown;
  /** For models that read no structured content: what matters of it. All of it when left out. */
  readonly text?: string;
  readonly cells?: number;
}

export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
  /** For a tool that reads and writes; by default every tool writes that is not read-only. */
  readonly isWrite?: (given: z.output<Input>) => boolean;
  /** Shown instead of what the schema says of an argument, where that would be long. */
  readonly shownArguments?: Readonly<Record<string, JsonObject>>;
  run(
    given: z.output<Input>,
    context: McpContext,
  ): Promise<Outcome<Settled<z.input<Output>>> | Questions>;
}

type Helping = Pick<
  McpServices,
  'failureOf' | 'report' | 'addresses' | 'registry' | 'checkAccess' | 'positions' | 'policies'
>;

/** Makes a tool; the form it is listed in is put together for the first who asks. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  helping: Helping,
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations } = definition;
  checkOf(input);
  const hints = { title, openWorldHint: false, ...annotations };
  let listed: JsonObject | undefined;
  const list = (): JsonObject => ({
    name,
    title,
    description,
    inputSchema: listedSchema(input, 'input', definition.shownArguments),
    outputSchema: listedSchema(output, 'output'),
    annotations: hints,
  });
  return {
    name,
    get listed() {
      return (listed ??= list());
    },
    headers: headersOf(input),
    call: (given, context) => call(helping, definition, { given, context }),
  };
}

async function call<Input extends z.ZodObject, Output extends z.ZodObject>(
  helping: Helping,
  definition: ToolDefinition<Input, Output>,
  { given, context }: { readonly given: JsonObject; readonly context: McpContext },
): Promise<CallResult> {
  const { input, isWrite, annotations, name } = definition;
  const walk = faultsOf(input, given);
  const { requestId } = context;
  const names = new Set(Object.keys(input.shape));
  const refused = (failure: Failure): ToolResult =>
    errorResult(failure, { names, workbook: given['workbook'], requestId });
  if (walk.faults.length > 0) return refused(bodyFailure(walk));
  const read = input.parse(given);
  const writes = isWrite ? isWrite(read) : !annotations.readOnlyHint;
  if (writes) checkWriteScope(context.principal, helping);
  const told = (error: unknown): ToolResult => {
    if (isAbort(error)) return refused(cancelled());
    const failure = helping.failureOf(error);
    // The edge answers it, as on every other route.
    if (failure.status === 401) throw failure;
    if (failure.status >= 500) helping.report(`call the tool ${name}`, error);
    return refused(failure);
  };
  const run = async (): Promise<CallResult> => {
    if (writes) context.draw('write');
    const outcome = await definition.run(read, context);
    return 'shown' in outcome ? resultOf(outcome) : outcome;
  };
  const result = await run().catch(told);
  if (writes) return result;
  return checkStillReads(helping, read['workbook'], context).then(() => result, told);
}

/** Fails where a call took so long that its right to read may have ended, and it has. */
function checkStillReads(
  helping: Helping,
  named: unknown,
  { right, principal }: McpContext,
): Promise<void> {
  if (typeof named !== 'string') return right.check();
  return right.check(() => new Targets(helping).idOf(named, principal));
}

/**
 * Returns whether the call was cancelled; its answer is read only by a client that waits
 * nevertheless.
 */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function cancelled(): Failure {
  return new Failure('unavailable', {
    detail: 'The call was cancelled before it was done.',
    hint: 'Send it again.',
  });
}

function resultOf({ shown, text, cells }: Outcome<unknown>): ToolResult {
  const content = [{ type: 'text', text: text ?? JSON.stringify(shown) }];
  const result = { content, structuredContent: shown as JsonObject };
  return cells === undefined ? result : { ...result, cells };
}

interface Refused {
  /** Arguments that the tool has. */
  readonly names: ReadonlySet<string>;
  readonly workbook: unknown;
  readonly requestId: string;
}

/** Returns an error that a model can act on: the fault, and the next call. */
function errorResult(failure: Failure, { names, workbook, requestId }: Refused): ToolResult {
  const { code, detail, errors, extra, status } = failure;
  const id = typeof workbook === 'string' && /^wb_\w+$/.test(workbook) ? workbook : '…';
  // Routes that a hint names are of the workbook that the call named.
  const hint = hintFor(failure, names)?.replaceAll('/{id}', `/${id}`);
  const error = {
    code,
    message: asSentence(inArguments(detail, names)),
    ...(hint !== undefined && { hint: asSentence(hint) }),
    ...(errors.length > 0 && { errors: errors.map((one) => argumentError(one, names)) }),
    ...(status >= 500 && { request_id: requestId }),
    ...extra,
  };
  return { content: [{ type: 'text', text: JSON.stringify(error) }], isError: true };
}

/** An error of a member or a query as one of the argument that it came from. */
function argumentError(
  { pointer, code, message }: FieldError,
  names: ReadonlySet<string>,
): FieldError {
  const place = inArguments(pointer.replace(/^\?/, '/'), names);
  return { pointer: place, code, message: inArguments(message, names) };
}

function checkWriteScope(principal: Principal, { addresses }: Helping): void {
  const required = missingScopes(principal, ['write']);
  if (required.length === 0) return;
  throw new Failure('insufficientScope', {
    detail: `This needs the scope write; the credential has ${principal.scopes.join(', ')}.`,
    hint: `Ask for a token with the scopes read and write, or register: ${addresses.authUrl}/auth.md says how.`,
    extra: { required },
  });
}

function listedSchema(
  schema: z.ZodObject,
  io: 'input' | 'output',
  shown: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  const names = Object.keys(shown);
  const rest = Object.entries(schema.shape).filter(([name]) => !names.includes(name));
  const {
    $schema: _dialect,
    properties,
    required = [],
    ...whole
  } = z.toJSONSchema(z.strictObject(Object.fromEntries(rest)), { io, unrepresentable: 'any' });
  const needed = [...required, ...names];
  const all = { ...whole, properties: { ...properties, ...shown } };
  return needed.length === 0 ? all : { ...all, required: needed };
}

function headersOf({ shape }: z.ZodObject) {
  return Object.entries(shape).flatMap(([argument, schema]) => {
    const header = z.globalRegistry.get(schema as z.ZodType)?.[headerMember];
    return typeof header === 'string' ? [{ argument, header }] : [];
  });
}
