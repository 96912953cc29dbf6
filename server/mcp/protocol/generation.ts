import { isObject } from '../../model/plain-json.ts';
import { badMessage, headerMismatch, ProtocolFault } from './fault.ts';
import { headerText } from './header-values.ts';
import type { JsonObject, Message, RequestMessage } from './message.ts';
import { errorCodes, headerNames, metaKeys, sessionVersions, statelessVersion } from './names.ts';

/** How a message is to be served. Sessions are the older way, with a handshake of their own. */
export type Envelope =
  | {
      readonly isStateless: true;
      readonly version: string;
      readonly capabilities: JsonObject;
    }
  | { readonly isStateless: false; readonly version: string | undefined };

type ReadHeader = (name: string) => string | undefined;
type Sent = Exclude<Message, { kind: 'response' }>;

/** The version is what the body says; headers repeat it, and must not say anything else. */
export function readEnvelope(message: Sent, header: ReadHeader): Envelope {
  const meta = message.params['_meta'];
  const named = header(headerNames.version)?.trim();
  if (isObject(meta) && metaKeys.version in meta) return stateless(message, meta, header);
  if (named === statelessVersion) return unclaimed(message, meta);
  const isKnown = named === undefined || (sessionVersions as readonly string[]).includes(named);
  if (!isKnown && message.method !== 'initialize') throw unsupported(named, sessionVersions);
  return { isStateless: false, version: named };
}

function stateless(message: Sent, meta: JsonObject, header: ReadHeader): Envelope {
  const version = meta[metaKeys.version];
  if (typeof version !== 'string') throw badEnvelope(metaKeys.version, 'expected a text');
  const capabilities = capabilitiesOf(message, meta);
  const named = header(headerNames.version)?.trim();
  if (named !== undefined && named !== version) {
    const said = `the body names the version ${version}, and the header ${named}`;
    throw mismatch(headerNames.version, said);
  }
  checkMethod(message, header, false);
  if (version !== statelessVersion) throw unsupported(version, [statelessVersion]);
  if (message.kind === 'request') checkHeaders(message, { named, header });
  return { isStateless: true, version, capabilities };
}

/** Returns what the client can do, which every request says; who the client is may stay unsaid. */
function capabilitiesOf({ kind }: Sent, meta: JsonObject): JsonObject {
  const { [metaKeys.clientCapabilities]: capabilities, [metaKeys.clientInfo]: info } = meta;
  if (kind === 'request' && !isObject(capabilities)) {
    const problem = capabilities === undefined ? 'missing' : 'expected an object';
    throw badEnvelope(metaKeys.clientCapabilities, problem);
  }
  if (info !== undefined && !isImplementation(info)) {
    throw badEnvelope(metaKeys.clientInfo, 'expected an object with name and version');
  }
  return isObject(capabilities) ? capabilities : {};
}

function isImplementation(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

/** A header names the newer version, and a request says nothing in its body. */
function unclaimed(message: Sent, meta: unknown): Envelope {
  if (message.kind === 'notification') {
    return { isStateless: true, version: statelessVersion, capabilities: {} };
  }
  if (message.method === 'initialize') {
    throw mismatch(
      headerNames.version,
      `initialize is not part of the version ${statelessVersion}`,
    );
  }
  throw badEnvelope(isObject(meta) ? metaKeys.version : '_meta', 'missing');
}

function checkMethod(message: Sent, header: ReadHeader, isNeeded: boolean): void {
  const named = header(headerNames.method)?.trim();
  if (named === undefined && !isNeeded) return;
  if (named === message.method) return;
  const said = named === undefined ? 'the header is missing' : `the header says ${named}`;
  throw mismatch(headerNames.method, `the body names the method ${message.method}, and ${said}`);
}

/** The member that the header `Mcp-Name` repeats, by method. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function checkHeaders(
  message: RequestMessage,
  { named, header }: { readonly named: string | undefined; readonly header: ReadHeader },
): void {
  if (named === undefined) {
    throw mismatch(headerNames.version, 'the header is missing that repeats the version');
  }
  checkMethod(message, header, true);
  const member = Object.hasOwn(nameMembers, message.method)
    ? nameMembers[message.method]
    : undefined;
  if (member === undefined) return;
  const value = message.params[member];
  const sent = header(headerNames.name);
  if (sent === undefined) {
    if (typeof value !== 'string') return;
    throw mismatch(
      headerNames.name,
      `the body has ${member} "${value}", and the header is missing`,
    );
  }
  const text = headerText(sent);
  if (text === undefined) throw mismatch(headerNames.name, 'the header is packed in a wrong way');
  if (typeof value === 'string' && text !== value) {
    throw mismatch(headerNames.name, `the body has ${member} "${value}", and the header "${text}"`);
  }
}

function mismatch(header: string, message: string): ProtocolFault {
  return headerMismatch(header, `${header}: ${message}.`);
}

function badEnvelope(key: string, problem: string): ProtocolFault {
  const message = `Every request of the version ${statelessVersion} says in _meta who sends it. ${key}: ${problem}.`;
  const data = { envelope: { key, problem } };
  return new ProtocolFault(errorCodes.invalidParams, message, { data, status: 400 });
}

/** The versions are those of the way in which the request came. */
function unsupported(requested: string, supported: readonly string[]): ProtocolFault {
  const message = `The version ${requested.slice(0, 40)} of the protocol is not spoken here.`;
  const data = { supported, requested };
  return new ProtocolFault(errorCodes.unsupportedVersion, message, { data, status: 400 });
}

/** Returns the version of a session: the one it requests, or the newest. */
export function agreedVersion(params: JsonObject): string {
  const asked = params['protocolVersion'];
  if (typeof asked !== 'string') throw badMessage('initialize names its "protocolVersion".');
  return sessionVersions.find((version) => version === asked) ?? sessionVersions[0];
}
