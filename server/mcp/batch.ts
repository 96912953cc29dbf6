import { Failure } from '../model/failure.ts';
import { isObject } from '../model/plain-json.ts';
import type { McpCall } from './context.ts';
import { badMessage } from './protocol/fault.ts';
import { idOf } from './protocol/message.ts';
import { batchVersion, errorCodes, headerNames } from './protocol/names.ts';
import type { McpAnswer } from './server.ts';

/** Most messages of a batch, each of which may be as much work as a request. */
const messagesMost = 50;

type Post = (call: McpCall) => Promise<McpAnswer>;

/** Answers a list of messages with the list of their answers, one after the other. */
export async function answerBatch(
  bodies: readonly unknown[],
  call: McpCall,
  post: Post,
): Promise<McpAnswer> {
  checkBatch(bodies, call);
  const messages: object[] = [];
  let cellCount = 0;
  for (const [index, body] of bodies.entries()) {
    const { message, cells = 0 } = await answerOne(single(call, body), index, post);
    if (message) messages.push(message);
    cellCount += cells;
  }
  if (messages.length === 0) return { status: 202 };
  return { status: 200, message: messages, cells: cellCount };
}

/** Makes a call of a message in a list, which has one answer and no streams. */
function single(call: McpCall, body: unknown): McpCall {
  const { principal, address, requestId, signal } = call;
  return {
    principal,
    address,
    requestId,
    signal,
    body,
    draw: (kind) => call.draw(kind),
    header: (name) => (name.toLowerCase() === 'accept' ? undefined : call.header(name)),
  };
}

function checkBatch(bodies: readonly unknown[], { header }: McpCall): void {
  // The versions that have the header have it on every request but the first.
  const version = header(headerNames.version)?.trim() ?? batchVersion;
  if (version !== batchVersion) {
    throw badMessage(
      `The version ${version.slice(0, 40)} has no batches: send each message by itself.`,
    );
  }
  if (bodies.length === 0) throw badMessage('A batch has at least one message.');
  if (bodies.length > messagesMost) {
    throw badMessage(`A batch has at most ${messagesMost} messages: send several.`);
  }
  if (bodies.some((body) => isObject(body) && body['method'] === 'initialize')) {
    throw badMessage('initialize is sent by itself, before any batch.');
  }
}

/** The edge counts a batch as one request; later limits are errors of the message. */
async function answerOne(call: McpCall, index: number, post: Post): Promise<McpAnswer> {
  try {
    if (index > 0) call.draw('read');
    return await post(call);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code: reason, detail, hint, extra } = error;
    const data = { code: reason, ...(hint !== undefined && { hint }), ...extra };
    const fault = { code: errorCodes.invalidRequest, message: detail, data };
    return { status: 200, message: { jsonrpc: '2.0', id: idOf(call.body), error: fault } };
  }
}
