/** The fixture asks for something that this runtime does not have. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
