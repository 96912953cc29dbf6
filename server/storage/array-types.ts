import { parse } from 'postgres-array';

type Parse = (text: string) => unknown;
type Serialize = (value: unknown) => unknown;

interface TypeTables {
  readonly parsers: Record<number, Parse>;
  readonly serializers: Record<number, Serialize>;
}

/** Ids of types and of arrays of them, as in PostgreSQL's pg_type.dat: they never change. */
const arrayTypeIds: readonly (readonly [element: number, array: number])[] = [
  [16, 1000], // bool
  [17, 1001], // bytea
  [20, 1016], // int8
  [21, 1005], // int2
  [23, 1007], // int4
  [25, 1009], // text
  [114, 199], // json
  [700, 1021], // float4
  [701, 1022], // float8
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1700, 1231], // numeric
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
];

/**
 * Adds arrays of the types of PostgreSQL. The driver would ask the database for them on each new
 * connection, and that question (postgres 3.4.9) has nobody who hears of its failure: a connection
 * that is lost meanwhile would end the process.
 */
export function addArrayTypes({ parsers, serializers }: TypeTables): void {
  for (const [element, array] of arrayTypeIds) {
    const read = parsers[element] ?? String;
    const write = serializers[element] ?? String;
    parsers[array] = (text) => parse(text, read);
    serializers[array] = (value) => (Array.isArray(value) ? arrayText(value, write) : value);
  }
}

/** The text form of PostgreSQL's documentation, "Array Input and Output Syntax". */
function arrayText(values: readonly unknown[], write: Serialize): string {
  const texts = values.map((value) => (value === null ? 'null' : quoted(String(write(value)))));
  return `{${texts.join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, '\\$&')}"`;
}
