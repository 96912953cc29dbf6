/** Part of daff that the tests use; it has no types of its own. */
declare module 'daff' {
  type Rows = (string | number | null)[][];

  interface Daff {
    TableView: new (rows: Rows) => object;
    CompareFlags: new () => object;
    Merger: new (
      parent: object,
      local: object,
      remote: object,
      flags: object,
    ) => { apply(): number };
  }

  const daff: Daff;
  export default daff;
}
