import postgres from 'postgres';
import type { Sql, Transaction } from './pool-type.ts';

type Work<Result> = (transaction: Transaction) => Result | Promise<Result>;

/**
 * `begin` of a driver (postgres 3.4.9) that rolls back on a connection that is gone, which ends the
 * process, and lets a transaction go on in whatever session comes next. Here nothing is sent any
 * more once the connection is lost: the transaction fails, and its work is forgotten.
 */
export function safeBegin(sql: Sql) {
  const begin = sql.begin.bind(sql);
  return async <Result>(...given: [Work<Result>] | [string, Work<Result>]) => {
    const [options, work] = given.length === 1 ? ['', given[0]] : given;
    let isOver = false;
    const run = async (transaction: Transaction): Promise<Result> => {
      try {
        return await work(whileOpen(transaction, () => isOver));
      } catch (error) {
        if (isFarewell(error)) return never;
        // The driver reports a lost connection within one turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver) return never;
        throw error;
      }
    };
    try {
      return await begin(options, run);
    } finally {
      isOver = true;
    }
  };
}

/** The last that PostgreSQL says in a session: it closes the connection after it. */
function isFarewell(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^57P0[123]$/.test(error.code);
}

class TransactionLost extends Error {
  override readonly name = 'TransactionLost';
  /** Code of the driver for a statement on a lost connection. */
  readonly code = 'CONNECTION_CLOSED';
}

/** A promise for abandoned callers. */
const never = new Promise<never>(() => undefined);

function whileOpen(transaction: Transaction, isOver: () => boolean): Transaction {
  const check = () => {
    if (isOver()) throw new TransactionLost('the connection of this transaction is gone');
  };
  return new Proxy(transaction, {
    apply(target, self, values) {
      check();
      return Reflect.apply(target, self, values) as unknown;
    },
    // `unsafe` and `savepoint` send statements too.
    get(target, name) {
      check();
      return Reflect.get(target, name) as unknown;
    },
  });
}
