import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { canonicalObject, type JsonObject, type JsonValue } from '../../model/plain-json.ts';
import { cellName } from '../../model/address.ts';
import { rangeName } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import {
  checkRoom,
  findPlace,
  knownRecord,
  madeId,
  plainRecord,
  planned,
  putOne,
  recordId,
  type RecordPlace,
} from '../plan/plan-record-target.ts';
import type { PlanContext, Planned } from '../plan/plan.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';

type Reply = Omit<Payload<'comment.reply'>, 'thread'>;

/** Adds a comment. Threads only grow by this, so that two additions never conflict. */
export function planCommentAdd(payload: Payload<'comment.add'>, context: PlanContext): Planned {
  const place = findPlace(payload, context);
  checkRoom('thread', 1, context);
  const id = recordId('thread', payload.thread, context);
  if (context.records.withId('thread', id, context.head)) {
    throw new Rejection('bad_id', `there is a thread ${id} already`);
  }
  const comment = newComment(payload, context);
  const thread = plainRecord('thread', place, { comments: [comment], resolved: false }, id);
  const { a1: _cell, range: _range, ...rest } = payload;
  return planned({
    kind: 'comment.add',
    payload: place.isMoved
      ? { ...rest, sheet: place.argument, ...placeMember(payload, place) }
      : payload,
    change: putOne(thread, undefined),
    place,
    resolved: { record: id, comment: idOf(comment) },
  });
}

/** `a1` or `range`, whichever the client gave. */
export function placeMember({ a1 }: { a1?: string | undefined }, { ranges }: RecordPlace) {
  const [range] = ranges;
  if (!range) throw new Error('a record lies somewhere');
  return a1 === undefined
    ? { range: rangeName(range) }
    : { a1: cellName(range.row0, range.column0) };
}

export function planCommentReply(payload: Payload<'comment.reply'>, context: PlanContext): Planned {
  const thread = knownRecord('thread', payload.thread, context);
  const comments = commentsOf(thread);
  if (comments.length >= limits.commentsPerThread) {
    const most = limits.commentsPerThread;
    throw new Rejection('too_many_records', `a thread has at most ${most} comments`);
  }
  const comment = newComment(payload, context);
  const id = idOf(comment);
  if (comments.some((other) => idOf(other) === id)) {
    throw new Rejection('bad_id', `there is a comment ${id} already`);
  }
  const changed = { ...thread.value, comments: [...comments, comment] };
  return changing(thread, changed, { kind: 'comment.reply', payload, comment: id });
}

export function planCommentEdit(payload: Payload<'comment.edit'>, context: PlanContext): Planned {
  const thread = knownRecord('thread', payload.thread, context);
  knownComment(thread, payload.comment);
  const comments = commentsOf(thread).map((comment) => {
    const isMeant = idOf(comment) === payload.comment && comment['text'] !== payload.text;
    return isMeant ? canonicalObject({ ...comment, text: payload.text, edited: true }) : comment;
  });
  const { comment } = payload;
  return changing(
    thread,
    { ...thread.value, comments },
    { kind: 'comment.edit', payload, comment },
  );
}

export function planCommentResolve(
  payload: Payload<'comment.resolve'>,
  context: PlanContext,
): Planned {
  const thread = knownRecord('thread', payload.thread, context);
  const changed = { ...thread.value, resolved: payload.resolved };
  return changing(thread, changed, { kind: 'comment.resolve', payload });
}

/** Deletes a comment, and its thread if it was the last one. */
export function planCommentDelete(
  payload: Payload<'comment.delete'>,
  context: PlanContext,
): Planned {
  const thread = knownRecord('thread', payload.thread, context);
  const { comment } = payload;
  if (comment !== undefined) knownComment(thread, comment);
  const comments = commentsOf(thread).filter(
    (other) => comment !== undefined && idOf(other) !== comment,
  );
  const about = { kind: 'comment.delete', payload, comment } as const;
  if (comments.length > 0) return changing(thread, { ...thread.value, comments }, about);
  return planned({
    kind: 'comment.delete',
    payload,
    change: { puts: [], deletes: [recordKey(thread)] },
    resolved: { sheet: thread.sheetId, record: thread.id },
  });
}

interface About {
  readonly kind: `comment.${'reply' | 'edit' | 'resolve' | 'delete'}`;
  readonly payload: object;
  readonly comment?: string | undefined;
}

function changing(thread: StoredRecord, value: JsonObject, about: About): Planned {
  const { kind, payload, comment } = about;
  return planned({
    kind,
    payload,
    change: putOne({ ...thread, value }, thread),
    part: comment ?? 'resolved',
    resolved: {
      sheet: thread.sheetId,
      record: thread.id,
      ...(comment !== undefined && { comment }),
    },
  });
}

function newComment({ comment, text, author, at }: Reply, context: PlanContext): JsonObject {
  return canonicalObject({ id: madeId('c', comment, context), text, author, at });
}

export function commentsOf({ value }: { readonly value: JsonObject }): JsonObject[] {
  const { comments } = value;
  if (!Array.isArray(comments)) throw new Error('a thread has comments');
  return comments.filter(isObject);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' ? id : '';
}

function knownComment(thread: StoredRecord, id: string): void {
  if (commentsOf(thread).some((comment) => idOf(comment) === id)) return;
  throw new Rejection('record_not_found', `the thread ${thread.id} has no comment ${id}`);
}
