/** One step of the schema. Once released it never changes: a later step corrects it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Statements separated by semicolons; they run in one transaction. */
  readonly sql: string;
}
