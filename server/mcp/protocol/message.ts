import { isObject } from '../../model/plain-json.ts';
import { badMessage } from './fault.ts';

export type RequestId = string | number;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON-RPC message that came in. A response answers something that was asked of the client. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response' };

export type RequestMessage = Extract<Message, { kind: 'request' }>;

/** Fails where the body is no message; the edge has refused lists of them. */
export function readMessage(body: unknown): Message {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') {
    throw badMessage('This is no JSON-RPC 2.0 message: it needs "jsonrpc": "2.0".');
  }
  const { method, params = {} } = body;
  if (method === undefined && ('result' in body || 'error' in body)) return { kind: 'response' };
  if (typeof method !== 'string') throw badMessage('A message needs the name of a method.');
  if (!isObject(params)) throw badMessage('"params" of a message is an object.');
  const { id } = body;
  if (id === undefined) return { kind: 'notification', method, params };
  if (isRequestId(id)) return { kind: 'request', id, method, params };
  throw badMessage('The id of a request is a text or a whole number.');
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Returns the id of a possibly malformed message, for its error. */
export function idOf(body: unknown): RequestId | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
