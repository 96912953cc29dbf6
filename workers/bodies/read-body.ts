import { creationSchema } from '../../server/model/creation-schema.ts';
import { Failure } from '../../server/model/failure.ts';
import { bodyLimits } from '../../server/model/limits.ts';
import { sheetOperations } from '../../server/model/initial-sheets.ts';
import { checkOperationCount } from '../../server/model/operation-count.ts';
import { submissionSchema } from '../../server/model/operation.ts';
import { bodyFailure } from '../../server/model/schema/refusal.ts';
import { Walk } from '../../server/model/schema/walk.ts';
import type { TextRule } from '../../server/model/text-rule.ts';
import { openBody, type BodyFormat, type BodySource } from './body-source.ts';
import { checkSpans } from './check-spans.ts';
import { piecesOf, type Piece } from './pieces.ts';
import { postMessages, type LastMessage, type CreditedPort } from './post-messages.ts';
import { readCreation } from './sheet-spans.ts';

/**
 * Content of a body: submissions and creations are checked by their schemas here, all else later.
 */
export type BodyContent = 'submission' | 'creation' | 'any';

export interface ReadBodyTask extends CreditedPort {
  readonly chunks: readonly Uint8Array[];
  readonly format: BodyFormat;
  readonly rule: TextRule;
  readonly content: BodyContent;
}

/**
 * Pieces of the value and then the end. A creation has a head, and then operations as JSON. A
 * failure comes alone: nothing is posted before all of the body is known to be valid.
 */
export type BodyMessage =
  | { readonly kind: 'piece'; readonly piece: Piece }
  | {
      readonly kind: 'head';
      readonly name: string | undefined;
      readonly namespace: string | undefined;
      readonly sheets: readonly string[];
    }
  | { readonly kind: 'operation'; readonly text: string }
  | LastMessage;

/** Reads and checks a large body, and posts its content. Throws only for a bug. */
export function readBody(task: ReadBodyTask): void {
  postMessages(task, messagesOf(task));
}

function* messagesOf({
  chunks,
  format,
  rule,
  content,
}: ReadBodyTask): Generator<BodyMessage, void> {
  const source = openBody(Buffer.concat(chunks), format, rule);
  if (content === 'submission') checkSubmission(source);
  if (content === 'creation') {
    check(creationSchema, source);
    return yield* creationMessages(source);
  }
  if (content === 'any') checkValueCount(source);
  for (const piece of piecesOf(source, source.whole)) yield { kind: 'piece', piece };
}

/**
 * Refuses a body with too many values, because the serving thread has to build it before its schema
 * can check it.
 */
function checkValueCount({ valueCount }: BodySource): void {
  if (valueCount <= bodyLimits.values) return;
  throw new Failure('payloadTooLarge', {
    detail: `This route takes at most ${bodyLimits.values} values in a body.`,
    hint: 'Send it in several requests.',
    extra: { limitValues: bodyLimits.values },
  });
}

function check(schema: Parameters<typeof checkSpans>[0], source: BodySource): void {
  const walk = new Walk();
  checkSpans(schema, source, walk);
  if (walk.faults.length > 0) throw bodyFailure(walk);
}

function checkSubmission(source: BodySource): void {
  check(submissionSchema, source);
  for (const { name, ...span } of source.members(source.whole)) {
    if (name === 'ops') checkOperationCount(countItems(source, span));
  }
}

function countItems(source: BodySource, list: Parameters<BodySource['items']>[0]): number {
  let count = 0;
  for (const _item of source.items(list)) count++;
  return count;
}

function* creationMessages(source: BodySource): Generator<BodyMessage, void> {
  const { name, namespace, sheets } = readCreation(source);
  yield { kind: 'head', name, namespace, sheets: sheets.map((sheet) => sheet.name) };
  for (const operation of sheetOperations(sheets)) {
    yield { kind: 'operation', text: JSON.stringify(operation) };
  }
}
