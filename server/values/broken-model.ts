/** Another reader has broken the model while this one waited; a new one is to be made. */
export class BrokenModel extends Error {
  override readonly name = 'BrokenModel';
}
