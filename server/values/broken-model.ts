/** Error of a reader whose model another one broke meanwhile; a new model is needed. */
export class BrokenModel extends Error {
  override readonly name = 'BrokenModel';
}
