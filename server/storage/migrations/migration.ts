/** One step of the schema. Once released it never changes: a later step corrects it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * The step up to which a version has to know the schema, to go on beside this one; its own number
   * when left out. A step that only adds what older statements need not name gives the last step of
   * the release before, so that both versions may run at one time.
   */
  readonly requires?: number;
  /** Statements separated by semicolons; they run in one transaction. */
  readonly sql: string;
}
