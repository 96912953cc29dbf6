/** Long because every setting of a process is read here. */
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { Addresses } from './model/addresses.ts';
import { parseDatabaseAddress } from './model/database-address.ts';
import { isHost, isLoopback, plainAddress } from './model/ip-address.ts';
import { requestMemory } from './model/limits.ts';

/** The settings of one process, read once. `docs/settings.md` is for people; this is for code. */
export interface Config {
  readonly host: string;
  /** 0 asks for a free port; `app.ts` settles it before anything is told an address. */
  readonly port: number;
  /** Ports of their own, of addresses that have one. */
  readonly listen: Readonly<Record<'api' | 'auth' | 'site', number | undefined>>;
  /** A port of its own for /health, /ready and /metrics; undefined for none. */
  readonly healthPort: number | undefined;
  /** Public addresses as set, or undefined: then the address of the listener. */
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
  readonly siteUrl: string | undefined;
  readonly dataDirectory: string;
  /**
   * Address of the database, maybe with several hosts; the embedded one in `dataDirectory` if
   * undefined.
   */
  readonly databaseUrl: string | undefined;
  /**
   * Address of the database past a connection pooler, for connections that live as long as a
   * session.
   */
  readonly databaseDirectUrl: string | undefined;
  /** 'required' when the database must have a standby that commits wait for. */
  readonly replication: 'required' | 'none';
  readonly objectStoreUrl: string;
  readonly workerCount: number;
  /** Limits above either of which a values read is computed in the background and answers 202. */
  readonly evaluationCeiling: { readonly cells: number; readonly grid: number };
  /** Rules for moving history into object storage, and for the part that PostgreSQL keeps. */
  readonly keeper: {
    readonly sealOperations: number;
    readonly idleMilliseconds: number;
    readonly hotOperations: number;
  };
  /** Bytes of memory for states and models. */
  readonly memory: {
    readonly stateBytes: number;
    readonly modelBytes: number;
    /** Bytes of one workbook, states and models together. */
    readonly workbookBytes: number;
  };
  /** Memory that request bodies and answers under way may take. */
  readonly requestMemory: {
    readonly bodyBytes: number;
    readonly answerBytes: number;
    /** Bytes that may wait for websockets and event streams. */
    readonly socketBytes: number;
  };
  readonly tlogOrigin: string | undefined;
  readonly tlogKeyFile: string;
  /** Witnesses of the log and how many have to sign; undefined for none. */
  readonly tlogPolicyFile: string | undefined;
  /** Folder where this machine remembers the log that it has last shown; undefined for nowhere. */
  readonly tlogMemoryFolder: string | undefined;
  readonly mailUrl: string;
  /** The From of letters; undefined means no-reply at the host of the identity service. */
  readonly mailFrom: string | undefined;
  readonly identityKeyFile: string;
  /** Secret of services that may ask about tokens; undefined: none may. */
  readonly introspectionSecret: string | undefined;
  /** File of the providers where people may have an account to sign in with; undefined for none. */
  readonly signInProvidersFile: string | undefined;
  readonly registrationTypes: readonly RegistrationType[];
  readonly developmentHooks: boolean;
  readonly rateLimits: boolean;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins of pages that may open websockets, beside those of the service itself. */
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly role: Role;
  /** Name of this node; one is made up at start if undefined. */
  readonly nodeId: string | undefined;
  /** Providers of vectors and verdicts: JSON or a file of it; undefined for `local` alone. */
  readonly matchProviders: string | undefined;
  /** Vectors that were paid for serve everybody, or the workbook alone that they were made for. */
  readonly matchCacheScope: 'server' | 'workbook';
  /** The value of a variable that another setting names, for what must not be in a file. */
  readonly secret: (name: string) => string | undefined;
}

export type RegistrationType = 'anonymous' | 'identity_assertion';
export type Role = 'all' | 'api' | 'auth' | 'site';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

type Settings = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used. The message names the setting and what would be accepted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const roles = ['all', 'api', 'auth', 'site'] as const satisfies readonly Role[];
const logLevels = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const satisfies readonly LogLevel[];

const registrationTypes: readonly RegistrationType[] = ['anonymous', 'identity_assertion'];

const mebibyte = 2 ** 20;
const leastMebibytes = 64;
/** Mebibytes that one workbook may always take, however small the caches are. */
const leastWorkbookMebibytes = 256;
const mostModelMebibytes = 1_024;
const evaluationCeilingCells = 250_000;
const evaluationCeilingGrid = 1_000_000;

export function readConfig(settings: Settings = process.env): Config {
  const host = readHost(settings);
  const dataDirectory = resolve(text(settings, 'DATA_DIR') ?? './data');
  const databaseUrl = database(settings, 'DATABASE_URL');
  const developmentDefault = isLoopback(host) && databaseUrl === undefined;
  return Object.freeze({
    host,
    port: integer(settings, 'PORT', { fallback: 8080, least: 0, most: 65_535 }),
    listen: {
      api: optionalPort(settings, 'LISTEN_API'),
      auth: optionalPort(settings, 'LISTEN_AUTH'),
      site: optionalPort(settings, 'LISTEN_SITE'),
    },
    healthPort: optionalPort(settings, 'LISTEN_HEALTH'),
    baseUrl: origin(settings, 'BASE_URL'),
    authUrl: origin(settings, 'AUTH_URL'),
    siteUrl: origin(settings, 'SITE_URL'),
    dataDirectory,
    databaseUrl,
    databaseDirectUrl: database(settings, 'DATABASE_DIRECT_URL'),
    replication: readReplication(settings, databaseUrl),
    objectStoreUrl:
      url(settings, 'OBJECT_STORE_URL', ['file:', 's3:']) ?? fileUrl(dataDirectory, 'objects'),
    workerCount: integer(settings, 'WORKERS', {
      fallback: Math.max(1, availableParallelism() - 1),
      least: 1,
      most: 256,
    }),
    evaluationCeiling: readEvaluationCeiling(settings),
    keeper: readKeeper(settings),
    memory: readMemory(settings),
    requestMemory: readRequestMemory(settings),
    tlogOrigin: text(settings, 'TLOG_ORIGIN'),
    tlogKeyFile: resolve(text(settings, 'TLOG_KEY_FILE') ?? join(dataDirectory, 'keys/tlog.key')),
    tlogPolicyFile: file(settings, 'TLOG_POLICY_FILE'),
    tlogMemoryFolder: readMemoryFolder(settings),
    mailUrl: readMailUrl(settings) ?? fileUrl(dataDirectory, 'mail'),
    mailFrom: readMailFrom(settings),
    identityKeyFile: resolve(
      text(settings, 'IDENTITY_KEY_FILE') ?? join(dataDirectory, 'keys/identity.key'),
    ),
    registrationTypes: readRegistrationTypes(settings),
    introspectionSecret: text(settings, 'INTROSPECTION_SECRET'),
    signInProvidersFile: file(settings, 'SIGN_IN_PROVIDERS_FILE'),
    developmentHooks: toggle(settings, 'DEV_HOOKS', developmentDefault),
    rateLimits: readRateLimits(settings, host),
    trustedProxies: readProxies(settings),
    allowedOrigins: readOrigins(settings),
    logLevel: choice(settings, 'LOG_LEVEL', logLevels) ?? 'info',
    role: readRole(settings),
    nodeId: readNodeId(settings),
    matchProviders: text(settings, 'MATCH_PROVIDERS'),
    matchCacheScope:
      choice(settings, 'MATCH_CACHE_SCOPE', ['server', 'workbook'] as const) ?? 'server',
    secret: (name: string) => text(settings, name),
  });
}

/** Addresses that clients are told; a setting left out means the address of the listener. */
export function publicAddresses(config: Config, ports: Record<keyof Config['listen'], number>) {
  const name = config.host.includes(':') ? `[${config.host}]` : config.host;
  const listener = (host: keyof Config['listen']): string => `http://${name}:${ports[host]}`;
  const { baseUrl = listener('api') } = config;
  const other = (host: 'auth' | 'site'): string => config.baseUrl ?? listener(host);
  const { authUrl = other('auth'), siteUrl = other('site') } = config;
  return { baseUrl, authUrl, siteUrl } satisfies Addresses;
}

/** An IPv6 address may have brackets, as URLs write it. */
function readHost(settings: Settings): string {
  const host = (text(settings, 'HOST') ?? '127.0.0.1').replace(/^\[(?<inner>.*)\]$/, '$<inner>');
  if (isHost(host)) return host;
  throw rejected('HOST', host, 'an address of this machine, such as 127.0.0.1 or ::1, or its name');
}

function readEvaluationCeiling(settings: Settings): Config['evaluationCeiling'] {
  const range = { least: 0, most: Number.MAX_SAFE_INTEGER };
  return Object.freeze({
    cells: integer(settings, 'EVAL_CEILING_CELLS', { fallback: evaluationCeilingCells, ...range }),
    grid: integer(settings, 'EVAL_CEILING_GRID', { fallback: evaluationCeilingGrid, ...range }),
  });
}

function readKeeper(settings: Settings): Config['keeper'] {
  const most = Number.MAX_SAFE_INTEGER;
  const seconds = { fallback: 1_800, least: 1, most: 30 * 86_400 };
  return Object.freeze({
    sealOperations: integer(settings, 'SEAL_OPERATIONS', { fallback: 10_000, least: 1, most }),
    idleMilliseconds: integer(settings, 'SEAL_IDLE_SECONDS', seconds) * 1000,
    hotOperations: integer(settings, 'HOT_OPERATIONS', { fallback: 20_000, least: 0, most }),
  });
}

/** States are objects of JavaScript, so the heap limits them too; models lie beside the heap. */
function readMemory(settings: Settings): Config['memory'] {
  // In a container less may be there than the machine has; no limit reads as 0 or as a huge number.
  const limit = process.constrainedMemory();
  const machineMebibytes = Math.min(limit > 0 ? limit : Infinity, totalmem()) / mebibyte;
  const heapMebibytes = getHeapStatistics().heap_size_limit / mebibyte;
  const eighth = Math.floor(machineMebibytes / 8);
  const state = Math.max(leastMebibytes, Math.min(eighth, Math.floor(heapMebibytes / 4)));
  const model = Math.max(leastMebibytes, Math.min(eighth, mostModelMebibytes));
  const range = { least: 1, most: 1 << 20 };
  const states = integer(settings, 'STATE_MEMORY_MIB', { fallback: state, ...range });
  const models = integer(settings, 'MODEL_MEMORY_MIB', { fallback: model, ...range });
  const workbook = Math.max(leastWorkbookMebibytes, states + models);
  return Object.freeze({
    stateBytes: states * mebibyte,
    modelBytes: models * mebibyte,
    workbookBytes:
      integer(settings, 'WORKBOOK_MEMORY_MIB', { fallback: workbook, ...range }) * mebibyte,
  });
}

/**
 * Returns a folder in the user's state directory (XDG Base Directory Specification), outside
 * DATA_DIR.
 */
function readMemoryFolder(settings: Settings): string | undefined {
  const folder = text(settings, 'TLOG_MEMORY_DIR');
  if (folder?.toLowerCase() === 'off') return undefined;
  if (folder !== undefined) return resolve(folder);
  // These two are the system's and no settings of ours.
  const { HOME: home = '', XDG_STATE_HOME: ownState = '' } = settings;
  const state = ownState === '' && home !== '' ? join(home, '.local/state') : ownState;
  return state === '' ? undefined : join(state, 'quire');
}

function readRequestMemory(settings: Settings): Config['requestMemory'] {
  const range = { fallback: requestMemory.bodyBytes / mebibyte, least: 64, most: 1 << 20 };
  return Object.freeze({
    bodyBytes: integer(settings, 'BODY_MEMORY_MIB', range) * mebibyte,
    answerBytes: integer(settings, 'ANSWER_MEMORY_MIB', range) * mebibyte,
    socketBytes:
      integer(settings, 'SOCKET_MEMORY_MIB', { ...range, fallback: 512, least: 1 }) * mebibyte,
  });
}

function readReplication(
  settings: Settings,
  databaseUrl: string | undefined,
): Config['replication'] {
  const replication = choice(settings, 'REPLICATION', ['required', 'none'] as const) ?? 'none';
  if (replication === 'required' && databaseUrl === undefined) {
    throw new ConfigError(
      'REPLICATION=required needs DATABASE_URL: the embedded PostgreSQL is one',
    );
  }
  return replication;
}

function readRateLimits(settings: Settings, host: string): boolean {
  const on = toggle(settings, 'RATE_LIMITS', true);
  if (!on && !isLoopback(host)) {
    throw new ConfigError(
      `RATE_LIMITS=off is accepted on loopback only, and HOST is ${host}: set HOST=127.0.0.1 or leave RATE_LIMITS on`,
    );
  }
  return on;
}

/** Processes that serve a part find each other in the database, and the others by their addresses. */
function readRole(settings: Settings): Role {
  const role = choice(settings, 'ROLE', roles) ?? 'all';
  if (role === 'all') return role;
  const missing = ['DATABASE_URL', 'BASE_URL', 'AUTH_URL', 'SITE_URL'].filter(
    (name) => text(settings, name) === undefined,
  );
  if (missing.length === 0) return role;
  throw new ConfigError(`ROLE=${role} needs ${missing.join(', ')} to be set`);
}

function readMailUrl(settings: Settings): string | undefined {
  const mailUrl = url(settings, 'MAIL_URL', ['file:', 'smtp:', 'smtps:']);
  if (mailUrl?.startsWith('smtp') !== true || isNamed(new URL(mailUrl).hostname)) return mailUrl;
  throw new ConfigError('MAIL_URL must name a host: smtp://user:password@host:587');
}

/** Returns whether a URL names a host; IPv6 in brackets was read by `URL`, IPv4 of smtp: was not. */
function isNamed(host: string): boolean {
  return host !== '' && (host.startsWith('[') || isHost(host));
}

/** `ada@example.com`, with or without a name before it in the way of letters. */
function readMailFrom(settings: Settings): string | undefined {
  const from = text(settings, 'MAIL_FROM');
  if (from !== undefined && !/^(?:[^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(from)) {
    throw rejected('MAIL_FROM', from, 'an address, or a name and <an address>');
  }
  return from;
}

/** Reads addresses of proxies as the edge writes them, whatever their spelling. */
function readProxies(settings: Settings): string[] {
  const proxies = (text(settings, 'TRUSTED_PROXIES') ?? '').split(',').map(trim);
  return proxies.filter(Boolean).map((proxy) => {
    const address = plainAddress(proxy);
    if (address !== undefined) return address;
    throw rejected('TRUSTED_PROXIES', proxy, 'IPv4 or IPv6 addresses, each written out: no ranges');
  });
}

function readRegistrationTypes(settings: Settings): RegistrationType[] {
  const types = text(settings, 'REGISTRATION_TYPES');
  if (types === undefined) return [...registrationTypes];
  const words = types === 'none' ? [] : types.split(',').map(trim);
  return words.map((word) => {
    const type = registrationTypes.find((candidate) => candidate === word);
    if (type !== undefined) return type;
    throw rejected('REGISTRATION_TYPES', word, `none, or some of ${registrationTypes.join(', ')}`);
  });
}

function readNodeId(settings: Settings): string | undefined {
  const nodeId = text(settings, 'NODE_ID');
  if (nodeId !== undefined && !/^[a-z0-9][a-z0-9._-]{0,62}$/i.test(nodeId)) {
    throw rejected('NODE_ID', nodeId, 'up to 63 letters, digits, dots, dashes and underscores');
  }
  return nodeId;
}

/** An empty variable counts as unset: that is how compose files and shells leave one out. */
function text(settings: Settings, name: string): string | undefined {
  const value = settings[name]?.trim();
  return value === '' ? undefined : value;
}

function trim(value: string): string {
  return value.trim();
}

interface IntegerRule {
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

function integer(settings: Settings, name: string, rule: IntegerRule): number {
  const value = text(settings, name);
  if (value === undefined) return rule.fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < rule.least || number > rule.most) {
    throw rejected(name, value, `a whole number from ${rule.least} to ${rule.most}`);
  }
  return number;
}

function optionalPort(settings: Settings, name: string): number | undefined {
  const range = { fallback: -1, least: 0, most: 65_535 };
  const port = integer(settings, name, range);
  return port === range.fallback ? undefined : port;
}

function toggle(settings: Settings, name: string, fallback: boolean): boolean {
  const value = text(settings, name)?.toLowerCase();
  if (value === undefined) return fallback;
  if (['1', 'on', 'true', 'yes'].includes(value)) return true;
  if (['0', 'off', 'false', 'no'].includes(value)) return false;
  throw rejected(name, value, 'on or off');
}

function choice<Word extends string>(
  settings: Settings,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = text(settings, name)?.toLowerCase();
  if (value === undefined) return undefined;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw rejected(name, value, `one of ${words.join(', ')}`);
  return word;
}

/** The value is not repeated in the message: a URL may carry a password. */
function url(settings: Settings, name: string, schemes: readonly string[]): string | undefined {
  const value = text(settings, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be a URL that begins with ${schemes.join(' or ')}`);
  }
  // `new URL` reads file:./objects as /objects, at the root of the disk.
  const relativePath = /^file:(?!\/)(?<path>.*)/.exec(value)?.groups?.['path'];
  return relativePath === undefined ? value : pathToFileURL(resolve(relativePath)).href;
}

/** The value is not repeated in the message: it may carry a password. */
function database(settings: Settings, name: string): string | undefined {
  const value = text(settings, name);
  if (value === undefined || parseDatabaseAddress(value) !== undefined) return value;
  throw new ConfigError(
    `${name} must be a URL such as postgres://user:password@host:5432/quire, with commas between several host:port, and no other target_session_attrs than primary`,
  );
}

function file(settings: Settings, name: string): string | undefined {
  const value = text(settings, name);
  return value === undefined ? undefined : resolve(value);
}

function fileUrl(folder: string, name: string): string {
  return pathToFileURL(join(folder, name)).href;
}

/** A public address: scheme and host, perhaps a path, without a slash at the end. */
function origin(settings: Settings, name: string): string | undefined {
  const value = url(settings, name, ['http:', 'https:']);
  if (value === undefined) return undefined;
  const { search, hash, username, password } = new URL(value);
  if (search !== '' || hash !== '') throw new ConfigError(`${name} must have no query or fragment`);
  // It stands in documents that everybody reads.
  if (username !== '' || password !== '') throw new ConfigError(`${name} must have no user`);
  return value.replace(/\/+$/, '');
}

/** Reads origins as the header Origin writes them: scheme, host and port. */
function readOrigins(settings: Settings): readonly string[] {
  const value = text(settings, 'ALLOWED_ORIGINS');
  return (value?.split(',') ?? []).map((part) => {
    const given = part.trim().toLowerCase();
    if (URL.canParse(given) && new URL(given).origin === given) return given;
    throw rejected('ALLOWED_ORIGINS', given, 'origins such as https://app.example.com');
  });
}

function rejected(name: string, value: string, accepted: string): ConfigError {
  return new ConfigError(`${name} is "${value}", but must be ${accepted}`);
}
