import postgres from 'postgres';
import { addArrayTypes } from './array-types.ts';
import type { Dialer } from './dialer.ts';
import type { Notice } from './notice.ts';
import type { Sql } from './pool-type.ts';
import { safeBegin } from './safe-begin.ts';

export interface DriverOptions {
  /** Address of one host; the dialer knows where the others are. */
  readonly url: string;
  readonly applicationName: string;
  readonly connectionCount: number;
  readonly connectSeconds: number;
  readonly dialer: Dialer;
  /** True when the dialled host must turn out to be the primary. */
  readonly isPrimaryWanted?: boolean;
  /** True when connections are opened even while the database is silent. */
  readonly evenIfSilent?: boolean;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly onNotification?: (channel: string, payload: string) => void;
  /** A connection was closed, by whomever, or could not be opened. */
  readonly onClose?: () => void;
}

const int8TypeId = 20;
const byteaTypeId = 17;
const hexPrefix = String.raw`\x`;
const backoffSeconds = 0.1;
/** Most seconds of an end: the driver waits for ever for a lost connection with a statement. */
const endSeconds = 1;

/**
 * Opens a pool of the driver. The first query opens the first connection. At its end statements
 * under way may take `timeout` seconds, 1 by default.
 */
export function openDriver(options: DriverOptions): Sql {
  const { dialer, onClose, onNotice, onNotification, evenIfSilent = false } = options;
  const given = {
    max: options.connectionCount,
    connect_timeout: options.connectSeconds,
    // A connection is as good after an hour as before.
    max_lifetime: null,
    // The driver's default waits for up to 20 s, even if the database is back.
    backoff: () => backoffSeconds,
    connection: { application_name: options.applicationName },
    ...(options.isPrimaryWanted === true && { target_session_attrs: 'primary' as const }),
    socket: () => dialer.dial({ evenIfSilent }),
    onnotice: (notice: Notice) => onNotice?.(notice),
    ...(onNotification && { onnotify: onNotification }),
    onclose: () => onClose?.(),
    fetch_types: false,
    types: {
      bigint: {
        to: int8TypeId,
        from: [int8TypeId],
        serialize: (value: number) => String(value),
        parse: parseInt8,
      },
      bytea: {
        to: byteaTypeId,
        from: [byteaTypeId],
        serialize: (value: Uint8Array) => `\\x${asBuffer(value).toString('hex')}`,
        parse: parseBytea,
      },
    },
  };
  const sql: Sql = postgres(options.url, given);
  addArrayTypes(sql.options);
  const endIn = sql.end.bind(sql);
  const end: Sql['end'] = ({ timeout = endSeconds } = {}) => endIn({ timeout });
  return Object.assign(sql, { begin: safeBegin(sql), end });
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
  return value;
}

/**
 * Parses the hex form of bytea (PostgreSQL, 8.4.1) into separate memory: the driver takes small
 * values from shared blocks of 8 KiB, and a kept value would keep its block.
 */
function parseBytea(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((text.length - hexPrefix.length) / 2);
  bytes.write(text.slice(hexPrefix.length), 'hex');
  return bytes;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
