/** The fixture uses a feature that this runtime does not support. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
