import type postgres from 'postgres';

/** A pool of connections. 64-bit integers come as numbers: every count of ours stays below 2^53. */
export type Sql = postgres.Sql<{ bigint: number }>;
/** A pool within one transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;

/** The part that a pool and a transaction share: one statement after the other. */
export type Statements = postgres.ISql<{ bigint: number }>;
