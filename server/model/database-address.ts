import { isHost } from './ip-address.ts';

/** A server among those that a database may be on. */
export interface DatabaseHost {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The address of a database; with several hosts, one at a time is the primary. */
export interface DatabaseAddress {
  /** The URL with the first host only, and without the options read here. */
  readonly url: string;
  readonly hosts: readonly DatabaseHost[];
}

const defaultPort = 5432;
const portMost = 65_535;
const shape =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#@]*@)?(?<hosts>[^/?#@]+)(?<rest>[/?#].*)?$/;

/**
 * Reads `postgres://user:password@host:port/database`, where `host:port` may be several with commas
 * between them, as libpq takes them (PostgreSQL's manual, section 34.1.1.2). Undefined unless it is
 * one. Of `target_session_attrs` only `primary` is taken: the others would do with a standby, or
 * with a setting that a standby has too.
 */
export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const { scheme, user = '', hosts: list = '', rest = '' } = shape.exec(text)?.groups ?? {};
  if (scheme === undefined) return undefined;
  const hosts = list.split(',').map(parseHost);
  const [first] = list.split(',');
  const whole = `${scheme}${user}${first ?? ''}${rest}`;
  if (!hosts.every((host) => host !== undefined) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const target = url.searchParams.get('target_session_attrs');
  if (target !== null && target !== 'primary') return undefined;
  url.searchParams.delete('target_session_attrs');
  return { url: url.href, hosts };
}

function parseHost(text: string): DatabaseHost | undefined {
  const found = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i.exec(
    text,
  );
  const { v6, name, port } = found?.groups ?? {};
  const host = v6 ?? name;
  const number = port === undefined ? defaultPort : Number(port);
  if (host === undefined || number === 0 || number > portMost) return undefined;
  const plain = decodeURIComponent(host);
  return isHost(plain) ? { host: plain, port: number } : undefined;
}
