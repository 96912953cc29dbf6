/** The store gave back other bytes than were put there. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject';
  readonly key: string;

  constructor(key: string) {
    super(`the object ${key} is not what was put there: restore it from a copy of the store`);
    this.key = key;
  }
}
